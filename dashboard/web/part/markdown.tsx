/** A text of an agent as Markdown. */
import { useMemo, useState } from "preact/hooks";
import { htmlOf, SHOWN } from "./html.ts";
import { policy } from "./policy.ts";

/**
 * A text as Markdown; of a long one the beginning, and all of it as it is when asked for.
 * @param isPlainText whether it is shown as it is from the beginning
 */
export function Markdown({ text, isPlainText = false }: { text: string; isPlainText?: boolean }) {
  const [isWhole, setWhole] = useState(false);
  const isLong = text.length > SHOWN;
  const html = useMemo(() => (isPlainText ? undefined : htmlOf(text)), [text, isPlainText]);
  const isPlain = html === undefined || (isLong && isWhole);
  return (
    <div class="md">
      {isPlain ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it.
        <pre class="plain" tabIndex={0}>
          {isWhole ? text : text.slice(0, SHOWN)}
        </pre>
      ) : (
        // Escaped text, under the one policy of the page.
        <div class="md-body" dangerouslySetInnerHTML={{ __html: policy.createHTML(html) }} />
      )}
      {isLong && !isWhole && (
        <button type="button" class="btn" onClick={() => setWhole(true)}>
          Show all ({Math.round(text.length / 1_000)} kB, as text)
        </button>
      )}
    </div>
  );
}
