/** A commit in a list: what it did, who did it, and when. */
import { shortTime } from "../state/time.ts";
import { exported } from "./exported.ts";
import { type Entry, showMoment } from "./moment.ts";

export const CommitRow = ({ entry: { commit, at, subject }, isChosen }: { entry: Entry; isChosen: boolean }) => (
  <button
    type="button"
    class={isChosen ? "part two sel bare" : "part two bare"}
    data-row
    aria-current={isChosen ? "true" : undefined}
    disabled={exported !== null}
    onClick={() => showMoment(commit)}
  >
    <Subject words={subject.replace(/^relay: /, "")} />
    <span class="sm t3 num">
      {shortTime(Date.parse(at))}
      <br />
      <code>{commit.slice(0, 7)}</code>
    </span>
  </button>
);

/** What a commit did, and below it who did it. */
function Subject({ words }: { words: string }) {
  const [, what = words, who = ""] = /^(.*?)(?: \(([^()]*)\))?$/.exec(words) ?? [];
  return (
    <span class="grow" title={words}>
      <span class="cut block">{what}</span>
      {who !== "" && <span class="cut block sm t2">{who}</span>}
    </span>
  );
}

/** Brings the chosen row into the sight of its list, where no hand is on the list. */
export function showChosen(list: HTMLElement | null | undefined): void {
  const row = list?.querySelector('[aria-current="true"]')?.getBoundingClientRect();
  if (list == null || row === undefined || list.matches(":hover, :focus-within")) return;
  const { top, bottom, height } = list.getBoundingClientRect();
  if (row.top < top || row.bottom > bottom) list.scrollTop += row.top - top - height / 2;
}
