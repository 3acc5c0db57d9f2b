/**
 * Findings that stand. A home is examined while others write: a message is in its thread a moment before it is in an inbox.
 * So what is found is looked for again, and what a living writer has noted as begun is no finding. SPEC.md, "Check".
 */
import { type MessageKey, parseMessageId } from "../objects/id.ts";
import { messagePath } from "../objects/message.ts";
import { lifeOf } from "../store/process.ts";
import { names } from "../store/read.ts";
import type { Store } from "../store/root.ts";

/** What tells one finding from another. */
interface Found {
  code: string;
  path?: string | undefined;
  problem: string;
  /** A `note` is no fault, so nothing is looked for again because of it. */
  severity?: string | undefined;
}

/** A finding that two more examinations confirm is no writer's moment. */
const LOOKS = 3;
/** How long a writer may take before the next look: a send takes a few milliseconds. */
const PATIENCE_MS = 2_000;
const PAUSE_MS = 20;

/**
 * Examines a home until what it finds stands still.
 * @param examine gives every finding at one time; called once where there is none, and three times at the most
 * @returns the findings of the last look that every look had
 */
export async function standing<T extends Found>(store: Store, examine: () => Promise<T[]>): Promise<T[]> {
  let found = await examine();
  for (let look = 1; look < LOOKS && found.some(({ severity }) => severity !== "note"); look += 1) {
    await writersAreDone(store);
    const before = new Set(found.map(keyOf));
    found = (await examine()).filter((finding) => before.has(keyOf(finding)));
  }
  const begun = beingWritten(store);
  return found.filter(({ path }) => path === undefined || !begun.some((isOf) => isOf(path)));
}

const keyOf = ({ code, path, problem }: Found): string => JSON.stringify([code, path, problem]);

/** Waits until nothing that is being written now is being written any more, or a writer takes long. */
async function writersAreDone(store: Store): Promise<void> {
  const begun = new Set(intents(store));
  for (const until = performance.now() + PATIENCE_MS; performance.now() < until; ) {
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    if (!intents(store).some((name) => begun.has(name))) return;
  }
}

/** The notes of living writers: sends, and acts of several steps. */
function intents(store: Store): string[] {
  const all = [...names(store, "local/pending"), ...names(store, "local/intents")];
  return all.filter((name) => lifeOf(name.slice(0, name.indexOf("."))) === "alive");
}

/** Tells of a path whether it belongs to what a living writer has begun. */
function beingWritten(store: Store): ((path: string) => boolean)[] {
  return intents(store).flatMap((name) =>
    name.split(".").flatMap((word) => {
      const key: MessageKey | null = parseMessageId(word);
      if (key !== null) return [(path: string) => path.includes(word) || path === messagePath(key)];
      return /^(task|review)-/.test(word) ? [(path: string) => path.includes(word)] : [];
    }),
  );
}
