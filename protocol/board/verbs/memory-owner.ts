import * as z from "zod/mini";
import { AgentId } from "../../core/shapes.ts";
import type { World } from "../../core/world.ts";
import { requireDistinct } from "../../mail/files/members.ts";

/** The part whose memory is meant, as a caller gives it. */
export const MemoryOwner = () => z.optional(AgentId("an agent; default: the project"));

/** The part whose memory is meant; null for the project's. @throws Refusal `bad_part`, `part_exists` */
export function requireOwner(world: World, part: string | undefined): string | null {
  if (part !== undefined) requireDistinct(world, part);
  return part ?? null;
}
