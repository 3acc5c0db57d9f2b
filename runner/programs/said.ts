/** What a program says in the lines that it prints, for people who look on. Programs print JSON; a line that is none is its own words. */

import type { Program } from "../../protocol/agents/hosts/program.ts";
import { objectIn } from "../../protocol/agents/hosts/reading.ts";

/** Characters of one saying; the reply has the whole text. */
const LENGTH = 400;

/** The words of a line; empty for one that says nothing to people. */
export function saidIn(program: Program, line: string): string {
  const event = objectIn(line);
  if (event === null) return line.slice(0, LENGTH);
  return (program.said?.(event) ?? [])
    .filter((each) => each.trim() !== "")
    .map((each) => each.slice(0, LENGTH))
    .join("\n");
}
