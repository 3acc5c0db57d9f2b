/** The rung of tmux for all parts of a home: where each part's terminal is, as this machine knows it. spec/waking.md, "Waking in tmux". */
import fs from "node:fs";
import type { World } from "../../protocol/index.ts";
import { unreadIdsSeen } from "../../protocol/mail/files/inbox-files.ts";
import { boundNamesOf } from "../../protocol/mail/files/members.ts";
import { setWakeMethod } from "../../protocol/wake/files/set-wake-method.ts";
import { panePids, wakeMethodOf } from "../../protocol/wake/files/who-rings.ts";
import type { Rung } from "../rung.ts";
import { type Memory, newMemory } from "./doorbell.ts";
import { findPane, type Missing, type Pane, type PaneTarget, showUnread } from "./pane.ts";
import { type ProfileName, profileOf } from "./profiles.ts";
import { isStill } from "./stillness.ts";
import { isUsersSocket, type Server, tmux, usersServer, word } from "./tmux-command.ts";
import { tmuxRung } from "./tmux-typing.ts";

/** What this machine keeps of a terminal. */
export interface Terminal {
  /** What the user named: `session:window.pane`. */
  target?: string;
  /** The socket of the server that `relay up` used, and the first process of the pane. */
  socket?: string;
  process?: string;
  /** What `relay up` started it with, and where. */
  argv?: string[];
  cwd?: string;
  /** How its agent looks. */
  profile?: ProfileName;
}

/** Makes the rung of tmux. */
export function terminalRung(world: World): Rung {
  const memories = new Map<string, Memory>();
  const shown = new Map<string, number>();
  const showing = new Map<string, Promise<void>>();
  return {
    name: "tmux",
    serves: (part) => hasTerminal(world, part),
    async ring(ring) {
      const { part } = ring;
      const memory = memories.get(part) ?? newMemory();
      memories.set(part, memory);
      const target = targetOf(world, part);
      const kept = terminalOf(world, part);
      const { quietMs, streamingWaitMs: streamingMs, streaming } = world.home().config().wake;
      const profile = profileOf(kept?.profile)?.name ?? "auto";
      const find = (): Promise<Pane | Missing> => findOrAdopt(world, target, kept);
      const rung = tmuxRung(target, profile, { memory, find, now: world.now, policy: { quietMs, streamingMs, streaming } });
      return rung.ring(ring);
    },
    isStill(part) {
      const still = memories.get(part)?.still ?? null;
      return still !== null && isStill(still);
    },
    show(part) {
      const unread = unreadIdsSeen(world.home().store, part).length;
      if (shown.get(part) === unread || terminalOf(world, part) === null) return;
      shown.set(part, unread);
      // One after the other, so that the last count stands; a hint for a person's eye, which the next change brings again.
      const before = showing.get(part) ?? Promise.resolve();
      const next = before.then(() => (shown.get(part) === unread ? showUnread(targetOf(world, part), unread) : undefined)).catch(() => {});
      showing.set(part, next);
    },
  };
}

/** What is kept of a part's terminal; null when nothing is. */
export function terminalOf(world: World, part: string): Terminal | null {
  return (wakeMethodOf(world, part).tmux as Terminal | undefined) ?? null;
}

/** Whether a part is known to run in tmux: it was started there, somebody named its pane, or its agent is connected from one. */
export const hasTerminal = (world: World, part: string): boolean => terminalOf(world, part) !== null || panesAbove(world, part).length > 0;

/** Where a part's pane may be found. */
export function targetOf(world: World, part: string): PaneTarget {
  const socket = terminalOf(world, part)?.socket;
  const above = panesAbove(world, part).flatMap(({ socket }) => (socket === null ? [] : [{ path: socket }]));
  const servers: Server[] = [...(socket === undefined ? [] : [{ path: socket }]), ...above, usersServer(world.env), {}];
  const seen = new Set<string>();
  return {
    part,
    formerly: boundNamesOf(world, part).slice(1),
    home: world.home().store.root,
    named: terminalOf(world, part)?.target,
    servers: servers.filter((server) => {
      const name = JSON.stringify(server);
      return !seen.has(name) && seen.add(name);
    }),
  };
}

/** The pane of a part. Where none is marked, the one that is meant is marked; one with a former name gets the name of now. */
export async function findOrAdopt(world: World, target: PaneTarget, kept: Terminal | null): Promise<Pane | Missing> {
  const found = await findPane(target);
  if (!("reason" in found)) {
    if (target.formerly?.length !== 0) await mark(found, target);
    return found;
  }
  await adopt(world, target, kept);
  return findPane(target);
}

/** Format by which `adopt` asks for a pane: its id, its first process, and the home that it is marked for. */
const MARKED = "#{pane_id}|#{pane_pid}|#{@relay_home}";

/** Tells whether a pane is marked for a part of another home, which a heartbeat in this one does not change. One that was moved is gone. */
const isOfOther = (marked: string, home: string): boolean => marked !== "" && marked !== home && fs.existsSync(marked);

/** Marks the pane that the user named, or in which a connected agent of the part runs, as the part's. */
async function adopt(world: World, target: PaneTarget, kept: Terminal | null): Promise<void> {
  const pids = panesAbove(world, target.part).map(({ pid }) => pid);
  for (const server of target.servers) {
    const answer =
      kept?.target !== undefined
        ? await tmux(server, ["display-message", "-p", "-t", word(kept.target), MARKED])
        : await tmux(server, ["list-panes", "-a", "-F", MARKED]);
    if (!answer.ok) continue;
    const panes = answer.text.split("\n").map((line) => line.split("|"));
    const found = panes.find(
      ([id, pid, ...home]) =>
        id !== "" && (kept?.target !== undefined || (pids.includes(Number(pid)) && !isOfOther(home.join("|"), target.home))),
    );
    if (found === undefined) continue;
    await mark({ server, id: found[0] as string, pid: Number(found[1]) }, target);
    return;
  }
}

/** Writes on a pane whose it is. */
export async function mark({ server, id }: Pane, { part, home, named }: Pick<PaneTarget, "part" | "home" | "named">): Promise<void> {
  const set = (name: string, value: string): string[] => ["set-option", "-p", "-t", id, name, word(value)];
  await tmux(server, [...set("@relay_part", part), ";", ...set("@relay_home", home), ";", ...set("@relay_target", named ?? "")]);
}

/** Takes off a pane whose it is. */
export async function unmark({ server, id }: Pane): Promise<void> {
  const unset = (name: string): string[] => ["set-option", "-p", "-u", "-t", id, name];
  await tmux(server, [...unset("@relay_part"), ";", ...unset("@relay_home"), ";", ...unset("@relay_target")]);
}

/** Keeps on this machine where a part's terminal is; what is undefined is forgotten. */
export function keepTerminal(world: World, part: string, kept: { [K in keyof Terminal]: Terminal[K] | undefined }): void {
  const before = wakeMethodOf(world, part);
  setWakeMethod(world, part, { ...before, tmux: { ...before.tmux, ...kept } });
}

/** The first processes of the panes in which connected agents of a part run, with the socket of their server. */
const panesAbove = (world: World, part: string): { pid: number; socket: string | null }[] =>
  panePids(world, part).map((pid) => ({ pid, socket: socketOf(world, pid) }));

/** The socket in a pane's environment; null for one that lies elsewhere than the user's: who is asked there may tell tmux what to run. */
function socketOf(world: World, pid: number): string | null {
  const entry = read(`/proc/${pid}/environ`)
    .split("\0")
    .find((each) => each.startsWith("TMUX="));
  const socket = entry?.slice("TMUX=".length).split(",")[0] ?? "";
  return isUsersSocket(world.env, socket) ? socket : null;
}

function read(path: string): string {
  try {
    return fs.readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
