/** How the keys of answers are written: one style in each half of the operations. spec/commands.md, "Operations". */
import { expect, test } from "vitest";
import * as z from "zod/mini";
import { type AnyOperation, operationList } from "../../protocol/index.ts";

/** Words of the board, whose names agents know from an earlier tool. */
const BOARD = /^(?:session|plan|task|artifact|review|memory|message|state|team)(?: |$)|^(?:think|agents|pool|info)$/;

/** Keys that are a name of something else: of a status, of the board in a mail's answer, of an agent's definition, of an argument, of what the
 * tools of the office have in common with their predecessors'. */
const NAMES: Record<string, string[]> = {
  status: ["in_progress", "in_review"],
  search: ["task_id", "artifact_id", "review_id", "session_id"],
  part_deliver: ["timeout_s"],
  list_agents: ["basePersonaId", "systemPrompt"],
  list_pool_agents: ["basePersonaId"],
  office_log: ["context_id", "cost_usd", "led_to", "awaiting_input"],
  office_tree: ["context_id", "cost_usd", "awaiting_input"],
  office_start: ["context_id"],
  office_send: ["context_id"],
  office_close: ["context_id"],
  office_read: ["context_id"],
  get_server_info: ["dashboardUrl", "dashboardAvailable", "sessionId", "instanceId"],
};

type Schema = Record<string, unknown> & { properties?: Record<string, Schema> };

function keysOf(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { properties = {}, items, additionalProperties, anyOf = [], oneOf = [] } = schema as Schema;
  const deeper = [...Object.values(properties), items, additionalProperties, ...(anyOf as unknown[]), ...(oneOf as unknown[])];
  return [...Object.keys(properties), ...deeper.flatMap(keysOf)];
}

test("an operation of the board answers in snake_case, every other in camelCase", () => {
  const named = new Set<string>();
  for (const { name, command, output } of operationList as readonly AnyOperation[]) {
    const schema = typeof output === "function" ? (output as () => z.core.$ZodType)() : output;
    const odd = BOARD.test(command) ? /[A-Z]/ : /_/;
    const found = keysOf(z.toJSONSchema(schema as z.core.$ZodType, { unrepresentable: "any" })).filter((key) => odd.test(key));
    const allowed = NAMES[name] ?? [];
    expect(
      found.filter((key) => !allowed.includes(key)),
      command,
    ).toEqual([]);
    for (const key of found) named.add(`${name} ${key}`);
  }
  expect([...named].sort()).toEqual(
    Object.entries(NAMES)
      .flatMap(([name, keys]) => keys.map((key) => `${name} ${key}`))
      .sort(),
  );
});
