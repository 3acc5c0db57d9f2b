/** What of a home's changes goes into a record, and what is said of the rest. SPEC.md, "Recording". */
import { hasOddName, isPlainMode, isShared, PLAIN_MODE } from "../objects/record.ts";
import type { FileFault } from "../refusal.ts";
import type { Change } from "../store/git-objects.ts";

/** What of the changes is recorded, and what is left as the last record has it: links, repositories, what is one machine's. */
export function sorted(staged: readonly Change[]): { keep: Change[]; leave: Change[]; problems: FileFault[] } {
  const keep: Change[] = [];
  const leave: Change[] = [];
  const problems: FileFault[] = [];
  for (const change of staged) {
    const { path, before, after, mode, oldMode = "" } = change;
    const [wasFile, isFile] = [before !== null && isPlainMode(oldMode), after !== null && isPlainMode(mode)];
    if (isShared(path) && (isFile || (after === null && wasFile))) keep.push(change);
    else {
      // What is one machine's, a link, or has a name that git has no right spelling for, is in no record.
      leave.push({ ...change, before: isShared(path) && wasFile ? before : null });
      if (after !== null) problems.push(...problemOf(path));
    }
  }
  return { keep, leave, problems };
}

/** What to say of something that is not recorded; nothing of what belongs to this machine. */
function problemOf(path: string): FileFault[] {
  if (hasOddName(path)) return [{ path, problem: "its name is no UTF-8 or has a backslash, so it is not recorded" }];
  return isShared(path) ? [{ path, problem: "not a plain file (a link, or a repository of its own), so it is not recorded" }] : [];
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
export function problemsOf(faults: readonly string[], left: readonly string[]): FileFault[] {
  return [...faults.map((problem) => ({ path: pathOf(problem), problem })), ...left.flatMap(problemOf)];
}

/** The path that git speaks of. */
const pathOf = (problem: string): string => /"(.+)"/.exec(problem)?.[1] ?? /^(.+): can only add/.exec(problem)?.[1] ?? ".";
