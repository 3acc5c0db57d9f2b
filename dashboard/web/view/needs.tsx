/** What needs a person, in one line, each with what does it. */
import { Button, Command } from "../part/bits.tsx";
import { addressOf, go } from "../state/route.ts";
import type { AnswerOf } from "../state/server.ts";
import type { Review } from "./artifact/review-chip.tsx";
import type { Row } from "./room.tsx";

interface NeedsProps {
  status: AnswerOf<"status">;
  rows: readonly Row[];
  reviews: readonly Review[];
}

export function Needs({ status: { needsHuman, pager }, rows, reviews }: NeedsProps) {
  const [question] = needsHuman;
  const [review] = reviews;
  const owed = rows.filter(({ part }) => part.unread > 0);
  const held = rows.filter(({ doing }) => doing?.word === "at a prompt" || doing?.word === "stuck").slice(0, MOST);
  if (question === undefined && review === undefined && held.length === 0 && (pager || owed.length === 0))
    return <p class="needs sm t3">Nothing needs you.</p>;
  return (
    <div class="needs" role="status">
      {held.map(({ part: { part, asks }, doing }) => (
        <span class="row wrap" key={part}>
          <b>{part}</b> {asks === undefined ? `is ${doing?.word}` : <q class="cut">{asks}</q>} <Command text={`relay attach ${part}`} />
        </span>
      ))}
      {review !== undefined && (
        <span class="row wrap">
          {review.requester} asks you to review {review.name}
          {reviews.length > 1 && `, and ${reviews.length - 1} more`}
          <a class="btn small" href={addressOf("now", `review ${review.id}`)}>
            Open the review
          </a>
        </span>
      )}
      {question !== undefined && (
        <span class="row wrap">
          {question.from} waits for your answer
          {needsHuman.length > 1 && `, and ${needsHuman.length - 1} more`}
          <Button
            run={() => {
              const field = document.querySelector<HTMLElement>(".ask .reply textarea[id^=reply]");
              if (field === null) go("threads", question.threadId);
              else field.focus();
            }}
          >
            Reply
          </Button>
        </span>
      )}
      {!pager && owed.length > 0 && (
        <span class="row wrap">
          The pager does not run, and {owed.length === 1 ? "1 part has" : `${owed.length} parts have`} mail:{" "}
          <Command text="relay pager start" />
        </span>
      )}
    </div>
  );
}

/** So many parts are named. */
const MOST = 3;
