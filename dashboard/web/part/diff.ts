/** What changed between two texts, line by line: the shortest way from one to the other (E. W. Myers, 1986), within a bound. */

/** A line of both texts, or of one. `before` and `after` are its numbers there, from 1; null where it is not. */
export interface DiffLine {
  kind: "same" | "gone" | "new";
  text: string;
  before: number | null;
  after: number | null;
}

/** Texts that differ in more lines are shown as one block that went and one that came: a longer search would keep the page busy. */
const MOST_CHANGES = 400;

/** The lines of two texts in the order in which they are read. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [a, b] = [linesOf(before), linesOf(after)];
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  const lines: DiffLine[] = [];
  const same = (i: number, j: number): void => void lines.push({ kind: "same", text: a[i] as string, before: i + 1, after: j + 1 });
  for (let i = 0; i < head; i += 1) same(i, i);
  let [i, j] = [head, head];
  for (const step of steps(a.slice(head, a.length - tail), b.slice(head, b.length - tail))) {
    if (step === "gone") lines.push({ kind: "gone", text: a[i] as string, before: ++i, after: null });
    else if (step === "new") lines.push({ kind: "new", text: b[j] as string, before: null, after: ++j });
    else same(i++, j++);
  }
  while (i < a.length) same(i++, j++);
  return lines;
}

/** A text that is not there has no line; any other one has as many as breaks, and one. */
const linesOf = (text: string): string[] => (text === "" ? [] : text.split("\n"));

/** How one list becomes the other. */
function steps(a: readonly string[], b: readonly string[]): DiffLine["kind"][] {
  const most = Math.min(a.length + b.length, MOST_CHANGES);
  /** For each diagonal, how far the list `a` is used up. */
  const reach = new Map<number, number>([[1, 0]]);
  const trace: Map<number, number>[] = [];
  for (let d = 0; d <= most; d += 1) {
    trace.push(new Map(reach));
    for (let k = -d; k <= d; k += 2) {
      let x = isDown(reach, k, d) ? (reach.get(k + 1) ?? 0) : (reach.get(k - 1) ?? 0) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1;
      reach.set(k, x);
      if (x >= a.length && x - k >= b.length) return walkedBack(trace, a.length, b.length);
    }
  }
  return [...a.map(() => "gone" as const), ...b.map(() => "new" as const)];
}

const isDown = (reach: ReadonlyMap<number, number>, k: number, d: number): boolean =>
  k === -d || (k !== d && (reach.get(k - 1) ?? 0) < (reach.get(k + 1) ?? 0));

function walkedBack(trace: readonly ReadonlyMap<number, number>[], width: number, height: number): DiffLine["kind"][] {
  const found: DiffLine["kind"][] = [];
  let [x, y] = [width, height];
  for (let d = trace.length - 1; d >= 0; d -= 1) {
    const reach = trace[d] as ReadonlyMap<number, number>;
    const k = x - y;
    const from = isDown(reach, k, d) ? k + 1 : k - 1;
    const fromX = d === 0 ? 0 : (reach.get(from) ?? 0);
    const fromY = d === 0 ? 0 : fromX - from;
    while (x > fromX && y > fromY) {
      found.push("same");
      x -= 1;
      y -= 1;
    }
    if (d > 0) found.push(x === fromX ? "new" : "gone");
    [x, y] = [fromX, fromY];
  }
  return found.reverse();
}

const isWord = (sign: string | undefined): boolean => sign !== undefined && /[\p{L}\p{N}_]/u.test(sign);

/** The piece in which two lines differ, in whole words: how many characters they have in common at the beginning and at the end. */
export function commonEnds(before: string, after: string): { head: number; tail: number } {
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before[head] === after[head]) head += 1;
  while (head > 0 && isWord(before[head - 1]) && (isWord(before[head]) || isWord(after[head]))) head -= 1;
  let tail = 0;
  const fromEnd = (text: string): string | undefined => text[text.length - 1 - tail];
  while (tail < most - head && fromEnd(before) === fromEnd(after)) tail += 1;
  while (tail > 0 && isWord(before[before.length - tail]) && (isWord(fromEnd(before)) || isWord(fromEnd(after)))) tail -= 1;
  return { head, tail };
}
