/** Merges files that Relay does not know, as git would: clones do not protect files that no operation reads. spec/git.md, "Merge". */
import { GUIDE_PATH } from "../../core/config/config-nouns.ts";
import { type BlobId, ordered } from "../../core/noun/merge-tree.ts";
import { arrivalOf } from "../../core/tree/layout.ts";
import { PLAIN_MODE } from "../../core/tree/record.ts";

/** The files of one side by path, of which what is set apart is taken out. */
type Files = Map<string, BlobId>;

/** A path that is to have another content than ours; null: none. */
interface Change {
  path: string;
  id: BlobId | null;
}

/**
 * Takes what differs and is not of the layout out of three trees, and decides it: a side that did not change it gives way,
 * also to a deletion; of two that did, a content stays, whichever side is called ours. What no branch may have goes.
 * @returns what changes in ours
 */
export function setStrangersApart(base: Files, ours: Files, theirs: Files): Change[] {
  const changes: Change[] = [];
  const differing = [...ours.keys(), ...theirs.keys()].filter((path) => ours.get(path) !== theirs.get(path));
  for (const path of new Set(differing)) {
    const arrival = arrivalOf({ path, mode: PLAIN_MODE });
    if (arrival === "known" && path !== GUIDE_PATH) continue;
    const [b, o, t] = [base, ours, theirs].map((files) => files.get(path) ?? null) as [BlobId | null, BlobId | null, BlobId | null];
    const id = arrival === "attempt" ? null : decided(b, o, t);
    if (id !== o) changes.push({ path, id });
    for (const files of [base, ours, theirs]) files.delete(path);
  }
  return changes;
}

function decided(base: BlobId | null, ours: BlobId | null, theirs: BlobId | null): BlobId | null {
  if (ours === base) return theirs;
  if (theirs === base) return ours;
  return ours === null || theirs === null ? (ours ?? theirs) : ordered(ours, theirs)[0];
}
