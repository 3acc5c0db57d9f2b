/** What the operations of the office answer with. */
import * as z from "zod/mini";
import type { FileError } from "../../core/format/file-error.ts";
import type { Fault } from "../../core/shapes.ts";
import type { Office } from "../nouns/positions.ts";
import { deriveRoster, type Roster } from "../nouns/roster.ts";

/** A position, as it is listed. */
export const PositionShape = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  parent: z.nullable(z.string()),
  leads: z.nullable(z.enum(["office", "project", "workgroup"])),
  hasSubRoster: z.boolean(),
});

/** A roster: names, and what each is for. */
export const RosterShape = z.record(z.string(), z.object({ description: z.string(), type: z.optional(z.literal("requestor")) }));

/** The positions of an office, each after its parent. */
export const positionsOf = ({ positions }: Office): z.infer<typeof PositionShape>[] =>
  [...positions.values()].map(({ id, name, description, parent, leads, members }) => ({
    id,
    name,
    description,
    parent,
    leads,
    hasSubRoster: members.length > 0,
  }));

/** The roster of each position that has one, by its id. */
export const rostersOf = (office: Office): Record<string, Roster> =>
  Object.fromEntries([...office.positions.values()].filter(({ leads }) => leads !== null).map(({ id }) => [id, deriveRoster(office, id)]));

/** Faults of files as every surface shows them. */
export const faultsOf = (faults: readonly FileError[], path: string): z.infer<typeof Fault>[] =>
  faults.map((fault) => ({ path: fault.path ?? path, ...(fault.line === undefined ? {} : { line: fault.line }), problem: fault.message }));
