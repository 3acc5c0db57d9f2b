/** What a turn used of what its program counted. */

import type { Program } from "../../protocol/agents/hosts/program.ts";
import type { Reading, Usage } from "../../protocol/agents/hosts/reading.ts";
import type { DispatchState } from "../../protocol/office/files/read-dispatch.ts";

const COUNTS = ["inputTokens", "cachedInputTokens", "outputTokens"] as const;

/**
 * What a turn used. A program that counts the whole session says at the end of each turn what all turns of it used, so the earlier ones are
 * taken away; where they are more than the whole, it began to count anew.
 * @param ends of the dispatch's earlier turns
 */
export function turnUsage(program: Program, { session, usage }: Reading, ends: DispatchState["ends"]): Usage | undefined {
  if (usage === undefined || program.countsSession !== true) return usage;
  const before = ends.filter(({ agentSession }) => agentSession === session);
  const left = COUNTS.map((count) => usage[count] - before.reduce((sum, end) => sum + (end.usage?.[count] ?? 0), 0));
  if (left.some((count) => count < 0)) return usage;
  const [inputTokens, cachedInputTokens, outputTokens] = left as [number, number, number];
  return { ...usage, inputTokens, cachedInputTokens, outputTokens };
}
