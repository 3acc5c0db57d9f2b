/** The thread that reads messages for the check of a large home (`read-ahead.ts`). */
import { type MessagePort, workerData } from "node:worker_threads";
import { storeAt } from "../../store/root.ts";
import { recipientsOfSound } from "./sound-message.ts";
import { noteSeen, type Taken, take } from "./taken-batches.ts";

/** What the thread is given when it begins. */
export interface ThreadGiven {
  /** The absolute real path of the home. */
  root: string;
  /** Where batches come from, and answers go to. */
  port: MessagePort;
  taken: Taken;
}

/** Files to read: their number among the batches, their paths in the home, and their sizes in bytes. */
export interface Batch {
  at: number;
  paths: string[];
  sizes: number[];
}

/** Of each file of a batch who it is to, a name a line; null of one that is not sound. */
export interface Answer {
  at: number;
  to: (string | null)[];
}

const { root, port, taken } = workerData as ThreadGiven;
const store = storeAt(root);

port.on("message", ({ at, paths, sizes }: Batch) => {
  if (take(taken, at)) {
    const to = paths.map((path, each) => recipientsOfSound(store, path, sizes[each] as number)?.join("\n") ?? null);
    port.postMessage({ at, to } satisfies Answer);
  }
  noteSeen(taken);
});
