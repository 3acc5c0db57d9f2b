/** The reviews of an artifact, with their comments; a person asks for one, and answers one that waits for them. */
import { useEffect } from "preact/hooks";
import { AskCard, At, Button, Entry, Origin, Refused } from "../../part/bits.tsx";
import { DiffView } from "../../part/diff-view.tsx";
import { DraftField, useDraft } from "../../part/draft-field.tsx";
import { Markdown } from "../../part/markdown.tsx";
import { Pick } from "../../part/pick.tsx";
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
        <Entry
          key={review.id}
          label={`Review by ${review.reviewer}`}
          from={review.reviewer}
          isYou={review.reviewer === about.value.part}
          at={atSeconds(review.created_at)}
          beside={
            <>
              <ReviewChip review={review} version={review.version} />
              <span class="t3 cut">
                version {review.version}, asked by {review.requester}
              </span>
              <Origin origin={review.origin} />
            </>
          }
        >
          {review.comments !== null && review.comments !== "" && <Markdown text={review.comments} />}
          {review.status === "pending" && review.reviewer === about.value.part && <Answer review={review} done={done} />}
        </Entry>
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
  const isChosen = route.value.chosen === `review ${id}`;
  useEffect(() => {
    if (isChosen) document.getElementById(`review-${id}`)?.focus();
  }, [isChosen]);
  const text = now.data?.artifact.content;
  const old = before.data?.artifact.content;
  return (
    <AskCard
      label={`Review of ${name}`}
      from={requester}
      isChosen={isChosen}
      words={<span class="t3 nowrap">asks for a review</span>}
      end={<At at={atSeconds(review.created_at)} />}
      answer={<Answer review={review} done={done} />}
    >
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
    </AskCard>
  );
}

function Answer({ review, done }: { review: Review; done: () => void }) {
  const [comments, change, drop] = useDraft(`review ${review.id}`);
  const act = useAct();
  const submit = async (status: "approved" | "changes_requested"): Promise<void> => {
    const given = comments.trim() === "" ? {} : { comments };
    if (!(await act.run(() => write("submit_review", { review_id: review.id, status, ...given })))) return;
    drop(comments);
    say(status === "approved" ? `You approved ${review.name}.` : "You requested changes.", addressOf("artifacts", ` ${review.name}`));
    done();
  };
  if (about.value.readOnly) return null;
  return (
    <div class="reply">
      <DraftField
        id={`review-${review.id}`}
        label="Comments"
        text={comments}
        change={change}
        // What it means is chosen, for nobody can take it back.
        send={() => document.getElementById(`approve-${review.id}`)?.focus()}
        placeholder="What you think of it, in Markdown"
      />
      <Refused why={act.why} />
      <div class="row">
        <Button kind="primary" id={`approve-${review.id}`} act={act} run={() => void submit("approved")}>
          Approve
        </Button>
        <Button kind="" act={act} disabled={comments.trim() === ""} run={() => void submit("changes_requested")}>
          Request changes
        </Button>
      </div>
    </div>
  );
}

function Ask({ artifact, done }: { artifact: ArtifactRow; done: () => void }) {
  const roster = useAnswer("roster", {});
  const act = useAct();
  const ask = async (reviewer: string): Promise<void> => {
    if (!(await act.run(() => write("request_review", { artifact_id: artifact.id, reviewer })))) return;
    say(`${reviewer} is asked to review ${artifact.name}.`, addressOf("artifacts", ` ${artifact.name}`));
    done();
  };
  return (
    <div class="reply">
      <Pick
        label="Reviewer"
        value=""
        any="Ask for a review by …"
        choices={(roster.data?.parts ?? []).map(({ part }) => part).filter((part) => part !== artifact.created_by)}
        pick={(reviewer) => reviewer !== "" && void ask(reviewer)}
      />
      <Refused why={act.why} />
    </div>
  );
}
