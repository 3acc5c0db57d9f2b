/** What changed between two texts: inline, or side by side. A sign says the same as the colour. */
import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import { Button } from "./bits.tsx";
import { commonEnds, type DiffLine, diffLines } from "./diff.ts";

/** Lines around a change that are shown with it. */
const AROUND = 3;
/** So many lines are shown, and fewer of long ones; the others when they are asked for. */
const SHOWN = 600;
/** A line counts as one more for so many characters. */
const CHARACTERS = 100;
/** So much of a line is shown, and so much before and after what changed in it. */
const LINE = 2_000;
const BESIDE = 200;

type Row = { at: number; gone: DiffLine | null; came: DiffLine | null };
type Piece = { kind: "rows"; rows: Row[] } | { kind: "left out"; at: number; rows: Row[] };

export function DiffView({ before, after, sides }: { before: string; after: string; sides: boolean }) {
  const lines = useMemo(() => diffLines(before, after), [before, after]);
  const rows = useMemo(() => rowsOf(lines, sides), [lines, sides]);
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const [most, setMost] = useState(SHOWN);
  const [added, removed] = [lines.filter(({ kind }) => kind === "new").length, lines.filter(({ kind }) => kind === "gone").length];
  if (added + removed === 0) return <p class="hint t3">Both versions are the same.</p>;
  let shown = 0;
  return (
    <>
      <p class="hint sm t2">
        {added > 0 && <span class="ok">+{added} </span>}
        {removed > 0 && <span class="bad">−{removed} </span>}
        lines
      </p>
      {/* Not a landmark: a page may show several. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it. */}
      {/* biome-ignore lint/a11y/useSemanticElements: it is no group of fields. */}
      <div class="scrollx" role="group" tabIndex={0} aria-label="Lines that changed">
        <table class={sides ? "diff sides" : "diff"}>
          <caption class="vh">What changed, line by line</caption>
          <colgroup>
            {(sides ? ["no", "", "no", ""] : ["no", "no", ""]).map((name, at) => (
              <col key={at} class={name} />
            ))}
          </colgroup>
          <tbody>
            {piecesOf(rows).map((piece) => {
              if (shown >= most) return null;
              if (piece.kind === "left out" && !opened.has(piece.at))
                return (
                  <tr key={`left ${piece.at}`}>
                    <td colSpan={sides ? 4 : 3} class="left-out">
                      <button type="button" class="bare" onClick={() => setOpened(new Set([...opened, piece.at]))}>
                        {piece.rows.length} unchanged lines. <span class="lnk">Show them</span>
                      </button>
                    </td>
                  </tr>
                );
              const some = piece.rows.filter((row) => {
                if (shown >= most) return false;
                shown += weightOf(row);
                return true;
              });
              return some.map((row) => (sides ? <SideRow key={row.at} row={row} /> : <InlineRow key={row.at} row={row} />));
            })}
          </tbody>
        </table>
      </div>
      {shown >= most && (
        <Button kind="quiet earlier" run={() => setMost(most + SHOWN * 2)}>
          Show more lines
        </Button>
      )}
    </>
  );
}

const weightOf = ({ gone, came }: Row): number => 1 + Math.min(LINE, Math.max(gone?.text.length ?? 0, came?.text.length ?? 0)) / CHARACTERS;

/** Lines as rows: a line that went stands beside the one that came for it. Inline, each has a row of its own. */
function rowsOf(lines: readonly DiffLine[], sides: boolean): Row[] {
  const rows: Row[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] as DiffLine;
    if (line.kind === "same") {
      rows.push({ at, gone: line, came: line });
      at += 1;
      continue;
    }
    let end = at;
    while (end < lines.length && lines[end]?.kind !== "same") end += 1;
    const block = lines.slice(at, end);
    const [gone, came] = [block.filter(({ kind }) => kind === "gone"), block.filter(({ kind }) => kind === "new")];
    if (sides)
      for (let n = 0; n < Math.max(gone.length, came.length); n += 1)
        rows.push({ at: at + n, gone: gone[n] ?? null, came: came[n] ?? null });
    else {
      gone.forEach((each, n) => void rows.push({ at: at + n, gone: each, came: null }));
      came.forEach((each, n) => void rows.push({ at: at + gone.length + n, gone: null, came: each }));
    }
    at = end;
  }
  return rows;
}

/** Rows in pieces: those that are the same, far from every change, are left out until they are asked for. */
function piecesOf(rows: readonly Row[]): Piece[] {
  const changed = rows.map(({ gone, came }) => gone !== came);
  const isNear = rows.map(() => false);
  changed.forEach((is, at) => {
    if (is) for (let n = Math.max(0, at - AROUND); n <= Math.min(rows.length - 1, at + AROUND); n += 1) isNear[n] = true;
  });
  const pieces: Piece[] = [];
  rows.forEach((row, at) => {
    const kind = isNear[at] === true ? "rows" : "left out";
    const last = pieces.at(-1);
    if (last?.kind === kind) last.rows.push(row);
    else pieces.push(kind === "rows" ? { kind, rows: [row] } : { kind, at: row.at, rows: [row] });
  });
  // A line or two cost no more room than what says that they are left out.
  return pieces.map((piece) => (piece.rows.length <= 2 ? { kind: "rows", rows: piece.rows } : piece));
}

const SIGNS = { new: ["+", "added: "], gone: ["−", "removed: "], same: [" ", ""] } as const;

const Mark = ({ kind }: Pick<DiffLine, "kind">) => (
  <>
    <span aria-hidden="true">{SIGNS[kind][0]}</span>
    <span class="vh">{SIGNS[kind][1]}</span>
  </>
);

function InlineRow({ row: { gone, came } }: { row: Row }) {
  const line = (came ?? gone) as DiffLine;
  return (
    <tr class={line.kind}>
      <td class="no">{line.before}</td>
      <td class="no">{line.after}</td>
      <td class="ln">
        <Mark kind={line.kind} />
        {startOf(line.text, LINE)}
      </td>
    </tr>
  );
}

function SideRow({ row: { gone, came } }: { row: Row }) {
  const isPair = gone !== null && came !== null && gone !== came;
  const ends = isPair ? commonEnds(gone.text, came.text) : null;
  const cell = (line: DiffLine | null, kind: "gone" | "new"): ComponentChildren => (
    <>
      <td class={line === null ? "no none" : "no"}>{line === null ? "" : kind === "gone" ? line.before : line.after}</td>
      <td class={line === null ? "ln none" : `ln ${line.kind === "same" ? "" : kind}`}>
        {line !== null && <Mark kind={line.kind} />}
        {line !== null && (ends === null ? startOf(line.text, LINE) : <Changed text={line.text} {...ends} />)}
      </td>
    </>
  );
  return (
    <tr>
      {cell(gone, "gone")}
      {cell(came, "new")}
    </tr>
  );
}

/** As much of a text as is shown, and how much more there is. */
const startOf = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most)} … ${text.length - most} more characters`;
/** The end of a text that is too long. */
const endOf = (text: string): string =>
  text.length <= LINE ? text : `${text.length - BESIDE} characters … ${text.slice(text.length - BESIDE)}`;

/** A line with the piece marked that is not as it was. */
const Changed = ({ text, head, tail }: { text: string; head: number; tail: number }) => (
  <>
    {endOf(text.slice(0, head))}
    {head + tail < text.length && <mark>{startOf(text.slice(head, text.length - tail), LINE)}</mark>}
    {tail > 0 && startOf(text.slice(text.length - tail), BESIDE)}
  </>
);
