/**
 * Many objects of git at once, by a process of their own that prints them together: one by one, each would be a message between
 * processes, which takes longer than git takes to find it.
 */
import { gitAtOnce } from "../spawn-git.ts";
import type { GitObject } from "./object-reader.ts";

/** From so many on it is worth a process. */
export const WORTH_A_PROCESS = 100;
/** So much is held for one answer. */
const MOST_BYTES = 32 * 1_048_576;

/** Where git runs, and what is added to its environment. */
interface Place {
  cwd: string;
  extra: Readonly<Record<string, string>>;
}

/**
 * The objects of some ids, in their order.
 * @param most the bytes of a larger object are not given; its size is known all the same
 * @returns null where not all of them can be had so, or where they are too long together
 */
export function readTogether({ cwd, extra }: Place, ids: readonly string[], most: number): GitObject[] | null {
  const asked = ids.map((id) => `${id}\n`).join("");
  const out = gitAtOnce(cwd, ["cat-file", "--batch", "--buffer"], { extra, input: asked, mostBytes: MOST_BYTES });
  if (out === null) return null;
  const objects: GitObject[] = [];
  for (let from = 0; objects.length < ids.length; ) {
    const end = out.indexOf(10, from);
    const [, kind = "", said = ""] = end === -1 ? [] : out.toString("latin1", from, end).split(" ");
    // One that is missing has no size.
    if (!/^[0-9]+$/.test(said)) return null;
    const [size, start] = [Number(said), end + 1];
    objects.push({ kind, size, bytes: size > most ? null : out.subarray(start, start + size) });
    from = start + size + 1;
  }
  return objects;
}
