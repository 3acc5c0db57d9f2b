/** The hooks that Relay writes into the files of each host, and which of them are Relay's at removal. spec/agents.md, "Setting up agents". */

import { type Host, type HostHooks, type HostModule, type Moment, moduleHead } from "../../agents/hosts/host.ts";
import { FileError } from "../../core/format/file-error.ts";
import { shellWord } from "../../core/format/shell-word.ts";
import { dialectOf, GUARD, startsRelay } from "./agent-entries.ts";
import type { FileEdit, SetupOptions } from "./agent-setup.ts";
import { entriesAt, putIn, takeOut } from "./json-text.ts";

/** A waiter may wait this long; then the next turn begins another. */
const WAIT_S = 604_800;
/** A hook that answers does so in far less than a second; this is for a machine that is on its knees. */
const ANSWER_S = 10;

/**
 * A command line that does nothing where Relay or its node was uninstalled: a host blocks a turn whose hook fails, or
 * says so at each. A path with other characters than those of plain words stands in quotes.
 */
function commandLine({ name }: Host, { starter: { program, args }, part }: SetupOptions, moment: Moment): string {
  const [script] = args;
  const word = shellWord(program);
  const isThere =
    script === undefined
      ? `command -v ${word} >/dev/null 2>&1 && command -v node >/dev/null 2>&1`
      : `[ -x ${word} ] && [ -f ${shellWord(script)} ]`;
  const words = [program, ...args, "hook", moment, "--agent", name, ...(part === null ? [] : ["--part", part])];
  return isThere + GUARD + words.map(shellWord).join(" ");
}

/** Relay's hooks as a module of a host: a file that is Relay's alone. */
export function moduleEdit({ name }: Host, { base, path, text }: HostModule, { starter }: SetupOptions): FileEdit {
  const head = moduleHead(name);
  const now = text([starter.program, ...starter.args]);
  return {
    base,
    path,
    add(before) {
      if (before !== null && !before.startsWith(head)) throw new FileError("it is not Relay's: move it away", 1);
      return now;
    },
    remove: (before) => (before.startsWith(head) ? null : before),
  };
}

/** Relay's hooks in a file of a host: groups or entries of their own, found by what they start. */
export function hooksEdit(host: Host, hooks: HostHooks, options: SetupOptions): FileEdit {
  const { base, path, shape, events, head = {} } = hooks;
  const dialect = dialectOf(hooks);
  const made = events.map(([event, moments]) => {
    const entries = moments.map((moment) => hooks.entry(moment, commandLine(host, options, moment), moment === "idle" ? WAIT_S : ANSWER_S));
    return { event, values: shape === "groups" ? [{ hooks: entries }] : entries };
  });
  // What a file is without any hook that Relay makes.
  const bare = Object.entries(head).reduce<string | null>((now, [key, value]) => putIn(now, [], { key, value }, dialect), null);
  const innerOf = (group: unknown): unknown[] => {
    if (shape === "entries") return [group];
    const inner = (group as { hooks?: unknown } | null)?.hooks;
    return Array.isArray(inner) ? inner : [];
  };
  const isOurs = (group: unknown): boolean => innerOf(group).length > 0 && innerOf(group).every((hook) => startsRelay(hook, "hook"));
  const isMixed = (group: unknown): boolean => !isOurs(group) && innerOf(group).some((hook) => startsRelay(hook, "hook"));
  const without = (text: string, event: string): string | null => {
    const left = takeOut(text, ["hooks", event], ({ value }) => isOurs(value), dialect);
    if (left === null) return null;
    // Somebody put a hook of their own into a group of Relay's.
    const mixed = entriesAt(left, ["hooks", event], dialect).flatMap(({ value }, at) => (isMixed(value) ? [String(at)] : []));
    return mixed.reduceRight(
      (now: string, at) => takeOut(now, ["hooks", event, at, "hooks"], ({ value }) => startsRelay(value, "hook"), dialect) as string,
      left,
    );
  };
  const remove = (text: string): string | null => {
    let left: string | null = text;
    for (const { event } of [...made].reverse()) if (left !== null) left = without(left, event);
    return left === bare ? null : left;
  };
  const has = (text: string, { event, values }: (typeof made)[number]): boolean => {
    const groups = entriesAt(text, ["hooks", event], dialect).map(({ value }) => value);
    return JSON.stringify(groups.filter(isOurs)) === JSON.stringify(values) && !groups.some(isMixed);
  };
  return {
    base,
    path,
    add(text) {
      if (text !== null && made.every((each) => has(text, each))) return text;
      let now = text === null ? bare : remove(text);
      for (const { event, values } of made) for (const value of values) now = putIn(now, ["hooks", event], { value }, dialect);
      return now;
    },
    remove,
  };
}
