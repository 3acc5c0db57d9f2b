/**
 * Markdown that agents wrote: raw HTML is text, links lead to the web and to mail only, images are words. The one place that makes
 * HTML of a text.
 */
import MarkdownIt from "markdown-it";
import { withMarks } from "./unseen.ts";

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
export const SHOWN = 16_384;
/** A text of more tags is no prose: it is shown as it is. */
const MOST_TAGS = 6_000;
/** So many cells the tables of a text may have. A row is filled up to the columns of its head, so few characters make many. */
const MOST_CELLS = 2_048;

const only = new MarkdownIt();
only.block.ruler.enableOnly("table");
const [table] = only.block.ruler.getRules("");
type Rule = NonNullable<typeof table>;
const bounded: Rule = (state, first, end, isAsked) => {
  if (isAsked) return (table as Rule)(state, first, end, isAsked);
  let last = first;
  while (last < end && !state.isEmpty(last)) last += 1;
  const columns = state.getLines(first, first + 1, 0, false).split("|").length;
  const cells = ((state.env as { cells?: number }).cells ?? 0) + columns * (last - first);
  if (cells > MOST_CELLS || !(table as Rule)(state, first, end, isAsked)) return false;
  (state.env as { cells?: number }).cells = cells;
  return true;
};
markdown.block.ruler.at("table", bounded, { alt: ["paragraph", "reference"] });

/** The HTML of a text, of a long one that of its beginning; undefined where it would be more than a page can show at ease. */
export function htmlOf(text: string): string | undefined {
  const html = markdown.render(text.slice(0, SHOWN).replace(/[\ud800-\udbff]$/, ""), {});
  return html.split("<", MOST_TAGS + 2).length > MOST_TAGS + 1 ? undefined : withMarks(html);
}
