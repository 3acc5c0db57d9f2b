/** What may not be read, or what the disk cannot give: it hides nothing else. SPEC.md, R-MSG-3. */
import { FileError } from "../../core/format/file-error.ts";
import { errorCode, type Store } from "../root.ts";

const CANNOT = "it cannot be read (";
/** Whether what is wrong with a file is that it cannot be read: that may change though the file does not. */
export const isUnreadable = (problem: string | undefined): boolean => problem?.startsWith(CANNOT) === true;

/** Why a name cannot be read, in words; null of an error that says something else. */
export function unreadable(error: unknown): string | null {
  const code = errorCode(error);
  if (code === "EACCES" || code === "EPERM") return `${CANNOT}permission denied); correct its permissions`;
  return code === "EIO" ? `${CANNOT}the disk reports an error, EIO)` : null;
}

/** What `read` gives of a file. @throws FileError, with the path, where the file cannot be read; any other error as it is */
export function readable<T>(target: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const problem = error instanceof FileError ? null : unreadable(error);
    throw problem === null ? error : new FileError(problem, undefined, target);
  }
}

/**
 * Passes over what cannot be read, where this store may, and notes it.
 * @param target the folder that was listed, or a name that was asked for
 * @throws the error, where the store may not, or where it says something else
 */
export function passOver(store: Store, target: string, error: unknown): void {
  const problem = unreadable(error);
  if (problem === null || !store.passesOver) throw error;
  store.skipped.set(target, problem);
}
