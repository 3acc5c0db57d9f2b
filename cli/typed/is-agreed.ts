/** A question to a person on a terminal: what would be done is shown first. */
import type { Common } from "../commands.ts";
import { printAnswer } from "../print/print-answer.ts";
import { type Answer, readyFor, styleFor } from "../print/style.ts";

/** Whether a person is there to ask. */
export const canAsk = (options: Common): boolean => process.stdin.isTTY === true && process.stdout.isTTY === true && options.json !== true;

/** Shows an answer whole, and asks. @param refused what is printed where the person says no */
export async function isAgreed<Name extends "trust" | "trust_office" | "undo">(
  name: Name,
  answer: Answer<Name>,
  input: Record<string, unknown>,
  question: string,
  refused: string,
): Promise<boolean> {
  const style = styleFor(process.stdout, process.env, Date.now());
  await readyFor(answer, style.width);
  process.stdout.write(`${style.fit(printAnswer(name, answer, style, input))}\n`);
  return saysYes(question, refused);
}

/** Asks, on a terminal. @param refused what is printed where the person says no */
export async function saysYes(question: string, refused: string): Promise<boolean> {
  const { createInterface } = process.getBuiltinModule("node:readline/promises");
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const given = await terminal.question(`${question} [y/N] `);
  terminal.close();
  const isYes = /^y(es)?$/i.test(given.trim());
  if (!isYes) process.stdout.write(`${refused}\n`);
  return isYes;
}
