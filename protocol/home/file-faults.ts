/** From the error of a broken file to what surfaces show: a fault among the `problems` of an answer, or a refusal. */
import { FORMAT } from "../objects/config/config-schema.ts";
import { FileError, FormatError } from "../objects/format/file-error.ts";
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
