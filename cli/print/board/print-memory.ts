/** Prints for people: a memory that was written. */
import type { Printer } from "../style.ts";
import { many } from "../words.ts";

/** Which memory has how many characters now. */
export const printWriteMemory: Printer<"write_memory"> = ({ path, characters }, style) =>
  `${style.green("Written")} to ${path}, ${many(characters, "character")} now.`;

/** Which memory has how many characters now. */
export const printAppendMemory: Printer<"append_memory"> = ({ path, characters }, style) =>
  `${style.green("Appended")} to ${path}, ${many(characters, "character")} now.`;
