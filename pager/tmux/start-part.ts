/** `relay up`: a part in a window of its own. spec/waking.md, "Parts in tmux". */
import fs from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { hostOf, isHost } from "../../protocol/agents/hosts/index.ts";
import { homeOf } from "../../protocol/core/home/find-home.ts";
import { partOf } from "../../protocol/core/home/worktree-part.ts";
import { refuse } from "../../protocol/core/refusal.ts";
import { commitIdentity } from "../../protocol/git/home/commit-identity.ts";
import type { World } from "../../protocol/index.ts";
import { currentName } from "../../protocol/mail/files/members.ts";
import { holdLock } from "../../protocol/store/lock.ts";
import { processOf } from "../../protocol/store/process.ts";
import { findProgram } from "../../protocol/store/program.ts";
import { requireVisible } from "../../protocol/trust/files/grants.ts";
import { machineStore } from "../../protocol/trust/files/machine.ts";
import { retryWake } from "../../protocol/wake/files/drive-wake.ts";
import { findPane, type Pane, versionProblem } from "./pane.ts";
import { findPartPane, isAgent, isAlive, must, type Start, sessionAt, sessionName } from "./parts-in-tmux.ts";
import { tmux, usersServer, word } from "./tmux-command.ts";
import { keepTerminal, mark, targetOf, terminalOf, unmark } from "./tmux-rung.ts";

/** What the status line of the session shows of the part in its active pane; read by tmux itself, no process is started for it. */
const STATUS_RIGHT =
  "#{?@relay_part,#{@relay_part}: #{?@relay_unread,#{@relay_unread} unread#{?@relay_waiting, (#{@relay_waiting}),},no mail} ,}%H:%M";
const WINDOW = "#I:#W#{?@relay_unread, [#{@relay_unread}],}";
/** A program that ended so soon was never started. */
const STARTED_MS = 300;

/** A part that is up. */
interface Started {
  pane: string;
  session: string;
  /** False where it ran already. */
  started: boolean;
  /** Whether the pager would type to it: never to a bare shell. */
  agent: boolean;
  /** The pane that a person had named for the part, and that does not count now. */
  forgotten?: string;
}

/**
 * Starts a part in a window of its own in the project's session, and keeps with what; one at a time in a home, so that of
 * several who start a part at once one does, and the others find it.
 * @returns its pane, and whether it was started: it is not when it runs already
 */
export function startPart(world: World, part: string, start: Start): Promise<Started> {
  return holdLock(world.home().store, "up", () => startAlone(world, part, start));
}

async function startAlone(world: World, part: string, start: Start): Promise<Started> {
  const named = terminalOf(world, part)?.target;
  const before = await paneBefore(world, part, named);
  if (before !== null) return { pane: before.id, session: await sessionAt(before), started: false, agent: await isAgent(before) };
  if (fs.statSync(start.cwd, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw refuse("tmux_failed", {
      reason: `the folder ${start.cwd} does not exist. Start ${part} again in the folder where it should run`,
    });
  const worktree = partOf(world, start.cwd);
  if (worktree !== null && currentName(world, worktree) !== currentName(world, part))
    throw refuse("usage", {
      problem: `The worktree ${start.cwd} is ${worktree}, so what runs in it is ${worktree} and not ${part}.`,
      help: `Start ${part} in a worktree of its own, or make this one ${part}: \`relay part here ${part}\`.`,
    });
  const program = programOf(start, world.env);
  // What is started is kept: where that cannot be, nothing is started.
  requireVisible(start.argv);
  machineStore(world);
  const server = usersServer(world.env);
  const { root } = world.home().store;
  const session = await sessionName(world, server);
  const there = (await tmux(server, ["has-session", "-t", `=${session}`])).ok;
  const env = [...variablesFor(world, part, start.cwd), ...(await identityFor(start)), `PATH=${world.env["PATH"] ?? ""}`].flatMap(
    (each) => ["-e", each],
  );
  // Without a shell in between: then the agent is the pane's own process, and its end is the pane's. Where it runs is not said
  // by `-c`, in which tmux would expand formats and run their commands.
  const window = [
    "-P",
    "-F",
    "#{pane_id}|#{pane_pid}|#{socket_path}",
    "-n",
    part,
    ...env.map(word),
    "--",
    "env",
    ...[program, ...start.argv.slice(1)].map(word),
  ];
  const made = there ? ["new-window", "-d", "-t", `=${session}:`] : ["new-session", "-d", "-s", session, "-x", "160", "-y", "48"];
  const [id = "", pid = "0", socket = ""] = (await must(server, [...made, ...window], start.cwd)).split("|");
  const pane = { server: { path: socket }, id, pid: Number(pid) };
  try {
    await mark(pane, { part, home: root });
    await tmux(pane.server, dress(session, id, root));
    await pause(STARTED_MS);
    if (!(await isAlive(pane))) throw refuse("tmux_failed", { reason: `${start.argv[0]} ended at once. Try it by hand in ${start.cwd}` });
    const process = processOf(pane.pid) ?? "";
    // From now on the part is in this pane, whatever pane somebody named for it before.
    keepTerminal(world, part, { argv: [...start.argv], cwd: start.cwd, socket, process, target: undefined });
  } catch (error) {
    // What failed leaves no window: where the user's tmux keeps what ended, it would stay.
    await tmux(pane.server, ["kill-pane", "-t", id]);
    throw error;
  }
  retryWake(world, part);
  return { pane: id, session, started: true, agent: await isAgent(pane), ...(named === undefined ? {} : { forgotten: named }) };
}

/**
 * The pane in which a part runs before it is started; null where there is none. One that a person named counts only while an
 * agent runs in it: a shell there is a terminal of that person's, and is the part's no more. One that ended is removed.
 */
async function paneBefore(world: World, part: string, named: string | undefined): Promise<Pane | null> {
  if (named !== undefined) {
    const found = await findPartPane(world, part);
    if (!("reason" in found)) {
      if ((await isAlive(found)) && (await isAgent(found))) return found;
      await unmark(found);
    } else if (found.reason !== "no_pane") throw refuse("tmux_failed", { reason: found.detail });
  }
  const found = (await versionProblem()) ?? (await findPane({ ...targetOf(world, part), named: undefined }));
  if ("reason" in found) {
    if (found.reason === "no_pane") return null;
    throw refuse("tmux_failed", { reason: found.detail });
  }
  if (await isAlive(found)) {
    if (named !== undefined) keepTerminal(world, part, { target: undefined });
    return found;
  }
  await tmux(found.server, ["kill-pane", "-t", found.id]);
  return null;
}

/**
 * What says who runs in a pane: only what the folder does not say itself. A variable goes on into whatever the program starts,
 * also into a server that sessions of other folders share. Empty ones hide those of tmux's own server.
 */
function variablesFor(world: World, part: string, cwd: string): string[] {
  const { root } = world.home().store;
  return [`RELAY_PART=${partOf(world, cwd) === part ? "" : part}`, `RELAY_HOME=${homeOf(cwd) === root ? "" : root}`];
}

/** Who makes commits there, where the program's shell does not see what the user told git. */
async function identityFor({ argv, cwd }: Start): Promise<string[]> {
  const name = path.basename(argv[0] as string);
  if (!isHost(name) || hostOf(name).hidesGitIdentity !== true) return [];
  return Object.entries(await commitIdentity(cwd)).map(([variable, value]) => `${variable}=${value}`);
}

/** What is set on a session and a window of Relay's own; nothing of the user's other sessions. */
function dress(session: string, id: string, root: string): string[] {
  const commands = [
    ["set-option", "-t", session, "@relay_home", word(root)],
    ["set-option", "-t", session, "status-right", STATUS_RIGHT],
    ["set-option", "-t", session, "status-right-length", "60"],
    // The session was made with its first part's: a window that somebody opens there is nobody.
    ["set-environment", "-u", "-t", session, "RELAY_PART"],
    ["set-environment", "-u", "-t", session, "RELAY_HOME"],
    ["set-option", "-p", "-t", id, "@relay_up", "1"],
    ["set-option", "-w", "-t", id, "automatic-rename", "off"],
    ["set-option", "-w", "-t", id, "window-status-format", WINDOW],
    ["set-option", "-w", "-t", id, "window-status-current-format", `${WINDOW}*`],
  ];
  return commands.flatMap((words, index) => (index === 0 ? words : [";", ...words]));
}

/** Where a program lies: what tmux's own server would find may be another. @throws Refusal `invalid_argument` */
export function programOf({ argv, cwd }: Pick<Start, "argv" | "cwd">, env: World["env"]): string {
  const name = argv[0] as string;
  const found = findProgram(name, cwd, env["PATH"]);
  if (found === null)
    throw refuse("invalid_argument", {
      argument: "the program after `--`",
      expected: "one that is on the PATH",
      given: name,
      example: null,
    });
  return found;
}
