/** Every operation as a command: a loop over the list, and what the command line adds to some. */
import { Argument, type Command, Option } from "commander";
import { confirmGiven } from "../protocol/core/connection-memory.ts";
import { orElse } from "../protocol/core/format/file-error.ts";
import { canLookBack } from "../protocol/core/perform.ts";
import {
  type AnyOperation,
  createWorld,
  EXIT,
  operationList,
  type operations,
  perform,
  Refusal,
  type World,
  worldAtRecord,
} from "../protocol/index.ts";
import { subjectsOf } from "../protocol/mail/verbs/ack.ts";
import { operationsOfWord } from "../protocol/of-word.ts";
import { GROUPS } from "./command-groups.ts";
import { isTerminal, shownOn, writeJson, writeOut } from "./print/output.ts";
import { contentOf, printAnswer } from "./print/print-answer.ts";
import { type Answer, isPerson, readyFor, styleFor } from "./print/style.ts";
import { inLocalTime, plainLine } from "./print/words.ts";
import { type Flag, flagsOf, isUnnamed, placeOf } from "./typed/flags.ts";
import { asTyped, exampleOf } from "./typed/refused.ts";
import { inputFrom } from "./typed/typed-input.ts";
import { nameUnread, requireThread } from "./typed/unnamed.ts";

/** Options that every command takes. */
export interface Common {
  home?: string;
  part?: string;
  /** The folder that the command is for; the working directory where it is left out. */
  cwd?: string;
  json?: boolean;
  /** A commit, or an instant: what a reading command shows is the home as it was. */
  at?: string;
}

/** Adds the options that every command takes. Help has them once, at the program. */
export function common(command: Command): Command {
  const options = [
    new Option("--home <dir>", "the home, or the folder that holds it"),
    new Option("--part <id>", "who you are"),
    new Option("--json", "print one JSON object (failures too) on stdout"),
  ];
  for (const option of options) command.addOption(option.hideHelp(command.parent !== null));
  return command;
}

/** After this long a person wants to see that something moves. */
const PROGRESS_AFTER_MS = 1_000;

/**
 * Adds each operation; `part add` becomes a command within `part`.
 * @param args the command line: which commands are laid out in full hangs on it
 * @param only the first word of those that are laid out at all; all for null
 */
export function addOperations(program: Command, leave: (exit: number) => void, args: readonly string[], only: string | null): void {
  const groups = new Map<string, Command>();
  const all = args.length === 0 || args.some((word) => ["-h", "--help", "help", "__complete", ...Object.keys(GROUPS)].includes(word));
  for (const operation of only === null ? operationList : operationsOfWord(only)) {
    const words = operation.command.split(" ");
    const name = words.pop() as string;
    const parent = words[0] === undefined ? program : groupOf(program, groups, words[0], operation.hidden === true);
    addOperation(parent, name, operation, leave, all || args.includes(name));
  }
}

function groupOf(program: Command, groups: Map<string, Command>, name: string, hidden: boolean): Command {
  const known = groups.get(name);
  if (known !== undefined) return known;
  // A command may have others within it: `relay trust`, and `relay trust office`.
  const group =
    program.commands.find((command) => command.name() === name) ??
    common(program.command(name, { hidden })).description(GROUPS[name] ?? name);
  groups.set(name, group);
  return group;
}

function addOperation(parent: Command, name: string, operation: AnyOperation, leave: (exit: number) => void, whole: boolean): void {
  const command = parent.command(name, { hidden: operation.hidden === true }).description(operation.summary);
  const { alias, examples = [] } = additionTo(operation);
  if (alias !== undefined) command.alias(alias);
  // Only the command that was typed is laid out, or each of them for help: laying all out is most of what a command's start takes.
  if (!whole) return;
  common(command);
  if (canLookBack(operation)) command.option("--at <when>", "read the home as of a commit, or of a time such as 2026-01-31T09:30Z");
  const places = operation.positionals.map((argument, at) => placeOf(operation, argument, at === operation.positionals.length - 1));
  for (const { text, description, choices } of places) {
    const argument = new Argument(text, description);
    // Named for help and completion; what is wrong with a value the operation itself says.
    if (choices !== undefined) argument.argChoices = choices;
    command.addArgument(argument);
  }
  const flags = flagsOf(operation);
  for (const flag of flags) command.addOption(optionFor(flag));
  command.addHelpText("after", () => ["\nExample:", exampleOf(operation), ...examples].join("\n  "));
  command.action(async (...given: unknown[]) => {
    const options = (given.at(-1) as Command).optsWithGlobals<Common & Record<string, unknown>>();
    try {
      leave(await runOperation(operation, given, options, flags));
    } catch (error) {
      throw error instanceof Refusal ? asTyped(error, operation) : error;
    }
  });
}

/** Reads what was typed, asks where a person has to agree, performs, prints; gives the exit code. @throws Refusal */
async function runOperation(
  operation: AnyOperation,
  given: readonly unknown[],
  options: Common & Record<string, unknown>,
  flags: readonly Flag[],
): Promise<number> {
  const nameThread = async (input: Record<string, unknown>): Promise<void> => {
    if (!isUnnamed(operation, input)) return;
    const named = await nameUnread(operation, input, options);
    const style = styleFor(process.stderr, process.env, Date.now());
    process.stderr.write(`${style.fit(style.dim(named))}\n`);
  };
  const input = await inputFrom(operation, given, options, flags, async (sofar, isTyped) => {
    if (!isTyped) await requireThread(operation, sofar, options);
    // What names a thread in a place stands before the text; a flag may come after it.
    if (operation.positionals.includes("threadId")) await nameThread(sofar);
  });
  await nameThread(input);
  const { ask } = additionTo(operation);
  const agreed = ask === undefined ? { input, seen: false } : await ask(operation, input, options);
  return agreed === null ? EXIT.ok : performAndPrint(operation, agreed, options);
}

function optionFor({ flag, kind, description, choices }: Flag): Option {
  const value = { switch: "", number: " <n>", list: " <a,b>", json: " <json>", text: " <text>" }[kind];
  const option = new Option(`${flag}${value}`, description || undefined);
  // A list takes one word, with commas, and may be given again: a flag that took all that follows would swallow the rest.
  if (kind === "list") option.argParser((item: string, before: string[] | undefined) => [...(before ?? []), item]);
  return choices === undefined ? option : option.choices(choices);
}

/** Performs an operation, and prints its answer; gives the exit code. @throws Refusal */
export async function performAndPrint(asked: AnyOperation, { input: given, seen, told }: Agreed, options: Common): Promise<number> {
  const { waits, complete } = additionTo(asked);
  const isWaiting = waits?.(given) === true;
  const started = Date.now();
  const typed = asked.name.replaceAll("_", " ");
  const progress = (at: string): void => {
    // What goes on for long tells a log too.
    if (isWaiting && !isTerminal("stderr")) process.stderr.write(`${typed}: ${at}\n`);
    if (Date.now() - started > PROGRESS_AFTER_MS && isTerminal("stderr")) process.stderr.write(`\r\u001b[K${typed}: ${at}`);
  };
  // Only what waits is ended gently; anything else ends as the shell expects.
  const stop = isWaiting ? new AbortController() : undefined;
  if (stop !== undefined) {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stop.abort());
  }
  const now = createWorld({ home: options.home, part: options.part, signal: stop?.signal, person: isPerson(), progress });
  const world = options.at === undefined ? now : await worldAtRecord(now, options.at);
  const { operation, input } =
    asked.name === "show"
      ? (await import("../protocol/status/files/shown-by.ts")).shownBy(world, asked, given)
      : { operation: asked, input: given };
  const answer = await perform(world, operation, input).catch((error: Refusal) => {
    throw operation.exitRefused === undefined
      ? error
      : new Refusal(error.code, error.data, error.message, operation.exitRefused, error.wordsFor);
  });
  if (isTerminal("stdin")) (await import("./typed/editor.ts")).dropDraft();
  if (world.past === undefined) await complete?.(world, answer);
  if (Date.now() - started > PROGRESS_AFTER_MS && isTerminal("stderr")) process.stderr.write("\r\u001b[K");
  const past = world.past === undefined ? {} : { at: world.past.commit };
  if (options.json === true) writeJson({ schema: 1, success: true, ...past, ...answer });
  else {
    const shown = shownOn();
    const style = styleFor(shown, process.env, Date.now());
    const content = contentOf(operation.name, answer, shown.isTTY === true);
    await readyFor(answer, style.width);
    writeOut(
      content === null
        ? `${style.fit(printAnswer(operation.name, { ...past, ...answer }, style, seen ? { ...input, seen, told } : input))}\n`
        : content.text,
    );
    const apart = content === null || content.text === "" || content.text.endsWith("\n") ? "" : "\n";
    if (content?.beside !== undefined) process.stderr.write(`${apart}${style.fit(content.beside)}\n`);
    if (world.past !== undefined)
      process.stderr.write(`${style.dim(`the home at commit ${world.past.commit.slice(0, 10)} (relay log)`)}\n`);
    for (const warning of warningsOf(answer))
      process.stderr.write(`${style.fit(`${style.yellow("warning")}: ${plainLine(inLocalTime(warning))}`)}\n`);
    if (typeof answer["warning"] === "string" && told?.includes(answer["warning"]) !== true)
      process.stderr.write(`${style.fit(`${style.yellow("warning")}: ${plainLine(inLocalTime(answer["warning"]))}`)}\n`);
    if (operation.endsWithNews === true) {
      const { isNewBeside } = await import("../protocol/turn/files/part-news.ts");
      // A file that cannot be read is told of by `next`.
      if (orElse(false, () => isNewBeside(world, operation, world.me.part ?? "")))
        writeOut(`${style.dim("New for you: `relay wait --ack shown` shows it.")}\n`);
    }
  }
  const exit = operation.exit?.(answer) ?? EXIT.ok;
  // What a wait that ended in vain printed is told, too.
  if ((exit === EXIT.ok || exit === EXIT.timeout) && now.connection.given !== undefined) confirmGiven(now);
  return exit;
}

/** What is said of the home with every answer, failures too, while it is so. The warnings of a check are findings, which it prints itself. */
export const warningsOf = ({ warnings }: { warnings?: unknown }): string[] =>
  Array.isArray(warnings) ? warnings.filter((warning) => typeof warning === "string") : [];

/** What is performed after a person was asked. */
export interface Agreed {
  input: Record<string, unknown>;
  /** Whether a person saw before what is printed now, and agreed. */
  seen: boolean;
  /** The notes and the warning that were shown then. */
  told?: readonly string[];
}

/** What the command line adds to one operation. `Given` is its answer. */
export interface Addition<Given = Record<string, unknown>> {
  /** Another word for the last one of its command. */
  alias?: string;
  /** Command lines that help shows beside the operation's own example. */
  examples?: readonly string[];
  /** Whether a call goes on until something comes: a signal then ends it gently, and it says what it did until then. */
  waits?(input: Record<string, unknown>): boolean;
  /** Asks a person, where one is there to ask. @returns null where they said no, and nothing is to be done */
  ask?(operation: AnyOperation, input: Record<string, unknown>, options: Common): Promise<Agreed | null>;
  /** Puts into an answer what only the terminals of this machine know. */
  complete?(world: World, answer: Given): Promise<void>;
}

/** The additions, by the operation's name. Each loads its files when it is used: every start of the command line reads this table. */
const ADDITIONS: { readonly [Name in keyof typeof operations]?: Addition<Answer<Name>> } = {
  start_session: { alias: "begin", examples: ["relay plan apply plan.yml    # a session with its title, tasks and first message"] },
  apply_plan: {
    examples: [
      ...["relay plan apply - <<'END'", "title: Refunds", "memory: { money: Amounts are whole cents. }"],
      "message: { to: [web, api], subject: The plan, body: Claim what is yours; I merge. }",
      "tasks:",
      "  - { key: api, title: Refund a payment, description: POST /refund, assignee: api, reviewer: web }",
      '  - { key: page, title: Page of refunds, assignee: web, reviewer: "api,docs", depends_on: [api] }',
      "END",
      "\nThen:",
      "relay wait --ack shown --timeout 240    tells each approval, and the `git merge` that ends its task",
      "relay task update 8mr2 done             one without code; or --assignee api",
      "relay session end --summary - <<'END'   at last; tasks and remarks go below your words",
    ],
  },
  part_here: { ask: async (...given) => (await import("./typed/confirm-part.ts")).askedForPart(...given) },
  setup: { ask: async (...given) => (await import("./typed/confirm.ts")).confirmed(...given) },
  trust: { ask: async (...given) => (await import("./typed/confirm-trust.ts")).askedToTrust(...given) },
  trust_office: { ask: async (...given) => (await import("./typed/confirm-trust.ts")).askedToTrustOffice(...given) },
  undo: { ask: async (...given) => (await import("./typed/confirm-undo.ts")).askedToUndo(...given) },
  ack: {
    complete: async (world, answer) =>
      void Object.assign(answer, {
        ackedSubjects: subjectsOf(
          world,
          answer.acked.filter((id) => id.startsWith("m-")),
        ),
      }),
  },
  wait: { waits: () => true },
  sync: { waits: ({ watch }) => watch === true },
  status: { complete: async (...given) => (await import("./print/terminal.ts")).markAskingTerminals(...given) },
  part_deliver: { complete: async (...given) => (await import("./print/terminal.ts")).findTerminal(...given) },
  notify_add: {
    examples: [
      "relay notify add -- notify-send 'Relay: look at your agents'",
      `relay notify add mac -- osascript -e 'display notification (system attribute "RELAY_SUBJECT") with title (system attribute "RELAY_EVENT")'`,
      "relay notify add team --webhook https://example.com/hook --on needs_human,stuck",
    ],
  },
};

/** What the command line adds to an operation; an empty one where it adds nothing. */
export const additionTo = ({ name }: AnyOperation): Addition => (ADDITIONS[name as keyof typeof ADDITIONS] ?? {}) as Addition;
