/** Every operation as a command: a loop over the list. */
import { type Command, Option } from "commander";
import { type AnyOperation, createWorld, EXIT, operationList, perform } from "../protocol/index.ts";
import { type Flag, flagsOf, placeOf } from "./flags.ts";
import { contentOf, human } from "./human.ts";
import { inputFrom } from "./input.ts";
import { styleFor } from "./style.ts";

/** Options that every command takes. */
export interface Common {
  home?: string;
  part?: string;
  json?: boolean;
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
  artifact: "Post and fetch what was made",
  review: "Ask for reviews, and give them",
  memory: "Read and write what is remembered",
  message: "Messages of a session",
  state: "The state of whoever leads a session",
  wake: "Deliver a wake: for pagers, hooks and servers",
  team: "Propose and write a session's team",
};

/** After this long a person wants to see that something moves. */
const PROGRESS_AFTER_MS = 1_000;

/**
 * Adds each operation; `part add` becomes a command within `part`.
 * @param args the command line: which commands are laid out in full hangs on it
 */
export function addOperations(program: Command, leave: (exit: number) => void, args: readonly string[]): void {
  const groups = new Map<string, Command>();
  const all = args.length === 0 || args.some((word) => ["-h", "--help", "help", "__complete", ...Object.keys(GROUPS)].includes(word));
  for (const operation of operationList) {
    const words = operation.command.split(" ");
    const name = words.pop() as string;
    const parent = words[0] === undefined ? program : groupOf(program, groups, words[0], operation.hidden === true);
    addOperation(parent, name, operation, leave, all || args.includes(name));
  }
}

function groupOf(program: Command, groups: Map<string, Command>, name: string, hidden: boolean): Command {
  const known = groups.get(name);
  if (known !== undefined) return known;
  const group = common(program.command(name, { hidden })).description(GROUPS[name] ?? name);
  groups.set(name, group);
  return group;
}

function addOperation(parent: Command, name: string, operation: AnyOperation, leave: (exit: number) => void, whole: boolean): void {
  const command = parent.command(name).description(operation.summary);
  // Only the command that was typed is laid out, or each of them for help: laying all out is most of what a command's start takes.
  if (!whole) return;
  common(command);
  const places = operation.positionals.map((argument, at) => placeOf(operation, argument, at === operation.positionals.length - 1));
  for (const { text, description } of places) command.argument(text, description);
  const flags = flagsOf(operation);
  for (const flag of flags) command.addOption(optionFor(flag));
  command.addHelpText("after", `\nExample:\n  ${exampleOf(operation)}`);
  command.action(async (...given: unknown[]) => {
    const options = (given.at(-1) as Command).optsWithGlobals<Common & Record<string, unknown>>();
    const input = await inputFrom(operation, given, options, flags);
    if (operation.name === "setup" && !(await (await import("./confirm.ts")).confirmed(operation, input, options))) return leave(EXIT.ok);
    leave(await performAndPrint(operation, input, options));
  });
}

function optionFor({ flag, kind, description, choices }: Flag): Option {
  const value = { switch: "", number: " <n>", list: " <a,b>", json: " <json>", text: " <text>" }[kind];
  const option = new Option(`${flag}${value}`, description || undefined);
  // A list takes one word, with commas, and may be given again: a flag that took all that follows would swallow the rest.
  if (kind === "list") option.argParser((item: string, before: string[] | undefined) => [...(before ?? []), item]);
  return choices === undefined ? option : option.choices(choices);
}

async function performAndPrint(operation: AnyOperation, input: Record<string, unknown>, options: Common): Promise<number> {
  const started = Date.now();
  const progress = (at: string): void => {
    if (process.stderr.isTTY && Date.now() - started > PROGRESS_AFTER_MS) process.stderr.write(`\r\u001b[K${operation.name}: ${at}`);
  };
  const stop = new AbortController();
  // Only what waits is ended gently; anything else ends as the shell expects.
  if (operation.name === "wait") for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
  const world = createWorld({ home: options.home, part: options.part, signal: stop.signal, progress });
  const answer = await perform(world, operation, input);
  if (process.stderr.isTTY && Date.now() - started > PROGRESS_AFTER_MS) process.stderr.write("\r\u001b[K");
  if (options.json === true) process.stdout.write(`${JSON.stringify({ schema: 1, success: true, ...answer })}\n`);
  else {
    const style = styleFor(process.stdout, process.env, Date.now());
    const content = contentOf(operation.name, answer, process.stdout.isTTY === true);
    process.stdout.write(content === null ? `${human(operation.name, answer, style, input)}\n` : content.text);
    if (content?.none !== undefined) process.stderr.write(`${content.none}\n`);
    if (typeof answer["warning"] === "string") process.stderr.write(`${style.yellow("warning")}: ${answer["warning"]}\n`);
  }
  return operation.exit?.(answer) ?? EXIT.ok;
}

/** An example as it would be typed. */
function exampleOf(operation: AnyOperation): string {
  const quote = (value: unknown): string => {
    const text = Array.isArray(value) ? value.join(",") : typeof value === "object" ? JSON.stringify(value) : String(value);
    return /^[\w./:@,-]+$/.test(text) ? text : `"${text.replaceAll('"', '\\"')}"`;
  };
  const example = operation.example as Record<string, unknown>;
  const places = operation.positionals.flatMap((argument) => {
    const value = example[argument];
    if (value === undefined) return [];
    return argument === operation.positionals.at(-1) && Array.isArray(value) ? value.map(quote) : [quote(value)];
  });
  const flags = flagsOf(operation).flatMap((flag) => {
    const value = example[flag.argument];
    if (value === undefined || (flag.kind === "switch" && value !== (flag.value ?? true))) return [];
    return flag.kind === "switch" ? [flag.flag] : [`${flag.flag} ${quote(value)}`];
  });
  return ["relay", operation.command, ...places, ...flags].join(" ");
}
