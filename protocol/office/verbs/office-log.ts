import * as z from "zod/mini";
import { parseMessageId } from "../../core/format/id.ts";
import { line } from "../../core/format/schema.ts";
import { defineOperation } from "../../core/operation.ts";
import { readMessage } from "../../mail/files/read-message.ts";
import { messagePath } from "../../mail/nouns/message.ts";
import type { Store } from "../../store/root.ts";
import { childrenOf } from "../files/children.ts";
import { findDispatch, requireDispatch } from "../files/create-dispatch.ts";
import { dispatchMeant } from "../files/list-dispatches.ts";
import { readDispatchFiles } from "../files/read-dispatch.ts";
import { ConversationShape, conversationOf } from "./send-answer.ts";

const TurnShape = z.object({
  turn: z.number(),
  at: z.string(),
  reason: z.string(),
  inputs: z.array(z.string()),
  runner: z.string(),
  model: z.nullable(z.string()),
  ended: z.nullable(z.string()),
  outcome: z.nullable(z.string()),
  exit: z.nullable(z.string()),
  reply: z.nullable(z.string()),
  problem: z.nullable(z.string()),
  text: z.string(),
});

/** Shows the turns of a conversation. */
export const office_log = defineOperation({
  name: "office_log",
  summary: "Show the turns of a conversation: why each began, how it ended, and what it answered",
  effect: "read",
  identity: "none",
  positionals: ["context"],
  input: () => ({ context: line(512, "the context_id or the id of the thread, or the beginning of either's last part") }),
  output: () => ({ conversation: ConversationShape, turns: z.array(TurnShape), led_to: z.array(z.string()) }),
  example: { context: "t-20260131-k3f9x2ab" },
  async run(world, { context }) {
    const { store } = world.home();
    const state = requireDispatch(world, findDispatch(world, context) ?? dispatchMeant(world, context) ?? context);
    const turns = state.turns.map(({ turn, at, reason, inputs, runner, model }) => {
      const end = state.ends.find((each) => each.turn === turn);
      return {
        ...{ turn, at, reason, inputs: [...inputs], runner, model: model ?? null },
        ended: end?.at ?? null,
        outcome: end?.outcome ?? null,
        exit: end?.exit ?? null,
        reply: end?.reply ?? null,
        problem: end?.problem ?? null,
        text: end?.reply === undefined ? (end?.text ?? "") : (replied(store, end.reply) ?? end.text),
      };
    });
    const below = childrenOf(store, state.dispatch.id).map(({ id }) => readDispatchFiles(store, id)?.dispatch.context ?? id);
    return { conversation: conversationOf(world, state), turns, led_to: below };
  },
});

/** The text of a reply; null where it is gone. */
function replied(store: Store, id: string): string | null {
  const location = parseMessageId(id);
  return location === null ? null : (readMessage(store, location, messagePath(location), [])?.body ?? null);
}
