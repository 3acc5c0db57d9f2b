import * as z from "zod/mini";
import { line, maybe } from "../../core/format/schema.ts";
import { defineOperation } from "../../core/operation.ts";
import type { World } from "../../core/world.ts";
import { closeDispatch } from "../files/close-dispatch.ts";
import { ensureRunner } from "../files/ensure-runner.ts";
import { localDispatches } from "../files/next-turn.ts";
import { officeCallerOf, requireOwn, whoTyped } from "../files/office-caller.ts";
import { readDispatch, readDispatchFiles } from "../files/read-dispatch.ts";
import { requirePerson } from "../files/trusted-office.ts";
import { isAtWork } from "../nouns/dispatch-state.ts";

/** Closes a conversation, or all that are at work here. */
export const office_stop = defineOperation({
  name: "office_stop",
  summary: "Close a conversation with all that it led to, or all that are at work here; what runs is stopped",
  effect: "destroy",
  idempotent: true,
  identity: "optional",
  positionals: ["context"],
  input: () => ({ context: maybe(line(512, "the context_id, or the id of the thread; default: all that are at work")) }),
  output: () => ({ closed: z.array(z.string()) }),
  example: { context: "t-20260131-k3f9x2ab" },
  async run(world, { context }, who) {
    requirePerson(world, "relay office stop");
    const typed = whoTyped(who);
    const caller = officeCallerOf(world, typed);
    const ids = context === undefined ? atWork(world) : [requireOwn(world, caller, context).dispatch.id];
    const { store } = world.home();
    const closed = ids
      .flatMap((id) => closeDispatch(world, id, typed.part))
      .map((id) => readDispatchFiles(store, id)?.dispatch.context ?? id);
    ensureRunner(world);
    return { closed };
  },
});

/** The dispatches of this clone that are at work, the highest first: whoever gave the work of one may have failed, and is at work no more. */
const atWork = (world: World): string[] =>
  localDispatches(world)
    .flatMap((id) => readDispatch(world, id) ?? [])
    .filter(({ isOwn, state }) => isOwn && isAtWork(state))
    .sort((a, b) => a.dispatch.depth - b.dispatch.depth)
    .map(({ dispatch }) => dispatch.id);
