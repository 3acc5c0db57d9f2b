/** Prints what a command did: in words, or as fields of a JSON object. */
import type { Common } from "./commands.ts";

/** Prints the words, or with `--json` the fields. */
export const printFields = (options: Common, words: string, fields: Record<string, unknown>): void => {
  process.stdout.write(options.json === true ? `${JSON.stringify({ schema: 1, success: true, ...fields })}\n` : `${words}\n`);
};
