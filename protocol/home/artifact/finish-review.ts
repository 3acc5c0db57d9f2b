/** Reading a review, and the steps that follow its request and its result; any process may finish them. spec/board.md, "Review". */
import type { Review } from "../../objects/artifact/review.ts";
import { parseThreadId, type ThreadLocation } from "../../objects/format/id.ts";
import type { World } from "../../world.ts";
import { postOnce } from "../message/session-messages.ts";
import { currentName, nameNow } from "../part/members.ts";
import { writeStatus } from "../thread/write-status.ts";
import { readReview } from "./read-review.ts";

/** Sends a reviewer the request, once. */
export function finishRequest(world: World, session: string, id: string): void {
  const review = readReview(world, session, id);
  if (review === null) return;
  const { requester, name, version, artifact, task } = review;
  // Who is no part any more gets no mail, and has no inbox.
  const reviewer = currentName(world, review.reviewer);
  if (reviewer === null) return;
  postOnce(
    world,
    session,
    { operation: "review", key: `request ${id}` },
    {
      from: nameNow(world, requester),
      to: [reviewer],
      broadcast: false,
      subject: `Please review ${name}, version ${version}`.slice(0, 256),
      content: requestWords(review),
      metadata: { review_id: id, artifact_id: artifact, ...ofTask(task) },
      thread: threadOf(review),
    },
  );
}

/** What a reviewer is told of a review. */
export const requestWords = ({
  id,
  name,
  version,
  artifact,
  task,
}: Pick<Review, "id" | "name" | "version" | "artifact" | "task">): string =>
  `Please review version ${version} of ${name} (${artifact})${task === undefined ? "" : `, for ${task}`}. Answer with submit_review, review_id ${id} (on a command line: relay review submit ${id} approved, or changes_requested).`;

const ofTask = (task: string | undefined): Record<string, string> => (task === undefined ? {} : { task_id: task });

/** The thread of a review; undefined of one that was asked for before reviews had one. */
const threadOf = ({ thread }: Review): ThreadLocation | undefined => parseThreadId(thread ?? "") ?? undefined;

/** Sends the requester of a review its result, once, in the thread of the request, which ends with it. */
export async function finishResult(world: World, session: string, id: string): Promise<void> {
  const review = readReview(world, session, id);
  if (review === null || review.status === "pending") return;
  const { name, version, artifact, status, comments, task, done } = review;
  const thread = threadOf(review);
  const next =
    task === undefined || status !== "approved" || done === true
      ? ""
      : `\n\nWhen all is said: update_task, task_id ${task}, status done (on a command line: relay task update ${task} done).`;
  const reviewer = nameNow(world, review.reviewer);
  const requester = currentName(world, review.requester);
  if (requester !== null)
    postOnce(
      world,
      session,
      { operation: "review", key: `result ${id}` },
      {
        from: reviewer,
        to: [requester],
        broadcast: false,
        subject: `${reviewer} ${status === "approved" ? "approved" : "asks for changes to"} ${name}, version ${version}`.slice(0, 256),
        content: `${comments === null || comments === "" ? `${status} (${id})` : comments}${next}`,
        metadata: { review_id: id, artifact_id: artifact, ...ofTask(task), status },
        thread,
      },
    );
  if (thread !== undefined) await writeStatus(world, thread, "closed");
}
