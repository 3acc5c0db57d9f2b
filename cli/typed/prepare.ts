/** `relay up --setup`: makes everything that an agent needs and that is missing. spec/waking.md, "Parts in tmux". */
import path from "node:path";
import { programOf } from "../../pager/tmux/start-part.ts";
import { HOSTS, type HostName } from "../../protocol/agents/hosts/index.ts";
import { shellWord } from "../../protocol/core/format/shell-word.ts";
import { partOf } from "../../protocol/core/home/worktree-part.ts";
import { refuse } from "../../protocol/core/refusal.ts";
import { createWorld, operations, perform, Refusal } from "../../protocol/index.ts";
import { currentName, requireMembers } from "../../protocol/mail/files/members.ts";
import { NEW_SESSION } from "../../protocol/setup/files/setup-notes.ts";
import { livePagers } from "../../protocol/wake/files/who-rings.ts";
import type { Common } from "../commands.ts";
import { startPagerQuietly } from "../pager-process.ts";

/** What `up` takes besides what every command takes. */
export interface UpFlags extends Common {
  setup?: boolean;
  allow?: boolean;
}

/** What was made. */
interface Prepared {
  /** The path of the home that was made or joined; null where there was one. */
  home: string | null;
  /** The files of the agent that were written. */
  files: string[];
  /** Whether a pager was started. */
  pager: boolean;
  /** Steps that a person still has to take. */
  notes: string[];
}

/**
 * Makes the home, the part, the agent's entries and a pager, each where it is missing. `--setup` is a person's word for it: nothing is asked.
 * @param argv what will be started, which says the agent
 * @throws Refusal `usage`, and what each step refuses
 */
export async function prepare(argv: readonly string[], options: UpFlags): Promise<Prepared> {
  const part = agentPart(argv, options);
  const agent = agentOf(argv) as HostName;
  const home = await madeHome(part, options);
  const before = createWorld({ home: options.home, cwd: options.cwd });
  const worktree = partOf(before, options.cwd ?? process.cwd());
  if (worktree !== null && currentName(before, worktree) !== currentName(before, part))
    throw refuse("usage", {
      problem: `This worktree is ${worktree}, so what runs in it is ${worktree} and not ${part}.`,
      help: `Start ${part} in a worktree of its own, or make this one ${part}: \`relay part here ${shellWord(part)}\`.`,
    });
  const world = createWorld({ home: options.home, cwd: options.cwd, part });
  const { files, notes } = await perform(world, operations.setup, { agent, allow: options.allow === true });
  const written = files.filter(({ change }) => change !== "same").map((file) => file.path);
  const isWatched = livePagers(world, null).length > 0;
  if (!isWatched) await startPagerQuietly(world);
  return { home, files: written, pager: !isWatched, notes: notes.filter((note) => note !== NEW_SESSION) };
}

/** The agents of a terminal. */
const STARTED = HOSTS.flatMap(({ name, screen }) => (screen === undefined ? [] : [name]));

/** The agent that a command starts; undefined where it is none that `--setup` knows. */
const agentOf = ([program = ""]: readonly string[]) => STARTED.find((known) => known === path.basename(program));

/**
 * The part that an agent is set up as. Asked before anything is made.
 * @throws Refusal `usage` where none is named, or the program is no agent that is known; `invalid_argument` where it is not on the PATH
 */
export function agentPart(argv: readonly string[], options: UpFlags): string {
  if (agentOf(argv) === undefined || options.part === undefined)
    throw refuse("usage", {
      problem: `--setup sets up ${STARTED.join(", ")}, as one part.`,
      help: `Example: \`relay up --setup --part ${shellWord(options.part ?? "web")} -- claude\`.`,
    });
  programOf({ argv, cwd: process.cwd() }, process.env);
  return options.part;
}

/**
 * Makes a home with the part, or adds the part to the one that is there.
 * @param isHere whether the worktree of a home that is made becomes the part's
 * @returns its path; null where there was one
 */
export async function madeHome(part: string, options: Common, isHere = true): Promise<string | null> {
  const world = createWorld({ home: options.home, cwd: options.cwd });
  try {
    world.home().config();
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== "no_home" || options.home !== undefined) throw error;
    const { home } = await perform(world, operations.init, { parts: isHere ? [part] : [] });
    if (!isHere) await perform(world, operations.part_add, { part });
    return home;
  }
  try {
    requireMembers(world, [part]);
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== "unknown_part") throw error;
    await perform(world, operations.part_add, { part });
  }
  return null;
}

/** What was made, in words. */
export const preparedLines = ({ home, files, pager, notes }: Prepared): string[] => [
  ...(home === null ? [] : [`Made the home ${home}`]),
  ...files.map((file) => `Wrote ${file}`),
  ...(pager ? ["Started the pager, which wakes parts with mail; `relay pager stop` stops it"] : []),
  ...notes,
];
