import * as z from "zod/mini";
import { defineOperation } from "../../core/operation.ts";
import { lastResult, notifies } from "../files/notify-list.ts";
import { livePagers } from "../files/who-rings.ts";
import { notifyAnswer, notifyAnswerFields } from "./notify-answer.ts";

const Last = z.object({ at: z.string(), ok: z.boolean(), event: z.string(), detail: z.string() });

/** Lists how people are told here. */
export const notify_list = defineOperation({
  name: "notify_list",
  summary: "List the commands and webhooks that tell a person, and their last results",
  effect: "read",
  identity: "none",
  output: () => ({ notifies: z.array(z.object({ ...notifyAnswerFields, last: z.nullable(Last) })), pager: z.boolean() }),
  async run(world) {
    const all = notifies(world).map((notify) => ({ ...notifyAnswer(notify), last: lastResult(world, notify.name) }));
    return { notifies: all, pager: livePagers(world, null).length > 0 };
  },
});
