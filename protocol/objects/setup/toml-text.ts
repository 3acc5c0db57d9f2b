/** Reading a TOML file of somebody's, to find out what a block that is added would do to it. The only file that knows smol-toml. */
import { parse, TomlError } from "smol-toml";
import { TextFault } from "../format/text-fault.ts";

/** The tables of a TOML text. @throws TextFault where it cannot be read */
export function parseToml(text: string): Record<string, unknown> {
  try {
    return parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    if (error instanceof TomlError) throw new TextFault(error.line, `not TOML: ${(error.message.split("\n")[0] as string).trim()}`);
    throw error;
  }
}
