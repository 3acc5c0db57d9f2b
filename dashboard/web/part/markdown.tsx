/**
 * Markdown that agents wrote: raw HTML is text, links lead to the web and to mail only, images are words. The one place that makes
 * HTML of a text.
 */
import MarkdownIt from "markdown-it";
import { useMemo, useState } from "preact/hooks";
import { policy } from "./policy.ts";

const markdown = new MarkdownIt({ html: false, linkify: true, breaks: false });
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
markdown.validateLink = (address) => /^(https?:\/\/|mailto:)/i.test(address);
const { escapeHtml } = markdown.utils;
markdown.renderer.rules["image"] = (tokens, index) => `<span class="t3">image: ${escapeHtml(tokens[index]?.content ?? "")}</span>`;
markdown.renderer.rules["link_open"] = (tokens, index, options, _environment, renderer) => {
  tokens[index]?.attrSet("rel", "noopener noreferrer");
  tokens[index]?.attrSet("target", "_blank");
  return renderer.renderToken(tokens, index, options);
};
// A keyboard scrolls what is wider than the page only where it can have the focus.
markdown.renderer.rules["fence"] = (tokens, index) => `<pre tabindex="0"><code>${escapeHtml(tokens[index]?.content ?? "")}</code></pre>\n`;
markdown.renderer.rules["code_block"] = markdown.renderer.rules["fence"];
markdown.renderer.rules["table_open"] = () => '<table tabindex="0">\n';

/** So much of a text is shown as Markdown: more would keep the page busy. */
const SHOWN = 16_384;

/** A text as Markdown; of a long one the beginning, and all of it as it is when asked for. */
export function Markdown({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(false);
  const isLong = text.length > SHOWN;
  const html = useMemo(() => policy.createHTML(markdown.render(isLong ? text.slice(0, SHOWN) : text)), [text, isLong]);
  if (isLong && isWhole)
    return (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it.
      <pre class="plain" tabIndex={0}>
        {text}
      </pre>
    );
  return (
    <div class="md">
      {/* Made above, of escaped text, under the one policy of the page. */}
      <div class="md-body" dangerouslySetInnerHTML={{ __html: html }} />
      {isLong && (
        <button type="button" class="btn" onClick={() => setWhole(true)}>
          Show all ({Math.round(text.length / 1_000)} kB, as text)
        </button>
      )}
    </div>
  );
}
