/** The commands that are no operations: those that never return, and those about the command itself. */
import { Argument, type Command, Option } from "commander";
import { MOMENTS } from "../protocol/agents/hosts/host.ts";
import { HOOK_HOSTS } from "../protocol/agents/hosts/index.ts";
import { EXIT } from "../protocol/index.ts";
import { common } from "./commands.ts";
import { writeJson, writeOut } from "./print/output.ts";

const ACTIONS = ["run", "start", "stop", "status", "install", "uninstall"] as const;

/** Adds them; each is loaded when it is used. */
export function addOtherCommands(program: Command, leave: (exit: number) => void, version: string): void {
  common(program.command("watch"))
    .description("Show events of the home as they happen, until interrupted; --json prints JSON Lines")
    .option("--last <n>", "begin with this many earlier lines", "0")
    .action(async (_options: unknown, command: Command) => {
      const { watch } = await import("./watch-feed.ts");
      leave(await watch(command.optsWithGlobals()));
    });
  program
    .command("dashboard")
    .description("Serve a page of this home for people, on this machine only, until interrupted")
    .option("--home <dir>", "a home to show, now and from now on; may be given several times", (dir: string, before: string[] = []) => [
      ...before,
      dir,
    ])
    .option("--forget <dir>", "stop showing this home, and end")
    .option("--part <id>", "who you are at the page (default: human)")
    .option("--port <n>", "the port (default: that of the last time)")
    .option("--open", "open it in a browser")
    .option("--read-only", "only show: write nothing at all")
    .option("--json", "print one JSON object (failures too) on stdout")
    .addHelpText(
      "after",
      "\nIt prints a link that opens the page. A second start prints the link of the first.\nHomes that were named with --home are shown from then on, too; the page has a list of them.\n\nExamples:\n  relay dashboard --open\n  relay dashboard --home . --home ../shop",
    )
    .action(async (_options: unknown, command: Command) => {
      const { dashboard } = await import("./dashboard/dashboard-command.ts");
      leave(await dashboard(command.opts(), version));
    });
  common(program.command("export"))
    .description("Write the page of one moment as a file that anyone can open, without a server")
    .option("--html <folder>", "where index.html is written")
    .option("--at <moment>", "a commit of the home, or a time (default: now)")
    .addHelpText("after", "\nExample, for an artifact of CI:\n  relay export --html page --at HEAD")
    .action(async (_options: unknown, command: Command) => {
      const { exportPage } = await import("./dashboard/export-command.ts");
      leave(await exportPage(command.optsWithGlobals(), version));
    });
  program
    .command("mcp")
    .description("Serve MCP on stdin and stdout, for an agent")
    .option("--home <dir>", "the home, or the folder that holds it")
    .option("--part <id>", "bind the connection to a part")
    .option(
      "--tools <groups>",
      "groups of tools, with commas: room (mail), board (tasks), plugin (the board as the relay plugin names it), team (work of the office); default: room,board",
    )
    .option("--channel", "wake the session by a push (Claude Channels)")
    .addHelpText("after", "\nExample, for Claude Code:\n  claude mcp add relay -- relay mcp --part web")
    .action(async (_options: unknown, command: Command) => {
      const options = command.optsWithGlobals<{ home?: string; part?: string; tools?: string; channel?: boolean }>();
      const { serve } = await import("../mcp/server.ts");
      await serve({ home: options.home, part: options.part, groups: options.tools?.split(","), channel: options.channel, version });
      leave(EXIT.ok);
    });
  common(program.command("pager"))
    .description("Wake parts that have mail, until interrupted; --json prints JSON Lines")
    .addArgument(
      new Argument("[action]", "run it here (default), start or stop it in the background, or install it as a service").choices(ACTIONS),
    )
    .option("--once", "check once, deliver, and end; for cron")
    .option("--dry-run", "with install and uninstall: only show what would be written")
    .addHelpText(
      "after",
      "\n--part limits it to one part, or several with commas.\n\nExamples:\n  relay pager start\n  relay pager install --dry-run",
    )
    .action(async (action: (typeof ACTIONS)[number] | undefined, _options: unknown, command: Command) => {
      const { pager } = await import("./pager-command.ts");
      leave(await pager(action ?? "run", command.optsWithGlobals()));
    });
  // Only for help: a hook is run before any command line is read.
  program
    .command("hook")
    .description("Report unread mail to an agent; its hooks call this, and `relay setup` writes them")
    .addArgument(new Argument("<moment>", "of a session").choices(MOMENTS))
    .addOption(new Option("--agent <agent>", "the agent that reads the answer").choices(HOOK_HOSTS).default("claude"))
    .option("--home <dir>", "the home, or the folder that holds it")
    .option("--part <id>", "who you are");
  program
    .command("merge-file")
    .description("Merge a file of a home that is files of the code; git calls this, and `relay init` says so")
    .argument("<base>", "the version that both have")
    .argument("<ours>", "our version, which becomes the merged one")
    .argument("<theirs>", "their version")
    .argument("<path>", "where the file lies in the worktree")
    .action(async (base: string, ours: string, theirs: string, at: string) => {
      const { runMergeFile } = await import("./merge-file.ts");
      leave(await runMergeFile(base, ours, theirs, at));
    });
  common(program.command("recorder", { hidden: true })).action(async (_options: unknown, command: Command) => {
    const { recorder } = await import("./recorder-command.ts");
    leave(await recorder(command.optsWithGlobals()));
  });
  common(program.command("up"))
    .description("Start parts in tmux: one with a command, or all that were started here before")
    .argument("[command...]", "the program and its arguments, after --")
    .option("--setup", "first make the home, the part of this worktree, the agent's files and a pager, where they are missing")
    .option("--allow", "with --setup: allow the agent to use Relay's tools without asking, on this machine only")
    .option("--worktree [branch]", "start it in a worktree of its own, which is made if needed; the branch has the part's name by default")
    .addHelpText(
      "after",
      "\n--part says which part it is.\n\nExamples:\n  relay up --setup --allow --part web --worktree -- claude\n  relay up --part web -- claude\n  relay up --part api --worktree -- codex\n  relay up",
    )
    .action(async (argv: string[], _options: unknown, command: Command) => {
      const { up } = await import("./up.ts");
      leave(await up(argv, command.optsWithGlobals()));
    });
  common(program.command("attach"))
    .description("Attach this terminal to a part's tmux window")
    .argument("[part]", "the part to attach to")
    .action(async (part: string | undefined, _options: unknown, command: Command) => {
      const { attach } = await import("./attach.ts");
      leave(await attach(part, command.optsWithGlobals()));
    });
  common(program.command("down"))
    .description("Stop parts that `relay up` started; after 5 seconds they are killed")
    .argument("[parts...]", "the parts to stop (default: all that were started here)")
    .option("--force", "kill them at once")
    .option("--remove", "also remove their worktrees, if everything in them is committed and pushed or merged")
    .action(async (parts: string[], _options: unknown, command: Command) => {
      const { down } = await import("./down.ts");
      leave(await down(parts, command.optsWithGlobals()));
    });
  program
    .command("demo")
    .description("Run a demonstration: real processes talk and share work; it ends by itself")
    .option("--all", "play all of it: each way to take part, an office, two machines")
    .option("--clean", "remove the scratch repository at the end")
    .option("--dashboard", "open its dashboard in a browser, and serve that until interrupted")
    .action(async (options: { all?: boolean; clean?: boolean; dashboard?: boolean }) => {
      const { demo } = await import("./demo.ts");
      leave(await demo(options));
    });
  program
    .command("schema")
    .description("Print a JSON schema: of relay.yml, of agent files, or of a summary's front matter")
    .addArgument(new Argument("[of]", "the file that it describes").choices(["config", "agents", "summary"]).default("config"))
    .option("--json", "has no effect: a schema is JSON")
    .action(async (of: string) => {
      const { agentsSchema, configSchema, summarySchema } = await import("./published-schemas.ts");
      const schema = { agents: agentsSchema, summary: summarySchema }[of] ?? configSchema;
      process.stdout.write(`${JSON.stringify(schema(), null, 2)}\n`);
    });
  program
    .command("completion")
    .description("Print a completion script: bash, zsh or fish")
    .argument("<shell>", "bash, zsh or fish")
    .option("--json", "print one JSON object (failures too) on stdout")
    .addHelpText(
      "after",
      '\nExamples:\n  eval "$(relay completion bash)"\n  relay completion zsh > ~/.zfunc/_relay\n  relay completion fish > ~/.config/fish/completions/relay.fish',
    )
    .action(async (shell: string, { json }: { json?: boolean }) => {
      const { completionScript } = await import("./typed/completion-script.ts");
      const script = completionScript(shell);
      if (json === true) writeJson({ schema: 1, success: true, shell, script });
      else writeOut(script);
    });
  program
    .command("__complete", { hidden: true })
    .argument("[words...]")
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .action(async (words: string[]) => {
      const { candidates } = await import("./typed/complete.ts");
      process.stdout.write((await candidates(program, words)).map((word) => `${word}\n`).join(""));
    });
}

/** Adds the runner to the commands of an office: started by others, and by no person. */
export function addOfficeRun(program: Command, leave: (exit: number) => void): void {
  const office = program.commands.find((command) => command.name() === "office");
  if (office === undefined) return;
  common(office.command("run", { hidden: true })).action(async (_options: unknown, command: Command) => {
    const { officeRun } = await import("./office-run.ts");
    leave(await officeRun(command.optsWithGlobals()));
  });
}
