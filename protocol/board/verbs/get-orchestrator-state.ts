import * as z from "zod/mini";
import { defineOperation } from "../../core/operation.ts";
import { SessionId } from "../../core/shapes.ts";
import { findSession } from "../files/sessions.ts";
import { readState } from "../files/summaries.ts";

/** Gives the state that was kept last. */
export const get_orchestrator_state = defineOperation({
  name: "get_orchestrator_state",
  tool: "board",
  command: "state show",
  summary: "Print the saved state",
  when: "Read your saved state; do it first when you lead a session.",
  effect: "read",
  identity: "optional",
  input: () => ({ session_id: SessionId }),
  output: () => ({ state: z.nullable(z.string()) }),
  async run(world, input) {
    const id = findSession(world, input.session_id);
    return { state: id === null ? null : readState(world, id) };
  },
});
