/** Asking a person before something of theirs is written: on a terminal only, and never with `--yes`. */
import { type AnyOperation, createWorld, perform } from "../protocol/index.ts";
import type { Common } from "./commands.ts";
import { human } from "./human.ts";
import { styleFor } from "./style.ts";

/** Shows what an operation with a dry run would do, and asks; true where there is nobody to ask, or nothing to ask about. */
export async function confirmed(operation: AnyOperation, input: Record<string, unknown>, options: Common): Promise<boolean> {
  const asks = process.stdin.isTTY === true && process.stdout.isTTY === true && options.json !== true;
  if (!asks || input["yes"] === true || input["dryRun"] === true) return true;
  const preview = { ...input, dryRun: true };
  const answer = await perform(createWorld({ home: options.home, part: options.part }), operation, preview);
  const files = answer["files"] as { change: string }[];
  if (files.every(({ change }) => change === "same")) return true;
  const style = await styleFor(process.stdout, process.env, Date.now());
  process.stdout.write(`${style.fit(human(operation.name, answer, style, preview))}\n`);
  const { createInterface } = process.getBuiltinModule("node:readline/promises");
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const said = await terminal.question(input["remove"] === true ? "Take this out? [y/N] " : "Write this? [y/N] ");
  terminal.close();
  const agreed = /^y(es)?$/i.test(said.trim());
  if (!agreed) process.stdout.write("Nothing was written.\n");
  return agreed;
}
