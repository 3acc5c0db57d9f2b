/**
 * The guard: which pushed files a clone writes. Absence is never a deletion, and a file that is written once stays, whoever
 * says otherwise: a fast-forward is a merge like any other.
 *
 * Pure. `guard(b, x) = x` for every x that operations of Relay made of b, `guard(b, guard(b, x)) = guard(b, x)`.
 * spec/git.md, "Guard".
 */
import { CONFIG_PATH } from "../../core/config/config-schema.ts";
import { append } from "../../core/format/append.ts";
import type { Digest } from "../../core/format/id.ts";
import {
  type BlobId,
  besideOf,
  isKept,
  type Job,
  keptPath,
  type Outcome,
  type Outcomes,
  type Plan,
  planOf,
  type ReadBlob,
  type Tree,
} from "../../core/noun/merge-tree.ts";
import { isBroken, isTooLarge } from "../../core/tree/broken.ts";
import { isReadableAt, nounAt } from "../../core/tree/layout.ts";
import { guardClass } from "../../core/tree/record.ts";
import { type InInbox, locateInInbox } from "../../mail/nouns/in-inbox.ts";
import { messagePath } from "../../mail/nouns/message.ts";
import { claimJobs } from "./guard-claims.ts";
import { hasAck, isSaidGone, movedMail, namesIn } from "./merge-absent.ts";
import { archivedSince } from "./merge-archive.ts";
import { boardTask } from "./merge-claims.ts";

/** Says which of two contents of a file that is written once stands. @param was the one that this clone has @param is the one that came */
export type Stands = (path: string, was: BlobId, is: BlobId) => BlobId;

/** What a clone makes of a tree that came. */
export interface Guarded {
  /** What each path holds that is otherwise in the tree that came. */
  outcomes: Outcomes;
  /** Paths that were gone, and are back; of what gave way to other bytes the path beside its name. */
  back: string[];
  /** Paths whose bytes were changed and are as they were, or have again what they lost. */
  held: string[];
}

/**
 * Plans how to guard a tree against another that came in its place.
 * @param before what this clone had
 * @param now what came
 * @param stands of a file that is written once; without it what this clone has
 * @param digest proves what an archive says; null where no archive is believed
 */
export function planGuard(before: Tree, now: Tree, stands: Stands = (_path, was) => was, digest: Digest | null = null): Plan<Guarded> {
  const analysis = analysed(before, now, stands, digest);
  return planOf(analysis.jobs, (decided) => guarded(before, now, analysis, decided));
}

function guarded(before: Tree, now: Tree, { decided: byName }: Analysis, byReading: Outcomes): Guarded {
  const decided = new Map([...byName, ...byReading]);
  for (const [path, outcome] of decided)
    if ("absent" in outcome ? !now.has(path) : "take" in outcome && now.get(path) === outcome.take) decided.delete(path);
  makeRoom(now, decided);
  // What gave way lawfully, and does not lie beside its name, is restored there.
  const isBack = (path: string): boolean => isKept(path) && !now.has(path) && !decided.has(besideOf(path));
  const changed = [...decided.keys()].filter((path) => before.has(path) || isBack(path));
  return { outcomes: decided, back: changed.filter((path) => !now.has(path)).sort(), held: changed.filter((path) => now.has(path)).sort() };
}

interface Analysis {
  decided: Outcomes;
  jobs: Job[];
}

function analysed(before: Tree, now: Tree, stands: Stands, digest: Digest | null): Analysis {
  const decided: Outcomes = new Map();
  const jobs: Job[] = [];
  const claims: string[] = [];
  const mail: { path: string; id: BlobId }[] = [];
  const differing = [...before].filter(([path, was]) => now.get(path) !== was);
  for (const [path, was] of differing) {
    const is = now.get(path);
    const kind = guardClass(path);
    if (kind === "stranger" || kind === "attempt") continue;
    if (kind !== "kept" && boardTask(path) !== null) claims.push(path);
    else if (is !== undefined) {
      if (kind === "kept") jobs.push(keptJob(path, was, is, (other) => before.has(other) || now.has(other)));
      else if (kind === "once") for (const outcome of onceOutcomes(path, was, is, stands)) decided.set(...outcome);
      else decided.set(path, messageBytes(path, was, before, now));
    } else if (locateInInbox(path) !== null) mail.push({ path, id: was });
    else if (!isSaidGone(path, was, now, before)) decided.set(path, { take: was });
    else if (kind === "once" && now.get(keptPath(path, was)) === was) jobs.push(besideJob(path, was, digest ?? NO_DIGEST));
  }
  const gone = mail.filter(({ path, id }) => !isAcked(path, id, before, now) && !isSaidGone(path, id, now, before));
  if (gone.length > 0) jobs.push(mailJob(gone, before, now));
  if (claims.length > 0) append(jobs, claimJobs(claims, before, now, stands));
  // Last: what an archive holds needs no other reason to be gone.
  append(jobs, archivedSince(before, now, digest));
  return { decided, jobs };
}

/** What lies beside its name is gone from it only where it cannot be read: whoever pushes can lay a copy there. */
const besideJob = (path: string, was: BlobId, digest: Digest): Job => ({
  needs: [was],
  run: (read) => (isBroken(path, read(was), digest) ? new Map() : new Map([[path, { take: was }]])),
});
const NO_DIGEST: Digest = () => "";

/** Whether an unread name is gone because its part acked the message: the ack counts also where what came has lost it. */
function isAcked(path: string, id: BlobId, before: Tree, now: Tree): boolean {
  const mail = locateInInbox(path) as InInbox;
  return mail.unread && [before, now].some((tree) => hasAck(tree, mail.part, mail, id));
}

/** A name in an inbox is its message once more. */
function messageBytes(path: string, was: BlobId, before: Tree, now: Tree): Outcome {
  const source = messagePath((locateInInbox(path) as InInbox).key);
  return { take: before.get(source) ?? now.get(source) ?? was };
}

/** What was written once stays; the other content is beside. */
function onceOutcomes(path: string, was: BlobId, is: BlobId, stands: Stands): Outcomes {
  const stays = stands(path, was, is);
  const givesWay = stays === was ? is : was;
  return new Map([
    [path, { take: stays }],
    ...(locateInInbox(path) === null ? [[keptPath(path, givesWay), { take: givesWay }] as const] : []),
  ]);
}

function keptJob(path: string, was: BlobId, is: BlobId, has: (path: string) => boolean): Job {
  return {
    needs: [was, is],
    run(read) {
      const now = read(is);
      const kept = guardText(path, read(was), now, has);
      if (kept === "now") return new Map();
      if (kept !== "before") return new Map([[path, { content: kept.text }]]);
      // An emptied file has nothing that could lie beside.
      const beside = now?.trim() === "" ? [] : [[keptPath(path, is), { take: is }] as const];
      return new Map<string, Outcome>([[path, { take: was }], ...beside]);
    },
  };
}

/** Mail that is gone comes back, but for what lies under the name that its part has now: twice rather than with nobody. */
function mailJob(gone: readonly { path: string; id: BlobId }[], before: Tree, now: Tree): Job {
  const configs = [now, before].flatMap((tree) => tree.get(CONFIG_PATH) ?? []);
  return {
    needs: configs,
    run(read: ReadBlob) {
      const names = configs.map((id) => namesIn(read(id))).find((known) => known !== null) ?? null;
      const isMoved = movedMail(now, before, names, "none");
      return new Map(gone.flatMap(({ path, id }) => (isMoved(path, id) ? [] : [[path, { take: id }] as const])));
    },
  };
}

/** What comes back finds its place: a file where it needs a folder lies beside, and what lies where it was is gone. */
function makeRoom(now: Tree, decided: Outcomes): void {
  const back = [...decided].filter(([path, outcome]) => !("absent" in outcome) && !now.has(path)).map(([path]) => path);
  if (back.length === 0) return;
  const folders = new Set(back);
  for (const path of back) {
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
      const folder = path.slice(0, at);
      const id = now.get(folder);
      if (id === undefined || decided.has(folder)) continue;
      decided.set(folder, { absent: true });
      decided.set(keptPath(folder, id), { take: id });
    }
  }
  let [last, isUnder] = ["", false];
  for (const path of now.keys()) {
    // Trees are listed in order, so that what is in one folder is asked once.
    const folder = path.slice(0, Math.max(0, path.lastIndexOf("/")));
    if (folder !== last) [last, isUnder] = [folder, foldersOf(folder).some((each) => folders.has(each))];
    if (isUnder) decided.set(path, { absent: true });
  }
}

/** A folder and those that it is in. */
const foldersOf = (folder: string): string[] => folder.split("/").map((_, at, names) => names.slice(0, at + 1).join("/"));

/**
 * What is kept of a file that was changed: the text as it is, the same with what it must not lose, or the text before where the
 * new one cannot be read, or is larger than any that is checked out.
 * @param before the text that this clone had; null where it is no text
 * @param now the text that came; null where it is no text
 * @param has whether there is a file that the text may speak of
 */
export function guardText(
  path: string,
  before: string | null,
  now: string | null,
  has: (path: string) => boolean = () => true,
): "before" | "now" | { text: string } {
  if (before === null || isOverLimit(path, before)) return "now";
  if (now === null || isOverLimit(path, now) || (now.trim() === "" && before.trim() !== "")) return "before";
  const { noun, place } = nounAt(path) ?? {};
  if (!isReadableAt(path, before)) return "now";
  if (!isReadableAt(path, now)) return "before";
  const text = noun?.edits?.joined?.(before, now, place, has) ?? null;
  return text === null ? "now" : { text };
}

/** Whether no clone checks a text out, because of its size. Of relay.yml its last good text counts. */
const isOverLimit = (path: string, text: string): boolean => path !== CONFIG_PATH && isTooLarge(path, text);
