/** The operations of a command, without evaluating all the others. */
import type { AnyOperation } from "./core/operation.ts";
import { operationList } from "./list.ts";
import { operations } from "./operations.ts";

/** What the build made of the list, as JSON: the names of operations by the first word of their command. */
declare const RELAY_WORDS: string | undefined;

let words: Readonly<Record<string, (keyof typeof operations)[]>> | null = null;

/** The operations whose command begins with a word, in the order of the list. */
export function operationsOfWord(word: string): readonly AnyOperation[] {
  if (typeof RELAY_WORDS === "undefined") return operationList.filter(({ command }) => command.split(" ")[0] === word);
  words ??= JSON.parse(RELAY_WORDS) as NonNullable<typeof words>;
  return Object.hasOwn(words, word) ? (words[word] ?? []).map((name) => operations[name]) : [];
}
