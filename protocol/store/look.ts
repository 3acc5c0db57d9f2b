/** Looks at names on the disk, by their absolute paths, without opening them. */
import fs from "node:fs";
import { orElse } from "../core/format/file-error.ts";

/** Asks the disk for a name without following a link; undefined where nothing has it, also below what is no folder. */
export function lstatIfThere(at: string): fs.Stats | undefined {
  try {
    return fs.lstatSync(at, { throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** The folders that roots were seen to be, by path: the real path of one takes a look at every folder above it. */
const rootsSeen = new Map<string, string>();

/** Whether a home is still where it was opened, and no link leads to it: the folder that was seen there before is asked for by one call. */
export function isRootReal(root: string): boolean {
  const folder = (): string | null =>
    orElse(null, () => {
      const { dev, ino, birthtimeMs } = fs.lstatSync(root);
      return `${dev} ${ino} ${birthtimeMs}`;
    });
  const there = folder();
  if (there !== null && rootsSeen.get(root) === there) return true;
  if (orElse(null, () => fs.realpathSync.native(root)) !== root) return false;
  if (there !== null && folder() === there) rootsSeen.set(root, there);
  return true;
}
