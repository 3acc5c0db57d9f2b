/** What a sync brought: noted as brought, listed in words, and told to the parts that live here. spec/trust.md, "What a push did". */

import { noteBroughtClaim } from "../../board/files/claim-notes.ts";
import { readableClaimAt } from "../../board/files/claims.ts";
import { readReview } from "../../board/files/read-review.ts";
import { claimFolder, claimPath, fenceOf } from "../../board/nouns/claim.ts";
import { addTo, append } from "../../core/format/append.ts";
import { orElse } from "../../core/format/file-error.ts";
import { textOf } from "../../core/noun/merge-tree.ts";
import { type Changed, type HeldBefore, NO_TEXT } from "../../core/noun/noun-effects.ts";
import { nounAt, placeOf } from "../../core/tree/layout.ts";
import type { World } from "../../core/world.ts";
import { readAll, sizesOf } from "../../git/git-blobs.ts";
import type { Change } from "../../git/git-changes.ts";
import { firstCommits } from "../../git/git-history.ts";
import type { Repository } from "../../git/git-run.ts";
import { currentNames } from "../../mail/files/delivery-state.ts";
import { currentName, isMember } from "../../mail/files/members.ts";
import { notify } from "../../mail/files/notices.ts";
import { partsHere } from "../../mail/files/presence.ts";
import { messageKeys, readThread, resolveThread, spokenIn } from "../../mail/files/threads.ts";
import { participantsOf } from "../../mail/nouns/thread.ts";
import { askedBy } from "../../removal/files/forget-message.ts";
import { sha256 } from "../../store/digest.ts";
import { names } from "../../store/read/list-folder.ts";
import { noteBrought, noteComing } from "../../trust/files/note-origins.ts";
import { shortCommit } from "../../trust/nouns/origin.ts";
import { doneTo, type Effect, effectsByPath, effectsOfOne, effectWords, isBegun, saysMore } from "../nouns/push-effect.ts";
import { broughtInName, type InName } from "./sent-in-name.ts";
import { threadsBefore } from "./threads-before.ts";
import type { Arrived } from "./write-file.ts";

/** Longer files than these say nothing that a sync tells. */
const CONTENT_BYTES = 1_048_576;
/** Bytes of contents that are read at a time. */
const BATCH_BYTES = 8_388_608;

/** So many things that one sync did are told, beside acks. */
const TOLD_MOST = 500;

/** What was checked out: from one commit to another. `isOwn` of what was only brought back here, after a commit by hand. */
export interface AppliedMerge {
  from: string;
  to: string;
  changes: readonly Change[];
  isOwn: boolean;
}

/**
 * Notes where everything came from that was just checked out, and tells the parts that live here what was done to them.
 * @param commitAt gives the commit that brought a change
 * @returns what was done, a sentence each, and the commits that did something to a part that lives here
 */
export async function notePush(
  world: World,
  repository: Repository,
  { from, to, changes, isOwn }: AppliedMerge,
  commitAt: (change: Change) => string,
): Promise<Pick<Arrived, "did" | "toUndo">> {
  if (changes.length === 0) return { did: [], toUndo: [] };
  const brought = isOwn ? [] : changes.filter(isOfContent);
  const commitOf = new Map(brought.map((change) => [change.path, commitAt(change)]));
  // Mail of a part that was renamed goes along with it.
  const all = (await effectsIn(repository, from, brought)).filter((effect) => effect.kind !== "moved" || isMember(world, effect.part));
  noteBrought(world, marked(brought, all, commitOf));
  noteClaims(world, brought);
  // Acks are counted; of all else a flood is told by its beginning.
  const left = new Set(all.filter(({ kind }) => kind !== "acked" && kind !== "moved").slice(TOLD_MOST));
  const effects = all.filter((effect) => !left.has(effect));
  const heldBefore = heldBeforeIn(world);
  const sentences = inWords(effects, commitOf, heldBefore);
  if (left.size > 0) sentences.push(`and ${left.size} more`);
  const inName = await broughtInName(repository, { from, to }, brought, commitOf);
  const toUndo = new Set<string>();
  for (const part of partsHere(world))
    for (const { path, kind } of tellPart(world, part, { to, effects, commitOf, heldBefore, inName }))
      if (!NEWS.includes(kind)) toUndo.add(commitOf.get(path) as string);
  return { did: [...inName.map(({ words }) => words), ...sentences], toUndo: [...toUndo] };
}

/** What a part is told of that anybody may do on any day, or that another command answers. */
const NEWS: readonly Effect["kind"][] = ["closed", "opened", "ended", "resumed", "forgotten"];

/** Notes the claims that came. */
function noteClaims(world: World, changes: readonly Change[]): void {
  for (const { path, after } of changes) {
    const at = after === null ? null : placeOf(path);
    const record = at?.kind === "claim" ? readableClaimAt(world, at.session, at.task, at.fence) : null;
    if (at?.kind === "claim" && record !== null) noteBroughtClaim(world, at.session, record);
  }
}

/**
 * Says which commit brought a change.
 * @param isOwn whether nothing came, so that it is asked of none
 */
export async function bringers(
  repository: Repository,
  { from, to, isOwn }: Omit<AppliedMerge, "changes">,
): Promise<(change: Change) => string> {
  const first = isOwn ? () => null : await firstCommits(repository, from, to);
  return ({ path, before, after }) => first(path, after ?? before ?? "") ?? to;
}

/** Whether it is said of a file where it came from: of all that is read but the names of unread mail. */
const isMarked = ({ path, after }: Change): boolean => {
  const kind = placeOf(path)?.kind;
  return after !== null && kind !== undefined && !["unread", "ignored", "machine", "events", "usage"].includes(kind);
};

/** Notes where files come from that are written once, before they are checked out: whatever ends that, none looks as if it was written here. */
export function noteWrittenOnce(world: World, changes: readonly Change[], commitAt: (change: Change) => string): void {
  const once = changes.filter((change) => isMarked(change) && nounAt(change.path)?.noun.isEdited !== true);
  noteComing(
    world,
    once.map((change) => ({ path: change.path, commit: commitAt(change) })),
  );
}

/** What is marked as brought once it is checked out: of what is edited, what is new and what a push did to the others. */
function marked(
  changes: readonly Change[],
  effects: readonly Effect[],
  commitOf: ReadonlyMap<string, string>,
): { path: string; commit: string }[] {
  const done = new Set(effects.map(({ path }) => path));
  return changes.flatMap((change) => {
    const { path, before } = change;
    const { noun, place } = nounAt(path) ?? {};
    if (!isMarked(change) || noun?.isEdited !== true) return [];
    const kind = place?.kind;
    const isEdited = before !== null && (kind === "task" || kind === "thread" || kind === "config");
    return isEdited && !done.has(path) ? [] : [{ path, commit: commitOf.get(path) as string }];
  });
}

/** Whether a file says something else; a mode alone is never checked out. */
const isOfContent = ({ before, after }: Change): boolean => before !== after;

/** What changes did, read a part at a time: however much came, little of it is in memory at once. @param from as for `contentsOf` */
async function effectsIn(repository: Repository, from: string, changes: readonly Change[]): Promise<Effect[]> {
  const { own, moved } = effectsByPath(changes);
  const idsOf = (change: Change): string[] => (saysMore(change.path) ? [change.before, change.after].filter((id) => id !== null) : []);
  const sizes = await sizesOf(repository, [...new Set(own.flatMap(idsOf))]);
  const effects: Effect[] = [];
  let batch: Change[] = [];
  let held = 0;
  const look = async (): Promise<void> => {
    for (const change of await contentsOf(repository, from, batch)) append(effects, effectsOfOne(change, sha256));
    [batch, held] = [[], 0];
  };
  for (const change of own) {
    const bytes = idsOf(change).reduce((sum, id) => sum + (sizes.get(id) as number), 0);
    if (batch.length > 0 && held + bytes > BATCH_BYTES) await look();
    batch.push(change);
    held += bytes;
  }
  if (batch.length > 0) await look();
  return [...effects, ...moved];
}

/**
 * The changes with the texts that say what they did.
 * @param from the commit that was there before them
 * @param mostAt gives the bytes of the longest text that is read of a file
 */
export async function contentsOf(
  repository: Repository,
  from: string,
  all: readonly Change[],
  mostAt: (path: string) => number = () => CONTENT_BYTES,
): Promise<Changed[]> {
  const changes = all.filter(isOfContent);
  const earlier = await threadsBefore(repository, from, changes);
  const says = (change: Change): boolean => saysMore(change.path) && (!isBegun(change) || earlier.has(change.path));
  const read = changes.filter(says);
  const texts = new Map<string, string>();
  for (const most of new Set(read.map(({ path }) => mostAt(path)))) {
    const ids = read.flatMap(({ path, before, after }) => (mostAt(path) === most ? [before, after] : [])).filter((id) => id !== null);
    for (const [id, bytes] of await readAll(repository, [...new Set(ids)], most)) texts.set(id, textOf(bytes) ?? NO_TEXT);
  }
  const contentOf = (path: string, id: string | null): string | null => (id === null ? null : saysMore(path) ? (texts.get(id) ?? "") : "");
  return changes.map((change) => {
    const { path, before, after } = change;
    const isUnread = says(change) && [before, after].some((id) => id !== null && !texts.has(id));
    return {
      path,
      before: contentOf(path, before) ?? earlier.get(path) ?? null,
      after: contentOf(path, after),
      ...(isUnread ? { isUnread } : {}),
    };
  });
}

/** What was done, commit by commit. */
function inWords(effects: readonly Effect[], commitOf: ReadonlyMap<string, string>, heldBefore: HeldBefore): string[] {
  const commits = new Map<string, Effect[]>();
  for (const effect of effects) {
    const commit = commitOf.get(effect.path) as string;
    addTo(commits, commit, effect);
  }
  return [...commits].flatMap(([commit, own]) => effectWords(own, heldBefore).map((words) => `commit ${shortCommit(commit)} ${words}`));
}

/** Tells a part what was done to it. @returns that, as effects */
function tellPart(
  world: World,
  part: string,
  told: {
    to: string;
    effects: readonly Effect[];
    commitOf: ReadonlyMap<string, string>;
    heldBefore: HeldBefore;
    inName: readonly InName[];
  },
): Effect[] {
  const own = doneTo(part, told.effects, told.heldBefore, (effect) => concerns(world, part, effect));
  const said = told.inName.filter((each) => each.part === part).map(({ words }) => words);
  const lines = [...said, ...inWords(own, told.commitOf, told.heldBefore)];
  if (lines.length === 0) return own;
  try {
    notify(world, currentName(world, part) ?? part, told.to, lines);
  } catch {
    // What was checked out stays checked out; the sync itself lists it too.
  }
  return own;
}

/** Whether a part takes part in what a push closed, ended or answered. */
function concerns(world: World, part: string, effect: Effect): boolean {
  if (effect.kind === "ended" || effect.kind === "resumed") return true;
  return orElse(false, () => {
    if (effect.kind === "result") return readReview(world, effect.session, effect.review)?.requester === part;
    if (effect.kind !== "closed" && effect.kind !== "opened" && effect.kind !== "forgotten" && effect.kind !== "kept") return false;
    const { store } = world.home();
    if (effect.kind === "kept" && currentName(world, askedBy(store, effect.message) ?? "") === part) return true;
    const location = resolveThread(world.home(), effect.thread);
    const keys = messageKeys(store, location);
    const thread = readThread(store, location, keys, []);
    const parties = spokenIn(store, keys, []);
    return thread !== null && participantsOf(thread, parties, currentNames(world)).includes(part);
  });
}

/**
 * Who held a task before a record of its claims; null where nobody did. Each folder of claims is listed once, as it is when it is first asked for.
 * @param not the records that do not count
 */
export function heldBeforeIn(world: World, not: ReadonlySet<string> = new Set()): HeldBefore {
  const listed = new Map<string, number[]>();
  return (session, task, fence) => {
    const folder = claimFolder(session, task);
    const fences =
      listed.get(folder) ??
      names(world.home().store, folder)
        .flatMap((name) => fenceOf(name) ?? [])
        .sort((a, b) => a - b);
    listed.set(folder, fences);
    const before = fences.findLast((each) => each < fence && !not.has(claimPath(session, task, each)));
    const record = before === undefined ? null : readableClaimAt(world, session, task, before);
    return record?.kind === "claim" ? record.agent : null;
  };
}
