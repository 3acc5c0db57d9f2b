/**
 * fast-check for the tests: with `npm test` it draws the same examples each time, so that a red run is the fault of a
 * change; the full run draws others each time, and prints the seed of what it finds.
 */
import fc from "fast-check";
import { FULL } from "./counts.ts";

/** Number of tries of a law: `full` with the full counts, else a hundredth of it, but 20 to 100. */
export const runs = (full: number): number => (FULL ? full : Math.min(100, Math.max(20, Math.round(full / 100))));

fc.configureGlobal({ ...fc.readConfigureGlobal(), numRuns: runs(3_000), ...(FULL ? {} : { seed: 20_260_131 }) });

/** Any character, half ones too; fast-check's own takes a second to make in each process. */
export const character = fc.nat(0x10ffff).map((code) => String.fromCodePoint(code));

export { fc };
