import * as z from "zod/mini";
import { listDispatches } from "../../home/dispatch/read-dispatch.ts";
import { isRunnerThere } from "../../home/dispatch/runner-hold.ts";
import { readLimits } from "../../home/office/office-limits.ts";
import { requireOffice } from "../../home/office/read-office.ts";
import { count } from "../../objects/format/schema.ts";
import { defineOperation } from "../../operation.ts";
import { PositionShape, positionsOf } from "../office/office-answers.ts";
import { ConversationShape, conversationOf } from "./send-answer.ts";

/** Shows the office: each position, and what it does now. */
export const office_tree = defineOperation({
  name: "office_tree",
  summary: "Show what each position of the office does now, and since when",
  effect: "read",
  identity: "none",
  input: () => ({ limit: count(1, 1_000, 100, "conversations at the most") }),
  output: () => ({
    name: z.string(),
    runner: z.boolean(),
    positions: z.array(PositionShape),
    conversations: z.array(ConversationShape),
    warnings: z.array(z.string()),
  }),
  async run(world, { limit }) {
    const office = requireOffice(world);
    const conversations = listDispatches(world, limit).map((state) => conversationOf(world, state));
    const runner = world.past === undefined && isRunnerThere(world.home().store);
    const warnings = world.past === undefined ? readLimits(world).problems : [];
    return { name: office.name, runner, positions: positionsOf(office), conversations, warnings };
  },
});
