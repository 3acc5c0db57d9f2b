/** Prints what a command did: in words, or as fields of a JSON object. */
import type { Common } from "./commands.ts";
import { writeJson, writeOut } from "./print/output.ts";
import { onScreen } from "./print/style.ts";

/** Prints the words, broken between them on a terminal, or with `--json` the fields. */
export const printFields = (options: Common, words: string, fields: Record<string, unknown>): void => {
  if (options.json === true) writeJson({ schema: 1, success: true, ...fields });
  else writeOut(`${onScreen(words)}\n`);
};
