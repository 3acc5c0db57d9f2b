/**
 * Answers that the pages of a profile share. A hint reaches all of them at once, and most ask the same then: one page asks, under a lock
 * of the browser's, and tells the others. A page that does not hear in time asks by itself.
 */
import type { Reply } from "./server.ts";

interface Shared {
  key: string;
  /** The number of the hint after which it was asked. */
  hint: number;
  reply: Reply<unknown>;
}

const NAME = `relay answers ${location.pathname}`;
/** The page that asks may be suspended: nobody waits longer for it. */
const PATIENCE_MS = 500;
/** Answers that are kept for whoever asks a moment later. */
const KEPT = 16;

const channel = new BroadcastChannel(NAME);
const heard = new Map<string, Shared>();

function keep(shared: Shared): void {
  heard.delete(shared.key);
  heard.set(shared.key, shared);
  for (const key of heard.keys()) if (heard.size > KEPT) heard.delete(key);
}

/** Callbacks of the questions that wait for another page's answer, by the key of the question. */
const waiting = new Map<string, Set<() => void>>();

channel.onmessage = ({ data }: MessageEvent<Shared>) => {
  keep(data);
  for (const wake of waiting.get(data.key) ?? []) wake();
};

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
  const untilMs = performance.now() + PATIENCE_MS;
  const known = (): Reply<T> | undefined => {
    const found = heard.get(key);
    return found !== undefined && found.hint >= hint ? (found.reply as Reply<T>) : undefined;
  };
  for (;;) {
    const answer = await navigator.locks.request(`${NAME} ${key}`, { ifAvailable: true }, async (lock) => {
      if (lock === null) return known();
      // The browser delivers another page's answer in a later task, perhaps after it frees the lock.
      await new Promise((resolve) => setTimeout(resolve, 0));
      const before = known();
      if (before !== undefined) return before;
      const reply = await ask();
      if (reply.failure === undefined) {
        const mine = { key, hint, reply } satisfies Shared;
        keep(mine);
        channel.postMessage(mine);
      }
      return reply;
    });
    if (answer !== undefined) return answer;
    const leftMs = untilMs - performance.now();
    if (leftMs <= 0) return ask();
    await told(key, leftMs);
  }
}
