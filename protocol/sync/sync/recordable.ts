/** Which changes of a home Relay commits, and how it reports the others. spec/git.md, "Recording". */

import { GUIDE_PATH } from "../../core/config/config-nouns.ts";
import { CONFIG_PATH } from "../../core/config/config-schema.ts";
import { append } from "../../core/format/append.ts";
import { packageWith } from "../../core/package.ts";
import type { FileFault } from "../../core/refusal.ts";
import { arrivalOf, isLayout } from "../../core/tree/layout.ts";
import { hasOddName, isPlainMode, isShared, PLAIN_MODE } from "../../core/tree/record.ts";
import type { World } from "../../core/world.ts";
import type { Change } from "../../git/git-changes.ts";

/** What becomes of the changes of a home. */
interface Sorted {
  /** What is recorded. */
  keep: Change[];
  /** What is left as the last record has it: links, repositories, what is one machine's, what the layout does not know. */
  leave: Change[];
  /** Of what is left: what the record has, and the home need not. */
  carried: string[];
  problems: FileFault[];
}

/** Sorts the changes of a home. */
export function sorted(staged: readonly Change[]): Sorted {
  const result: Sorted = { keep: [], leave: [], carried: [], problems: [] };
  const odd: string[] = [];
  for (const change of staged) {
    const { path, before, after, mode, oldMode = "" } = change;
    const [wasFile, isFile] = [before !== null && isPlainMode(oldMode), after !== null && isPlainMode(mode)];
    const isOurs = path === GUIDE_PATH ? before === null || after === null : isLayout(path);
    if (isOurs && (isFile || (after === null && wasFile))) result.keep.push(change);
    else {
      const stays = wasFile && arrivalOf({ path, mode: oldMode }) !== "attempt" ? before : null;
      result.leave.push({ ...change, before: stays });
      if (stays !== null && !isLayout(path)) result.carried.push(path);
      if (after !== null && path !== GUIDE_PATH) odd.push(path);
    }
  }
  append(result.problems, problemsOf([], odd));
  return result;
}

/** So many strangers are named one by one. */
const NAMED = 5;

/** What to say of things that are not recorded; nothing of what belongs to this machine, and of dotted files. */
function faultsOf(paths: readonly string[]): FileFault[] {
  const shared = paths.filter((path) => isShared(path) && !/(^|\/)\./.test(path));
  const strangers = shared.filter((path) => !isLayout(path));
  const others = strangers.length - NAMED;
  const why = "outside of the layout, so it is not recorded; move it out of the home";
  return [
    ...paths.filter(hasOddName).map((path) => ({ path, problem: "its name is not UTF-8 or has a backslash, so it is not recorded" })),
    ...shared
      .filter(isLayout)
      .map((path) => ({ path, problem: "not a plain file (a link, or a repository of its own), so it is not recorded" })),
    ...strangers.slice(0, NAMED).map((path) => ({ path, problem: why })),
    ...(others > 0
      ? [{ path: strangers[NAMED] as string, problem: `${others === 1 ? "it is" : `it and ${others - 1} more are`} ${why}` }]
      : []),
  ];
}

/** File modes are not recorded: each is that of an ordinary file. @returns what changes but for that, and what is to be set */
export function withoutModes(changes: readonly Change[]): { keep: Change[]; modes: { path: string; id: string }[] } {
  const isOdd = ({ after, mode }: Change): boolean => after !== null && mode !== PLAIN_MODE;
  const keep = changes.filter((change) => !isOdd(change) || change.before !== change.after || change.oldMode !== PLAIN_MODE);
  return { keep, modes: changes.filter(isOdd).map(({ path, after }) => ({ path, id: after as string })) };
}

/**
 * What to say of what could not be staged.
 * @param faults git's words
 * @param left paths that were not taken
 */
export const problemsOf = (faults: readonly string[], left: readonly string[]): FileFault[] => [
  ...faults.map((problem) => ({ path: pathOf(problem), problem })),
  ...faultsOf(left),
];

/** The path that git speaks of. */
const pathOf = (problem: string): string => /"(.+)"/.exec(problem)?.[1] ?? /^(.+): can only add/.exec(problem)?.[1] ?? ".";

/**
 * The changes of a configuration, or of files of agents, that cannot be read any more.
 * @returns `leave` the changes that are not recorded, each named in `problems`
 */
export function spoiledFiles(world: World, changes: readonly Change[]): { leave: Change[]; problems: FileFault[] } {
  const spoiled = changes.flatMap((change) => {
    const fault = spoiledBy(world, change);
    return fault === null
      ? []
      : [{ change, problem: { path: change.path, line: fault.line, problem: `${fault.problem}; it is not recorded` } }];
  });
  return { leave: spoiled.map(({ change }) => change), problems: spoiled.map(({ problem }) => problem) };
}

function spoiledBy(world: World, { path, before, after }: Change): FileFault | null {
  if (path === CONFIG_PATH) {
    const fault = world.home().configFault();
    // One that is gone comes back as other files do.
    return fault?.code === "no_home" ? null : fault;
  }
  // Of a file that is new there is nothing to keep.
  return before !== null && after !== null ? packageWith("teamFault").teamFault(world.home().store, path) : null;
}
