/**
 * Files that are not as they should be: from the error to what surfaces show, a fault among the `problems` of an answer or a
 * refusal; and the last version that could be read, which counts meanwhile, so that no edit and no push stops a home.
 * spec/trust.md, "The last good version".
 */
import { FORMAT } from "../objects/config/config-schema.ts";
import { FileError, FormatError, readOr } from "../objects/format/file-error.ts";
import { type FileFault, Refusal, refuse } from "../refusal.ts";
import { sha256 } from "../store/digest.ts";
import { type FileFacts, facts } from "../store/read/facts.ts";
import { readText } from "../store/read/read-file.ts";
import type { Store } from "../store/root.ts";
import { place } from "../store/write/publish.ts";

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

/** Where the good versions lie. Each begins with a line that holds the hash of the rest. */
const FOLDER = "local/config";
const HEAD = /^# (?:[0-9a-f]{64})\n/;
const HEAD_LENGTH = "# \n".length + 64;

/** Where the last good version of a file lies. @param target path in the home, of a file at its top */
export const goodPath = (target: string): string => `${FOLDER}/${target}`;

/**
 * Keeps a version that was read; nothing is written where it is the one that is kept, and nothing fails where the disk does.
 * @param now the facts of the file that was read, where it is not the file of that path in the home
 */
export function keepGood(store: Store, target: string, text: string, now: FileFacts | null = facts(store, target)): void {
  try {
    const kept = facts(store, goodPath(target));
    // One check of the name spares the reading: a good version is written after the file that it is of.
    if (now !== null && kept?.kind === "file" && kept.size === now.size + HEAD_LENGTH && kept.modifiedMs >= now.modifiedMs) return;
    place(store, goodPath(target), `# ${sha256(text)}\n${text}`);
  } catch {
    // The home is read-only, or the disk full: then there is none for later, and this call has what it asked for.
  }
}

/** The last good version of a file; null where none is kept, or what is kept is not whole. @param limit bytes of the file at the most */
export function goodVersion(store: Store, target: string, limit: number): string | null {
  const kept = readOr(null, () => readText(store, goodPath(target), limit + HEAD_LENGTH));
  if (kept === null || !HEAD.test(kept)) return null;
  const text = kept.slice(HEAD_LENGTH);
  return kept.startsWith(`# ${sha256(text)}\n`) ? text : null;
}
