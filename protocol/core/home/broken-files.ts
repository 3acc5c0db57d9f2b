/**
 * Files that are not as they should be: from the error to what surfaces show, a fault among the `problems` of an answer or a
 * refusal; and the last version of relay.yml that could be read, which counts meanwhile, so that no edit stops a home.
 * spec/trust.md, "The last good version".
 */

import { facts } from "../../store/read/facts.ts";
import { readText } from "../../store/read/read-file.ts";
import type { Store } from "../../store/root.ts";
import { place } from "../../store/write/publish.ts";
import { FORMAT } from "../config/config-schema.ts";
import { FileError, FormatError, readOr } from "../format/file-error.ts";
import { type FileFault, Refusal, refuse } from "../refusal.ts";

/** Files that could not be read, gathered while others are served. */
export type Faults = FileFault[];

/** What is wrong with a file, in the form every surface reports; other errors are thrown on. @param path unless the error names another */
export function faultOf(error: unknown, path: string): FileFault {
  if (error instanceof FileError) return { path, line: error.line, problem: error.message };
  if (error instanceof Refusal && error.code === "outside_home") return { path, problem: error.message };
  if (error instanceof Refusal && error.code === "malformed_file") {
    const { path: at = path, line, problem = error.message } = error.data as Partial<FileFault>;
    return { path: at, line, problem };
  }
  throw error;
}

/** The refusal that the error of a file stands for; any other error comes back as it is. @param path as the reader knows it */
export function asFileRefusal(error: unknown, path: string): unknown {
  if (error instanceof FormatError) return refuse("unsupported_format", { path, given: error.format, supported: FORMAT });
  return error instanceof FileError ? refuse("malformed_file", { path, line: error.line, problem: error.message }) : error;
}

/** Reads something; null, and what is wrong in `faults`, where its file is not as it should be. */
export function noting<T>(faults: Faults, path: string, read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    faults.push(faultOf(error, path));
    return null;
  }
}

/** Reads a file. @throws Refusal `malformed_file`, with path and line, when it is not as it should be; `unsupported_format` */
export function mustRead<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw asFileRefusal(error, path);
  }
}

/** Where the last good version of a file lies. @param target path in the home, of a file at its top */
export const goodPath = (target: string): string => `local/config/${target}`;

/** Keeps a version that was read; nothing is written where it is the one that is kept, and nothing fails where the disk does. */
export function keepGood(store: Store, target: string, text: string): void {
  try {
    const [now, kept] = [facts(store, target), facts(store, goodPath(target))];
    // One check of the name spares the reading: a good version is written after the file that it is of.
    if (now !== null && kept?.kind === "file" && kept.size === now.size && kept.modifiedMs >= now.modifiedMs) return;
    place(store, goodPath(target), text);
  } catch {
    // The home is read-only, or the disk full: then there is none for later, and this call has what it asked for.
  }
}

/** The last good version of a file; null where none is kept. @param limit bytes of the file at the most */
export const goodVersion = (store: Store, target: string, limit: number): string | null =>
  readOr(null, () => readText(store, goodPath(target), limit));
