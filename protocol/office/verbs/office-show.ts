import * as z from "zod/mini";
import { LIMITS, line, maybe } from "../../core/format/schema.ts";
import { nearest } from "../../core/names.ts";
import { defineOperation } from "../../core/operation.ts";
import { refuse } from "../../core/refusal.ts";
import { requireOffice } from "../files/read-office.ts";
import { positionId } from "../nouns/positions.ts";
import { deriveRoster } from "../nouns/roster.ts";
import { PositionShape, positionsOf, RosterShape } from "./office-answers.ts";

/** Shows the positions of the office as a tree, or the roster of one of them. */
export const office_show = defineOperation({
  name: "office_show",
  summary: "Show the office: its positions, or the roster of one of them",
  effect: "read",
  identity: "none",
  input: () => ({ position: maybe(line(LIMITS.name, "show this position's roster, as `teaparty/coding/lead`")) }),
  output: () => ({
    name: z.string(),
    description: z.string(),
    positions: z.array(PositionShape),
    position: z.optional(PositionShape),
    roster: z.optional(RosterShape),
  }),
  example: { position: "om" },
  async run(world, { position: given }) {
    const office = requireOffice(world);
    const { name, description } = office;
    const positions = positionsOf(office);
    if (given === undefined) return { name, description, positions };
    const position = positions.find(({ id }) => id === positionId(given));
    if (position === undefined) throw refuse("unknown_position", { given, nearest: nearest(given, [...office.positions.keys()]) });
    return { name, description, positions, position, roster: deriveRoster(office, position.id) };
  },
});
