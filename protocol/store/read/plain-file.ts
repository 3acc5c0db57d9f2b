/** The one way to a file outside of a store's own readers: whoever wrote the folder may have laid anything under its name. SPEC.md, "Rules of the disk". */
import fs from "node:fs";
import { orElse } from "../../core/format/file-error.ts";

/** No file that Relay reads whole outside of a home is longer; an index of git may be. */
const MOST_BYTES = 2 ** 28;

/**
 * Reads a file whole, through links. A pipe is not waited for, and of a device nothing is read.
 * @param at absolute path
 * @param flags more of opening it, such as `O_NOFOLLOW`
 * @returns its bytes
 * @throws the errors of the disk; `ENOTPLAIN` for what is no plain file, `EFBIG` for one that is longer than 256 MiB
 */
export function readPlain(at: string, flags = 0): Buffer {
  const descriptor = fs.openSync(at, fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0) | flags);
  try {
    const stat = fs.fstatSync(descriptor);
    if (!stat.isFile())
      throw Object.assign(new Error(`${at}: expected a plain file`), { code: stat.isDirectory() ? "EISDIR" : "ENOTPLAIN" });
    if (stat.size > MOST_BYTES) throw Object.assign(new Error(`${at}: expected at most ${MOST_BYTES} bytes`), { code: "EFBIG" });
    return fs.readFileSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}

/** The same as text, with a sign in place of bytes that are no UTF-8. */
export const readPlainText = (at: string): string => readPlain(at).toString("utf8");

/** The first line of a file, without blanks around it; null where it cannot be read, or is no plain file. */
export const firstLineIn = (at: string): string | null =>
  // Most calls ask for files that are seldom there, and an error costs more than a look.
  orElse(null, () => (fs.existsSync(at) ? (readPlainText(at).split("\n")[0] as string).trim() : null));
