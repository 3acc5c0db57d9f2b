/** Prints for people: a file that was accepted. */
import type { Printer } from "../style.ts";
import { plainLine } from "../words.ts";

/** Which file outside of the layout a person accepted here. */
export const printAccept: Printer<"accept"> = ({ path, bytes, from }, style) =>
  from === "branch"
    ? `${style.green("Checked out")} ${plainLine(path)} (${bytes} bytes), accepted on this machine as it is`
    : `${style.green("Accepted")} ${plainLine(path)} (${bytes} bytes) as it is now: the next commit has it`;
