/** One run of the command. */
import { Command, CommanderError, Help } from "commander";
import { shellWord } from "../protocol/core/format/shell-word.ts";
import { nearest } from "../protocol/core/names.ts";
import { asRefusal } from "../protocol/core/perform.ts";
import { failureReply, refuse } from "../protocol/core/refusal.ts";
import { type AnyOperation, createWorld, EXIT, operationList, Refusal } from "../protocol/index.ts";
import { operationsOfWord } from "../protocol/of-word.ts";
import { OTHERS, underHeadings } from "./command-groups.ts";
import { addOperations, common, performAndPrint, warningsOf } from "./commands.ts";
import { FIRST_SCREEN } from "./first-screen.ts";
import { addOfficeRun, addOtherCommands } from "./other-commands.ts";
import { helpLines } from "./print/help-lines.ts";
import { isTerminal, shownOn, writeJson } from "./print/output.ts";
import { styleFor } from "./print/style.ts";
import { inLocalTime, plain, plainLine } from "./print/words.ts";
import { flagsOf } from "./typed/flags.ts";
import { asTyped, exampleOf } from "./typed/refused.ts";
import { shield } from "./typed/typed-input.ts";
import { operationAlone } from "./words-alone.ts";

declare const RELAY_VERSION: string;

const FOOTER = "\nWho you are, exit codes, what people type each day: relay --help";
/** Stands for the options that every command takes. */
const GLOBAL = "\nGlobal options (--part, --home, --json): relay --help";

/** How wide help is where no terminal shows it. */
const PIPE_COLUMNS = 100;

/** The version, and what runs: a package of its own, or a clone that must stay where it is. */
function versionLine(): string {
  const fs = process.getBuiltinModule("node:fs");
  const folder = process.getBuiltinModule("node:path").dirname(__dirname);
  const isClone = fs.existsSync(`${folder}/.git`);
  return `${RELAY_VERSION} (${folder}${isClone ? ", a clone: this command needs it" : ""})`;
}

/** The arguments that git gives to `relay merge-file`: a path among them may begin as an option does. */
const MERGED = 4;

/** A command line as it is meant: `relay office` and nothing more than flags is its tree, and what git has merged are files. */
function meant(args: readonly string[]): readonly string[] {
  const [command, ...rest] = args;
  if (command === "office" && (rest[0] === undefined || /^-(?!-?h)/.test(rest[0]))) return ["office", "tree", ...rest];
  return command === "merge-file" && rest.length === MERGED ? [command, "--", ...rest] : args;
}

/** Tells a request for the first screen from one for the help of a command, or of all. */
const isFirstScreen = (args: readonly string[]): boolean => args.length === 1 && ["help", "--help", "-h"].includes(args[0] as string);

/** Runs a command line; gives its exit code. */
export async function run(typed: readonly string[]): Promise<number> {
  const args = meant(typed);
  const alone = operationAlone(args);
  if (alone !== null) {
    const { operation, options } = alone;
    return performAndPrint(operation, { input: {}, seen: false }, options).catch((error: unknown) =>
      report(error instanceof Refusal ? asTyped(error, operation) : error, args, null),
    );
  }
  const width = shownOn().columns || PIPE_COLUMNS;
  if (args.length === 0 || isFirstScreen(args)) {
    process.stdout.write(helpLines(FIRST_SCREEN, width));
    return args.length === 0 ? EXIT.usage : EXIT.ok;
  }
  const program = common(new Command("relay"))
    .description("Coding agents that find each other, talk and share work, in plain files in git.")
    .version(versionLine(), "-V, --version", "print the version, and where this Relay runs from")
    .helpOption("-h, --help", "print help")
    .commandsGroup(OTHERS)
    .helpCommand("help [command]", "Print help for a command; --all lists every command")
    .showSuggestionAfterError()
    // A flag after a command is that command's own: `artifact show --version 1` is no question for Relay's version.
    .enablePositionalOptions()
    .exitOverride()
    .configureHelp({
      // What each command takes is said once: by the line at its end.
      visibleOptions: ({ options }) => options.filter(({ hidden }) => !hidden),
      visibleCommands: (command) => new Help().visibleCommands(command).filter((each) => command.parent === null || each.name() !== "help"),
      // The list of all commands has their names; what each takes, its own help has.
      subcommandTerm: (command) =>
        command.parent?.parent === null
          ? command.name()
          : new Help().subcommandTerm(command).replace("[options] ", "").replace(" [options]", ""),
      subcommandDescription: (command) =>
        command.parent?.parent === null
          ? command
              .description()
              .replace(/[;:(].*$/s, "")
              .trim()
          : command.description(),
    })
    .configureOutput({
      outputError: () => {},
      // Broken here, and not there: a command in it is to be pasted.
      getOutHelpWidth: () => Number.MAX_SAFE_INTEGER,
      writeOut: (text) => process.stdout.write(helpLines(text, width)),
    })
    .addHelpText("after", FOOTER)
    .addHelpText("afterAll", ({ command }) => (command.parent !== null && command.options.some(({ hidden }) => hidden) ? GLOBAL : ""));
  let code: number = EXIT.ok;
  const leave = (exit: number): void => {
    code = exit;
  };
  const only = onlyWord(args);
  addOperations(program, leave, args, only);
  if (only === null || only === "office") addOfficeRun(program, leave);
  if (only === null || !isOperationWord(only)) addOtherCommands(program, leave, RELAY_VERSION);
  if (only === null) underHeadings(program);
  try {
    if (args[0] === "help") {
      helpOf(program, args.slice(1)).outputHelp();
      return EXIT.ok;
    }
    await program.parseAsync(shield(args), { from: "user" });
    return code;
  } catch (error) {
    return report(error, args, program);
  }
}

/** The command whose help is asked for: `relay help task claim`. @throws Refusal `usage` */
function helpOf(program: Command, words: readonly string[]): Command {
  return words
    .filter((word) => !word.startsWith("-"))
    .reduce((parent, word) => {
      const found = parent.commands.find((each) => each.name() === word);
      if (found !== undefined) return found;
      const known = parent.commands.map((each) => each.name());
      const group = parent === program ? "" : `${parent.name()} `;
      throw refuse("usage", { problem: unknownCommand(group, word, known), help: `See \`relay ${group}--help\`.` });
    }, program);
}

/** Words that people type for what has another name here. */
const OTHER_WORDS: Record<string, string> = {
  ls: "threads",
  list: "threads",
  read: "show",
  mail: "inbox",
  new: "send",
  claim: "task claim",
  version: "--version",
  rm: "part remove",
  get: "artifact show",
  login: "part here",
  home: "whoami",
  start: "up",
  stop: "down",
};

/** Words that mean the same to who types them; a group knows one of them. */
const SAME_WORDS = [
  ["remove", "rm", "delete", "del"],
  ["rename", "mv"],
  ["list", "ls"],
  ["show", "read", "get", "cat", "view", "summary"],
  ["create", "add", "new", "make", "post", "write", "start", "begin", "request", "save"],
  ["update", "set", "edit", "change", "done", "write"],
  ["end", "close", "stop", "finish"],
  ["claim", "take", "start"],
];

function unknownCommand(group: string, word: string, known: readonly string[]): string {
  const same = SAME_WORDS.filter((words) => words.includes(word)).flatMap((words) => words.filter((each) => known.includes(each)));
  const [near] = group === "" && OTHER_WORDS[word] !== undefined ? [OTHER_WORDS[word]] : [...same, ...nearest(word, known)];
  return `There is no command \`relay ${group}${word}\`.${near === undefined ? "" : ` Did you mean \`relay ${group}${near}\`?`}`;
}

const isOperationWord = (word: string): boolean => operationsOfWord(word).length > 0;

const HELP_WORDS = ["-h", "--help", "help"];

/**
 * The first word of the command, where it says all that has to be laid out; null for help, and for what is no command.
 * Laying out the others would be a part of the start that is felt.
 */
function onlyWord(args: readonly string[]): string | null {
  const [word = ""] = args;
  if (args.some((each) => [...HELP_WORDS, "__complete"].includes(each))) return null;
  return word === "mcp" || isOperationWord(word) ? word : null;
}

/**
 * Prints a failure where its reader looks: as JSON on stdout, or in words on stderr.
 * @param program null where commander was not asked
 */
async function report(error: unknown, args: readonly string[], program: Command | null): Promise<number> {
  const json = args.includes("--json");
  const refused = program !== null && error instanceof CommanderError ? { error, program } : null;
  if (refused?.error.exitCode === 0) return EXIT.ok;
  // Help was asked for by leaving out a command, and has been printed.
  if (refused?.error.code === "commander.help" && !json) return EXIT.usage;
  const known = refused === null ? error : usage(refused.error, args, refused.program);
  const refusal = asTyped(known instanceof Refusal ? known : asRefusal(createWorld(), known), null);
  if (refusal.code === "internal" && (process.env["RELAY_DEBUG"] ?? "") !== "") process.stderr.write(`${(error as Error).stack}\n`);
  if (json) writeJson({ schema: 1, ...failureReply(refusal) });
  else {
    const style = styleFor(process.stderr, process.env, Date.now());
    const { advice, output } = refusal.data;
    const say = (line: string): boolean => process.stderr.write(`${style.fit(inLocalTime(line))}\n`);
    for (const warning of warningsOf(refusal.data)) say(`${style.yellow("warning")}: ${plainLine(warning)}`);
    say(`${style.red("relay")}: ${plain(refusal.message)}${typeof advice === "string" ? ` ${plain(advice)}` : ""}`);
    if (refusal.code === "hook_failed" && typeof output === "string") process.stderr.write(`${plain(output).trimEnd()}\n`);
    const draft = isTerminal("stdin") ? (await import("./typed/editor.ts")).keptDraft() : null;
    if (draft !== null) say(`What you wrote is kept in ${shellWord(draft)}`);
  }
  return refusal.exit;
}

/** Flags that people type for what has another name here. */
const OTHER_FLAGS: Record<string, string> = { priority: "--urgent" };

/** An unknown option with the one that was meant, where commander found none that is near. */
function withOtherFlag(said: string, operation: AnyOperation | undefined): string {
  const given = /^unknown option '--([a-z-]+)'$/.exec(said)?.[1];
  const [meant] = given === undefined ? [] : nearest(given, Object.keys(OTHER_FLAGS));
  const flag = meant === undefined ? undefined : OTHER_FLAGS[meant];
  const isKnown = operation !== undefined && flagsOf(operation).some((each) => each.flag === flag);
  return isKnown ? `${said}. Did you mean ${flag}?` : said;
}

/** What commander refused, in our words: what is wrong, an example, where to read on. */
function usage(error: CommanderError, args: readonly string[], program: Command): Refusal {
  const words = args.filter((word) => /^[a-z][a-z-]*$/.test(word));
  const operation = [words.slice(0, 2).join(" "), words[0]].flatMap(
    (name) => operationList.find(({ command }) => command === name) ?? [],
  )[0];
  // A group is no operation, and has help as well.
  const group = program.commands.find((each) => each.name() === words[0]);
  const command = operation?.command ?? group?.name() ?? "";
  const help = `See \`relay ${command === "" ? "" : `${command} `}--help\`.`;
  const unknown = /^error: unknown command '(.*)'/.exec(error.message)?.[1];
  if (unknown !== undefined) {
    const parent = unknown === words[0] ? program : (group ?? program);
    const known = parent.commands.map((each) => each.name());
    return refuse("usage", { problem: unknownCommand(parent === program ? "" : `${parent.name()} `, unknown, known), help });
  }
  const further = operation === undefined ? help : `${help} Example: \`${exampleOf(operation)}\`.`;
  const place = /^error: \S+ value '(.*)' is invalid for argument '(.*)'\. Allowed choices are (.*)\.$/.exec(error.message);
  const flag = /^error: option '(.*)' argument '(.*)' is invalid\. Allowed choices are (.*)\.$/.exec(error.message);
  if (place !== null || flag !== null) {
    const [given = "", argument = "", choices = ""] = place !== null ? place.slice(1) : [flag?.[2], flag?.[1], flag?.[3]];
    const [near] = nearest(given, choices.split(", "));
    const name = place !== null ? `<${argument}>` : (argument.split(" ")[0] as string);
    const problem = `${name}: expected one of ${choices}, given ${JSON.stringify(given)}.`;
    return refuse("usage", { problem: `${problem}${near === undefined ? "" : ` Did you mean ${near}?`}`, help: further });
  }
  const said = withOtherFlag(error.message.replace(/^error: /, "").replace(/\s*\n\s*/g, " "), operation);
  const problem =
    error.code === "commander.help" ? "no command was given" : said.replace(/^missing required argument '(.*)'$/, "<$1> is missing");
  return refuse("usage", { problem: `${problem.replace(/\.+$/, "")}.`, help: further });
}
