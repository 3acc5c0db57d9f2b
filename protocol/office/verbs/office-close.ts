import * as z from "zod/mini";
import { line } from "../../core/format/schema.ts";
import { defineOperation } from "../../core/operation.ts";
import { refuse } from "../../core/refusal.ts";
import { closeDispatch } from "../files/close-dispatch.ts";
import { ensureRunner } from "../files/ensure-runner.ts";
import { nameOf, officeCallerOf, requireLead, requireOwn } from "../files/office-caller.ts";
import { readDispatchFiles } from "../files/read-dispatch.ts";

/** Closes a conversation that the caller began, and all that it led to. */
export const office_close = defineOperation({
  name: "office_close",
  tool: "team",
  toolName: "CloseConversation",
  summary: "Close a conversation that you began, with all that it led to",
  when: "End a conversation that you began; what runs for it is stopped.",
  hidden: true,
  effect: "destroy",
  idempotent: true,
  identity: "optional",
  positionals: ["context_id"],
  input: () => ({ context_id: line(512, "of the answer of Send") }),
  output: () => ({ context_id: z.string(), closed: z.array(z.string()) }),
  example: { context_id: "agent:om:shop/lead:0b6c1d1e-7a43-4d5e-9f00-1c2d3e4f5a6b" },
  async run(world, { context_id: context }, who) {
    const caller = officeCallerOf(world, who);
    requireLead(world, caller);
    const { dispatch } = requireOwn(world, caller, context);
    if (caller.by === "turn" && dispatch.id === caller.dispatch.id)
      throw refuse("not_permitted", { who: dispatch.recipient, problem: "the one who gave the work closes it. End your turn instead" });
    const { store } = world.home();
    const closed = closeDispatch(world, dispatch.id, nameOf(caller)).map((id) => readDispatchFiles(store, id)?.dispatch.context ?? id);
    ensureRunner(world);
    return { context_id: dispatch.context, closed };
  },
});
