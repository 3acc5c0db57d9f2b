import * as z from "zod/mini";
import { count, line } from "../../core/format/schema.ts";
import { defineOperation } from "../../core/operation.ts";
import { nameInOffice } from "../files/await-reply.ts";
import { lastReply } from "../files/dispatch-mail.ts";
import { officeCallerOf, requireOwn } from "../files/office-caller.ts";
import { wholeText } from "../files/reply-text.ts";
import { pageOf, pagesOf } from "../nouns/pages.ts";

/** Reads the last reply of a conversation, page by page. */
export const office_read = defineOperation({
  name: "office_read",
  tool: "team",
  toolName: "ReadReply",
  summary: "Read the last reply of a conversation, page by page",
  when: "The rest of a long reply, by pages.",
  hidden: true,
  effect: "read",
  onlyNow: true,
  identity: "optional",
  positionals: ["context_id"],
  input: () => ({ context_id: line(512, "of the answer of Send"), page: count(1, 1_000, 1, "page") }),
  output: () => ({ context_id: z.string(), agent: z.string(), page: z.number(), pages: z.number(), text: z.string() }),
  example: { context_id: "agent:om:shop/lead:0b6c1d1e-7a43-4d5e-9f00-1c2d3e4f5a6b", page: 2 },
  async run(world, { context_id: context, page }, who) {
    const caller = officeCallerOf(world, who);
    const { key, dispatch } = requireOwn(world, caller, context);
    const { store } = world.home();
    const reply = lastReply(store, key, dispatch);
    const text = reply === null ? "" : wholeText(store, reply);
    return {
      context_id: dispatch.context,
      agent: nameInOffice(world, dispatch.recipient),
      page,
      pages: pagesOf(text),
      text: pageOf(text, page),
    };
  },
});
