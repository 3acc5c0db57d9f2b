/**
 * Answers that the pages of a profile share. A hint reaches all of them at once, and most ask the same then. The page that hears the
 * stream asks first, and says what, so that the others wait for it. What it does not ask one of the others asks, under a lock of the
 * browser's. A page that does not hear in time asks by itself.
 */
import type { Reply } from "./server.ts";

interface Shared {
  key: string;
  /** The number of the hint after which it was asked. */
  hint: number;
  reply: Reply<unknown>;
}

const NAME = `relay replies ${location.pathname}`;
/** The page that asks may be suspended: nobody waits longer for it. */
const PATIENCE_MS = 500;
/** Answers that come within so long of each other are told together, so that every page draws them at once. */
const TOGETHER_MS = 15;
/** Answers that are kept for whoever asks a moment later. */
const KEPT = 16;

const channel = new BroadcastChannel(NAME);
const heard = new Map<string, Shared>();
/** Answers of this page that the others are not told yet. */
let ready: Shared[] = [];
/** Its questions for all that are not answered yet. */
const open = new Set<Promise<unknown>>();
/** Keys of what it asks first after the hint that it hears now; null while it hears none. */
let first: string[] | null = null;
/** What another page asks first: the number of the hint, by the key of the question. */
let left = new Map<string, number>();

function keep(shared: Shared): void {
  left.delete(shared.key);
  heard.delete(shared.key);
  heard.set(shared.key, shared);
  for (const key of heard.keys()) if (heard.size > KEPT) heard.delete(key);
}

/** Callbacks of the questions that wait for another page's answer, by the key of the question. */
const waiting = new Map<string, Set<() => void>>();

channel.onmessage = ({ data }: MessageEvent<Shared[]>) => {
  for (const each of data) keep(each);
  for (const { key } of data) for (const wake of waiting.get(key) ?? []) wake();
};

/** Has this page ask for all pages what it asks during a call. @returns the keys of its questions, for `leave` in the others */
export function askFirst(hear: () => void): string[] {
  const keys: string[] = [];
  first = keys;
  hear();
  first = null;
  return keys;
}

/** Leaves questions to another page. @param hint the number of the hint after which it asks them */
export function leave(keys: readonly string[], hint: number): void {
  left = new Map(keys.map((key) => [key, hint]));
}

/** Asks the server, and tells the other pages. */
async function askForAll<T>(key: string, hint: number, ask: () => Promise<Reply<T>>): Promise<Reply<T>> {
  const asked = ask();
  open.add(asked);
  const reply = await asked;
  open.delete(asked);
  if (reply.failure === undefined) {
    const mine = { key, hint, reply } satisfies Shared;
    keep(mine);
    ready.push(mine);
  }
  await Promise.race([Promise.all(open), new Promise((resolve) => setTimeout(resolve, TOGETHER_MS))]);
  if (ready.length > 0) channel.postMessage(ready);
  ready = [];
  return reply;
}

/** Waits until another page tells an answer to a question, or for so long. */
async function told(key: string, ms: number): Promise<void> {
  const all = waiting.get(key) ?? new Set();
  waiting.set(key, all);
  let wake = (): void => {};
  await new Promise<void>((resolve) => {
    wake = resolve;
    all.add(wake);
    setTimeout(resolve, ms);
  });
  all.delete(wake);
  if (all.size === 0) waiting.delete(key);
}

/**
 * The answer to a question as it is after a hint: what another page was answered, or what this one is.
 * @param key the same for the same question
 * @param hint the number of the hint; an answer of an earlier one is not taken
 * @param ask asks the server
 */
export async function shared<T>(key: string, hint: number, ask: () => Promise<Reply<T>>): Promise<Reply<T>> {
  if (first !== null) {
    first.push(key);
    return askForAll(key, hint, ask);
  }
  const untilMs = performance.now() + PATIENCE_MS;
  const known = (): Reply<T> | undefined => {
    const found = heard.get(key);
    return found !== undefined && found.hint >= hint ? (found.reply as Reply<T>) : undefined;
  };
  const askAlone = (): Promise<Reply<T> | undefined> =>
    navigator.locks.request(`${NAME} ${key}`, { ifAvailable: true }, async (lock) => {
      if (lock === null) return known();
      // The browser delivers another page's answer in a later task, perhaps after it frees the lock.
      await new Promise((resolve) => setTimeout(resolve, 0));
      return known() ?? askForAll(key, hint, ask);
    });
  for (;;) {
    const isLeft = (left.get(key) ?? 0) >= hint;
    const answer = known() ?? (isLeft ? undefined : await askAlone());
    if (answer !== undefined) return answer;
    const leftMs = untilMs - performance.now();
    if (leftMs <= 0) return ask();
    await told(key, leftMs);
  }
}
