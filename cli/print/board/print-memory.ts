/** Prints for people: a memory that was written. */
import type { Printer } from "../style.ts";
import { many } from "../words.ts";

/** Which memory has how many characters now, and how many of a section were replaced. */
export const printWriteMemory: Printer<"write_memory"> = ({ path, characters, replaced }, style) =>
  replaced === undefined
    ? `${style.green("Written")} to ${path}, ${many(characters, "character")} now.`
    : `${style.green("Replaced")} ${many(replaced, "character")} in ${path}, ${characters} now (--append adds).`;

/** Which memory has how many characters now. */
export const printAppendMemory: Printer<"append_memory"> = ({ path, characters }, style) =>
  `${style.green("Appended")} to ${path}, ${many(characters, "character")} now.`;
