/** How often the crash and concurrency tests go round: a little with `npm test`, in full with `npm run test:torture`. */

/** Whether the full numbers were asked for. */
export const FULL = process.env["RELAY_TORTURE"] === "1";

/** One of two numbers: for every run of the tests, or for the full one. */
export const count = (reduced: number, full: number): number => (FULL ? full : reduced);

/** Milliseconds after which a test that hangs is given up: the only limit of time in the tests, and none passes because of it. */
export const TIMEOUT_MS = count(600_000, 3_600_000);
