/** Three-way merges by field, by set and by line, for objects that change. spec/git.md, "Merge". */
import type { Header } from "../format/frontmatter.ts";
import type { Edits, Merge } from "./noun.ts";

/** What was decided for one field, and the value that gave way, if one did. */
export interface JoinedField<T> {
  value: T;
  lost?: { value: T };
}

/** Whether one value is to win over another one. */
export type Better<T> = (one: T, other: T) => boolean;

const asText = (value: unknown): string => JSON.stringify(value) ?? "";
/** Whether two values of fields are the same. */
export const isSame = (one: unknown, other: unknown): boolean => asText(one) === asText(other);

/** The greater text wins; what is not there is the smallest. */
export const greater: Better<unknown> = (one, other) => asText(one) > asText(other);
/** The smaller text wins: of two instants, the earlier one. */
export const smaller: Better<unknown> = (one, other) => asText(one) < asText(other);
/** The longer text wins, then the greater one. */
export const longer: Better<string | undefined> = (one = "", other = "") =>
  one.length === other.length ? one > other : one.length > other.length;
/** What comes later in a list wins. */
export const further =
  <T>(list: readonly T[]): Better<T | undefined> =>
  (one, other) =>
    list.indexOf(one as T) > list.indexOf(other as T);

/** A field: whoever changed it is followed; where both did, one wins by a rule that does not know the sides. */
export function joined<T>(base: T, ours: T, theirs: T, better: Better<T>): JoinedField<T> {
  if (isSame(ours, theirs) || isSame(theirs, base)) return { value: ours };
  if (isSame(ours, base)) return { value: theirs };
  return better(ours, theirs) ? { value: ours, lost: { value: theirs } } : { value: theirs, lost: { value: ours } };
}

/** A set: what one side added is there, what one side took out is not. The base's order, then what was added, by text. */
export function joinedSet(base: readonly string[], ours: readonly string[], theirs: readonly string[]): string[] {
  const [before, left, right] = [new Set(base), new Set(ours), new Set(theirs)];
  const stays = base.filter((item) => left.has(item) && right.has(item));
  const added = [...ours, ...theirs].filter((item) => !before.has(item));
  return [...new Set([...stays, ...added.sort()])];
}

/** Keys that a version does not know, one by one. @returns the keys whose value gave way as well */
export function joinedOther(base: Header, ours: Header, theirs: Header): { value: Header; lost: Header } {
  const value: Header = {};
  const lost: Header = {};
  for (const key of [...new Set([...Object.keys(base), ...[...Object.keys(ours), ...Object.keys(theirs)].sort()])]) {
    const field = joined(base[key], ours[key], theirs[key], greater);
    if (field.value !== undefined) value[key] = field.value;
    if (field.lost?.value !== undefined) lost[key] = field.lost.value;
  }
  return { value, lost };
}

/**
 * Lines that are only ever added, oldest first: what both have, then what each has beyond it, by the order of their keys.
 * A line that both added is there once.
 * @param keyOf what orders a line, such as the time that it begins with; empty: it stays with the line before it
 */
export function joinedLines(ours: readonly string[], theirs: readonly string[], keyOf: (line: string) => string): string[] {
  let shared = 0;
  while (shared < ours.length && ours[shared] === theirs[shared]) shared += 1;
  const left = keyed(ours.slice(shared), keyOf);
  const right = keyed(theirs.slice(shared), keyOf);
  const merged: string[] = [];
  // Not by `shift()`, which moves all that is left of a long array.
  let [l, r] = [0, 0];
  while (l < left.length || r < right.length) {
    const [one, other] = [left[l], right[r]];
    if (one !== undefined && (other === undefined || one.line === other.line || isFirst(one, other))) {
      if (one.line === other?.line) r += 1;
      l += 1;
      merged.push(one.line);
    } else {
      r += 1;
      merged.push((other as Keyed).line);
    }
  }
  return [...ours.slice(0, shared), ...atMostAsOften(merged, ours.slice(shared), theirs.slice(shared))];
}

interface Keyed {
  key: string;
  line: string;
}

const isFirst = (one: Keyed, other: Keyed): boolean => (one.key === other.key ? one.line <= other.line : one.key < other.key);

function keyed(lines: readonly string[], keyOf: (line: string) => string): Keyed[] {
  let last = "";
  return lines.map((line) => {
    const key = keyOf(line);
    if (key > last) last = key;
    return { key: last, line };
  });
}

/** Clocks that step back let a line of both sides come twice: each is there as often as on the side that has it most often. */
function atMostAsOften(merged: readonly string[], ours: readonly string[], theirs: readonly string[]): string[] {
  const often = (lines: readonly string[]): Map<string, number> => {
    const counts = new Map<string, number>();
    for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
    return counts;
  };
  const [left, right, used] = [often(ours), often(theirs), new Map<string, number>()];
  return merged.filter((line) => {
    used.set(line, (used.get(line) ?? 0) + 1);
    return (used.get(line) as number) <= Math.max(left.get(line) ?? 0, right.get(line) ?? 0);
  });
}

/** The lines of `now` with those of `before` that it lacks, by the order of their keys; null where it lacks none. */
export function withLines(before: readonly string[], now: readonly string[], keyOf: (line: string) => string): string[] | null {
  const missing = new Map<string, number>();
  for (const line of before) missing.set(line, (missing.get(line) ?? 0) + 1);
  for (const line of now) missing.set(line, (missing.get(line) ?? 0) - 1);
  return [...missing.values()].every((count) => count <= 0) ? null : joinedLines(before, now, keyOf);
}

const linesOf = (text: string): string[] => text.split("\n").filter((line) => line !== "");
const textOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");

/** Two files of lines as one. @param timeOf what orders the lines */
export const unionOfLines = (timeOf: (line: string) => string): Merge<unknown> => ({
  by: "text",
  join: (_base, ours, theirs) => ({ text: textOf(joinedLines(linesOf(ours.text), linesOf(theirs.text), timeOf)), isWhole: true }),
});

/** A file that may not lose a line. */
export const addedOnly = (timeOf: (line: string) => string): Edits<unknown> => ({
  joined(before, now) {
    const lines = withLines(linesOf(before), linesOf(now), timeOf);
    return lines === null ? null : textOf(lines);
  },
});
