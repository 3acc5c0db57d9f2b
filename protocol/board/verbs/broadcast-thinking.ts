import { acted } from "../../core/act.ts";
import { LIMITS, text } from "../../core/format/schema.ts";
import { defineOperation } from "../../core/operation.ts";
import { SessionId } from "../../core/shapes.ts";
import { findSession } from "../files/sessions.ts";

/** Shows viewers what an agent is thinking; kept nowhere. */
export const broadcast_thinking = defineOperation({
  name: "broadcast_thinking",
  tool: "board",
  command: "think",
  summary: "Show viewers what you are thinking (not recorded)",
  when: "Show viewers what you are about to do.",
  effect: "write",
  idempotent: false,
  identity: "writer",
  positionals: ["content"],
  input: () => ({ content: text(LIMITS.thinking, "Markdown"), session_id: SessionId }),
  output: () => ({}),
  example: { content: "The parser comes first." },
  async run(world, input, { part }) {
    acted(world, {
      event: { type: "agent:thinking", part, agentId: part, sessionId: findSession(world, input.session_id), chunk: input.content },
    });
    return {};
  },
});
