/** Which file a program's name leads to. */
import fs from "node:fs";
import path from "node:path";
import { orElse } from "../objects/format/file-error.ts";

/** The folders that programs are looked for in, but for those that mean another place in each folder, where a project may have put its own. */
export const absoluteOnly = (searched: string | undefined): string | undefined =>
  searched
    ?.split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder))
    .join(path.delimiter);

/** An environment with such folders alone: of every program that is started by its name. */
export const withAbsolutePath = <E extends Readonly<Record<string, string | undefined>>>(env: E): E =>
  env["PATH"] === undefined ? env : { ...env, PATH: absoluteOnly(env["PATH"]) };

/**
 * Where a program lies: in the absolute folders of `PATH`, or, with a slash in its name, from a folder.
 * @returns its absolute path; null when there is none that may be run
 */
export function findProgram(name: string, from: string, searched: string | undefined): string | null {
  const folders = (absoluteOnly(searched) ?? "").split(path.delimiter).filter((folder) => folder !== "");
  const places = name.includes("/") ? [path.resolve(from, name)] : folders.map((folder) => path.join(folder, name));
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
