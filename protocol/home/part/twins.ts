/** Ids that differ only in case: where case does not count they would share a folder. SPEC.md, "Parts". */
import { refuse } from "../../refusal.ts";
import type { World } from "../../world.ts";
import { isMember, members, requirePartId } from "./members.ts";

/** Refuses an id that differs from a known one only in case, whole or up to a "/". @throws Refusal `bad_part`, `part_exists` */
export function requireDistinct(world: World, part: string): void {
  requirePartId(part);
  if (isMember(world, part)) return;
  const twin = twinOf(world, part, null);
  if (twin !== null) throw refuse("part_exists", { given: part, existing: twin });
}

/** A part or guest that an id differs from only in case, whole or up to a "/": where case does not count they share a folder. */
export function twinOf(world: World, part: string, but: string | null): string | null {
  const twin = members(world).find((known) => known.part !== but && isTwin(known.part.split("/"), part.split("/")));
  return twin?.part ?? null;
}

const isTwin = (one: readonly string[], other: readonly string[]): boolean =>
  one.slice(0, other.length).some((_, at) => {
    const [here = "", there = ""] = [one, other].map((segments) => segments.slice(0, at + 1).join("/"));
    return here !== there && here.toLowerCase() === there.toLowerCase();
  });
