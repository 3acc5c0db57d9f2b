/**
 * The groups of the tests. `npm test` runs every file that is in neither list: each operation on each surface once, and one scene of
 * each kind of crash, hostile push, wake, dialog and merge. A file belongs to `LONG` where it shows the same in breadth and takes long.
 */

/** What `npm run test:long` runs: surfaces in breadth, hostile plays, samples of torture, the page in a browser. */
export const LONG: readonly string[] = ["test/torture/**/*.test.ts", "test/hostile/**/*.test.ts", "test/dashboard/**/*.test.ts"];

/** What `npm run test:agents` runs: the real programs of agents, from npm. */
export const AGENTS: readonly string[] = ["test/agents/**/*.test.ts"];
