import * as z from "zod/mini";
import type { Artifact } from "../../objects/artifact/artifact.ts";

/** An artifact as answers show it, without its content. `created_at` is in Unix seconds. */
export const ArtifactAnswer = z.object({
  id: z.string(),
  name: z.string(),
  version: z.number(),
  type: z.string(),
  created_by: z.string(),
  task_id: z.nullable(z.string()),
  created_at: z.number(),
});

/** Shows an artifact. */
export function artifactAnswer({ id, name, version, type, createdBy, task, createdAt }: Artifact): z.infer<typeof ArtifactAnswer> {
  return {
    id,
    name,
    version,
    type,
    created_by: createdBy,
    task_id: task ?? null,
    created_at: Math.floor(Date.parse(createdAt) / 1_000),
  };
}
