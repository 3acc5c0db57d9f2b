/** The breaker: an agent that says the same again and again, or too much, is stopped before it costs more. spec/messages.md, "Loops". */
import { HUMAN } from "../../objects/part/part.ts";
import { refuse } from "../../refusal.ts";
import { sha256 } from "../../store/digest.ts";
import { facts } from "../../store/read/facts.ts";
import { names } from "../../store/read/list-folder.ts";
import { readLines } from "../../store/read/read-lines.ts";
import type { Store } from "../../store/root.ts";
import { appendLine } from "../../store/write/append-line.ts";
import { removeFile } from "../../store/write/move-file.ts";
import type { World } from "../../world.ts";
import type { Home } from "../home.ts";

const MINUTE_MS = 60_000;
/** So far back the messages of two parts that answer each other are counted; a file of a part has what it sent in one such span. */
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

/** Whether a call is held to the limits: one that an agent makes over its connection. Which surface it is no file can say. */
const isHeld = (world: World): boolean => world.connection.lasting && world.person !== true;

/** Milliseconds since the epoch, ascending. */
type Times = number[];

/** What was read of a part's file, and how far: when it sent, by the hash of its words, and by whom it went to. */
interface Read {
  inode: number;
  next: number;
  all: Times;
  byHash: Map<string, Times>;
  byTo: Map<string, Times>;
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
  const read: Read = isSame ? known : { inode, next: 0, all: [], byHash: new Map(), byTo: new Map(), own: null, isOver };
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

/** A line says when, the hash of the words, and to whom. */
function addLine({ all, byHash, byTo }: Read, line: string): void {
  const [time, hash = "", to = ""] = line.split(" ");
  const ms = Number(time);
  if (!Number.isFinite(ms)) return;
  for (const times of [all, timesOf(byHash, hash), timesOf(byTo, to)]) times.splice(firstAfter(times, ms), 0, ms);
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

/** @throws Refusal `loop` where an agent should stop and read */
export function breakLoop(world: World, part: string, saying: Saying): void {
  if (!isHeld(world)) return;
  const home = world.home();
  const { loop } = home.config();
  const now = world.now();
  const own = sentBy(home, part, now);
  const hash = hashOf(saying);
  if (sum(own, ({ byHash }) => within(byHash.get(hash), now, MINUTE_MS)) >= loop.identical) {
    throw refuse("loop", { part, rule: "identical", most: loop.identical, seconds: MINUTE_MS / 1_000 });
  }
  // A person can always be asked.
  if (saying.to.every((to) => to === HUMAN)) return;
  if (sum(own, ({ all }) => within(all, now, MINUTE_MS)) >= loop.perMinute) {
    throw refuse("loop", { part, rule: "per_minute", most: loop.perMinute, seconds: MINUTE_MS / 1_000 });
  }
  const [other] = saying.to;
  if (saying.to.length !== 1 || other === undefined) return;
  const there = onlyTo(own, other, now);
  const back = there === 0 ? 0 : onlyTo(sentBy(home, other, now), part, now);
  if (back > 0 && there + back >= loop.exchange) {
    throw refuse("loop", { part, rule: "exchange", most: loop.exchange, seconds: SPAN_MS / 1_000, other });
  }
}

/** How many messages went to one part within the span, where all that were sent went to it alone; else 0. */
function onlyTo(files: readonly Read[], other: string, now: number): number {
  const all = sum(files, (file) => within(file.all, now, SPAN_MS));
  return sum(files, ({ byTo }) => within(byTo.get(other), now, SPAN_MS)) === all ? all : 0;
}

/** Notes what was sent, best effort: a hint that is kept for some minutes on this machine. */
export function noteSaid(world: World, part: string, saying: Saying): void {
  if (!isHeld(world)) return;
  try {
    const { store } = world.home();
    const ms = world.now();
    const target = fileOf(part, spanOf(ms));
    const line = `${ms} ${hashOf(saying)} ${saying.to.join(",")}`;
    const { from, to } = appendLine({ ...store, durable: false }, target, line, false);
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
