/**
 * Chains: numbered files in a folder, of which the highest counts. Several processes add to one without a lock, and one create of a
 * file decides who was first. SPEC.md, "Rules of the disk".
 *
 * 1. List the numbers. What is decided next is decided from the last one, n.
 * 2. Create number n + 1 exclusively: **the commit**. Of all processes that saw n one gets it. The others begin again at 1, because what they
 *    decided was decided from a number that is not the last any more.
 * 3. Where old numbers are cleared, list again. A process can be suspended between 1 and 2 while others add so many numbers that
 *    n + 1 is used and cleared: its create then succeeds, far below the last number. It takes the file back and begins again at 1.
 * 4. Clear what is older than the chain keeps. The last number always stays, so that nobody who is awake uses one twice.
 *
 * A process that is killed before 2 has decided nothing; after 2 everybody sees what it decided.
 */
import { refuse } from "../../core/refusal.ts";
import { names } from "../read/list-folder.ts";
import type { Store } from "../root.ts";
import { removeFile } from "./move-file.ts";
import { afterCommit, publish, publishBy } from "./publish.ts";

/** A chain of a noun: where its numbers lie, and how many of them stay. */
export interface Chain {
  /** The folders that are counted in, by path in the home; one, but for a noun whose files lie in several. */
  readonly folders: readonly string[];
  /** The number of a file's name; null for a name without one. */
  readonly numberOf: (name: string) => number | null;
  /** Where a number lies, as a path in the home. */
  readonly pathOf: (n: number) => string;
  /** How many of the last numbers stay; all, where it is not given. */
  readonly kept?: number;
  /** Clears a number that is older than those; without it the file is removed. */
  readonly clear?: (n: number) => void;
}

/** What follows a number: the text of the next one, or null where none is added; and what is answered once that is done. */
export interface Following<T> {
  text: string | null;
  answer: T;
}

/** So many quicker writers are waited for. */
const ROUNDS = 1_000;

/** The number of a name that is nothing but a number. */
export const plainNumber = (name: string): number | null => (/^[1-9]\d{0,14}$/.test(name) ? Number(name) : null);

/** A chain whose files have their number for a name. */
export const plainChain = (folder: string, kept?: number): Chain => ({
  folders: [folder],
  numberOf: plainNumber,
  pathOf: (n) => `${folder}/${n}`,
  ...(kept === undefined ? {} : { kept }),
});

/** All numbers of a chain, in no order. */
export const numbersIn = (store: Store, { folders, numberOf }: Chain): number[] =>
  folders.flatMap((folder) => names(store, folder)).flatMap((name) => numberOf(name) ?? []);

/** The last number of a chain; 0 of one that has none. Costs one listing. */
export const lastNumber = (store: Store, chain: Chain): number => highest(numbersIn(store, chain));

/** The highest of some numbers; 0 of none. `Math.max(...)` takes no more than some 120,000. */
export const highest = (numbers: readonly number[]): number => numbers.reduce((top, n) => Math.max(top, n), 0);

/** How a number is added. */
interface Adding {
  /** Whether the number had been used and cleared before, by the last number that is there now. */
  isStale?: ((last: number) => boolean) | undefined;
  /** Where the text is written before it has the number, as `publishBy` has it. */
  aside?: string | undefined;
}

/**
 * Adds a number that was decided from the one before it, and clears old ones.
 * @returns false where another writer has the number; then nothing of this writer's is left
 * @throws the errors of the disk
 */
export function addNumber(
  store: Store,
  chain: Chain,
  n: number,
  text: string,
  { isStale = (last) => last >= n + (chain.kept as number) / 2, aside }: Adding = {},
): boolean {
  if ((aside === undefined ? publish(store, chain.pathOf(n), text) : publishBy(store, aside, chain.pathOf(n), text)) === "exists")
    return false;
  const { kept, pathOf, clear = (old: number): void => void removeFile(store, pathOf(old)) } = chain;
  if (kept === undefined) return true;
  const numbers = numbersIn(store, chain);
  if (isStale(highest(numbers))) {
    removeFile(store, pathOf(n));
    return false;
  }
  // The number is added: an old one that cannot be cleared now is cleared by the next writer.
  afterCommit(() => {
    for (const old of numbers) if (old <= n - kept) clear(old);
  });
  return true;
}

/**
 * Adds the next number, however many others do so at once.
 * @param follow what comes after the last number (0 of an empty chain); asked again for each number that somebody else was quicker with
 * @returns what `follow` answers in the end
 * @throws Refusal `busy`; what `follow` throws; the errors of the disk
 */
export function extendChain<T>(store: Store, chain: Chain, follow: (last: number) => Following<T>): T {
  for (let round = 0; round < ROUNDS; round += 1) {
    const last = lastNumber(store, chain);
    const { text, answer } = follow(last);
    if (text === null || addNumber(store, chain, last + 1, text)) return answer;
  }
  throw refuse("busy", { path: chain.folders[0] as string });
}
