/** Which batches of messages are taken, as two threads know it. Both may read a batch, and nothing is wrong then; so that neither does it in vain, each takes it first. */

/** So many batches are shared at the most; what comes after them is read by the check alone. */
export const MOST_BATCHES = 16_384;

/** How many batches the thread has seen, and of each whether somebody took it. */
export type Taken = Int32Array<SharedArrayBuffer>;

/** Of no batch yet. */
export const noneTaken = (): Taken => new Int32Array(new SharedArrayBuffer(4 * (1 + MOST_BATCHES)));

/** Takes a batch; false where the other thread has it. @param at its number, from 0 */
export const take = (taken: Taken, at: number): boolean => Atomics.compareExchange(taken, 1 + at, 0, 1) === 0;

/** How many batches the thread has seen: it answered them, or found them taken. */
export const seenCount = (taken: Taken): number => Atomics.load(taken, 0);

/** Notes one more that the thread has seen; its answer was posted before. */
export function noteSeen(taken: Taken): void {
  Atomics.add(taken, 0, 1);
  Atomics.notify(taken, 0);
}

/** Waits until the thread has seen one more, or for so long. @param known how many it had seen @returns false where it did not */
export const waitForSeen = (taken: Taken, known: number, mostMs: number): boolean => Atomics.wait(taken, 0, known, mostMs) !== "timed-out";
