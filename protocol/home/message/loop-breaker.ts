/** The breaker: an agent that says the same again and again, or too much, is stopped before it costs more. spec/messages.md, "Loops". */
import { HUMAN } from "../../objects/part/part.ts";
import { refuse } from "../../refusal.ts";
import { sha256 } from "../../store/digest.ts";
import { exists, facts } from "../../store/read/facts.ts";
import { names } from "../../store/read/list-folder.ts";
import { readLines } from "../../store/read/read-lines.ts";
import type { Store } from "../../store/root.ts";
import { appendLine } from "../../store/write/append-line.ts";
import { removeFile } from "../../store/write/move-file.ts";
import type { World } from "../../world.ts";

const MINUTE_MS = 60_000;
/** So far back the messages of two parts that answer each other are counted; a file of a part has what it sent in one such span. */
const SPAN_MS = 600_000;

/** What is about to be sent: to whom, and whatever makes it the same as another. */
interface Saying {
  to: readonly string[];
  words: readonly string[];
}

/** One line of what a part sent: when, the hash of its words, and to whom. */
interface Sent {
  ms: number;
  hash: string;
  to: string;
}

const folderOf = (part: string): string => `run/sends/${part}`;
const fileOf = (part: string, span: number): string => `${folderOf(part)}/${span}.txt`;
const spanOf = (ms: number): number => Math.floor(ms / SPAN_MS);
const hashOf = ({ to, words }: Saying): string => sha256(JSON.stringify([[...to].sort(), words])).slice(0, 16);

/** Whether a call is held to the limits: one that an agent makes over its connection. Which surface it is no file can say. */
const isHeld = (world: World): boolean => world.connection.lasting && world.person !== true;

/** What was read of a part's file, and how far. */
interface Read {
  inode: number;
  next: number;
  sent: Sent[];
}

/** By the place of the file: a server is asked again and again, and reads what was added. */
const filesRead = new Map<string, Read>();
/** So many files are kept. */
const KEPT = 64;

/** What a part sent within the span, oldest first. Reads what was added to two small files. */
function sentBy(world: World, part: string): Sent[] {
  const now = world.now();
  const span = spanOf(now);
  return [span - 1, span].flatMap((each) =>
    sentIn(world.home().store, fileOf(part, each)).filter(({ ms }) => ms > now - SPAN_MS && ms <= now),
  );
}

function sentIn(store: Store, target: string): readonly Sent[] {
  const fact = facts(store, target);
  if (fact === null) return [];
  const at = `${store.root} ${target}`;
  const known = filesRead.get(at);
  const read =
    known !== undefined && known.inode === fact.inode && known.next <= fact.size ? known : { inode: fact.inode, next: 0, sent: [] };
  if (fact.size > read.next) {
    const { lines, next } = readLines(store, target, read.next);
    read.next = next;
    for (const line of lines) {
      const [ms, hash = "", to = ""] = line.split(" ");
      read.sent.push({ ms: Number(ms), hash, to });
    }
  }
  filesRead.delete(at);
  filesRead.set(at, read);
  if (filesRead.size > KEPT) filesRead.delete(filesRead.keys().next().value as string);
  return read.sent;
}

/** @throws Refusal `loop` where an agent should stop and read */
export function breakLoop(world: World, part: string, saying: Saying): void {
  if (!isHeld(world)) return;
  const { loop } = world.home().config();
  const own = sentBy(world, part);
  const lastMinute = own.filter(({ ms }) => ms > world.now() - MINUTE_MS);
  const hash = hashOf(saying);
  if (lastMinute.filter((sent) => sent.hash === hash).length >= loop.identical) {
    throw refuse("loop", { part, rule: "identical", most: loop.identical, seconds: MINUTE_MS / 1_000 });
  }
  // A person can always be asked.
  if (saying.to.every((to) => to === HUMAN)) return;
  if (lastMinute.length >= loop.perMinute) {
    throw refuse("loop", { part, rule: "per_minute", most: loop.perMinute, seconds: MINUTE_MS / 1_000 });
  }
  const [other] = saying.to;
  if (saying.to.length !== 1 || other === undefined || own.length === 0) return;
  const theirs = sentBy(world, other);
  const onlyEachOther = own.every(({ to }) => to === other) && theirs.every(({ to }) => to === part);
  if (theirs.length > 0 && onlyEachOther && own.length + theirs.length >= loop.exchange) {
    throw refuse("loop", { part, rule: "exchange", most: loop.exchange, seconds: SPAN_MS / 1_000, other });
  }
}

/** Notes what was sent, best effort: a hint that is kept for some minutes on this machine. */
export function noteSaid(world: World, part: string, saying: Saying): void {
  if (!isHeld(world)) return;
  try {
    const { store } = world.home();
    const span = spanOf(world.now());
    const isFirst = !exists(store, fileOf(part, span));
    appendLine({ ...store, durable: false }, fileOf(part, span), `${world.now()} ${hashOf(saying)} ${saying.to.join(",")}`, false);
    for (const name of isFirst ? names(store, folderOf(part)) : [])
      if (/^\d+\.txt$/.test(name) && Number.parseInt(name, 10) < span - 1) removeFile(store, `${folderOf(part)}/${name}`);
  } catch {
    // Full or read-only: the message is sent all the same.
  }
}
