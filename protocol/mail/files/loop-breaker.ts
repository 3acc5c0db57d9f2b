/** The breaker: an agent that says the same again and again, or too much, is stopped before it costs more. spec/messages.md, "Loops". */
import { quietly } from "../../core/format/file-error.ts";
import { asLine } from "../../core/format/hidden.ts";
import { LIMITS } from "../../core/format/schema.ts";
import type { Home } from "../../core/home/home.ts";
import { HUMAN } from "../../core/names.ts";
import { refuse } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { sha256 } from "../../store/digest.ts";
import { facts } from "../../store/read/facts.ts";
import { names } from "../../store/read/list-folder.ts";
import { readText } from "../../store/read/read-file.ts";
import { readLines } from "../../store/read/read-lines.ts";
import type { Store } from "../../store/root.ts";
import { appendLine } from "../../store/write/append-line.ts";
import { removeFile } from "../../store/write/move-file.ts";
import { place } from "../../store/write/publish.ts";
import type { Message } from "../nouns/message.ts";
import { isMember } from "./members.ts";
import { isByAgent, newThread, post } from "./post.ts";

const MINUTE_MS = 60_000;
/** So far back an equal message is the same one; a file of a part has what it sent in one such span. */
const SPAN_MS = 600_000;

/** What is about to be sent: to whom, and whatever makes it the same as another; `hash` once somebody asked for it. */
interface Saying {
  to: readonly string[];
  words: readonly string[];
  hash?: string;
}

const folderOf = (part: string): string => `run/sends/${part}`;
const fileOf = (part: string, span: number): string => `${folderOf(part)}/${span}.txt`;
const spanOf = (ms: number): number => Math.floor(ms / SPAN_MS);
function hashOf(saying: Saying): string {
  saying.hash ??= sha256(JSON.stringify([[...saying.to].sort(), saying.words])).slice(0, 16);
  return saying.hash;
}

/** Milliseconds since the epoch, ascending. */
type Times = number[];

/** What was read of a part's file, and how far: when it sent, by the hash of its words, and which message had them last. */
interface Read {
  inode: number;
  next: number;
  all: Times;
  byHash: Map<string, Times>;
  ids: Map<string, string>;
  /** The line that this process added itself, with the size of the file if nobody else wrote. */
  own: { line: string; size: number } | null;
  /** Whether its span was over when it was read, so that nobody adds to it. */
  isOver: boolean;
}

/** By the place of the file: a server is asked again and again, and reads what was added. */
const filesRead = new Map<string, Read>();
/** So many files are kept. */
const KEPT = 64;

/** What a part sent within the span, and longer ago. Reads what was added to two small files. */
function sentBy({ store }: Home, part: string, now: number): Read[] {
  const span = spanOf(now);
  return [sentIn(store, fileOf(part, span - 1), true), sentIn(store, fileOf(part, span), false)];
}

function sentIn(store: Store, target: string, isOver: boolean): Read {
  const at = `${store.root} ${target}`;
  const known = filesRead.get(at);
  if (isOver && known?.isOver === true && known.own === null) return known;
  const { inode, size } = facts(store, target) ?? { inode: 0, size: 0 };
  const isSame = known !== undefined && known.inode === inode && known.next <= size;
  const read: Read = isSame ? known : { inode, next: 0, all: [], byHash: new Map(), ids: new Map(), own: null, isOver };
  if (read.own?.size === size) {
    addLine(read, read.own.line);
    read.next = size;
  } else if (size > read.next) {
    const { lines, next } = readLines(store, target, read.next);
    read.next = next;
    for (const line of lines) addLine(read, line);
  }
  Object.assign(read, { own: null, isOver });
  filesRead.delete(at);
  filesRead.set(at, read);
  if (filesRead.size > KEPT) filesRead.delete(filesRead.keys().next().value as string);
  return read;
}

/** A line says when, the hash of the words, to whom, and which message it is. */
function addLine({ all, byHash, ids }: Read, line: string): void {
  const [time, hash = "", , id] = line.split(" ");
  const ms = Number(time);
  if (!Number.isFinite(ms)) return;
  if (id !== undefined) ids.set(hash, id);
  for (const times of [all, timesOf(byHash, hash)]) times.splice(firstAfter(times, ms), 0, ms);
}

function timesOf(map: Map<string, Times>, key: string): Times {
  const times = map.get(key) ?? [];
  map.set(key, times);
  return times;
}

/** Where the first time after another one stands. */
function firstAfter(times: Times, ms: number): number {
  let [from, to] = [0, times.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((times[middle] as number) > ms) to = middle;
    else from = middle + 1;
  }
  return from;
}

/** How many of some times lie within so many milliseconds up to now. */
const within = (times: Times | undefined, now: number, ms: number): number =>
  times === undefined ? 0 : firstAfter(times, now) - firstAfter(times, now - ms);

const sum = (files: readonly Read[], count: (file: Read) => number): number => files.reduce((all, file) => all + count(file), 0);

/**
 * Looks at what an agent is about to send.
 * @returns whether it rings nobody, because two parts only answer each other
 * @throws Refusal `loop` where an agent should stop and read
 */
export function breakLoop(world: World, part: string, saying: Saying): boolean {
  if (!isByAgent(world)) return false;
  const home = world.home();
  const { loop } = home.config();
  const now = world.now();
  const own = sentBy(home, part, now);
  const hash = hashOf(saying);
  if (sum(own, ({ byHash }) => within(byHash.get(hash), now, MINUTE_MS)) >= loop.identical) {
    throw refuse("loop", { part, rule: "identical", most: loop.identical, seconds: MINUTE_MS / 1_000 });
  }
  // A person can always be asked.
  if (saying.to.every((to) => to === HUMAN)) return false;
  if (sum(own, ({ all }) => within(all, now, MINUTE_MS)) >= loop.perMinute) {
    throw refuse("loop", { part, rule: "per_minute", most: loop.perMinute, seconds: MINUTE_MS / 1_000 });
  }
  const turns = turnsOf(home, part, saying);
  const most = loop.exchange * REFUSED_AT;
  if (turns >= most) throw refuse("loop", { part, rule: "exchange", most, other: saying.to[0] as string });
  return turns >= loop.exchange;
}

/** As `breakLoop`, of a tool of the plugin, which is never refused: its agents say the same again until it is done. */
export const isExchanged = (world: World, part: string, saying: Saying): boolean =>
  isByAgent(world) && turnsOf(world.home(), part, saying) >= world.home().config().loop.exchange;

/** The message that said the same to the same parts a while ago, by its id, newest first; null where there is none. */
export function saidBefore(world: World, part: string, saying: Saying): string | null {
  if (!isByAgent(world)) return null;
  const now = world.now();
  const hash = hashOf(saying);
  const found = sentBy(world.home(), part, now).flatMap(({ byHash, ids }) =>
    within(byHash.get(hash), now, SPAN_MS) > 0 ? [ids.get(hash) ?? []].flat() : [],
  );
  return found.at(-1) ?? null;
}

/** Notes what was sent, best effort: a hint that is kept for some minutes on this machine. Tells main, once, that two parts only answer each other. */
export function noteSaid(world: World, part: string, saying: Saying, { id, thread }: Pick<Message, "id" | "thread">): void {
  const home = world.home();
  const { store } = home;
  try {
    const [other] = saying.to;
    const isTurn = isByAgent(world) && saying.to.length === 1 && other !== undefined && other !== HUMAN;
    for (const to of saying.to) if (!isTurn || exchangeOf(store, to)?.other !== part) endExchange(world, to);
    if (!isByAgent(world)) return;
    if (isTurn) {
      const last = exchangeOf(store, part);
      if (last !== null && last.other !== other) endExchange(world, part);
      const count = (last?.other === other ? last.count : 0) + 1;
      place(store, exchangePath(part), `${other} ${count}\n`);
      if (turnsBetween(store, part, other) === home.config().loop.exchange) tellExchange(world, part, other, thread);
    } else if (other !== HUMAN || saying.to.length > 1) endExchange(world, part);
    const ms = world.now();
    const target = fileOf(part, spanOf(ms));
    const line = `${ms} ${hashOf(saying)} ${saying.to.join(",")} ${id}`;
    const { from, to } = appendLine(store, target, line, false);
    const known = filesRead.get(`${store.root} ${target}`);
    if (known?.next === from) known.own = { line, size: to };
    if (from === 0) dropOld(store, part, spanOf(ms));
  } catch {
    // Full or read-only: the message is sent all the same.
  }
}

function dropOld(store: Store, part: string, span: number): void {
  for (const name of names(store, folderOf(part)))
    if (/^\d+\.txt$/.test(name) && Number.parseInt(name, 10) < span - 1) removeFile(store, `${folderOf(part)}/${name}`);
}

/** So many times the exchange that rings nobody any more is refused. */
const REFUSED_AT = 5;

const exchangePath = (part: string): string => `${folderOf(part)}/exchange.txt`;

/** How often a part wrote to one other part since anything else happened; null where it did not. */
function exchangeOf(store: Store, part: string): { other: string; count: number } | null {
  const [other = "", count = ""] = (readText(store, exchangePath(part), 256) ?? "").trim().split(" ");
  return /^\d+$/.test(count) ? { other, count: Number(count) } : null;
}

/** How many messages two parts sent each other since anything else happened. */
function turnsBetween(store: Store, one: string, other: string): number {
  const [there, back] = [exchangeOf(store, one), exchangeOf(store, other)];
  return there?.other === other && back?.other === one ? there.count + back.count : 0;
}

const turnsOf = ({ store }: Home, part: string, { to: [other, ...more] }: Saying): number =>
  other === undefined || more.length > 0 || other === HUMAN ? 0 : turnsBetween(store, part, other);

/** Notes that something else happened to a part than an answer of the one it exchanges messages with: both begin again. */
export function endExchange(world: World, part: string): void {
  quietly(() => {
    const { store } = world.home();
    const other = exchangeOf(store, part)?.other;
    if (other === undefined) return;
    removeFile(store, exchangePath(part));
    if (exchangeOf(store, other)?.other === part) removeFile(store, exchangePath(other));
  });
}

/** Tells main, or a person where main is one of the two. */
function tellExchange(world: World, part: string, other: string, thread: string): void {
  const { main, loop } = world.home().config();
  const to = [part, other].includes(main) || !isMember(world, main) ? HUMAN : main;
  const subject = asLine(`${part} and ${other} only answer each other`, LIMITS.subject);
  const body = `Relay wrote this, not ${part}: they sent each other ${loop.exchange} messages, the last in ${thread}, and nobody else came between. What they send each other now is stored, and wakes neither. A message to one of them, or a change of a task of theirs, ends that.`;
  post(world, newThread(world), { from: part, to: [to], subject, body });
}
