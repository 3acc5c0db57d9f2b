/** The hooks that Relay writes into the files of each agent, and which of them are Relay's at removal. spec/agents.md, "Setting up agents". */
import { shellWord } from "../format/shell-word.ts";
import { GUARD, startsRelay } from "./agent-entries.ts";
import type { AgentName, FileEdit, SetupOptions } from "./agent-setup.ts";
import { type Dialect, entriesAt, putIn, takeOut } from "./json-text.ts";

/** The moments of a session that hooks are for. */
type Moment = "session-start" | "prompt" | "stop" | "idle";

/** A waiter may wait this long; then the next turn begins another. */
const WAIT_S = 604_800;
/** A hook that answers does so in far less than a second; this is for a machine that is on its knees. */
const ANSWER_S = 10;

const hookArgs = ({ starter, part }: SetupOptions, agent: AgentName, moment: Moment): string[] => [
  ...starter.args,
  "hook",
  moment,
  "--agent",
  agent,
  ...(part === null ? [] : ["--part", part]),
];

/** Event → what is put under it. */
type Hooks = [event: string, group: unknown][];

const HOOKS = { claude: claudeHooks, codex: codexHooks, gemini: geminiHooks };

/** The hooks of an agent. */
export const hooksOf = (agent: AgentName, options: SetupOptions): Hooks => HOOKS[agent](options);

function claudeHooks(options: SetupOptions): Hooks {
  const { program: command } = options.starter;
  const hook = (moment: Moment) => ({ type: "command", command, args: hookArgs(options, "claude", moment) });
  const waiter = { ...hook("idle"), asyncRewake: true, timeout: WAIT_S };
  return [
    ["SessionStart", { hooks: [{ ...hook("session-start"), timeout: ANSWER_S }, waiter] }],
    ["UserPromptSubmit", { hooks: [{ ...hook("prompt"), timeout: ANSWER_S }] }],
    ["Stop", { hooks: [{ ...hook("stop"), timeout: ANSWER_S }, waiter] }],
  ];
}

/**
 * A command line that does nothing where Relay is not, or is no more: some agents block a turn whose hook fails.
 * A path with other characters than those of plain words stands in quotes.
 */
function commandLine(
  {
    starter: {
      program,
      args: [script],
    },
  }: SetupOptions,
  args: readonly string[],
): string {
  const word = shellWord(program);
  const isThere = script === undefined ? `command -v ${word} >/dev/null 2>&1` : `[ -x ${word} ] && [ -f ${shellWord(script)} ]`;
  return isThere + GUARD + [program, ...args].map(shellWord).join(" ");
}

function codexHooks(options: SetupOptions): Hooks {
  const hook = (moment: Moment) => ({
    hooks: [{ type: "command", command: commandLine(options, hookArgs(options, "codex", moment)), timeout: ANSWER_S }],
  });
  return [
    ["SessionStart", hook("session-start")],
    ["UserPromptSubmit", hook("prompt")],
    ["Stop", hook("stop")],
  ];
}

function geminiHooks(options: SetupOptions): Hooks {
  const hook = (moment: Moment) => ({
    hooks: [
      {
        name: `relay-${moment}`,
        type: "command",
        command: commandLine(options, hookArgs(options, "gemini", moment)),
        timeout: ANSWER_S * 1_000,
      },
    ],
  });
  return [
    ["SessionStart", hook("session-start")],
    ["BeforeAgent", hook("prompt")],
    ["AfterAgent", hook("stop")],
  ];
}

/** Relay's hooks in a file of settings: groups of their own, found by what they start. */
export function hooksEdit(base: FileEdit["base"], path: string, dialect: Dialect, hooks: Hooks): FileEdit {
  const innerOf = (group: unknown): unknown[] => {
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
    for (const [event] of [...hooks].reverse()) if (left !== null) left = without(left, event);
    return left;
  };
  const has = (text: string, [event, group]: Hooks[number]): boolean => {
    const groups = entriesAt(text, ["hooks", event], dialect).map(({ value }) => value);
    const own = groups.filter(isOurs);
    return own.length === 1 && JSON.stringify(own[0]) === JSON.stringify(group) && !groups.some(isMixed);
  };
  return {
    base,
    path,
    add(text) {
      if (text !== null && hooks.every((each) => has(text, each))) return text;
      let now = text === null ? null : remove(text);
      for (const [event, value] of hooks) now = putIn(now, ["hooks", event], { value }, dialect);
      return now;
    },
    remove,
  };
}
