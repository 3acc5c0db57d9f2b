/** Prints for people: a memory that was written. */
import type { Printer } from "../style.ts";
import { many } from "../words.ts";

/** The number of characters that the memory has now, and of those that were replaced in a section. */
export const printWriteMemory: Printer<"write_memory"> = ({ path, characters, replaced }, style) =>
  replaced === undefined
    ? `${style.green("Written")} to ${path}, ${many(characters, "character")} now.`
    : `${style.green("Replaced")} ${many(replaced, "character")} in ${path}, ${characters} now (--append adds).`;

/** The number of characters that the memory has now. */
export const printAppendMemory: Printer<"append_memory"> = ({ path, characters }, style) =>
  `${style.green("Appended")} to ${path}, ${many(characters, "character")} now.`;
