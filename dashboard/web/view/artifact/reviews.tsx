/** The reviews of an artifact, with their comments; a person asks for one, and answers one that waits for them. */
import { useEffect, useRef, useState } from "preact/hooks";
import { At, Avatar, Origin, Refused } from "../../part/bits.tsx";
import { DiffView } from "../../part/diff-view.tsx";
import { DraftField, useDraft } from "../../part/draft-field.tsx";
import { Markdown } from "../../part/markdown.tsx";
import { about } from "../../state/about.ts";
import { addressOf, route } from "../../state/route.ts";
import { write } from "../../state/server.ts";
import { atSeconds } from "../../state/time.ts";
import { say, useAct } from "../../state/use-act.ts";
import { useAnswer } from "../../state/use-answer.ts";
import { type ArtifactRow, type Review, ReviewChip } from "./review-chip.tsx";

interface ReviewsProps {
  reviews: readonly Review[];
  artifact: ArtifactRow;
  /** Only what belongs to the current session is reviewed. */
  isCurrent: boolean;
  done: () => void;
}

export function Reviews({ reviews, artifact, isCurrent, done }: ReviewsProps) {
  const newest = [...reviews].sort((a, b) => b.version - a.version || b.created_at - a.created_at);
  return (
    <>
      <div class="sec gap">
        <h2>Reviews</h2>
        <span class="t3">{reviews.length === 0 ? "none yet" : reviews.length}</span>
      </div>
      {newest.map((review) => (
        <article key={review.id} class="msg" aria-label={`Review by ${review.reviewer}`}>
          <Avatar name={review.reviewer} you={review.reviewer === about.value.part} />
          <div class="grow">
            <div class="row">
              <span class="who cut">{review.reviewer}</span>
              <ReviewChip review={review} version={review.version} />
              <span class="t3 cut">
                version {review.version}, asked by {review.requester}
              </span>
              <Origin origin={review.origin} />
              <span class="grow" />
              <At at={atSeconds(review.created_at)} />
            </div>
            {review.comments !== null && review.comments !== "" && <Markdown text={review.comments} />}
            {review.status === "pending" && review.reviewer === about.value.part && !about.value.readOnly && (
              <Answer review={review} done={done} />
            )}
          </div>
        </article>
      ))}
      {isCurrent && !about.value.readOnly && <Ask artifact={artifact} done={done} />}
    </>
  );
}

/** A review that waits for the person: what changed, or the whole of a first version, and the answer. */
export function ReviewCard({ review, done }: { review: Review; done: () => void }) {
  const { id, name, version, requester } = review;
  const now = useAnswer("get_artifact", { name, version });
  const before = useAnswer("get_artifact", version > 1 ? { name, version: version - 1 } : null);
  const card = useRef<HTMLElement>(null);
  const isChosen = route.value.chosen === `review ${id}`;
  useEffect(() => {
    if (isChosen) card.current?.querySelector("textarea")?.focus();
  }, [isChosen]);
  const text = now.data?.artifact.content;
  const old = before.data?.artifact.content;
  return (
    <article class={isChosen ? "ask sel" : "ask"} ref={card} aria-label={`Review of ${name}`}>
      <header>
        <Avatar name={requester} />
        <span class="who cut">{requester}</span>
        <span class="t3 nowrap">asks for a review</span>
        <span class="grow" />
        <At at={atSeconds(review.created_at)} />
      </header>
      <div class="q">
        <h3>
          <a class="lnk" href={addressOf("artifacts", ` ${name}`)}>
            {name}
          </a>{" "}
          <span class="sm t3">version {version}</span>
        </h3>
        <Refused why={now.failure?.error ?? before.failure?.error} />
        {text !== undefined && (
          <div class="part-of">{old === undefined ? <Markdown text={text} /> : <DiffView before={old} after={text} sides={false} />}</div>
        )}
      </div>
      {!about.value.readOnly && <Answer review={review} done={done} />}
    </article>
  );
}

function Answer({ review, done }: { review: Review; done: () => void }) {
  const [comments, change, drop] = useDraft(`review ${review.id}`);
  const choice = useRef<HTMLButtonElement>(null);
  const act = useAct();
  const submit = async (status: "approved" | "changes_requested"): Promise<void> => {
    const given = comments.trim() === "" ? {} : { comments };
    if (!(await act.run(() => write("submit_review", { review_id: review.id, status, ...given })))) return;
    drop(comments);
    say(status === "approved" ? `You approved ${review.name}.` : "You requested changes.", addressOf("artifacts", ` ${review.name}`));
    done();
  };
  return (
    <div class="reply">
      <DraftField
        id={`review-${review.id}`}
        label="Comments"
        text={comments}
        change={change}
        // What it means is chosen, for nobody can take it back.
        send={() => choice.current?.focus()}
        placeholder="What you think of it, in Markdown"
      />
      <Refused why={act.why} />
      <div class="row">
        <button type="button" class="btn primary" ref={choice} aria-disabled={act.isBusy} onClick={() => void submit("approved")}>
          Approve
        </button>
        <button
          type="button"
          class="btn"
          aria-disabled={act.isBusy}
          disabled={comments.trim() === ""}
          onClick={() => void submit("changes_requested")}
        >
          Request changes
        </button>
      </div>
    </div>
  );
}

function Ask({ artifact, done }: { artifact: ArtifactRow; done: () => void }) {
  const [reviewer, setReviewer] = useState("");
  const roster = useAnswer("roster", {});
  const act = useAct();
  const ask = async (): Promise<void> => {
    if (!(await act.run(() => write("request_review", { artifact_id: artifact.id, reviewer })))) return;
    setReviewer("");
    done();
  };
  return (
    <form
      class="reply"
      onSubmit={(event) => {
        event.preventDefault();
        if (reviewer !== "") void ask();
      }}
    >
      <div class="row">
        <input
          class="line short"
          list="reviewers"
          aria-label="Reviewer"
          placeholder="Reviewer"
          value={reviewer}
          onInput={(event) => setReviewer(event.currentTarget.value)}
        />
        <datalist id="reviewers">
          {(roster.data?.parts ?? [])
            .filter(({ part }) => part !== artifact.created_by)
            .map(({ part }) => (
              <option key={part} value={part} />
            ))}
        </datalist>
        <button type="submit" class="btn" aria-disabled={act.isBusy} disabled={reviewer === ""}>
          Ask for a review
        </button>
      </div>
      <Refused why={act.why} />
    </form>
  );
}
