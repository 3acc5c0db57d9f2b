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
/** A page that is suspended may keep the lock: nobody waits longer for it. */
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

channel.onmessage = ({ data }: MessageEvent<Shared>) => keep(data);

/**
 * The answer to a question as it is after a hint: what another page was answered, or what this one is.
 * @param key the same for the same question
 * @param hint the number of the hint; an answer of an earlier one is not taken
 * @param ask asks the server
 */
export async function shared<T>(key: string, hint: number, ask: () => Promise<Reply<T>>): Promise<Reply<T>> {
  const known = (): Reply<T> | undefined => {
    const found = heard.get(key);
    return found !== undefined && found.hint >= hint ? (found.reply as Reply<T>) : undefined;
  };
  try {
    return await navigator.locks.request(`${NAME} ${key}`, { signal: AbortSignal.timeout(PATIENCE_MS) }, async () => {
      // What was told just before the lock was free is heard in a task of its own.
      await new Promise((resolve) => setTimeout(resolve, 0));
      const before = known();
      if (before !== undefined) return before;
      const reply = await ask();
      const told = { key, hint, reply };
      if (reply.failure === undefined) channel.postMessage(told);
      return reply;
    });
  } catch {
    return known() ?? ask();
  }
}
