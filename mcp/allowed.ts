/** Which tools an agent may use: what its definition says, where the connection is bound to it. spec/agents.md, "Team files". */
import type { AnyOperation, FailureReply, World } from "../protocol/index.ts";
import { allowedTools, asRefusal, failureReply, refuse } from "../protocol/internal.ts";

/**
 * Why an agent may not use a tool; null when it may.
 * Where its definition cannot be read it may still look, so that somebody finds out, but do nothing.
 */
export function notAllowed(world: World, operation: AnyOperation): FailureReply | null {
  const tool = operation.tool?.name;
  if (tool === undefined) return null;
  try {
    const { tools, pending } = allowedTools(world, operation.effect === "write");
    if (tools === null || tools.includes(tool)) return null;
    const said = { tool, agent: world.me.part as string, allowed: [...tools], ...(pending ? { pending: true } : {}) };
    return failureReply(refuse("tool_not_allowed", said));
  } catch (error) {
    const refusal = asRefusal(world, error);
    // Without a home there are no definitions; the call itself says what is missing.
    return operation.effect === "read" || refusal.code === "no_home" ? null : failureReply(refusal);
  }
}
