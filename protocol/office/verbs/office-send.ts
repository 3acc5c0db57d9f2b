import * as z from "zod/mini";
import { LIMITS, line, maybe, prose } from "../../core/format/schema.ts";
import { defineOperation } from "../../core/operation.ts";
import { awaitReply } from "../files/await-reply.ts";
import { ensureRunner } from "../files/ensure-runner.ts";
import { giveWork } from "../files/give-work.ts";
import { saveEnvironment } from "../files/launch-environment.ts";
import { officeCallerOf } from "../files/office-caller.ts";
import { countSend, hasSendsBehind } from "../files/open-sends.ts";
import { answerOf, SendAnswer } from "./send-answer.ts";

/** A turn's client is given a long time-out by the runner; those of other agents end calls after 5 minutes. */
const WAIT_S = { turn: 1_500, others: 230 };

/** Gives work to a member of the roster, asks whoever gave the work, or goes on with a conversation. */
export const office_send = defineOperation({
  name: "office_send",
  tool: "team",
  toolName: "Send",
  summary: "Give work to a member of your roster, or go on with a conversation, and wait for the reply",
  when: "Give a member work, ask whoever gave you yours, or go on with a conversation (context_id). Waits for the reply. wait: false: the reply comes later; so several work at once.",
  hidden: true,
  effect: "write",
  idempotent: false,
  identity: "optional",
  positionals: ["member", "message"],
  input: () => ({
    member: z.string().check(z.describe("a name of ListTeamMembers")),
    message: prose(LIMITS.body, "all that it needs to know"),
    context_id: maybe(line(512, "of an earlier answer: goes on with it")),
    wait: maybe(z.boolean().check(z.describe("false: answers at once"))),
    wait_s: maybe(z.int().check(z.gte(1), z.lte(LIMITS.waitSeconds), z.describe("seconds to wait at the most"))),
  }),
  unlisted: ["wait_s"],
  output: () => SendAnswer,
  example: { member: "developer", message: "Add a test for the price of an empty cart." },
  async run(world, { member, message, context_id: context, wait, wait_s: seconds }, who) {
    const caller = officeCallerOf(world, who);
    countSend(world);
    const { dispatch, agent, isNew, isQuestion } = giveWork(world, caller, member, message, context);
    saveEnvironment(world);
    ensureRunner(world);
    const queued = { status: "queued" as const, context_id: dispatch.context, agent };
    // Whoever gave the work cannot answer before this turn has ended, or is in a call itself; and what is open goes on by itself.
    if (isQuestion || wait === false || (!isNew && wait !== true && seconds === undefined)) return queued;
    const most = caller.by === "turn" ? WAIT_S.turn : WAIT_S.others;
    const waitS = caller.by === "turn" ? (seconds ?? most) : Math.min(seconds ?? most, most);
    // Of several that one answer of a model asks for all but the last are queued: else the next one would begin when this one has ended.
    const isOver = (): boolean => wait !== true && caller.by === "turn" && hasSendsBehind(world, caller.dispatch.id, caller.turn);
    const came = await awaitReply(world, caller, dispatch.id, waitS * 1_000, isOver);
    return came === null ? queued : answerOf(world, came);
  },
});
