/** Operations as MCP tools: names, schemas, annotations. spec/agents.md, "MCP". */
import * as z from "zod/mini";
import { takesAgent, takesAnySession } from "../protocol/core/read-input.ts";
import { type AnyOperation, operationList } from "../protocol/index.ts";
import type { ToolListing } from "./sdk.ts";

/**
 * The groups of tools that a server can offer. `plugin` is the board under every name that agents of an earlier tool call; `team` is what
 * a position of the office gives work with; `view` is what people see of the project.
 */
export const GROUPS = ["room", "board", "plugin", "team", "view"] as const;
/** What a server offers unless it is told. */
export const DEFAULT_GROUPS: readonly string[] = ["room", "board"];

type JsonSchema = Record<string, unknown>;

/** An operation that agents are offered. */
export interface Tool {
  operation: AnyOperation;
  /** Whether its answers are made brief. Those of the board have the whole shape that agents of an earlier tool read. */
  isBrief: boolean;
}

/** The tools of some groups, by name. */
export function offered(groups: readonly string[]): Map<string, Tool> {
  return new Map(
    operationList.flatMap((operation) => {
      const { tool } = operation;
      if (tool === null) return [];
      const served = groups.includes(tool.group) || (tool.group === "board" && groups.includes("plugin"));
      return served ? [[tool.name, { operation, isBrief: tool.group === "room" }] as const] : [];
    }),
  );
}

/** The group that has a tool which a server does not offer; null where none has it. */
export function groupOf(name: string): string | null {
  return operationList.find(({ tool }) => tool?.name === name)?.tool?.group ?? null;
}

/** How much of each tool a list shows. */
interface Shown {
  /** Whether a call may have to say who it is from. */
  names: boolean;
  /** Whether all that agents of an earlier tool may look for is shown: every argument, and what answers have. */
  isWhole: boolean;
  /** Whether answers are text alone, so that no schema describes them. */
  isTextOnly: boolean;
}

/** A tool as the list shows it; every client loads all of it, so it is short. */
export function listing(name: string, { operation, isBrief }: Tool, shown: Shown): ToolListing {
  return {
    name,
    title: name.charAt(0).toUpperCase() + name.slice(1).replaceAll("_", " "),
    description: operation.when,
    inputSchema: inputSchema(operation, shown),
    ...(operation.words === true || !shown.isWhole || shown.isTextOnly ? {} : { outputSchema: outputSchema(operation, isBrief) }),
    annotations: {
      readOnlyHint: operation.effect === "read" && operation.marksRead !== true,
      idempotentHint: operation.idempotent && operation.marksRead !== true,
      destructiveHint: operation.effect === "destroy",
    },
  };
}

function inputSchema(operation: AnyOperation, { names, isWhole }: Shown): ToolListing["inputSchema"] {
  const { properties = {}, required } = z.toJSONSchema(operation.input, { io: "input" }) as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  const isLeftOut = (argument: string): boolean => !isWhole && required?.includes(argument) !== true && isRare(operation, argument);
  const listed = Object.entries(properties).filter(([argument]) => operation.unlisted?.includes(argument) !== true && !isLeftOut(argument));
  const own = Object.fromEntries(listed.map(([argument, schema]) => [argument, advertised(argument, schema, isWhole)]));
  const session = takesAnySession(operation) && !isLeftOut("session_id") ? { session_id: { type: "string" } } : {};
  // A caller that only reads need not say who it is.
  const says = operation.tool?.group === "room" ? ["reader", "writer"].includes(operation.identity) : takesAgent(operation);
  const agent = names && says ? { agent_id: { type: "string" } } : {};
  return { type: "object", properties: { ...own, ...session, ...agent }, ...(required === undefined ? {} : { required }) };
}

/** Arguments that each tool takes, and that hardly an agent needs. */
const RARE: ReadonlySet<string> = new Set(
  "session_id idempotency_key parent_task_id derived_reason lease_s include_description limit version detail agent_id keys template".split(
    " ",
  ),
);
/** Tools that are about the session that they name. */
const NAMING: ReadonlySet<string> = new Set("start_session get_session_summary".split(" "));
const isRare = ({ name }: AnyOperation, argument: string): boolean => RARE.has(argument) && !NAMING.has(name);
/** Tools of the board that hardly an agent needs; all of them can be called. */
const RARE_TOOLS: ReadonlySet<string> = new Set(
  "save_orchestrator_state get_orchestrator_state list_pool_agents list_sessions save_session_summary withdraw_review".split(" "),
);
/** A short list names no more states of a thing; a refusal names them all. */
const FEW = 4;
/** Whether a short list has a tool. */
export const isListed = (name: string): boolean => !RARE_TOOLS.has(name);
/** Arguments of which a short list says what they hold. */
const SAID: ReadonlySet<string> = new Set("to resetAt".split(" "));

/** Arguments whose names need no description. */
const PLAIN: ReadonlySet<string> = new Set(
  "ack all body content cursor detail lesson limit messageIds part query session_id subject thread threadId threads timeoutSeconds title urgent".split(
    " ",
  ),
);

/** The words of an argument's schema that a model needs. Refusals name the limits; some clients refuse other words. */
function advertised(argument: string, { type, description, enum: values, items, anyOf }: JsonSchema, isWhole: boolean): JsonSchema {
  const kinds = (anyOf as JsonSchema[] | undefined)?.map((kind) => kind["type"]);
  return {
    // Of several types the first: strict clients know one.
    type: kinds?.[0] ?? type,
    ...(values === undefined || (!isWhole && argument === "status" && (values as string[]).length > FEW) ? {} : { enum: values }),
    ...(items === undefined ? {} : { items: { type: (items as JsonSchema)["type"] } }),
    ...(description === undefined || (isWhole ? PLAIN.has(argument) : !SAID.has(argument)) ? {} : { description }),
  };
}

/** Names and plain types of an answer. A failure has the same shape but for its fields, so at the most `success` is required. */
function outputSchema(operation: AnyOperation, isBrief: boolean): NonNullable<ToolListing["outputSchema"]> {
  const { properties = {} } = z.toJSONSchema(operation.output, { io: "output" }) as { properties?: Record<string, JsonSchema> };
  const plain = Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, plainType(schema)]));
  const required = isBrief ? {} : { required: ["success"] };
  return { type: "object", properties: { success: { type: "boolean" }, ...plain }, ...required };
}

function plainType(schema: JsonSchema): JsonSchema {
  const kinds = (schema["anyOf"] as JsonSchema[] | undefined)?.map((kind) => kind["type"]);
  if (kinds !== undefined) return { type: kinds };
  // A failure says that there is none.
  if (schema["type"] === "object") return { type: ["object", "null"] };
  if (schema["type"] !== "array") return { type: schema["type"] };
  return { type: "array", items: { type: (schema["items"] as JsonSchema)["type"] } };
}
