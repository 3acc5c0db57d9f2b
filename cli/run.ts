/** One run of the command. */
import { Command, CommanderError } from "commander";
import { asRefusal, createWorld, EXIT, failureReply, operationList, Refusal, refuse } from "../protocol/index.ts";
import { addOperations, common, OTHERS, underHeadings, warningsOf } from "./commands.ts";
import { shield } from "./input.ts";
import { addLong } from "./long.ts";
import { plain, styleFor } from "./style.ts";

declare const RELAY_VERSION: string;

const FOOTER = `
Who you are: --part web, RELAY_PART=web, or once in a worktree: relay part here web
Which home:  --home DIR, RELAY_HOME=DIR, or found from the working directory upward
For scripts: --json on every command; exit codes: 0 done, 1 failed, 2 usage, 3 not found, 4 refused, 5 no home, 6 disk, 7 format, 8 time over,
             9 offline, 10 no remote, 11 remote refused, 12 login needed

Examples:
  relay init web api                      make a home with two parts
  relay send web "API is ready" "Try it." --part api
  relay inbox --part web                  what is unread
  relay task list --ready                 what can be started now
  relay task claim 4f9x --part api        exactly one of all who try gets it
  relay status                            the room on one screen`;

/** Runs a command line; gives its exit code. */
export async function run(args: readonly string[]): Promise<number> {
  const program = common(new Command("relay"))
    .description("Coding agents that find each other, talk and share work, in plain files in git.")
    .version(RELAY_VERSION, "-V, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .commandsGroup(OTHERS)
    .helpCommand("help [command]", "print help for a command")
    .showSuggestionAfterError()
    // A flag after a command is that command's own: `artifact show --version 1` is no question for Relay's version.
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ outputError: () => {} })
    .addHelpText("after", FOOTER);
  let code: number = EXIT.ok;
  const leave = (exit: number): void => {
    code = exit;
  };
  const only = onlyWord(args);
  addOperations(program, leave, args, only);
  if (only === null || !isOperationWord(only)) addLong(program, leave, RELAY_VERSION);
  if (only === null) underHeadings(program);
  try {
    if (args.length === 0) {
      program.outputHelp();
      return EXIT.usage;
    }
    await program.parseAsync(shield(args), { from: "user" });
    return code;
  } catch (error) {
    return report(error, args, program);
  }
}

const isOperationWord = (word: string): boolean => operationList.some(({ command }) => command.split(" ")[0] === word);

/**
 * The first word of the command, where it says all that has to be laid out; null for help, and for what is no command.
 * Laying out the others would be a part of the start that is felt.
 */
function onlyWord(args: readonly string[]): string | null {
  const [word = ""] = args;
  if (args.some((each) => ["-h", "--help", "help", "__complete"].includes(each))) return null;
  return word === "mcp" || isOperationWord(word) ? word : null;
}

/** Prints a failure where its reader looks: as JSON on stdout, or in words on stderr. */
function report(error: unknown, args: readonly string[], program: Command): number {
  if (error instanceof CommanderError && error.exitCode === 0) return EXIT.ok;
  const json = args.includes("--json");
  // Help was asked for by leaving out a command, and has been printed.
  if (error instanceof CommanderError && error.code === "commander.help" && !json) return EXIT.usage;
  const known = error instanceof CommanderError ? usage(error, args, program) : error;
  const refusal = known instanceof Refusal ? known : asRefusal(createWorld(), known);
  if (refusal.code === "internal" && (process.env["RELAY_DEBUG"] ?? "") !== "") process.stderr.write(`${(error as Error).stack}\n`);
  if (json) process.stdout.write(`${JSON.stringify({ schema: 1, ...failureReply(refusal) })}\n`);
  else {
    const style = styleFor(process.stderr, process.env, Date.now());
    const { advice } = refusal.data;
    for (const warning of warningsOf(refusal.data)) process.stderr.write(`${style.yellow("warning")}: ${plain(warning)}\n`);
    process.stderr.write(`${style.red("relay")}: ${plain(refusal.message)}${typeof advice === "string" ? `: ${plain(advice)}` : ""}\n`);
  }
  return refusal.exit;
}

function usage(error: CommanderError, args: readonly string[], program: Command): Refusal {
  const words = args.filter((word) => /^[a-z][a-z-]*$/.test(word));
  const isKnown = (name: string): boolean => operationList.some((operation) => operation.command === name);
  const two = words.slice(0, 2).join(" ");
  const command = isKnown(two) ? two : (words[0] ?? "");
  // A group is no operation, and has help as well.
  const known = isKnown(command) || program.commands.some((each) => each.name() === command);
  const problem =
    error.code === "commander.help" ? "no command was given" : error.message.replace(/^error: /, "").replace(/\s*\n\s*/g, " ");
  return refuse("usage", { problem: `${problem.replace(/\.+$/, "")}.`, help: `See \`relay ${known ? `${command} ` : ""}--help\`.` });
}
