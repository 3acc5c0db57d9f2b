/** Prints for people: commands that may run, or wait for trust. */
import type { Answer, Printer, Style } from "../style.ts";
import { many, plain, plainLine } from "../words.ts";

type Entry = NonNullable<Answer<"trust">["grants"]>[number];

/** What may run but for hooks, in words. */
const PURPOSES: Record<string, string> = { start: "relay up", deliver: "wake by command", notify: "notify" };

/** What may run, whole: a person compares it word by word. */
const entryText = ({ digest, purpose, who, moment, argv }: Entry, style: Style): string =>
  `${style.bold(digest)}  ${who} ${style.dim(purpose === "hook" ? `${moment} hook` : (PURPOSES[purpose] ?? purpose))}\n    ${plainLine(JSON.stringify(argv))}`;

type Command = Answer<"trust">["commands"][number];

/** A command with all of its lines: what a person trusts must be what they saw. */
function commandText({ id, agent, hook, command, trusted, notes }: Command, style: Style): string {
  const state = trusted ? style.green("trusted") : style.yellow("waiting");
  const lines = plain(command)
    .split("\n")
    .map((row) => `    ${row}`)
    .join("\n");
  return `${style.bold(id)}  ${state}  ${agent} ${style.dim(hook)}\n${[lines, ...notes.map((note) => `    ${style.yellow("note")}: ${plainLine(note)}`)].join("\n")}`;
}

type Changed = NonNullable<Answer<"trust">["agents"]>[number];

/** Tools of an agent that are others than were taken on this machine. */
function toolsText({ id, agent, before, now, trusted }: Changed, style: Style): string {
  const words = (tools: readonly string[] | null): string => (tools === null ? "all tools" : tools.map(plainLine).join(", "));
  const state = trusted ? style.green("trusted") : style.yellow("waiting");
  return `${style.bold(id)}  ${state}  ${agent} ${style.dim("tools")}\n    ${words(before)}\n    ${style.dim("to")} ${words(now)}`;
}

/** What may run on this machine, and what was trusted or taken back now. */
export const printTrust: Printer<"trust"> = ({ commands, agents = [], accepted, revoked, grants, moved }, style) => {
  const shown = (entries: Entry[], none: string): string =>
    entries.length === 0 ? style.dim(none) : entries.map((entry) => entryText(entry, style)).join("\n");
  if (grants !== undefined) return shown(grants, "Nothing may run on this machine for this project.");
  if (moved !== undefined) {
    const last = moved.done
      ? `${style.green("Allowed here")}, as it was at ${plainLine(moved.from)}`
      : style.dim(`These were allowed at ${plainLine(moved.from)}. Read each; to allow all of them here: relay trust --moved --all`);
    return `${shown(moved.grants, "Nothing was allowed there.")}\n${last}`;
  }
  if (revoked !== undefined) return `${style.green("Revoked")} ${revoked.join(", ")}`;
  if (commands.length + agents.length === 0) return style.dim("No hook commands.");
  const all: { id: string; trusted: boolean }[] = [...commands, ...agents];
  const waiting = all.filter(({ trusted }) => !trusted).length;
  const last =
    waiting > 0
      ? style.dim(
          `${many(waiting, agents.length === 0 ? "command" : "change")} waiting. Read each; then: relay trust ${all.find(({ trusted }) => !trusted)?.id}`,
        )
      : style.dim("All trusted on this machine.");
  const done = accepted.length === 0 ? [] : [`${style.green("Trusted")} ${accepted.join(", ")}`];
  const shownAll = [...commands.map((command) => commandText(command, style)), ...agents.map((each) => toolsText(each, style))];
  return [...shownAll, ...done, last].join("\n");
};
