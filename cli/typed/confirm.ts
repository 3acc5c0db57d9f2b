/** Asking a person before something of theirs is written; `--yes` is their word where no terminal is there to ask on. */

import { refuse } from "../../protocol/core/refusal.ts";
import { type AnyOperation, createWorld, perform } from "../../protocol/index.ts";
import type { Agreed, Common } from "../commands.ts";
import { printAnswer } from "../print/print-answer.ts";
import { readyFor, styleFor } from "../print/style.ts";
import { plainLine } from "../print/words.ts";
import { canAsk } from "./is-agreed.ts";

const QUESTIONS = {
  write: "Write this?",
  allow: "Write this, and allow Relay's tools without asking?",
  remove: "Remove this?",
};
/** So many lines of what changes stand before the question, which would be off the screen after all of them. */
const LINES = 8;

/**
 * Shows what an operation with a dry run would do, and asks.
 * @returns the input as it is, where there is nothing to ask about or the person agreed; null where they said no
 * @throws Refusal `usage` where there is something to ask, and nobody to ask
 */
export async function confirmed(operation: AnyOperation, input: Record<string, unknown>, options: Common): Promise<Agreed | null> {
  if (input["yes"] === true || input["dryRun"] === true || input["check"] === true || input["print"] === true)
    return { input, seen: false };
  const preview = { ...input, dryRun: true };
  const answer = await perform(createWorld({ home: options.home, cwd: options.cwd, part: options.part }), operation, preview);
  const files = answer["files"] as { change: string }[];
  // Who lives in this worktree as another part is to be known before it becomes this one.
  const isReplaced = answer["partBefore"] !== null && answer["part"] !== answer["partBefore"];
  const warning = isReplaced && typeof answer["warning"] === "string" ? answer["warning"] : null;
  const isSame = files.every(({ change }) => change === "same");
  if (isSame && warning === null) return { input, seen: false };
  const style = styleFor(process.stdout, process.env, Date.now());
  await readyFor(answer, style.width);
  const whole = style.fit(printAnswer(operation.name, answer, style, preview));
  const short = style.fit(printAnswer(operation.name, answer, style, { ...preview, most: LINES }));
  if (options.json !== true) process.stdout.write(`${short}\n`);
  if (options.json !== true && warning !== null)
    process.stdout.write(`${style.fit(`${style.yellow("warning")}: ${plainLine(warning)}`)}\n`);
  if (!canAsk(options))
    throw refuse("usage", {
      problem: `Nothing was written: \`relay ${operation.command}\` asks first, and no terminal is here to ask on.`,
      help: "Add `--yes` to write this, or `--dry-run` to look at all of it.",
    });
  const { createInterface } = process.getBuiltinModule("node:readline/promises");
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const question = isSame
    ? `Make this worktree ${plainLine(String(answer["part"]))}?`
    : QUESTIONS[input["remove"] === true ? "remove" : input["allow"] === true ? "allow" : "write"];
  const isCut = short !== whole;
  // One list of lines for both questions: what was typed ahead of the second is its answer.
  const lines = terminal[Symbol.asyncIterator]();
  const ask = async (choices: string): Promise<string> => {
    terminal.setPrompt(`${question} [${choices}] `);
    terminal.prompt();
    return (await lines.next()).value ?? "";
  };
  let said = await ask(`y/N${isCut ? ", d: show all of it" : ""}`);
  if (isCut && /^d(iff)?$/i.test(said.trim())) {
    process.stdout.write(`${whole}\n`);
    said = await ask("y/N");
  }
  terminal.close();
  const agreed = /^y(es)?$/i.test(said.trim());
  if (!agreed) process.stdout.write("Nothing was written.\n");
  return agreed ? { input, seen: true, told: [...(answer["notes"] as string[]), ...(warning === null ? [] : [warning])] } : null;
}
