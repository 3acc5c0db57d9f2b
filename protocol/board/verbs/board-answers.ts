import * as z from "zod/mini";
import { withoutUndefined } from "../../core/format/frontmatter.ts";
import type { World } from "../../core/world.ts";
import { nameNow } from "../../mail/files/members.ts";
import { originsOf } from "../../trust/files/note-origins.ts";
import { broughtField } from "../../trust/nouns/origin.ts";
import { recordPath } from "../files/artifacts.ts";
import { commitStates } from "../files/commits.ts";
import type { ReviewState } from "../files/read-review.ts";
import type { Artifact } from "../nouns/artifact.ts";

/** An artifact as answers show it, without its content. `created_at` is in Unix seconds. */
export const ArtifactAnswer = z.object({
  id: z.string(),
  name: z.string(),
  version: z.number(),
  type: z.string(),
  created_by: z.string(),
  /** Present of what a sync brought: `by sync` and the commit. */
  origin: z.optional(z.string()),
  task_id: z.nullable(z.string()),
  created_at: z.number(),
  /** The commit of the code, its branch, and how many commits that has since that the main branch lacks, where this machine can say. */
  commit: z.optional(z.string()),
  branch: z.optional(z.string()),
  ahead: z.optional(z.number()),
});

/** Adds to artifacts' answers where they came from, and how many commits their branches have since. */
export async function withAhead(world: World, session: string, artifacts: readonly Artifact[]): Promise<z.infer<typeof ArtifactAnswer>[]> {
  const states = await commitStates(world, artifacts);
  const originOf = originsOf(world);
  return artifacts.map((artifact, at) => {
    const origin = broughtField(originOf(recordPath(world, session, artifact)));
    return withoutUndefined({ ...artifactAnswer(artifact), ...origin, ahead: states[at]?.ahead });
  });
}

/** Shows an artifact. */
export function artifactAnswer({
  id,
  name,
  version,
  type,
  createdBy,
  task,
  createdAt,
  commit,
  branch,
}: Artifact): z.infer<typeof ArtifactAnswer> {
  return {
    id,
    name,
    version,
    type,
    created_by: createdBy,
    task_id: task ?? null,
    created_at: Math.floor(Date.parse(createdAt) / 1_000),
    ...(commit === undefined ? {} : { commit }),
    ...(branch === undefined ? {} : { branch }),
  };
}

/** A review as answers show it. `created_at` is in Unix seconds. */
export const ReviewAnswer = z.object({
  id: z.string(),
  artifact_id: z.string(),
  name: z.string(),
  version: z.number(),
  status: z.string(),
  reviewer: z.string(),
  requester: z.string(),
  comments: z.nullable(z.string()),
  /** Of the result, where a sync brought it. */
  origin: z.optional(z.string()),
  created_at: z.number(),
  /** The commit of the version under review, its branch, and by how many commits that went on, where this machine can say. */
  commit: z.optional(z.string()),
  branch: z.optional(z.string()),
  ahead: z.optional(z.number()),
});

/** Shows a review: whom it concerns by their names of now. */
export function reviewAnswer(world: World, review: ReviewState): z.infer<typeof ReviewAnswer> {
  const { id, artifact, name, version, status, reviewer, requester, comments, at } = review;
  return {
    id,
    artifact_id: artifact,
    name,
    version,
    status,
    reviewer: nameNow(world, reviewer),
    requester: nameNow(world, requester),
    comments,
    created_at: Math.floor(Date.parse(at) / 1_000),
  };
}
