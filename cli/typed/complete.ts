import type { Command } from "commander";
import { AFTER_FLAG, AT_PLACE, type Known } from "./known-values.ts";

/** Names that mean the same to every shell, typed as they are: what others wrote is never offered otherwise. */
const PLAIN = /^[\w./:@+-]+$/;

/** What may stand where the last of the words is being typed: names that need no quoting. */
export async function candidates(program: Command, words: readonly string[]): Promise<string[]> {
  return (await known(program, words)).filter((word) => PLAIN.test(word));
}

async function known(program: Command, words: readonly string[]): Promise<string[]> {
  const typed = words.at(-1) ?? "";
  const fits = (found: readonly string[]): string[] => found.filter((word) => word.startsWith(typed));
  const { command, places, flag } = readTyped(program, words.slice(0, -1));
  if (flag !== null) return fits(command.options.find(({ long }) => long === flag)?.argChoices ?? (await quietly(AFTER_FLAG[flag])));
  if (typed.startsWith("-")) return fits(command.options.flatMap(({ long }) => long ?? []).concat("--help"));
  const visible = command.commands.filter((each) => !each.name().startsWith("__")).map((each) => each.name());
  if (visible.length > 0) return fits(visible);
  const all = command.registeredArguments;
  const place = all[places] ?? (all.at(-1)?.variadic === true ? all.at(-1) : undefined);
  return fits(place?.argChoices ?? (await quietly(AT_PLACE[place?.name() ?? ""])));
}

/** What was typed before: the command, how many of its places are filled, and the flag that waits for its value. */
function readTyped(program: Command, before: readonly string[]): { command: Command; places: number; flag: string | null } {
  let command = program;
  let places = 0;
  let flag: string | null = null;
  for (const word of before) {
    const within = command.commands.find((each) => each.name() === word);
    if (flag !== null) flag = null;
    else if (word.startsWith("-")) flag = command.options.some(({ long, required }) => long === word && required) ? word : null;
    else if (within !== undefined) command = within;
    else places += 1;
  }
  return { command, places, flag };
}

/** Without a home there is nothing to offer, and nobody to complain to. */
async function quietly(known: Known | undefined): Promise<string[]> {
  try {
    return (await known?.()) ?? [];
  } catch {
    return [];
  }
}
