/**
 * Acts of several steps, decided by the first: an intent is written before it, so that the next operation finishes what
 * a killed process, or a disk without room, kept from being done. SPEC.md, "Finishing what was begun".
 */

import { type Life, lifeOf, thisProcess } from "../../store/process.ts";
import { ageMs } from "../../store/read/facts.ts";
import { names } from "../../store/read/list-folder.ts";
import { errorCode } from "../../store/root.ts";
import { moveFile, removeFile } from "../../store/write/move-file.ts";
import { afterCommit, publish } from "../../store/write/publish.ts";
import { Refusal } from "../refusal.ts";
import type { World } from "../world.ts";

/** Where what was begun is noted. */
export const INTENTS = "local/intents";
/** What a living process left is finished by another one after this long, once: finishing twice changes nothing. */
const PATIENCE_MS = 10_000;
/**
 * No act takes this long: each call of a remote has its limit. Until then the intent of a process that may live stays, also where it
 * was finished: the decision may still come, and the process may be killed right after it. So it is finished a last time when the
 * process is gone, or the intent is this old.
 */
const LONGEST_MS = 600_000;
/** Stands behind the random word of an intent that was finished for a process that may live. */
const FINISHED = "+";

/** What an act is about: its kind, then ids, none of which has a dot. */
export type Intent =
  | readonly [kind: "claim", session: string, task: string, nonce?: string]
  | readonly [kind: "assign", session: string, task: string, atMs: string]
  | readonly [kind: "review" | "result", session: string, review: string]
  | readonly [kind: "archive", thread: string]
  | readonly [kind: "forget", message: string];

/** What a loss of power may not undo, and no later look would find: the task's chain says by itself what became of a claim. */
const LASTING: ReadonlySet<Intent[0]> = new Set(["review", "result", "archive", "forget"]);

/** How many ids each kind has, at the least and at the most. */
const IDS: Readonly<Record<Intent[0], readonly [number, number]>> = {
  claim: [2, 3],
  assign: [3, 3],
  review: [2, 2],
  result: [2, 2],
  archive: [1, 1],
  forget: [1, 1],
};

/** An intent by the words of its name; null of what another version wrote, which is not ours to finish. */
function readIntent([kind = "", ...ids]: readonly string[]): Intent | null {
  if (!Object.hasOwn(IDS, kind)) return null;
  const [least, most] = IDS[kind as Intent[0]];
  return ids.length >= least && ids.length <= most ? ([kind, ...ids] as unknown as Intent) : null;
}

/** The file that says by its name what is about to be done. */
export interface IntentFile {
  /** Where it lies, as a path in the home. */
  readonly path: string;
  /** Creates it, empty. */
  create(): void;
}

/**
 * Does the deciding step and what follows from it as one act.
 * @param decide gives null where nothing was decided
 * @param follow what fails here for want of room, or of a disk, is done by a later operation: the act is done all the same
 * @returns what `decide` gave
 */
export const commitThenFinish = <T>(
  world: World,
  intent: Intent,
  decide: () => T | null | Promise<T | null>,
  follow: (decided: T) => unknown,
): Promise<T | null> =>
  commitByIntent(
    world,
    intent,
    (file) => {
      file.create();
      return decide();
    },
    follow,
  );

/** The same, for a deciding step that creates the file of the intent itself: it may be what the step publishes. */
export async function commitByIntent<T>(
  world: World,
  intent: Intent,
  decide: (file: IntentFile) => T | null | Promise<T | null>,
  follow: (decided: T) => unknown,
): Promise<T | null> {
  const { store } = world.home();
  const random = world.random(6);
  const pathOf = (word: string): string => `${INTENTS}/${[thisProcess(), word, ...intent].join(".")}`;
  const [path, finished] = [pathOf(random), pathOf(`${random}${FINISHED}`)];
  const remove = (): void => void (removeFile(store, path) || removeFile(store, finished));
  const create = (): void => void publish(LASTING.has(intent[0]) ? store : { ...store, durable: false }, path, "");
  let decided: T | null = null;
  try {
    decided = await decide({ path, create });
    if (decided !== null) await follow(decided);
  } catch (error) {
    if (decided !== null && failsForNow(error)) {
      // Finished before the decision is not finished.
      afterCommit(() => void moveFile(store, finished, path));
      return decided;
    }
    afterCommit(remove);
    throw error;
  }
  afterCommit(remove);
  return decided;
}

/** Whether an error is one of the disk, of a place that leads out of the home, or of somebody's lock, and not of what was to be done. */
export const failsForNow = (error: unknown): boolean =>
  error instanceof Refusal ? error.code === "busy" || error.code === "outside_home" : errorCode(error) !== null;

/**
 * Finishes the acts whose processes are gone, and those of living processes once they are 10 seconds old: one time, and again at their
 * end. An intent that this version does not know stays.
 * @param finish does what follows from an act, if it was decided
 */
export async function finishIntents(world: World, finish: (intent: Intent) => unknown): Promise<void> {
  const { store } = world.home();
  const lives = new Map<string, Life>();
  for (const name of names(store, INTENTS)) {
    const [process = "", random = "", ...words] = name.split(".");
    const intent = readIntent(words);
    if (intent === null) continue;
    const path = `${INTENTS}/${name}`;
    const age = ageMs(store, path) ?? 0;
    const life = lives.get(process) ?? lifeOf(process);
    lives.set(process, life);
    const isLast = life === "gone" || age > LONGEST_MS;
    if (!isLast && (age < PATIENCE_MS || random.endsWith(FINISHED))) continue;
    try {
      await finish(intent);
      if (isLast) removeFile(store, path);
      else moveFile(store, path, `${INTENTS}/${[process, random + FINISHED, ...words].join(".")}`);
    } catch {
      // What somebody broke is named by whoever reads it; what follows is done once it can be.
    }
  }
}
