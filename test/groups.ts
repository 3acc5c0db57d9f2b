/**
 * The groups of the tests. `npm test` runs every operation on every surface once, and one scene of each kind of crash, hostile push, wake,
 * dialog and merge; `npm run test:long` runs what shows the same in breadth and takes long. A new file outside of the slow folders is in
 * `npm test`; one in them is in `test:long` until it is named here.
 */

import { FULL } from "./rig/counts.ts";

/** Folders of tests that start many processes, or a browser. */
const SLOW = ["surfaces", "torture", "hostile", "dashboard"];

/** Files of the slow folders that `npm test` runs all the same. */
const SCENES = [
  // Every operation as a command and as a tool, and what each prints and refuses.
  "surfaces/command/{archive,board-command,columns,command,first-hour,forget,home,typing,waiting}",
  "surfaces/server/*",
  "surfaces/check/{check,check-dispatches,check-floods,doctor-office}",
  // One scene of each kind.
  "surfaces/sync/{by-itself,calm,in-tree,network,past,processes,record,remote,sync,sync-meanwhile,undo}",
  "surfaces/pager/{asking,exec,office,pager,recorder,standing,taken}",
  "surfaces/office/{conversations,office-command,team-tools,trust}",
  "surfaces/runner/{programs,silence}",
  "surfaces/setup/{hooks,setup,up-setup}",
  "torture/faults/names",
  "hostile/told",
  "dashboard/{attacks,diff,pages,reader,size}",
].map((name) => `test/${name}.test.ts`);

/** Files that show by great numbers alone: they run with the full counts, by `npm run test:torture`. */
const SOAKS = ["torture/{clocks,soak,tmux}"].map((name) => `test/${name}.test.ts`);

/** Files of the real programs that show more than one scene of each: `npm run test:agents -- --all` runs them too. */
const BREADTH = ["office", "usage"].map((name) => `test/agents/${name}.test.ts`);
/** The group of the real programs of agents, from npm: `npm run test:agents`. */
export const AGENTS = { include: ["test/agents/**/*.test.ts"], exclude: process.env["RELAY_AGENTS_ALL"] === undefined ? BREADTH : [] };
/** The group of `npm test`. */
export const FAST = { include: [`test/!(${SLOW.join("|")}|agents)/**/*.test.ts`, ...SCENES], exclude: [] as string[] };
/** The group of `npm run test:long`. */
export const LONG = { include: [`test/{${SLOW.join(",")}}/**/*.test.ts`], exclude: [...SCENES, ...(FULL ? [] : SOAKS)] };
