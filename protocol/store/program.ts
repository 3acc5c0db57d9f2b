/** Which file a program's name leads to. */
import fs from "node:fs";
import path from "node:path";
import { orElse } from "../objects/format/file-error.ts";

/**
 * Where a program lies: in the folders of `PATH`, or, with a slash in its name, from a folder.
 * @returns its absolute path, also where a folder of `PATH` is none; null when there is none that may be run
 */
export function findProgram(name: string, from: string, searched: string | undefined): string | null {
  const folders = (searched ?? "").split(path.delimiter).filter((folder) => folder !== "");
  const places = name.includes("/") ? [path.resolve(from, name)] : folders.map((folder) => path.resolve(from, folder, name));
  return places.find(isRunnable) ?? null;
}

/** The file of the command that this process was started by, which others can be started by; null in a program that is not Relay's own. */
export function ownCommand(): string | null {
  const script = process.argv[1] ?? "";
  return /^relay(\.[cm]?js)?$/.test(path.basename(script)) ? script : null;
}

/** Whether a path names a program that may be run. */
export function isRunnable(file: string): boolean {
  return orElse(false, () => {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  });
}

/** Whether a word of a command names a file below a folder: `./test.sh`, `scripts/x`, or a whole path. */
export function leadsInto(word: string, folder: string): boolean {
  const at = path.resolve(folder, word);
  return at.startsWith(folder + path.sep) && fs.statSync(at, { throwIfNoEntry: false })?.isFile() === true;
}
