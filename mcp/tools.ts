/** Operations as MCP tools: names, schemas, annotations. SPEC.md, "MCP". */
import * as z from "zod/mini";
import { type AnyOperation, operationList, takesAgent, takesAnySession } from "../protocol/index.ts";
import type { ToolListing } from "./sdk.ts";

/** The groups of tools that a server can offer. */
export const GROUPS = ["room", "board"] as const;

type JsonSchema = Record<string, unknown>;

/** The operations of some groups that agents are offered, by the name of their tool. */
export function offered(groups: readonly string[]): Map<string, AnyOperation> {
  return new Map(
    operationList.flatMap((operation) =>
      operation.tool !== null && groups.includes(operation.tool.group) ? [[operation.tool.name, operation] as const] : [],
    ),
  );
}

/** A tool as the list shows it; every client loads all of it, so it is short. */
export function listing(name: string, operation: AnyOperation): ToolListing {
  return {
    name,
    title: name.charAt(0).toUpperCase() + name.slice(1).replaceAll("_", " "),
    description: operation.when,
    inputSchema: inputSchema(operation),
    outputSchema: outputSchema(operation),
    annotations: {
      readOnlyHint: operation.effect === "read",
      idempotentHint: operation.idempotent,
      destructiveHint: operation.effect === "destroy",
    },
  };
}

function inputSchema(operation: AnyOperation): ToolListing["inputSchema"] {
  const { properties, required } = z.toJSONSchema(operation.input, { io: "input" }) as { properties?: JsonSchema; required?: string[] };
  const agent = !takesAgent(operation) ? {} : { agent_id: { type: "string", description: "who you are, unless bound" } };
  const session = takesAnySession(operation) ? { session_id: { type: "string" } } : {};
  return { type: "object", properties: { ...properties, ...session, ...agent }, ...(required === undefined ? {} : { required }) };
}

/** Names and plain types of an answer. A failure has the same shape but for its fields, so only `success` is required. */
function outputSchema(operation: AnyOperation): ToolListing["outputSchema"] {
  const { properties = {} } = z.toJSONSchema(operation.output, { io: "output" }) as { properties?: Record<string, JsonSchema> };
  const plain = Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, plainType(schema)]));
  return { type: "object", properties: { success: { type: "boolean" }, ...plain }, required: ["success"] };
}

function plainType(schema: JsonSchema): JsonSchema {
  const kinds = (schema["anyOf"] as JsonSchema[] | undefined)?.map((kind) => kind["type"]);
  if (kinds !== undefined) return { type: kinds };
  // A failure says that there is none.
  if (schema["type"] === "object") return { type: ["object", "null"] };
  if (schema["type"] !== "array") return { type: schema["type"] };
  return { type: "array", items: { type: (schema["items"] as JsonSchema)["type"] } };
}
