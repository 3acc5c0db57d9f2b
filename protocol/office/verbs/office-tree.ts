import * as z from "zod/mini";
import { cursor, limit } from "../../core/format/schema.ts";
import { defineOperation } from "../../core/operation.ts";
import { cursorAfter, readCursor } from "../../core/paginate.ts";
import { ensureRunner, isTurnDue } from "../files/ensure-runner.ts";
import { dispatchPage } from "../files/list-dispatches.ts";
import { readLimits } from "../files/office-limits.ts";
import { requireOffice } from "../files/read-office.ts";
import { isRunnerThere } from "../files/runner-hold.ts";
import { PositionShape, positionsOf } from "./office-answers.ts";
import { ConversationShape, conversationOf } from "./send-answer.ts";

/** Shows the office: each position, and what it does now: all that is at work, and of what is over a page. */
export const office_tree = defineOperation({
  name: "office_tree",
  summary: "Show what each position of the office does now, and since when",
  effect: "read",
  identity: "none",
  input: () => ({ limit: limit(20), cursor: cursor() }),
  output: () => ({
    name: z.string(),
    runner: z.boolean(),
    positions: z.array(PositionShape),
    conversations: z.array(ConversationShape),
    cursor: z.nullable(z.string()),
    limitFaults: z.array(z.string()),
  }),
  async run(world, { limit: most, cursor: last }) {
    const office = requireOffice(world);
    // `doctor` names this command where the runner was killed.
    if (world.past === undefined && !world.home().store.readOnly && isTurnDue(world)) ensureRunner(world);
    const page = dispatchPage(world, most, last === undefined ? null : readCursor(last));
    const conversations = page.dispatches.map((state) => conversationOf(world, state));
    const runner = world.past === undefined && isRunnerThere(world.home().store);
    const limitFaults = world.past === undefined ? readLimits(world).problems : [];
    const cursor = page.last === null ? null : cursorAfter(page.last);
    return { name: office.name, runner, positions: positionsOf(office), conversations, cursor, limitFaults };
  },
});
