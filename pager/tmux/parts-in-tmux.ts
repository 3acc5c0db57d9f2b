/** Parts that run in tmux: `relay up`, `attach` and `down`. spec/waking.md, "Parts in tmux". */

import { refuse } from "../../protocol/core/refusal.ts";
import type { World } from "../../protocol/index.ts";
import { foreground } from "./foreground.ts";
import { agentIn, findPane, isShell, type Missing, type Pane, versionProblem } from "./pane.ts";
import { type Server, serverArgs, tmux, usersServer } from "./tmux-command.ts";
import { findOrAdopt, keepTerminal, targetOf, terminalOf } from "./tmux-rung.ts";

/** Runs tmux where only success will do. @throws Refusal `tmux_failed` */
export async function must(server: Server, args: readonly string[], cwd?: string): Promise<string> {
  const answer = await tmux(server, args, cwd);
  if (!answer.ok) throw refuse("tmux_failed", { reason: answer.detail });
  return answer.text.trim();
}

/** The pane of a part; null when it has none that lives. @throws Refusal `tmux_failed` where tmux is missing, too old or silent */
export async function paneOf(world: World, part: string): Promise<Pane | null> {
  const found = (await versionProblem()) ?? (await findPane(targetOf(world, part)));
  if (!("reason" in found)) return found;
  if (found.reason === "no_pane") return null;
  throw refuse("tmux_failed", { reason: found.detail });
}

/** Where the pane of a part is, or why none is found; one that the user named is taken, and its server kept. */
export async function findPartPane(world: World, part: string): Promise<Pane | Missing> {
  const problem = await versionProblem();
  if (problem !== null) return problem;
  const target = targetOf(world, part);
  const kept = terminalOf(world, part);
  const before = await findPane(target);
  if (!("reason" in before)) return before;
  const found = await findOrAdopt(world, target, kept);
  if ("reason" in found || kept?.target === undefined) return found;
  const socket = await tmux(found.server, ["display-message", "-p", "-t", found.id, "#{socket_path}"]);
  if (socket.ok && socket.text.trim() !== "") keepTerminal(world, part, { socket: socket.text.trim() });
  return found;
}

/** What a part is started with. */
export interface Start {
  argv: readonly string[];
  /** Absolute path of the folder it runs in. */
  cwd: string;
}

/** The start command that was given for a part on this machine; null when none was. It lies in the user's state folder, so nobody can send one. */
export function startOf(world: World, part: string): Start | null {
  const { argv, cwd } = terminalOf(world, part) ?? {};
  return argv === undefined || cwd === undefined ? null : { argv, cwd };
}

/** Whether an agent is in the foreground of a pane, whichever. What a shell runs for a moment is none, unless it is one that is known. */
export async function isAgent({ pid }: Pane): Promise<boolean> {
  const profile = await agentIn(pid, "auto");
  if (profile === null || profile.name !== "generic") return profile !== null;
  const first = (await foreground(pid)).find((program) => program.pid === pid);
  return first?.names.every((name) => !isShell(name)) ?? true;
}

/** `relay-<project>`; with a piece of the project's id where another home has that name already. */
export async function sessionName(world: World, server: Server): Promise<string> {
  const { name, id } = world.home().config().project;
  const plain = `relay-${name.replace(/[^\p{L}\p{N}_-]+/gu, "-")}`;
  const owner = await tmux(server, ["show-options", "-qv", "-t", `=${plain}:`, "@relay_home"]);
  const taken = owner.ok && owner.text.trim() !== "" && owner.text.trim() !== world.home().store.root;
  return taken ? `${plain}-${id.slice(-4)}` : plain;
}

/** The name of the tmux session that a pane is in. @throws Refusal where tmux does not answer */
export const sessionAt = ({ server, id }: Pane): Promise<string> => must(server, ["display-message", "-p", "-t", id, "#{session_name}"]);
/** Whether a pane is there and its program runs. */
export const isAlive = async ({ server, id }: Pane): Promise<boolean> => {
  const answer = await tmux(server, ["display-message", "-p", "-t", id, "#{pane_dead}"]);
  return answer.ok && answer.text.trim() === "0";
};

/** The arguments that bring a terminal to a part's pane, or to the session of the project. @throws Refusal `no_pane`, `tmux_failed` */
export async function attachArgs(world: World, part: string | null): Promise<string[]> {
  const pane = part === null ? null : await paneOf(world, part);
  if (part !== null && pane === null) throw refuse("no_pane", { part });
  const server = pane?.server ?? usersServer(world.env);
  const session = pane === null ? await sessionName(world, server) : await sessionAt(pane);
  if (!(await tmux(server, ["has-session", "-t", `=${session}`])).ok) throw refuse("no_pane", { part: null });
  if (pane !== null) await tmux(server, ["select-window", "-t", pane.id, ";", "select-pane", "-t", pane.id]);
  // From inside of tmux the terminal that is there goes over to it.
  return [...serverArgs(server), (world.env["TMUX"] ?? "") === "" ? "attach-session" : "switch-client", "-t", `=${session}`];
}
