/** Every operation as a command: a loop over the list. */
import { Argument, type Command, Option } from "commander";
import { type AnyOperation, createWorld, EXIT, operationList, perform, Refusal, worldAtRecord } from "../protocol/index.ts";
import { canLookBack } from "../protocol/internal.ts";
import { type Agreed, additionTo } from "./additions.ts";
import { contentOf, printAnswer } from "./print/print-answer.ts";
import { isPerson, readyFor, styleFor } from "./print/style.ts";
import { plainLine } from "./print/words.ts";
import { type Flag, flagsOf, isUnnamed, placeOf } from "./typed/flags.ts";
import { asTyped, exampleOf, inLocalTime } from "./typed/refused.ts";
import { inputFrom } from "./typed/typed-input.ts";
import { nameUnread, requireThread } from "./typed/unnamed.ts";

/** Options that every command takes. */
export interface Common {
  home?: string;
  part?: string;
  json?: boolean;
  /** A commit, or an instant: what a reading command shows is the home as it was. */
  at?: string;
}

/** Adds the options that every command takes. */
export function common(command: Command): Command {
  return command
    .option("--home <dir>", "the home, or the folder that holds it")
    .option("--part <id>", "who you are")
    .option("--json", "print one JSON object (failures too) on stdout");
}

/** What the commands of a group are about. */
const GROUPS: Record<string, string> = {
  part: "Add, rename, remove and list parts",
  session: "Begin, list, sum up and end sessions",
  task: "Create, claim, update and list tasks",
  artifact: "Post and read results",
  review: "Request and submit reviews",
  memory: "Read and write memories",
  message: "Messages of a session",
  state: "Save and show the state of a session's leader",
  wake: "Deliver a wake: for pagers, hooks and servers",
  notify: "Tell a person, by a command or a webhook",
  config: "Show, accept and restore the configuration",
  team: "Propose and write a session's team",
  office: "Who may give work to whom: make, check and show the office",
};

/** The heading of what is in no other list. */
export const OTHERS = "More:";
/** Under which heading help lists a command. */
const HEADINGS: [heading: string, names: readonly string[]][] = [
  ["The home:", ["init", "setup", "status", "roster", "whoami", "part", "doctor", "upgrade", "config", "info", "watch"]],
  ["Messages:", ["send", "reply", "inbox", "ack", "show", "threads", "search", "close", "reopen", "archive", "wait", "event"]],
  ["The board:", ["session", "task", "artifact", "review", "memory", "message", "state", "think"]],
  ["Agents:", ["agents", "pool", "team", "trust", "office"]],
  ["Waking:", ["pager", "up", "attach", "down", "wakes", "wake", "notify", "hook"]],
  ["Git:", ["record", "sync", "accept", "undo", "forget", "clone", "log", "stats", "check"]],
];

/** Puts every command under its heading; help shows headings in the order in which their first commands come. */
export function underHeadings(program: Command): void {
  const rank = (command: Command): number => {
    const found = HEADINGS.findIndex(([, names]) => names.includes(command.name()));
    return found === -1 ? HEADINGS.length : found;
  };
  (program.commands as Command[]).sort((a, b) => rank(a) - rank(b));
  for (const command of program.commands) command.helpGroup(HEADINGS[rank(command)]?.[0] ?? OTHERS);
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
  for (const operation of operationList) {
    const words = operation.command.split(" ");
    if (only !== null && words[0] !== only) continue;
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
  const command = parent.command(name).description(operation.summary);
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
  command.addHelpText("after", () => ["\nExample:", exampleOf(operation), ...(additionTo(operation).examples ?? [])].join("\n  "));
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

async function performAndPrint(operation: AnyOperation, { input, seen }: Agreed, options: Common): Promise<number> {
  const { waits, complete } = additionTo(operation);
  const isWaiting = waits?.(input) === true;
  const started = Date.now();
  const progress = (at: string): void => {
    // What goes on for long tells a log too.
    if (isWaiting && !process.stderr.isTTY) process.stderr.write(`${operation.name}: ${at}\n`);
    if (process.stderr.isTTY && Date.now() - started > PROGRESS_AFTER_MS) process.stderr.write(`\r\u001b[K${operation.name}: ${at}`);
  };
  const stop = new AbortController();
  // Only what waits is ended gently; anything else ends as the shell expects.
  if (isWaiting) {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stop.abort());
  }
  const now = createWorld({ home: options.home, part: options.part, signal: stop.signal, person: isPerson(), progress });
  const world = options.at === undefined ? now : await worldAtRecord(now, options.at);
  const answer = await perform(world, operation, input).catch((error: Refusal) => {
    throw operation.exitRefused === undefined
      ? error
      : new Refusal(error.code, error.data, error.message, operation.exitRefused, error.wordsFor);
  });
  if (process.stdin.isTTY) (await import("./typed/editor.ts")).dropDraft();
  if (world.past === undefined) await complete?.(world, answer);
  if (process.stderr.isTTY && Date.now() - started > PROGRESS_AFTER_MS) process.stderr.write("\r\u001b[K");
  const past = world.past === undefined ? {} : { at: world.past.commit };
  if (options.json === true) process.stdout.write(`${JSON.stringify({ schema: 1, success: true, ...past, ...answer })}\n`);
  else {
    const style = styleFor(process.stdout, process.env, Date.now());
    const content = contentOf(operation.name, answer, process.stdout.isTTY === true);
    await readyFor(answer, style.width);
    process.stdout.write(
      content === null ? `${style.fit(printAnswer(operation.name, answer, style, seen ? { ...input, seen } : input))}\n` : content.text,
    );
    if (content?.beside !== undefined) process.stderr.write(`${style.fit(content.beside)}\n`);
    if (world.past !== undefined)
      process.stderr.write(`${style.dim(`the home at commit ${world.past.commit.slice(0, 10)} (relay log)`)}\n`);
    for (const warning of warningsOf(answer))
      process.stderr.write(`${style.fit(`${style.yellow("warning")}: ${plainLine(inLocalTime(warning))}`)}\n`);
    if (typeof answer["warning"] === "string")
      process.stderr.write(`${style.fit(`${style.yellow("warning")}: ${plainLine(inLocalTime(answer["warning"]))}`)}\n`);
  }
  return operation.exit?.(answer) ?? EXIT.ok;
}

/** What is said of the home with every answer, failures too, while it is so. The warnings of a check are findings, which it prints itself. */
export const warningsOf = ({ warnings }: { warnings?: unknown }): string[] =>
  Array.isArray(warnings) ? warnings.filter((warning) => typeof warning === "string") : [];
