/**
 * The groups of the tests. `npm test` runs every operation on every surface once, and one scene of each kind of crash, hostile push, wake,
 * dialog and merge; `npm run test:long` runs what shows the same in breadth and takes long. A file is in
 * `npm test`, but for those in a folder `long/`, and in the slow folders those that are not named here.
 */

import { FULL } from "./rig/counts.ts";

/** Folders of tests that start many processes, or a browser. */
const SLOW = ["torture", "hostile", "dashboard"];

/** Files of the slow folders that `npm test` runs all the same. */
const SCENES = ["torture/faults/names", "hostile/told", "dashboard/{attacks,diff,pages,reader}"].map((name) => `test/${name}.test.ts`);

/** Files that show by great numbers alone: they run with the full counts, by `npm run test:torture`. */
const SOAKS = ["torture/{clocks,soak,tmux}"].map((name) => `test/${name}.test.ts`);

/** Files of the real programs that show more than one scene of each: `npm run test:agents -- --all` runs them too. */
const BREADTH = ["office", "usage", "wait"].map((name) => `test/agents/${name}.test.ts`);
/** The group of the real programs of agents, from npm: `npm run test:agents`. */
export const AGENTS = { include: ["test/agents/**/*.test.ts"], exclude: process.env["RELAY_AGENTS_ALL"] === undefined ? BREADTH : [] };
/** The group of `npm test`. */
export const FAST = { include: [`test/!(${SLOW.join("|")}|agents)/**/*.test.ts`, ...SCENES], exclude: ["test/*/long/**"] };
/** The group of `npm run test:long`. */
export const LONG = { include: [`test/{${SLOW.join(",")},*/long}/**/*.test.ts`], exclude: [...SCENES, ...(FULL ? [] : SOAKS)] };
