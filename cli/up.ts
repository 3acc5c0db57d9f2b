import { startPart } from "../pager/tmux/start-part.ts";
import { wakesItself } from "../protocol/agents/hosts/host.ts";
import { hostOf, isHost } from "../protocol/agents/hosts/index.ts";
import { shellWord } from "../protocol/core/format/shell-word.ts";
import { refuse } from "../protocol/core/refusal.ts";
import { makeWorktree, requireTop } from "../protocol/git/home/worktrees.ts";
import { createWorld, EXIT, HUMAN, type World } from "../protocol/index.ts";
import { isMember, requireMembers } from "../protocol/mail/files/members.ts";
import { isSetUpBeside } from "../protocol/setup/files/plugin-beside.ts";
import { livePagers } from "../protocol/wake/files/who-rings.ts";
import type { Common } from "./commands.ts";
import { knownStarts } from "./known-starts.ts";
import { printFields } from "./print-fields.ts";
import { agentPart, madeHome, prepare, preparedLines, type UpFlags } from "./typed/prepare.ts";

/** Starts a part with a command, or those whose command is known here; gives the exit code. */
export async function up(argv: readonly string[], options: UpFlags & { worktree?: string | true }): Promise<number> {
  if (options.allow === true && options.setup !== true)
    throw refuse("usage", { problem: "--allow needs --setup.", help: "Example: `relay up --setup --allow --part web -- claude`." });
  if (options.setup === true && options.worktree !== undefined) {
    const { worktree, ...rest } = options;
    return up(argv, { ...rest, cwd: await laidWorktree(argv, options, worktree) });
  }
  const prepared = options.setup === true ? await prepare(argv, options) : undefined;
  const world = createWorld({ home: options.home, cwd: options.cwd, part: options.part });
  world.home().config();
  const [first = ""] = argv;
  if (options.part === undefined && argv.length === 1 && isMember(world, first))
    throw refuse("usage", {
      problem: `${first} is a part, and a program was expected.`,
      help: `Name the program: \`relay up --part ${first} -- claude\`. To start it as before: \`relay up --part ${first}\`.`,
    });
  if (options.worktree !== undefined && argv.length === 0)
    throw refuse("usage", {
      problem: "--worktree needs a program to start in the new worktree.",
      help: "Example: `relay up --part web --worktree -- claude`.",
    });
  const starts = argv.length > 0 ? [await startFor(world, argv, options)] : knownStarts(world, options.part);
  const done: ({ part: string } & Awaited<ReturnType<typeof startPart>>)[] = [];
  for (const { part, ...start } of starts) done.push({ part, ...(await startPart(world, part, start)) });
  const lines = prepared === undefined ? [] : preparedLines(prepared);
  const ran = done.flatMap(({ part, session, pane, started, agent, forgotten }) => [
    `${part}: ${started ? "started" : "runs already"} in ${session} (${pane})`,
    ...(started || argv.length === 0
      ? []
      : [`  ${part} is already running, so this command was not started. Stop it first: \`relay down ${part}\`.`]),
    ...(forgotten === undefined ? [] : [`  Relay wakes it there now, and no longer in the earlier pane ${forgotten}.`]),
    ...(agent ? [] : [`  A shell runs there, and Relay never types into a shell. ${instead(part)}`]),
  ]);
  lines.push(...ran);
  const own = await Promise.all(
    starts.map(async ({ argv: [program = ""], cwd }) => {
      const name = program.split("/").at(-1) ?? "";
      return isHost(name) && wakesItself(hostOf(name)) && isSetUpBeside(createWorld({ cwd }), name);
    }),
  );
  const sleepers = starts.flatMap(({ part }, at) => (own[at] === true ? [] : [part]));
  if (sleepers.length > 0 && livePagers(world, null).length === 0)
    lines.push(`No pager runs here, so nobody wakes ${sleepers.join(", ")}. To start one: relay pager start`);
  printFields(options, [...lines, "To see them: relay attach"].join("\n"), {
    parts: done,
    ...(prepared === undefined ? {} : { prepared }),
  });
  return EXIT.ok;
}

/** Makes the home and the part where they are missing, and the part's own worktree. @returns its absolute path */
async function laidWorktree(argv: readonly string[], options: UpFlags, worktree: string | true): Promise<string> {
  const part = agentPart(argv, options);
  await requireTop(options.cwd ?? process.cwd());
  await madeHome(part, options, false);
  return makeWorktree(createWorld({ home: options.home, part }), part, worktree === true ? part : worktree);
}

/** How a part can be woken whose program is only a shell. */
const instead = (part: string): string =>
  `Start the agent itself (relay up --part ${part} -- claude), or wake it by a command: relay part deliver ${part} exec -- PROGRAM`;

/** What is started, and where: with `--worktree` in one of the part's own. */
async function startFor(world: World, argv: readonly string[], options: Common & { worktree?: string | true }) {
  const part = partFor(world, argv, options);
  const branch = options.worktree === true ? part : options.worktree;
  return { part, argv, cwd: branch === undefined ? world.cwd : await makeWorktree(world, part, branch) };
}

/** Which part a command is for. @throws Refusal `usage`, `unknown_part` */
function partFor(world: World, argv: readonly string[], options: Common): string {
  const part = options.part ?? world.me.part;
  if (part === null || part === undefined)
    throw refuse("usage", {
      problem: "No part was named.",
      help: `Name one: \`relay up --part PART -- ${argv.map(shellWord).join(" ")}\`.`,
    });
  requireMembers(world, [part]);
  if (part === HUMAN)
    throw refuse("usage", {
      problem: "human stands for people, so no agent can be started as it.",
      help: "Example: `relay up --part web -- claude`.",
    });
  return part;
}
