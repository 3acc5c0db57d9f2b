/** Refusals and examples in the words of the command line. */

import { shellWord } from "../../protocol/core/format/shell-word.ts";
import { type Surface, TOOLS } from "../../protocol/core/refusal.ts";
import { type AnyOperation, Refusal } from "../../protocol/index.ts";
import { flagsOf, placeOf } from "./flags.ts";

/** Refusals in the words of a command: flags instead of arguments, commands instead of tools, and an example to type. */
const surfaceOf = (operation: AnyOperation | null): Surface => ({
  on: (_tools, commands) => commands,
  argument: (name) => (operation === null ? name : typed(operation, name)),
  operation: operation?.name ?? null,
  command: operation?.command ?? "",
  example: operation === null ? null : exampleOf(operation),
});

/** The same refusal, in the words of the command that was typed; null where the words of an operation do not count. */
export function asTyped(refusal: Refusal, operation: AnyOperation | null): Refusal {
  // Where a tool has words of its own, our sentence is the advice; here it is the sentence itself.
  const { advice, ...data } = refusal.data;
  const kept = advice === undefined || advice === refusal.wordsFor(TOOLS) ? data : { ...data, advice };
  return new Refusal(refusal.code, kept, refusal.wordsFor(surfaceOf(operation)), refusal.exit);
}

/** An argument that the operation does not list, as the flag that it would be; what is no argument stays as it is. */
const kebab = (name: string): string => (/^[a-z]+(_[a-z]+)+$/.test(name) ? `--${name.replaceAll("_", "-")}` : name);

/** How an argument is typed: as a place or as a flag. */
function typed(operation: AnyOperation, argument: string): string {
  const [first = argument] = argument.split(".");
  const at = operation.positionals.indexOf(first);
  if (at !== -1) return placeOf(operation, first, at === operation.positionals.length - 1).text.replace(/^\[(.*)\]$/, "<$1>");
  return flagsOf(operation).find((flag) => flag.argument === first)?.flag ?? kebab(argument);
}

/** An example of an operation as it would be typed. */
export function exampleOf(operation: AnyOperation): string {
  const example = operation.example as Record<string, unknown>;
  const places = operation.positionals.flatMap((argument) => {
    const value = example[argument];
    if (value === undefined) return [];
    // The words of a command may look like flags.
    if (argument === "argv" && Array.isArray(value)) return ["--", ...value.map(quote)];
    return argument === operation.positionals.at(-1) && Array.isArray(value) ? value.map(quote) : [quote(value)];
  });
  const flags = flagsOf(operation).flatMap((flag) => {
    const value = example[flag.argument];
    if (value === undefined || (flag.kind === "switch" && value !== (flag.value ?? true))) return [];
    return flag.kind === "switch" ? [flag.flag] : [`${flag.flag} ${quote(value)}`];
  });
  return ["relay", operation.command, ...places, ...flags].join(" ");
}

function quote(value: unknown): string {
  const text = Array.isArray(value) ? value.join(",") : typeof value === "object" ? JSON.stringify(value) : String(value);
  // Within double quotes a shell would read these itself.
  if (/[$`"\\!]/.test(text) && typeof value === "string") return shellWord(text);
  return /^[\w./:@,-]+$/.test(text) ? text : `"${text.replaceAll('"', '\\"')}"`;
}
