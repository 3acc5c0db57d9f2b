/**
 * What operations put beside its name: a name that is gone is not lost then. Everybody who pushes can put any file beside any
 * name, so that the copy alone proves nothing. spec/git.md, "Guard".
 */

import { claimFolder } from "../../board/nouns/claim.ts";
import { type BlobId, besideOf, isKept, keptPath, type Tree } from "../../core/noun/merge-tree.ts";
import { placeOf } from "../../core/tree/layout.ts";
import { guardClass } from "../../core/tree/record.ts";

/**
 * Tells of a path that a tree has not whether an operation put its content beside it: a claim whose chain gave way or that
 * was refused, a name of which another differs in case alone. The tree is gone through
 * once, if at all.
 */
export function putBesideIn(now: Tree): (path: string, id: BlobId) => boolean {
  let gaveWay: Map<string, number> | null = null;
  let twins: Map<string, string> | null = null;
  return (path, id) => {
    if (!now.has(keptPath(path, id))) return false;
    const place = placeOf(path);
    if (place?.kind === "claim") {
      gaveWay ??= firstGivingWay(now);
      const from = gaveWay.get(claimFolder(place.session, place.task));
      return from !== undefined && from <= place.fence;
    }
    twins ??= new Map([...now.keys()].map((other) => [other.toLowerCase(), other]));
    const twin = twins.get(path.toLowerCase());
    return twin !== undefined && guardClass(twin) === guardClass(path);
  };
}

/** Of each folder of claims the lowest number from which on its records gave way: they lie beside those that stand, or a decision says so. */
function firstGivingWay(now: Tree): Map<string, number> {
  const first = new Map<string, number>();
  for (const path of now.keys()) {
    if (!isKept(path) && !path.endsWith(".lost.md")) continue;
    const of = besideOf(path);
    const place = placeOf(of);
    const gaveWay = path === of ? place?.kind === "decision" && place.as === "lost" : place?.kind === "claim" && now.has(of);
    if (!gaveWay || (place?.kind !== "claim" && place?.kind !== "decision")) continue;
    const folder = claimFolder(place.session, place.task);
    first.set(folder, Math.min(first.get(folder) ?? Number.POSITIVE_INFINITY, place.fence));
  }
  return first;
}
