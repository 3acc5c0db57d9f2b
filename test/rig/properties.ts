/**
 * fast-check for the tests: with `npm test` it draws the same examples each time, so that a red run is the fault of a
 * change; the full run draws others each time, and prints the seed of what it finds.
 */
import fc from "fast-check";
import { FULL } from "./counts.ts";

if (!FULL) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 20_260_131 });

export { fc };
