/** Command lines without an argument of their own, such as `relay inbox --json`: they need no commander, which is a part of the start that is felt. */

import { inputByDefault } from "../protocol/core/operation.ts";
import type { AnyOperation } from "../protocol/index.ts";
import { operationsOfWord } from "../protocol/of-word.ts";
import { additionTo, type Common } from "./commands.ts";

/**
 * The words of a line and the options that every command takes, where there is nothing besides; null for every other line, and for
 * what commander has to look at: another form of an option, or one without its value, or twice.
 */
export function wordsAlone(args: readonly string[]): { words: string; options: Common } | null {
  const first = args.findIndex((word) => word.startsWith("-"));
  const words = first === -1 ? args : args.slice(0, first);
  const options: Common = {};
  for (let at = words.length; at < args.length; at += 1) {
    const flag = args[at] as string;
    if (flag !== "--json" && flag !== "--part" && flag !== "--home") return null;
    const name = flag.slice(2);
    const value = flag === "--json" ? true : args[++at];
    if (Object.hasOwn(options, name) || value === undefined || value === "" || String(value).startsWith("-")) return null;
    Object.assign(options, { [name]: value });
  }
  return words.length === 0 ? null : { words: words.join(" "), options };
}

/** The operation that such a line means, where it needs no argument, and nobody is asked about it; null for every other line. */
export function operationAlone(args: readonly string[]): { operation: AnyOperation; options: Common } | null {
  const line = wordsAlone(args);
  const operation = line === null ? undefined : operationsOfWord(args[0] as string).find(({ command }) => command === line.words);
  if (line === null || operation === undefined || operation.naming !== undefined || inputByDefault(operation) === null) return null;
  return additionTo(operation).ask === undefined ? { operation, options: line.options } : null;
}
