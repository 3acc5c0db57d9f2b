/** A text, or what changed in it since an earlier one: the reader chooses. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { DiffView } from "./diff-view.tsx";
import { Markdown } from "./markdown.tsx";
import { Segments } from "./segments.tsx";

interface ChangesProps {
  /** What it is called, for who does not see it, and its heading. */
  label: string;
  title: string;
  back: ComponentChildren;
  /** The choice of a version. */
  versions: ComponentChildren;
  /** What is said above the text. */
  children?: ComponentChildren;
  /** The text of now; undefined until it is known. */
  now: string | undefined;
  /** The earlier text that was chosen; null for none, and until it is known. */
  then: string | null;
  /** What stands for an empty text. */
  empty: ComponentChildren;
}

export function TextOrChanges({ label, title, back, versions, children, now, then, empty }: ChangesProps) {
  const [isDiff, setDiff] = useState(true);
  const text = then ?? now;
  return (
    <section class="pane" aria-label={label}>
      <div class="sec tall wrap">
        {back}
        <h2 class="cut">{title}</h2>
        <span class="grow" />
        {then !== null && (
          <Segments
            label="What is shown"
            value={isDiff ? "diff" : "text"}
            choices={{ text: "Text", diff: "What changed since" }}
            pick={(value) => setDiff(value === "diff")}
          />
        )}
        {versions}
      </div>
      {children}
      {then !== null && isDiff && now !== undefined ? (
        <DiffView before={then} after={now} sides={false} />
      ) : (
        text !== undefined &&
        (text.trim() === "" ? (
          empty
        ) : (
          <div class="text">
            <Markdown text={text} />
          </div>
        ))
      )}
    </section>
  );
}
