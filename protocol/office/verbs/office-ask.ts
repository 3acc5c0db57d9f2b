import * as z from "zod/mini";
import { LIMITS, maybe, prose } from "../../core/format/schema.ts";
import { defineOperation } from "../../core/operation.ts";
import { refuse } from "../../core/refusal.ts";
import { askPeople } from "../files/ask-question.ts";
import { awaitReply, noteAnswered } from "../files/await-reply.ts";
import { fromShown } from "../files/dispatch-mail.ts";
import { officeCallerOf } from "../files/office-caller.ts";

/** People answer when they see it: a turn that waits long costs its memory. */
const WAIT_S = 60;

/** Asks people. */
export const office_ask = defineOperation({
  name: "office_ask",
  tool: "team",
  toolName: "AskQuestion",
  summary: "Ask people a question, and wait a moment for the answer",
  when: "Ask people what only they can decide. queued: end your turn; you are started again with the answer.",
  hidden: true,
  effect: "write",
  idempotent: true,
  identity: "optional",
  positionals: ["question"],
  input: () => ({
    question: prose(LIMITS.body, "the question, with what is needed to decide it"),
    wait_s: maybe(z.int().check(z.gte(0), z.lte(LIMITS.waitSeconds), z.describe("seconds to wait at the most"))),
  }),
  unlisted: ["wait_s"],
  output: () => ({
    status: z.enum(["answered", "queued"]),
    question: z.string(),
    answer: z.optional(z.string()),
    by: z.optional(z.string()),
  }),
  example: { question: "Shall prices be shown with or without tax?" },
  async run(world, { question: text, wait_s: seconds = WAIT_S }, who) {
    const caller = officeCallerOf(world, who);
    if (caller.by === "part")
      throw refuse("not_permitted", {
        who: caller.part,
        problem: "it has no turn that could be started with the answer. Use `send` to human",
      });
    const question = askPeople(world, caller.dispatch, text);
    const came = await awaitReply(world, caller, question.thread, seconds * 1_000);
    if (came === null || came.message.thread !== question.thread) return { status: "queued" as const, question: question.id };
    noteAnswered(world, caller, question.id, came.message);
    return { status: "answered" as const, question: question.id, answer: came.message.body, by: fromShown(world, came.message) };
  },
});
