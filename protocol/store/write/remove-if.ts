/** Removing a file only where it is still the one that is meant. */

import { bytesAt } from "../read/read-file.ts";
import { absolute, type Store, unlinkQuietly } from "../root.ts";
import { moveFile } from "./move-file.ts";
import { linkInto } from "./publish.ts";
import { newAside } from "./write-aside.ts";

/**
 * Removes a file under a name that others use too, if it is the one that is meant. A process can be suspended after it looked, so the
 * file is moved to a name of this process's own, and read there: what another wrote meanwhile is put back.
 * @param limit bytes that the file that is meant has at the most
 * @returns whether it was removed
 */
export function removeIf(store: Store, target: string, limit: number, isMeant: (bytes: Buffer) => boolean): boolean {
  const aside = newAside();
  const isIt = (at: string): boolean => {
    const bytes = bytesAt(store, at, limit);
    return bytes !== null && isMeant(bytes);
  };
  if (!isIt(target) || !moveFile(store, target, aside)) return false;
  const isRemoved = isIt(aside);
  if (!isRemoved) linkInto(store, absolute(store, aside), target);
  unlinkQuietly(store, absolute(store, aside));
  return isRemoved;
}
