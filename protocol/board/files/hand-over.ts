/**
 * Telling whoever is to go on with a task that it is theirs, and whoever held it that it is not. What follows from a record of a claim, or from a line of the
 * task's history, is the same whoever does it: the process that handed it over, or the operation that completes it for a killed one.
 * SPEC.md, "Claiming".
 */

import { shortOf } from "../../core/format/id.ts";
import type { World } from "../../core/world.ts";
import { reservedBy } from "../../mail/files/idempotency.ts";
import { currentName, isSamePart, nameNow } from "../../mail/files/members.ts";
import { messageKeys, readThread } from "../../mail/files/threads.ts";
import { writeStatus } from "../../mail/files/write-status.ts";
import { payFlushes } from "../../store/root.ts";
import type { ClaimRecord } from "../nouns/claim.ts";
import { assignedAt, blockedAt, type Task, unmetOf } from "../nouns/task.ts";
import { lastFence, readableClaimAt } from "./claims.ts";
import { listTasks } from "./list-tasks.ts";
import { ownerOf, postOnce } from "./session-messages.ts";
import { catchUpTask, hasTask, readTask, statusReader } from "./task-files.ts";

/** Records that a chain may have got after the one that was left unfinished; of a longer gap the last ones are read. */
const RECORDS_AT_MOST = 64;

/** Who a record hands its task over to; null where it hands over nothing, or to whoever made it. */
function heirOf(world: World, { kind, agent, to, by }: Pick<ClaimRecord, "kind" | "agent" | "to" | "by">): string | null {
  const [giver, heir] = kind === "release" ? [agent, to] : [by, agent];
  return kind === "done" || giver === undefined || heir === undefined || isSamePart(world, giver, heir) ? null : heir;
}

/** The part that held a task which a record takes from it for another; null where none did, or its own doing ended the claim. */
function formerOf(world: World, session: string, { task, fence, kind, status, agent, by }: ClaimRecord): string | null {
  const giver = kind === "claim" ? by : agent;
  if (giver === undefined || (kind === "done" && status !== "canceled")) return null;
  const before = readableClaimAt(world, session, task, fence - 1);
  if (before?.kind !== "claim" || [giver, agent].some((part) => isSamePart(world, before.agent, part))) return null;
  return before.agent;
}

/** Tells whom a record hands its task over to, and whom it takes it from, once. */
export function tellMoved(world: World, session: string, record: ClaimRecord): void {
  const { task, fence, nonce, kind, agent, by } = record;
  const heir = heirOf(world, record);
  const former = formerOf(world, session, record);
  // No mail about a record outlives that record.
  if (heir !== null || former !== null) payFlushes(world.home().store);
  const from = nameNow(world, (kind === "claim" ? by : agent) ?? agent);
  if (former !== null) {
    const did = kind === "claim" ? `gave ${shortOf(task)} to ${nameNow(world, agent)}` : `took ${shortOf(task)} back`;
    const words = `${from} ${kind === "done" ? `gave ${shortOf(task)} up` : did}${record.reason === undefined ? "" : `: ${record.reason}`}. Your claim is over; stop working on it.`;
    tellOnce(world, session, task, { from, heir: former, words, key: `${task} ${fence} ${nonce} former`, subject: "No longer yours" });
  }
  if (heir === null) return;
  const words =
    kind === "release"
      ? gaveBack(from, task)
      : `${from} handed ${shortOf(task)} over to you: you hold it, with fence ${fence}; \`relay task show ${shortOf(task)}\` shows it whole.`;
  tellOnce(world, session, task, { from, heir, words, key: `${task} ${fence} ${nonce}`, subject: kind === "claim" ? "Yours" : CLAIMABLE });
}

/**
 * Tells of the line of that time in the history of a task, once: whom it assigns it to, and who leads, of a task that is blocked.
 * Nothing where the change was never made.
 */
export function finishMoving(world: World, session: string, id: string, atMs: number): void {
  const task = readTask(world, session, id);
  if (task === null || !Number.isFinite(atMs)) return;
  const at = new Date(atMs).toISOString();
  for (const by of task.status === "blocked" ? blockedAt(task, at) : []) {
    const from = nameNow(world, by);
    const words = `${from} cannot go on with ${shortOf(id)}: ${task.blockedReason ?? "it does not say why"}`;
    for (const leader of new Set([world.home().config().main, nameNow(world, task.createdBy)])) {
      if (isSamePart(world, by, leader)) continue;
      tellOnce(world, session, id, { from, heir: leader, words, key: `blocked ${id} ${at} ${leader}`, subject: "Blocked" });
    }
  }
  for (const { by, to } of assignedAt(task, at)) {
    if (isSamePart(world, by, to)) continue;
    tellOnce(world, session, id, {
      from: nameNow(world, by),
      heir: to,
      words: gaveBack(by, id),
      key: `${id} ${at} ${by} ${to}`,
      subject: CLAIMABLE,
    });
  }
}

/** Tells the assignees of the tasks that waited for a finished one alone that they can begin, once for each end of it. */
export function tellReady(world: World, session: string, { task: done, fence, agent }: ClaimRecord): void {
  const tasks = listTasks(world, session, []);
  const waiting = tasks.filter(
    ({ status, assignee, dependsOn }) => status === "todo" && assignee !== undefined && dependsOn.includes(done),
  );
  if (waiting.length === 0) return;
  const statusOf = statusReader(world, session);
  for (const task of waiting) {
    const { id, assignee = "", dependsOn } = task;
    if (isSamePart(world, assignee, agent) || unmetOf({ dependsOn }, statusOf).length > 0) continue;
    const from = nameNow(world, agent);
    const words = canBegin(from, done, id);
    tellOnce(world, session, id, { from, heir: assignee, words, key: readyKey(id, done, fence), subject: "Ready" });
  }
}

const readyKey = (task: string, done: string, fence: number): string => `ready ${task} ${done} ${fence}`;

/** Closes what told that a task can begin, where this machine sent it: whoever began or ended it has answered that. */
export async function closeReady(world: World, session: string, { id, dependsOn }: Pick<Task, "id" | "dependsOn">): Promise<void> {
  for (const done of dependsOn) {
    const told = reservedBy(world, handOvers(session), readyKey(id, done, lastFence(world, session, done)));
    const keys = told === null ? [] : messageKeys(world.home().store, told.key);
    // A thread that was written in goes on.
    if (told !== null && keys.length === 1 && readThread(world.home().store, told.key, keys, [])?.status === undefined)
      await writeStatus(world, told.key, "closed");
  }
}

/** Whose keys the mail of a hand-over has. */
const handOvers = (session: string) => ({ owner: ownerOf(session), operation: "handover" });

/** Whether a text is what Relay writes to a part that is to claim a task, and nothing else. */
export const isAssignment = (text: string, id: string): boolean => {
  const words = text.trimEnd().replace(/^\S+/, "");
  return words === gaveBack("", id) || words.replace(/^ finished \S+,/, " finished it,") === canBegin("", "it", id);
};

const canBegin = (from: string, done: string, task: string): string =>
  `${from} finished ${shortOf(done)}, so ${shortOf(task)} can begin: \`relay task claim ${shortOf(task)}\`.`;
const gaveBack = (from: string, task: string): string =>
  `${from} handed ${shortOf(task)} over to you: \`relay task claim ${shortOf(task)}\`.`;

/**
 * Finishes an act that added a record to a task's claims: its file says so, and whom it was handed over to has mail.
 * @param nonce that of the record, where the act was a hand-over of this program's; else the records count that the file lacks
 */
export async function finishClaiming(world: World, session: string, id: string, nonce: string | undefined): Promise<void> {
  if (!hasTask(world, session, id)) return;
  const known = readTask(world, session, id)?.fence ?? 0;
  const last = lastFence(world, session, id);
  await catchUpTask(world, session, id);
  const first = nonce === undefined ? known + 1 : 1;
  for (let fence = Math.max(first, last - RECORDS_AT_MOST); fence <= last; fence += 1) {
    const record = readableClaimAt(world, session, id, fence);
    if (record !== null && (nonce === undefined || record.nonce === nonce)) tellMoved(world, session, record);
  }
  // The file may have known of the end already, and nobody else.
  const end = readableClaimAt(world, session, id, last);
  if (end?.kind === "done") tellReady(world, session, end);
}

/** What is said to whom. */
interface Told {
  from: string;
  heir: string;
  words: string;
  key: string;
  /** Begins the subject, before the title of the task. */
  subject: string;
}

const CLAIMABLE = "Yours to claim";

function tellOnce(world: World, session: string, id: string, { from, heir, words, key, subject }: Told): void {
  const to = currentName(world, heir);
  // Who is no part or guest yet has no inbox; it finds the task on the board.
  if (to === null) return;
  const title = readTask(world, session, id)?.title ?? id;
  postOnce(
    world,
    session,
    { operation: handOvers(session).operation, key },
    {
      from,
      to: [to],
      broadcast: false,
      subject: `${subject}: ${title}`.replace(/\s+/g, " ").slice(0, 256).toWellFormed(),
      content: words,
      metadata: { task_id: id },
    },
  );
}
