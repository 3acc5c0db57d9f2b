/** Reads a user's TOML file, to find out the effect of an added block. The only file that knows smol-toml. */

import { parse, TomlError } from "smol-toml";
import { FileError } from "../format/file-error.ts";

/** The tables of a TOML text. @throws FileError where it cannot be read */
export function parseToml(text: string): Record<string, unknown> {
  try {
    return parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    if (error instanceof TomlError) throw new FileError(`not TOML: ${(error.message.split("\n")[0] as string).trim()}`, error.line);
    throw error;
  }
}
