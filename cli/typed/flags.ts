/** How an operation's arguments become flags and places on a command line. */
import * as z from "zod/mini";
import { typeOf } from "../../protocol/core/read-input.ts";
import type { AnyOperation } from "../../protocol/index.ts";

/** Flags that people expect under another name, or the other way round. */
const SPECIAL: Record<string, { flag: string; value?: unknown; description?: string }> = {
  tags: { flag: "--tags", description: "labels of the thread, with commas" },
  unreadOnly: { flag: "--all", value: false, description: "acked messages too" },
  threadId: { flag: "--thread" },
  thread_id: { flag: "--thread" },
  task_id: { flag: "--task" },
  // --part is always who you are; a filter is --with.
  part: { flag: "--with" },
  timeoutSeconds: { flag: "--timeout" },
  session_id: { flag: "--session" },
  agent_id: { flag: "--of" },
  lease_s: { flag: "--lease" },
  detach: { flag: "--no-wait" },
  // Of an operation that counts seconds it is the number.
  "office_send.wait": { flag: "--no-wait", value: false },
  expectsReply: { flag: "--no-reply", value: false, description: "it needs no answer, so it wakes nobody" },
};

/** Arguments that hold a text of some length: `-` reads them from stdin. */
const TEXTS = new Set(["plan", "body", "content", "summary", "state", "description", "comments"]);

/** Whether an argument may come from stdin; `whenLeftOut`: also where nothing was typed. `exact`: with its last line break. */
export interface FromStdin {
  whenLeftOut: boolean;
  exact: boolean;
}

/** How an argument may come from stdin; null when it may not. */
export function stdinOf(operation: AnyOperation, argument: string): FromStdin | null {
  if (!TEXTS.has(argument)) return null;
  const required = isRequired((operation.input.shape as Record<string, z.core.$ZodType>)[argument] as z.core.$ZodType);
  return { whenLeftOut: required && operation.positionals.at(-1) === argument, exact: operation.keepsBytes === true };
}

/** One argument as a flag. */
export interface Flag {
  /** The argument's name in the operation. */
  argument: string;
  /** `--needs-human`. */
  flag: string;
  kind: "switch" | "number" | "list" | "json" | "text";
  /** What a switch means; true for most. */
  value?: unknown;
  description: string;
  choices?: string[] | undefined;
}

const kebab = (name: string): string => name.replaceAll("_", "-").replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** The plain schema behind what makes it optional or gives it a default. */
function plainSchema(schema: z.core.$ZodType): z.core.$ZodType {
  const def = schema._zod.def as { innerType?: z.core.$ZodType };
  return def.innerType === undefined ? schema : plainSchema(def.innerType);
}

function describe(schema: z.core.$ZodType): string {
  const own = z.globalRegistry.get(schema)?.description;
  const def = schema._zod.def as { innerType?: z.core.$ZodType; defaultValue?: unknown };
  const text = own ?? (def.innerType === undefined ? "" : describe(def.innerType));
  const standard = def.defaultValue;
  return typeof standard === "string" || typeof standard === "number" ? `${text}${text === "" ? "" : " "}(default ${standard})` : text;
}

/** What an argument may be, where there is a list of it. */
function choicesOf(schema: z.core.$ZodType): string[] | undefined {
  const plain = plainSchema(schema)._zod.def as { type: string; entries?: Record<string, string> };
  return plain.type === "enum" ? Object.values(plain.entries ?? {}) : undefined;
}

/** Whether an argument must be given. */
function isRequired(schema: z.core.$ZodType): boolean {
  const outer = (schema._zod.def as { type: string }).type;
  return outer !== "optional" && outer !== "default";
}

/** The flags of an operation: every argument that has no place of its own. */
export function flagsOf(operation: AnyOperation): Flag[] {
  const shape = operation.input.shape as Record<string, z.core.$ZodType>;
  return Object.entries(shape)
    .filter(([name]) => !operation.positionals.includes(name))
    .map(([argument, schema]) => {
      const special = SPECIAL[`${operation.name}.${argument}`] ?? SPECIAL[argument];
      const type = typeOf(schema);
      const kind =
        type === "boolean"
          ? "switch"
          : type === "number" || type === "int"
            ? "number"
            : type === "array"
              ? "list"
              : type === "record" || type === "object"
                ? "json"
                : "text";
      const must = isRequired(schema) ? "required" : "";
      return {
        argument,
        flag: special?.flag ?? `--${kebab(argument)}`,
        kind,
        ...(special !== undefined && "value" in special ? { value: special.value } : {}),
        description: [special?.description ?? describe(schema), must].filter((word) => word !== "").join("; "),
        choices: choicesOf(schema),
      } satisfies Flag;
    });
}

/** One argument as a place. */
export interface Place {
  /** `<to>`, `[body]`, `[message-ids...]`. */
  text: string;
  list: boolean;
  description: string;
  choices?: string[] | undefined;
}

/** How help writes a place. */
export function placeOf(operation: AnyOperation, argument: string, last: boolean): Place {
  const schema = (operation.input.shape as Record<string, z.core.$ZodType>)[argument] as z.core.$ZodType;
  const list = typeOf(schema) === "array";
  const stdin = stdinOf(operation, argument);
  // What may come from stdin may leave its place empty.
  const unnamed = mayBeUnnamed(operation, argument);
  const required = isRequired(schema) && stdin?.whenLeftOut !== true && !unnamed;
  const name = `${kebab(argument)}${list && last ? "..." : ""}`;
  const piped =
    stdin === null ? "" : stdin.whenLeftOut ? "; - or a pipe: read from stdin; on a terminal your editor opens" : "; -: read from stdin";
  const commas = list && !last ? "; several with commas, quote *" : "";
  const choices = choicesOf(schema);
  const only = unnamed ? "; default: the one thread with unread mail" : "";
  const said = `${describe(schema)}${piped}${commas}${only}`.replace(/^; /, "");
  // Help lists the places only where one has a description.
  const description = said === "" && choices !== undefined ? "one of these" : said;
  return { text: required ? `<${name}>` : `[${name}]`, list, description, choices };
}

/** Whether an operation's place may be left empty for the one unread thread. */
export const mayBeUnnamed = (operation: AnyOperation, argument: string): boolean => operation.naming?.includes(argument) === true;

/** Whether an input means the one unread thread: its operation may, and it names none. */
export const isUnnamed = (operation: AnyOperation, input: Record<string, unknown>): boolean =>
  operation.naming?.every((argument) => input[argument] === undefined) === true;
