/** What the list of artifacts and an artifact alone share. */
import { Chip } from "../../part/bits.tsx";
import type { AnswerOf } from "../../state/server.ts";

/** An artifact in a list. */
export type ArtifactRow = AnswerOf<"list_artifacts">["artifacts"][number];
/** A review. */
export type Review = AnswerOf<"list_reviews">["reviews"][number];

const WORDS: Readonly<Record<string, string>> = { pending: "in review", approved: "approved", changes_requested: "changes requested" };
const TONES: Readonly<Record<string, "acc" | "ok" | "warn">> = { pending: "acc", approved: "ok", changes_requested: "warn" };

/** What a review came to. @param version the one that is shown: a review of another one says which */
export const ReviewChip = ({ review, version }: { review: Review | undefined; version: number }) =>
  review === undefined ? null : (
    <Chip tone={TONES[review.status] ?? ""}>
      {WORDS[review.status] ?? review.status}
      {review.version === version ? "" : ` (${review.version})`}
    </Chip>
  );
