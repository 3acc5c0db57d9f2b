/** The difference between two texts, for people. */

const CONTEXT = 3;
/** Beyond so many lines on both sides the whole middle is shown as changed. */
const COMPARED = 2_000;

type Line = { sign: " " | "-" | "+"; text: string };

/** The changed lines with three around them, each with its sign; empty when nothing changed. */
export function diffText(before: string, after: string): string {
  const lines = compared(split(before), split(after));
  const near = lines.map((_line, at) => lines.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some(({ sign }) => sign !== " "));
  return lines.flatMap(({ sign, text }, at) => (near[at] === true ? [`${sign}${text}`] : near[at - 1] === true ? ["…"] : [])).join("\n");
}

const split = (text: string): string[] => (text === "" ? [] : text.replace(/\r?\n$/, "").split(/\r?\n/));

function compared(a: string[], b: string[]): Line[] {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  const same = (lines: string[]): Line[] => lines.map((text) => ({ sign: " ", text }));
  const [left, right] = [a.slice(head, a.length - tail), b.slice(head, b.length - tail)];
  return [...same(a.slice(0, head)), ...middle(left, right), ...same(a.slice(a.length - tail))];
}

/** The longest common lines of what is left stay. */
function middle(a: string[], b: string[]): Line[] {
  const gone = (text: string): Line => ({ sign: "-", text });
  const come = (text: string): Line => ({ sign: "+", text });
  if (a.length > COMPARED || b.length > COMPARED) return [...a.map(gone), ...b.map(come)];
  const length = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  const at = (i: number, j: number): number => (length[i] as Uint16Array)[j] as number;
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      (length[i] as Uint16Array)[j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ sign: " ", text: a[i] as string });
      i += 1;
      j += 1;
    } else if (i < a.length && (j === b.length || at(i + 1, j) >= at(i, j + 1))) lines.push(gone(a[i++] as string));
    else lines.push(come(b[j++] as string));
  }
  return lines;
}
