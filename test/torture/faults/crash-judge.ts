/** What must hold of each state that a loss of power leaves: what holds of every command, and what became of this one. */
import { operations } from "../../../protocol/index.ts";
import { type Answer, ask, isHome } from "../../history/verdict.ts";
import { type State, statesOf } from "../../rig/crash/states.ts";
import type { Call } from "../../rig/crash/trace.ts";
import { diskBefore, type Files, lookAgain, lookAt, type Scene, wholeOf } from "./crash-scene.ts";
import { doAgain, expectHealthy, verdictOf } from "./writing.ts";

/** What a scene came to. */
export interface Judged {
  /** States that were laid out and looked at. */
  states: number;
  /** Homes that the first look left, each counted once: the longer questions are asked of these. */
  kinds: number;
  violations: string[];
}

/**
 * Lays out every state of a scene, looks, and asks what must hold.
 * @param calls those recorded, or what a planted fault made of them
 * @param options.states at the most so many states, evenly from all
 * @param options.enough after so many violations it ends
 */
export async function judge(scene: Scene, calls: readonly Call[], options: { states?: number; enough?: number } = {}): Promise<Judged> {
  const { states: most = Number.POSITIVE_INFINITY, enough = Number.POSITIVE_INFINITY } = options;
  const disk = diskBefore(scene);
  const all = statesOf(disk, calls);
  const ends = { after: await lookAt(scene, wholeOf(disk)), before: await lookAt(scene, scene.before) };
  const known = await complaints(scene);
  const seen = new Set<string>();
  const violations: string[] = [];
  const step = Math.max(1, Math.ceil(all.length / most));
  // What was answered promises most, and is asked first.
  const states = all.toReversed().filter((_, at) => at % step === 0);
  for (const state of states) {
    try {
      const files = await lookAt(scene, state.laid);
      const kind = JSON.stringify([state.answers, [...files].sort()]);
      if (seen.has(kind)) continue;
      seen.add(kind);
      await judgeKind(scene, state, files, ends, known);
    } catch (error) {
      violations.push(shortened(scene, `${scene.name}: ${(error as Error).message}\n   ${state.words}`));
      if (violations.length >= enough) break;
    }
  }
  return { states: states.length, kinds: seen.size, violations };
}

const shortened = ({ at, roots }: Scene, words: string): string =>
  roots.reduce((text, root) => text.replaceAll(root, ""), words).replaceAll(at.threadId || "no thread", "THREAD");

const fail = (words: string): never => {
  throw new Error(words);
};

/** The home before the command, and after it, each with one look. */
interface Ends {
  before: Files;
  after: Files;
}

/** What holds of a home after its first look. */
async function judgeKind(scene: Scene, { answers }: State, files: Files, ends: Ends, known: ReadonlySet<string>): Promise<void> {
  const { writing, at } = scene;
  const { folder } = at;
  const answered = answers > 0;
  neverHalf(files, ends, answered);
  if (answered || isHome(folder)) {
    const verdict = await verdictOf(writing, folder, at);
    if (answered && verdict !== "whole") fail(`answered, and ${verdict}`);
    if (verdict === "begun" && writing.inSteps !== true) fail("half of it is there");
    sameFiles(await lookAgain(folder), await lookAgain(folder));
    for (const complaint of await complaints(scene)) if (!known.has(complaint)) fail(`after a look: ${complaint}`);
  }
  await doAgain(writing, folder, at);
  const again = await verdictOf(writing, folder, at);
  if (again !== "whole") fail(`done again, and ${again}`);
  await expectHealthy(folder);
}

/** Each file is as it was before, or as it is after; once answered, as it is after. What one machine keeps for itself is judged by what comes of it. */
function neverHalf(files: Files, { before, after }: Ends, answered: boolean): void {
  for (const path of new Set([...before.keys(), ...after.keys(), ...files.keys()])) {
    const now = files.get(path);
    if (path.startsWith("local/") || now === after.get(path)) continue;
    if (now !== before.get(path)) fail(`half: ${path} is ${told(now)}`);
    // A name that was removed may come back, where nothing is said by it; what is unread says something.
    if (answered && (after.has(path) || isUnread(path, files))) fail(`answered, and ${path} is ${told(now)}`);
  }
}

/** Whether a path is that of an unread message, and no name says that it was acked. */
function isUnread(path: string, files: Files): boolean {
  const [, inbox, name] = /^(inbox\/.+)\/new\/([^/]+)$/.exec(path) ?? [];
  return inbox !== undefined && ![...files.keys()].some((at) => at.startsWith(`${inbox}/read/`) && at.endsWith(`/${name}`));
}

const told = (text: string | undefined): string => (text === undefined ? "gone" : JSON.stringify(text.slice(0, 200)));

function sameFiles(one: Files, other: Files): void {
  for (const path of new Set([...one.keys(), ...other.keys()]))
    if (one.get(path) !== other.get(path)) fail(`a second look makes of ${path} ${told(other.get(path))}, it was ${told(one.get(path))}`);
}

/** What `check` and `doctor` say of a home, but for what `doctor` only notes or can mend by itself. */
async function complaints({ at: { folder } }: Scene): Promise<Set<string>> {
  if (!isHome(folder)) return new Set();
  const checked = await ask(folder, operations.check);
  const examined = await ask(folder, operations.doctor);
  return new Set<string>([
    ...checked.findings.map(({ code, path, problem }: Answer) => `check: ${code} ${path}: ${problem}`),
    ...examined.findings
      .filter(({ severity, fixable }: Answer) => severity !== "note" && !fixable)
      .map(({ code, path, problem }: Answer) => `doctor: ${code} ${path}: ${problem}`),
  ]);
}
