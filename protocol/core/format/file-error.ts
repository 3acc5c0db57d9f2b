/** The one error for a file that does not match its name; the store and the objects throw it. */

/** What is wrong with a file, and where it is known: the line, counted from 1, and the path in the home. */
export class FileError extends Error {
  readonly line: number | undefined;
  readonly path: string | undefined;
  /** Everything else that is wrong with the same file, where the reader searched for all of it. */
  readonly others: readonly FileError[];
  constructor(problem: string, line?: number, path?: string, others: readonly FileError[] = []) {
    super(problem);
    this.name = "FileError";
    this.line = line;
    this.path = path;
    this.others = others;
  }
}

/** The file says that it is of a format which this version does not know: most likely a later version wrote it. */
export class FormatError extends FileError {
  /** What the file says. */
  readonly format: unknown;
  constructor(format: unknown, line?: number) {
    super(`format ${JSON.stringify(format)} is not known`, line);
    this.name = "FormatError";
    this.format = format ?? null;
  }
}

/** The error at a place of a text. @param offset in characters, from 0 */
export const errorAt = (text: string, offset: number, problem: string): FileError =>
  new FileError(problem, text.slice(0, offset).split("\n").length);

/** The error at the first line of a text that has some words; at its first line where none has them. */
export const errorAtWords = (text: string | null, words: string, problem: string): FileError =>
  errorAt(text ?? "", Math.max(0, (text ?? "").indexOf(words)), problem);

/** What `read` gives; `otherwise` where the file is not what its name says. Any other error is thrown on. */
export function readOr<T>(otherwise: T, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof FileError) return otherwise;
    throw error;
  }
}

/** What `read` gives; `otherwise` where it fails, whatever the reason: a fault says no more there than that nothing is known. */
export function orElse<T, U>(otherwise: U, read: () => T): T | U {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

/** Does a step; whether it did not fail. */
export const succeeds = (step: () => unknown): boolean =>
  orElse(false, () => {
    step();
    return true;
  });

/** Does a step that may fail; who calls says why that harms nobody. */
export function quietly(step: () => unknown): void {
  try {
    step();
  } catch {
    // As the caller says.
  }
}
