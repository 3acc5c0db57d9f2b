import * as z from "zod/mini";
import { LIMITS, verbatim } from "../../core/format/schema.ts";
import { defineOperation } from "../../core/operation.ts";
import { SessionId } from "../../core/shapes.ts";
import { currentSession, openSession } from "../files/sessions.ts";
import { saveState } from "../files/summaries.ts";
import { joinSession } from "./require-session.ts";

/** Keeps the state of whoever leads the session. */
export const save_orchestrator_state = defineOperation({
  name: "save_orchestrator_state",
  tool: "board",
  command: "state save",
  summary: "Save the state of the agent that leads the session",
  when: "Save your state while you lead a session, to go on after a restart.",
  effect: "write",
  idempotent: true,
  identity: "optional",
  keepsBytes: true,
  positionals: ["state"],
  input: () => ({ state: verbatim(LIMITS.state, "any text"), session_id: SessionId }),
  output: () => ({ session_id: z.string() }),
  example: { state: '{"step": "plan"}' },
  async run(world, input, caller) {
    const id = currentSession(world, input.session_id);
    openSession(world, id, caller.part || "human");
    joinSession(world, id, caller.part);
    await saveState(world, id, input.state);
    return { session_id: id };
  },
});
