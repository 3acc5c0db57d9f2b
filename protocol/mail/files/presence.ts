/**
 * What this machine knows of where parts are: the connections that live, the last sign of life, the parts that were bound here
 * lately, and those that asked not to be woken. spec/messages.md, "Presence"; spec/waking.md, "Stuck agents".
 */

import { orElse, quietly } from "../../core/format/file-error.ts";
import { partProblem } from "../../core/names.ts";
import type { World } from "../../core/world.ts";
import { lifeOf, thisProcess, wordsOf, workingIn } from "../../store/process.ts";
import { ageMs, ageOf, type FileFacts, facts } from "../../store/read/facts.ts";
import { names } from "../../store/read/list-folder.ts";
import { readText } from "../../store/read/read-file.ts";
import { removeFile } from "../../store/write/move-file.ts";
import { place } from "../../store/write/publish.ts";
import { touch } from "../../store/write/touch.ts";
import { hosts } from "../asks.ts";
import {
  HEARTBEAT_MS,
  HEARTBEAT_STALE_MS,
  LIFE,
  lifePath,
  limitedPath,
  markName,
  type Presence,
  parsePresence,
  partOfMark,
  presenceFolder,
} from "../nouns/part.ts";
import { bindHere } from "./bound-parts.ts";
import { boundNamesOf, currentName, namesOf } from "./members.ts";
import { isNotedHere, noteProcess } from "./processes-here.ts";

const PRESENCE_BYTES = 4_096;
/** How many heartbeats this process began: each has a file of its own, whichever connection keeps it. */
let begun = 0;

/** A kept heartbeat; `stop` removes it. */
export interface Heartbeat {
  stop(): void;
}

/**
 * Shows a part as online until stopped, or until this process is gone.
 * @param of `named`: it is not the connection's own part, but one that a call named; `waits`: a call waits for something new
 */
export function startHeartbeat(
  world: World,
  part: string,
  agent: Presence["agent"],
  of: Pick<Presence, "named" | "waits"> = {},
): Heartbeat {
  const { store } = world.home();
  begun += 1;
  const target = `${presenceFolder(part)}/${thisProcess()}-${begun}.json`;
  const connectedAt = new Date(world.now()).toISOString();
  const session = world.env[hosts().sessionVariable(agent.name) ?? ""] || undefined;
  const presence: Presence = { part, agent, process: thisProcess(), session, connectedAt, ...of };
  const beat = (): void => {
    // Where the home is gone or read-only, nobody can be shown as online.
    quietly(() => {
      if (isLeft(world, part, agent.name)) return void removeFile(store, target);
      if (!touch(store, target, Date.now())) place(store, target, `${JSON.stringify(presence)}\n`);
    });
  };
  // A call that waits is nothing to type into.
  const takeBack = of.waits === true ? () => {} : noteProcess(world, "connections");
  beat();
  const timer = setInterval(beat, HEARTBEAT_MS);
  timer.unref();
  return {
    stop() {
      clearInterval(timer);
      // A heartbeat left behind is seen through: its process is gone.
      quietly(() => removeFile(store, target));
      takeBack();
    },
  };
}

/**
 * Whether the terminal of the session is gone that this process serves: of a host whose sessions run in one process, which goes on.
 * A turn of just now counts as one that somebody looks at.
 */
function isLeft(world: World, part: string, client: string): boolean {
  if (!hosts().isTerminalGone(client, () => [wordsOf(process.ppid), workingIn(process.cwd())])) return false;
  return Date.now() - lifeMs(world, part) > HEARTBEAT_STALE_MS;
}

/**
 * The connections of a part that live, those that began under a former name among them: its own first, then those that named
 * it in a call, then calls that wait; the newest of each first.
 */
export function connections(world: World, part: string): Presence[] {
  const key = ({ named, waits, connectedAt }: Presence): string => `${waits === true ? 0 : named === true ? 1 : 2} ${connectedAt}`;
  return boundNamesOf(world, part)
    .flatMap((name) => heartbeats(world, name))
    .filter(({ live }) => live)
    .map(({ presence }) => presence)
    .sort((a, b) => (key(a) < key(b) ? 1 : -1));
}

/** The sessions of agents that are a part by themselves, each once: this process's own, then the newest first. */
export function sessionsOf(world: World, part: string, live = connections(world, part)): Presence[] {
  const isMine = ({ process }: Presence): boolean => process === thisProcess();
  const own = live.filter(({ named, waits }) => named !== true && waits !== true).sort((a, b) => Number(isMine(b)) - Number(isMine(a)));
  const idOf = ({ session, process }: Presence): string => session ?? process;
  return own.filter((each, at) => own.findIndex((other) => idOf(other) === idOf(each)) === at);
}

/**
 * What is odd where a worktree is made another part than it was: whose session lives there; null where nothing is.
 * @param isMeant whether that is all that was asked for, so that it goes without saying
 */
export function replacedPart(world: World, before: string | null, now: string, isMeant = false): string | null {
  if (before === null || before === now) return null;
  const live = orElse([], () => sessionsOf(world, before)).map(({ agent }) => agent.name);
  if (isMeant && live.length === 0) return null;
  const lives = live.length === 0 ? "" : `; a live session (${live.join(", ")}) stays ${before} until it ends`;
  return `This worktree was ${before}${lives}. To have both, give one a worktree of its own: \`git worktree add ../${now.replaceAll("/", "-")}\`, and there \`relay part here ${now}\``;
}

/** A part that made a call within this time is at work. */
const WORKING_MS = 300_000;

/** Where a part is: in a call that waits, at work, idle since its last sign of life here (ISO 8601), or never seen. */
export interface Whereabouts {
  presence: "waiting" | "working" | "idle" | "never";
  seenAt?: string;
}

/** Finds out where a part is. @param live its connections, where the caller knows them */
export function whereaboutsOf(world: World, part: string, live = connections(world, part)): Whereabouts {
  const seenMs = Math.max(lifeMs(world, part), ...live.map(({ connectedAt }) => Date.parse(connectedAt) || 0));
  if (seenMs === 0) return { presence: "never" };
  const seenAt = new Date(seenMs).toISOString();
  if (live.some(({ waits }) => waits === true)) return { presence: "waiting", seenAt };
  return { presence: world.now() - seenMs < WORKING_MS ? "working" : "idle", seenAt };
}

/** Whether a part can be taken to be there: it is connected, or at work. */
export function isOnline(world: World, part: string): boolean {
  const live = connections(world, part);
  return live.length > 0 || whereaboutsOf(world, part, live).presence === "working";
}

/** The processes of a part's connections that began here for this copy, and live: a heartbeat is a file, which may name any process. */
export const livePids = (world: World, part: string): number[] =>
  connections(world, part).flatMap(({ process: description, waits }) =>
    waits !== true && lifeOf(description) === "alive" && isNotedHere(world, "connections", description)
      ? [Number(description.split("-")[0])]
      : [],
  );

/** Every heartbeat of a part, with its path and whether it lives. */
export function heartbeats(world: World, part: string): { path: string; presence: Presence; live: boolean }[] {
  const { store } = world.home();
  const folder = presenceFolder(part);
  return names(store, folder).flatMap((name) => {
    if (!name.endsWith(".json")) return [];
    const path = `${folder}/${name}`;
    const fact = facts(store, path);
    const presence = fact === null ? null : readPresence(world, path, fact);
    if (fact === null || presence === null) return [];
    const life = lifeOf(presence.process);
    // A process in another container cannot be seen; its heartbeat can.
    const fresh = ageOf(fact) < HEARTBEAT_STALE_MS;
    return [{ path, presence, live: life === "alive" || (life === "unknown" && fresh) }];
  });
}

/** Heartbeats that this process read, by path: one says the same as long as it lives, whenever it beat last. */
const heartbeatsRead = new Map<string, { sign: string; presence: Presence }>();
const READ_ENTRIES = 1_000;

function readPresence(world: World, path: string, { inode, size }: FileFacts): Presence | null {
  const { store } = world.home();
  const [at, sign] = [`${store.root} ${path}`, `${inode} ${size}`];
  const known = heartbeatsRead.get(at);
  if (known?.sign === sign) return known.presence;
  return orElse(null, () => {
    const source = readText(store, path, PRESENCE_BYTES);
    const presence = source === null ? null : parsePresence(source);
    if (presence === null) return null;
    if (heartbeatsRead.size >= READ_ENTRIES) heartbeatsRead.clear();
    heartbeatsRead.set(at, { sign, presence });
    return presence;
  });
}

/** A mark is moved on this often at the most, so that calls cost nothing more. */
export const MARK_MS = 60_000;
/** When this process last marked a part, in milliseconds since the epoch, by the home and the part. */
const markedMs = new Map<string, number>();
const MARKED_ENTRIES = 10_000;

/** Notes that a part did something just now. What fails fails nobody: the mark is disposable. */
export function noteLife(world: World, part: string): void {
  if (part === "" || world.past !== undefined || world.me.how === "viewer") return;
  const { store } = world.home();
  const now = world.now();
  const key = `${store.root} ${part}`;
  if (Math.abs(now - (markedMs.get(key) ?? Number.NEGATIVE_INFINITY)) < MARK_MS) return;
  if (markedMs.size >= MARKED_ENTRIES) markedMs.clear();
  markedMs.set(key, now);
  if (store.foreign === null && Math.abs(now - lifeMs(world, part)) >= MARK_MS) markLife(world, part, now);
}

/** Moves the mark of a part to an instant, in milliseconds since the epoch. */
export function markLife(world: World, part: string, atMs: number): void {
  const { store } = world.home();
  try {
    if (touch(store, lifePath(part), atMs)) return;
    place(store, lifePath(part), "");
    touch(store, lifePath(part), atMs);
  } catch {
    // A home that cannot be written watches over nobody.
  }
}

/** When a part, by whatever name it had, last showed a sign of life here, in milliseconds since the epoch; 0 for never. */
export function lifeMs(world: World, part: string): number {
  const { store } = world.home();
  return Math.max(0, ...namesOf(world, part).map((name) => Math.floor(facts(store, lifePath(name))?.modifiedMs ?? 0)));
}

/** The parts and guests of now that ever showed a sign of life here. */
export function partsWithLife(world: World): string[] {
  const found = names(world.home().store, LIFE)
    .map(partOfMark)
    .filter((part) => partProblem(part) === null)
    .flatMap((part) => currentName(world, part) ?? []);
  return [...new Set(found)].sort();
}

/** Where the parts that live here are noted, by name. */
const LIVES = "local/lives";
const DAY_MS = 86_400_000;
/** A part that nobody was here for so long lives elsewhere by now. */
const LIVES_DAYS = 30;

/** Parts that this process has noted, by home; once a process is enough. */
const notedLives = new Set<string>();

/** Notes that a part is bound here. One read of the disk for each process; a write once a day. What fails fails nobody. */
export function noteLives(world: World, part: string): void {
  if (part === "" || world.past !== undefined || world.me.how === "viewer") return;
  const { store } = world.home();
  const target = `${LIVES}/${markName(part)}`;
  // What a worktree says it is may have come with its folder.
  const isBound = world.me.how !== "default" || world.me.part !== part;
  const key = `${store.root} ${target} ${Math.floor(Date.now() / DAY_MS)} ${isBound}`;
  if (notedLives.has(key)) return;
  notedLives.add(key);
  if (isBound) bindHere(world, [part]);
  try {
    const age = ageMs(store, target);
    if (age === null || age > DAY_MS) place({ ...store, durable: false }, target, "");
  } catch {
    // A home that cannot be written tells nobody of what others did to it.
  }
}

/** The parts that live here, by name. */
export function partsHere(world: World): string[] {
  const { store } = world.home();
  return names(store, LIVES)
    .map(partOfMark)
    .filter((part) => partProblem(part) === null)
    .filter((part) => (ageMs(store, `${LIVES}/${markName(part)}`) ?? LIVES_DAYS * DAY_MS) < LIVES_DAYS * DAY_MS)
    .sort();
}

/** Until when a part asked, under whatever name, not to be woken, in milliseconds since the epoch; null when it may be. */
export function limitedUntil(world: World, part: string): number | null {
  const untils = namesOf(world, part).map((name) => {
    try {
      return Date.parse(readText(world.home().store, limitedPath(name), 64)?.trim() ?? "");
    } catch {
      return Number.NaN;
    }
  });
  const until = Math.max(...untils.filter((each) => each > world.now()));
  return Number.isFinite(until) ? until : null;
}
