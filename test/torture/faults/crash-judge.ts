/** What must hold of each state that a loss of power leaves: what holds of every command, and what became of this one. */

import { operations } from "../../../protocol/index.ts";
import { forgetLists } from "../../../protocol/trust/files/note-origins.ts";
import { type Answer, ask, isHome } from "../../history/verdict.ts";
import { type State, statesOf } from "../../rig/crash/states.ts";
import type { Call } from "../../rig/crash/trace.ts";
import { brokenIn, diskBefore, endsOf, type Files, gitSays, lookAgain, lookAt, type Scene } from "./crash-scene.ts";
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
  const ends = await endsOf(scene, calls);
  await lookAt(scene, scene.before);
  const known = await complaints(scene);
  const all = statesOf(diskBefore(scene), calls);
  const [seen, asked] = [new Set<string>(), new Set<string>()];
  const violations: string[] = [];
  const alike = namelessBeside(ends);
  const step = Math.max(1, Math.ceil(all.length / most));
  // What was answered promises most, and is asked first.
  const states = all.toReversed().filter((_, at) => at % step === 0);
  for (const state of states) {
    try {
      forgetLists();
      const files = await lookAt(scene, state.laid);
      const said = scene.writing?.git === true ? gitSays(scene) : "";
      const isCut = scene.writing?.resumes === true && state.answers === 0;
      if (brokenIn(said) !== "" && !isCut) fail(`git says: ${brokenIn(said)}`);
      const kind = JSON.stringify([state.answers, said, [...files].map(([path, text]) => [alike(path), alike(text)]).sort()]);
      if (seen.has(kind)) continue;
      seen.add(kind);
      neverHalf(scene, files, ends, state.answers);
      const sort = JSON.stringify([
        state.answers,
        said,
        ...[...files].map(([path, text]) => [alike(path), alike(sortOf(path, text, ends))]).sort(),
      ]);
      if (asked.has(sort)) continue;
      asked.add(sort);
      await judgeKind(scene, state, known);
    } catch (error) {
      violations.push(shortened(scene, `${scene.name}: ${(error as Error).message}\n   ${state.words}`));
      if (violations.length >= enough) break;
    }
  }
  return { states: states.length, kinds: asked.size, violations };
}

/** Ids of messages, and instants. */
const DRAWN = /\b1[0-9a-z]{24}\b|\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;

/** Homes are alike that differ only in the ids and instants that the look itself drew: those that are in none of the ends. */
function namelessBeside(ends: readonly Files[]): (text: string) => string {
  const known = new Set(ends.flatMap((end) => [...end].flatMap(([path, text]) => `${path}\n${text}`.match(DRAWN) ?? [])));
  return (text) => text.replaceAll(DRAWN, (word) => (known.has(word) ? word : "drawn"));
}

const shortened = ({ at, roots }: Scene, words: string): string =>
  roots.reduce((text, root) => text.replaceAll(root, ""), words).replaceAll(at.threadId || "no thread", "THREAD");

const fail = (words: string): never => {
  throw new Error(words);
};

/** What one machine keeps for itself is of one sort where it is as some answer left it, where it is empty, and where it is else. */
function sortOf(path: string, text: string, ends: readonly Files[]): string {
  if (!path.startsWith("local/")) return text;
  return text === "" ? "empty" : ends.some((end) => end.get(path) === text) ? "known" : "other";
}

/** What holds of a home after its first look. */
async function judgeKind(scene: Scene, { answers }: State, known: ReadonlySet<string>): Promise<void> {
  const { folder } = scene.at;
  if (answers === 0 && !isHome(folder)) return becomesWhole(scene);
  if (answers === 0 && scene.writing?.resumes === true) {
    await becomesWhole(scene);
    if (brokenIn(gitSays(scene)) !== "") fail(`done again, and git says: ${brokenIn(gitSays(scene))}`);
    return expectNothingNew(scene, known);
  }
  if (scene.writing !== null) {
    const verdict = await verdictOf(scene.writing, folder, scene.at);
    if (answers > 0 && verdict !== "whole") fail(`answered, and ${verdict}`);
    if (verdict === "begun" && scene.writing.inSteps !== true) fail("half of it is there");
  }
  sameFiles(await lookAgain(scene), await lookAgain(scene));
  await expectNothingNew(scene, known);
  await becomesWhole(scene);
}

async function expectNothingNew(scene: Scene, known: ReadonlySet<string>): Promise<void> {
  for (const complaint of await complaints(scene)) if (!known.has(complaint)) fail(`after a look: ${complaint}`);
}

/** Done again, it is done once. */
async function becomesWhole({ writing, at }: Scene): Promise<void> {
  if (writing !== null) {
    await doAgain(writing, at.folder, at);
    const again = await verdictOf(writing, at.folder, at);
    if (again !== "whole") fail(`done again, and ${again}`);
  }
  await expectHealthy(at.folder);
}

/**
 * Each file is as the last answer left it, or as the next one will. What one machine keeps for itself is judged by what comes of it.
 * A name that was removed may come back, where nothing is said by it; what is unread says something.
 */
function neverHalf({ writing }: Scene, files: Files, ends: readonly Files[], answers: number): void {
  const [last, next] = [ends[answers] as Files, ends[answers + 1] ?? (ends[answers] as Files)];
  for (const path of new Set([...ends.flatMap((end) => [...end.keys()]), ...files.keys()])) {
    const now = files.get(path);
    if (path.startsWith("local/") || now === last.get(path) || now === next.get(path)) continue;
    // A log's last line may be torn (R-EVENT-1): its writer was not answered, and who reads it passes over half a line.
    if (LOG.test(path) && (now ?? "").startsWith(last.get(path) ?? "")) continue;
    // A writer that answered nobody may leave a staged content (R-ART-3); and the one that finishes for it sends under its own id (R-REV-3).
    if (answers === 0 && HALF_MADE.test(path)) continue;
    if (answers === 0 && writing?.tells === true && MAIL.test(path) && !ends.some((end) => end.has(path))) continue;
    const isBack = !last.has(path) && ends.slice(0, answers).some((end) => end.get(path) === now);
    if (!isBack || isUnread(path, files)) fail(`after ${answers} answers ${path} is ${told(now)}`);
  }
}

/** A file to which each writer adds a line at its end. */
const LOG = /^(events|usage)\/.*\.jsonl$/;

/** A content that was written before its commit. */
const HALF_MADE = /^sessions\/[^/]+\/artifacts\/[^/]+\/\.staged-[^/]+$/;
/** What a message is made of. */
const MAIL = /^(threads\/.*|inbox\/.*\/new\/[^/]+)\.md$/;

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
    // A summary is for people to write.
    ...checked.findings
      .filter(({ code }: Answer) => !code.startsWith("summary_"))
      .map(({ code, path, problem }: Answer) => `check: ${code} ${path}: ${problem}`),
    ...examined.findings
      .filter(({ severity, fixable }: Answer) => severity !== "note" && !fixable)
      .map(({ code, path, problem }: Answer) => `doctor: ${code} ${path}: ${problem}`),
  ]);
}
