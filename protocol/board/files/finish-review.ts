/** Reading a review, and the steps that follow its request and its result; any process may finish them. spec/board.md, "Review". */

import { addTo } from "../../core/format/append.ts";
import { orElse } from "../../core/format/file-error.ts";
import { parseThreadId, shortOf, type ThreadLocation } from "../../core/format/id.ts";
import type { World } from "../../core/world.ts";
import { currentName, isSamePart, nameNow } from "../../mail/files/members.ts";
import { writeStatus } from "../../mail/files/write-status.ts";
import type { Review } from "../nouns/review.ts";
import { changed } from "../nouns/task.ts";
import { isLatest, readArtifact } from "./artifacts.ts";
import { listReviews, type ReviewState, readReview, reviewIds } from "./read-review.ts";
import { postOnce } from "./session-messages.ts";
import { changeTask, hasTask, readTask } from "./task-files.ts";
import { writeResult } from "./write-result.ts";

/** Sends a reviewer the request, once; the thread of an earlier review goes on with it. */
export async function finishRequest(world: World, session: string, id: string): Promise<void> {
  const review = readReview(world, session, id);
  if (review === null) return;
  const { requester, name, version, artifact, task } = review;
  withdrawReplaced(world, session, review);
  const before = review.thread === undefined ? [] : earlier(listReviews(world, session, []), review);
  // Who is no part any more gets no mail, and has no inbox; who asked itself, as to answer anew, needs none.
  const reviewer = currentName(world, review.reviewer);
  const from = nameNow(world, requester);
  if (reviewer === null) return;
  if (reviewer !== from)
    postOnce(
      world,
      session,
      { operation: "review", key: `request ${id}` },
      {
        from,
        to: [reviewer],
        broadcast: false,
        subject: `Please review ${name}, version ${version}`.slice(0, 256),
        content: requestText(review, before),
        metadata: { review_id: id, artifact_id: artifact, ...ofTask(task) },
        thread: threadOf(review),
      },
    );
  const thread = threadOf(review);
  if (before.length > 0 && thread !== undefined && readReview(world, session, id)?.status === "pending")
    await writeStatus(world, thread, "open");
}

/** Characters of an earlier review that a request quotes. */
const QUOTED = 1_000;

/** The text that tells a reviewer of a review, but for what there was before. */
export function requestWords({ id, name, version, task, commit }: Omit<Review, "reviewer" | "requester" | "at">): string {
  const code = commit === undefined ? "" : ` at ${commit.slice(0, 7)}: relay review show ${shortOf(id)} says how to read it`;
  const of = task === undefined ? "" : ` (task ${shortOf(task)})`;
  return `Please review ${name}, version ${version}${of}${code}\nThen: relay review submit ${shortOf(id)} approved, or changes_requested - <<'END'`;
}

/** All that a reviewer is told of a review. @param before earlier ones in its thread, by time */
const requestText = (review: Review, before: readonly ReviewState[]): string =>
  `${requestWords(review)}${sinceWords(before.findLast(({ status }) => status !== "withdrawn"))}`;

/**
 * Tells of texts whether they are what a reviewer is told of a review, and nothing else.
 * @param reviews those that count
 * @param all the reviews of the session
 */
export function requestsOf(reviews: readonly ReviewState[], all: readonly ReviewState[]): (text: string) => boolean {
  const byWords = new Map(reviews.map((review) => [requestWords(review), review]));
  const byThread = new Map<string | undefined, ReviewState[]>();
  for (const review of all) addTo(byThread, review.thread, review);
  return (text) => {
    const review = byWords.get(text.split("\n\n", 1)[0] as string);
    return review !== undefined && text === requestText(review, earlier(byThread.get(review.thread) ?? [], review)).trimEnd();
  };
}

/** The last comments of a reviewer who reviewed an earlier version, as the request quotes them. */
function sinceWords(before: ReviewState | undefined): string {
  const quoted = (before?.comments ?? "").slice(0, QUOTED).toWellFormed().trim();
  return quoted === "" ? "" : `\n\nYou said of version ${before?.version} (${before?.status}):\n${quoted.replace(/^/gm, "> ")}`;
}

/** Those of some reviews that ended before another one in its thread, by time. */
const earlier = (reviews: readonly ReviewState[], { thread, at, id }: Review): ReviewState[] =>
  thread === undefined
    ? []
    : reviews
        .filter((each) => each.thread === thread && each.at <= at && each.status !== "pending" && each.id !== id)
        .sort((a, b) => (a.at < b.at ? -1 : 1));

/** Withdraws what the same requester asked the same reviewer of earlier versions, and is not answered: the new request says all. */
function withdrawReplaced(world: World, session: string, { id, name, version, reviewer, requester }: Review): void {
  for (const each of reviewIds(world, session)) {
    const old = each === id ? null : orElse(null, () => readReview(world, session, each));
    if (old === null || old.status !== "pending" || old.name !== name || old.version >= version) continue;
    if (!isSamePart(world, old.reviewer, reviewer) || !isSamePart(world, old.requester, requester)) continue;
    const comments = `version ${version} is to be reviewed instead: ${shortOf(id)}`;
    writeResult(world, session, old, { status: "withdrawn", by: requester, comments });
  }
}

/** Sets the task of a version for which changes are asked back to work, unless a later version was handed in. */
async function setBack(world: World, session: string, { artifact, reviewer }: Review, task: string): Promise<void> {
  if (!hasTask(world, session, task) || !isLatest(world, session, artifact)) return;
  const at = new Date(world.now()).toISOString();
  const by = nameNow(world, reviewer);
  await changeTask(world, session, task, by, (now) =>
    now.status === "in_review" ? changed(now, at, by, "changes asked, in_review → in_progress", { status: "in_progress" }) : null,
  );
}

const ofTask = (task: string | undefined): Record<string, string> => (task === undefined ? {} : { task_id: task });

/** The thread of a review; undefined of one that was asked for before reviews had one. */
const threadOf = ({ thread }: Review): ThreadLocation | undefined => parseThreadId(thread ?? "") ?? undefined;

/**
 * Sends the requester of a review, and the author of the version, its result, or the reviewer that it was withdrawn, once, in the thread of the request, which ends with it.
 * @param undone why an approval that was to set its task done did not
 */
export async function finishResult(world: World, session: string, id: string, undone?: string): Promise<void> {
  const review = readReview(world, session, id);
  if (review === null || review.status === "pending") return;
  const { name, version, artifact, status, comments, task } = review;
  const thread = threadOf(review);
  const reviewer = nameNow(world, review.reviewer);
  const said =
    status === "withdrawn"
      ? withdrawalWords(review)
      : `${comments === null || comments === "" ? `${status} (${shortOf(id)})` : comments}${status === "approved" ? doneWords(world, session, review, undone) : againWords(world, session, task)}`;
  const verb = { approved: "approved", changes_requested: "asks for changes to", withdrawn: "need not review" }[status];
  const from = status === "withdrawn" ? nameNow(world, review.by ?? review.requester) : reviewer;
  // The author acts on a result, also where another part asked for the review.
  const author = orElse(null, () => readArtifact(world, session, artifact).artifact.createdBy);
  const concerned = status === "withdrawn" ? [review.reviewer] : [review.requester, ...(author === null ? [] : [author])];
  const to = [...new Set(concerned.flatMap((each) => currentName(world, each) ?? []))].filter((each) => each !== from);
  if (to.length > 0)
    postOnce(
      world,
      session,
      { operation: "review", key: `result ${id}` },
      {
        from,
        to,
        broadcast: false,
        subject: `${reviewer} ${verb} ${name}, version ${version}`.slice(0, 256),
        content: said,
        metadata: { review_id: id, artifact_id: artifact, ...ofTask(task), status },
        thread,
      },
    );
  if (thread !== undefined && !isOpen(world, session, review.thread)) await writeStatus(world, thread, "closed");
  if (status === "changes_requested" && task !== undefined) await setBack(world, session, review, task);
}

/** What a reviewer is told who is to answer no more. */
const withdrawalWords = ({ comments, id }: ReviewState): string =>
  `${shortOf(id)} is withdrawn${comments === null || comments === "" ? "." : `: ${comments}`}`;

/** Whether a thread has a review that is to be answered. */
const isOpen = (world: World, session: string, thread: string | undefined): boolean =>
  listReviews(world, session, []).some((each) => each.status === "pending" && each.thread === thread);

/** What a request for changes says of its task: how it is handed in again. */
function againWords(world: World, session: string, task: string | undefined): string {
  if (task === undefined || !hasTask(world, session, task)) return "";
  const submit = `\`relay task submit ${shortOf(task)} - <<'END'\``;
  const isDone = orElse(null, () => readTask(world, session, task))?.status === "done";
  return `\n\nTask ${shortOf(task)} ${isDone ? `is done; ${submit} opens it again` : `is yours again: commit, then ${submit}`}.`;
}

/** What an approval says of its task: that it is done, who has not answered, or what to type. */
function doneWords(world: World, session: string, { task, artifact, requester, commit }: ReviewState, undone: string | undefined): string {
  if (task === undefined || !hasTask(world, session, task)) return "";
  if (orElse(null, () => readTask(world, session, task))?.status === "done") return `\n\nTask ${shortOf(task)} is done.`;
  const open = listReviews(world, session, []).filter((each) => each.status === "pending" && each.artifact === artifact);
  if (open.length > 0) return `\n\nStill in review at ${open.map(({ reviewer }) => nameNow(world, reviewer)).join(", ")}.`;
  const why = undone === undefined ? "" : `${undone.replace(/\.+$/, "")}. `;
  const { main } = world.home().config();
  // One part ends it: who leads, and merges code before.
  const isLed = isSamePart(world, readTask(world, session, task)?.createdBy ?? "", main) && !isSamePart(world, requester, main);
  return `\n\n${why}${isLed ? `${main} ${commit === undefined ? "ends its task" : "merges it, which ends its task"}.` : `Its task is yours to end: \`relay task update ${shortOf(task)} done\`.`}`;
}
