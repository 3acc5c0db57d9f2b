/** A verb is one value; the library, the command line and the MCP server are made from it. */
import * as z from "zod/mini";
import { once } from "./format/schema.ts";
import type { Caller } from "./names.ts";
import type { World } from "./world.ts";

/** What an operation does to the home. */
export type Effect = "read" | "write" | "destroy";

/** Whether an operation may (`optional`) or must know who calls: `agent_id` is then one of its arguments. */
export type Identity = "none" | "optional" | "reader" | "writer";

/** The fields of a schema, by name. */
export type Shape = Readonly<Record<string, z.core.$ZodType>>;

/** The definition of one operation. */
export interface Operation<I extends Shape = Shape, O extends Shape = Shape> {
  /** The name the library knows it by. */
  name: string;
  /** The name of its MCP tool, which is its own, and its group; null when it is not offered to agents. */
  tool: { name: string; group: "room" | "board" | "plugin" | "team" | "view" } | null;
  /** The words of its command (`part add`). */
  command: string;
  /** Whether its command is for programs, and left out of the help that people read. */
  hidden?: boolean;
  /** One line for people. */
  summary: string;
  /** When an agent should use it; goes into the tool list, so it is short. Empty where it is no tool. */
  when: string;
  effect: Effect;
  /** Whether doing it twice is the same as doing it once. */
  idempotent: boolean;
  identity: Identity;
  /** Whether it needs a home at all, and so begins by finishing what is pending. */
  home: boolean;
  /** The arguments that a command takes by place, in order. */
  positionals: readonly (keyof I & string)[];
  input: z.ZodMiniObject<I>;
  /** Arguments that its tool takes and does not list: hardly an agent needs them, and each one listed costs every agent its tokens. */
  unlisted?: readonly (keyof I & string)[];
  output: z.ZodMiniObject<O>;
  /** An input that works, for help and for refusals. */
  example: Partial<Record<keyof I & string, unknown>>;
  /** Exit code of the command for an answer that is neither failure nor plain success. */
  exit?: (output: z.infer<z.ZodMiniObject<O>>) => number;
  /** Whether it reads what no record holds, such as what is still to come: then no earlier record can be asked. */
  onlyNow?: boolean;
  /** Whether it marks as read what it gives, so that its tool does not call itself one that only reads. */
  marksRead?: boolean;
  /** Writes anew what it answers to those who have only files. */
  keep?: (world: World) => Promise<void>;
  /** Whether its tool answers in words alone: a text, without an output schema. */
  words?: boolean;
  /** Whether its answer ends with word of something new for the caller, where that part begins its turns with `next`. */
  endsWithNews?: boolean;
  /** What its answers say of the home's settings: what waits for a person too (`held`), or nothing, because it is about them (`none`). */
  warnsOfSettings?: "held" | "none";
  /** Whether a session that it names may be new. */
  beginsSession?: boolean;
  /** Arguments any of which says which thread is meant: a command that gives none means the one thread with unread mail. */
  naming?: readonly (keyof I & string)[];
  /** Whether its command takes its first text as the name of a file. */
  readsFile?: boolean;
  /** Whether it keeps a text byte for byte, also the line break at its end. */
  keepsBytes?: boolean;
  /** Exit code of the command for every refusal, where those of the catalogue would be taken for an answer. */
  exitRefused?: number;
  /**
   * The answer to a call that was made before, found by these arguments alone; null where it was not. Asked where the other
   * arguments are refused.
   */
  again?: {
    by: readonly (keyof I & string)[];
    find(world: World, input: Partial<z.infer<z.ZodMiniObject<I>>>): z.infer<z.ZodMiniObject<O>> | null;
  };
  run(world: World, input: z.infer<z.ZodMiniObject<I>>, caller: Caller): Promise<z.infer<z.ZodMiniObject<O>>>;
}

/** An operation as it is written down: its schemas are made when they are first asked for, because a command needs one operation of all. */
type Definition<I extends Shape, O extends Shape> = Pick<Operation<I, O>, "name" | "summary" | "identity" | "run"> &
  Partial<Omit<Operation<I, O>, "tool" | "when" | "effect" | "idempotent" | "input" | "output">> & {
    input?: () => I;
    output: () => O;
  } & (
    | { tool: NonNullable<AnyOperation["tool"]>["group"]; toolName?: string; when: string }
    | { tool?: never; toolName?: never; when?: never }
  ) &
  // Only of a reader it goes without saying.
  ({ effect: "read"; idempotent?: never } | { effect: "write" | "destroy"; idempotent: boolean });

/**
 * Makes an operation of its definition; checks the definition's types against each other.
 * Left out, its command has the words of its name and its tool that name, it needs a home, and takes no arguments.
 */
export function defineOperation<O extends Shape, I extends Shape = Record<never, never>>(definition: Definition<I, O>): Operation<I, O> {
  const { name, tool, toolName = name, input, output, ...rest } = definition;
  const inputOf = once(() => z.object(input?.() ?? ({} as I)) as z.ZodMiniObject<I>);
  const outputOf = once(() => z.object(output()) as z.ZodMiniObject<O>);
  const operation: Operation<I, O> = {
    command: name.replaceAll("_", " "),
    when: "",
    idempotent: true,
    home: true,
    positionals: [],
    example: {},
    ...rest,
    name,
    tool: tool === undefined ? null : { name: toolName, group: tool },
    get input() {
      return inputOf();
    },
    get output() {
      return outputOf();
    },
  };
  return operation;
}

/** What the build made of the list, as JSON: by the name of each operation that needs no argument, its input where none is given. */
declare const RELAY_DEFAULTS: string | undefined;
let defaults: Readonly<Record<string, object>> | null = null;

/** What an operation's schema makes of no arguments, without making the schema; null where it needs one, or where the build says nothing. */
export function inputByDefault({ name }: Pick<AnyOperation, "name">): Record<string, unknown> | null {
  defaults ??= (typeof RELAY_DEFAULTS === "undefined" ? {} : JSON.parse(RELAY_DEFAULTS)) as NonNullable<typeof defaults>;
  return Object.hasOwn(defaults, name) ? JSON.parse(JSON.stringify(defaults[name])) : null;
}

/** An operation of any input and output, as the list holds it. */
// biome-ignore lint/suspicious/noExplicitAny: the list is heterogeneous; each operation checks its own input.
export type AnyOperation = Operation<any, any>;

/**
 * What an operation is given: its arguments, and who calls where the world does not say it.
 * @example const draft: InputOf<typeof operations.send> = { to: ["api"], subject: "Price?", body: "Which field is it?" };
 */
// biome-ignore lint/suspicious/noExplicitAny: what an operation answers does not matter here.
export type InputOf<T extends Operation<any, any>> = z.input<T["input"]> & { agent_id?: string };

/**
 * What an operation answers, without what may stand beside it in every answer.
 * @example type Sent = OutputOf<typeof operations.send>;
 */
// biome-ignore lint/suspicious/noExplicitAny: what an operation is given does not matter here.
export type OutputOf<T extends Operation<any, any>> = z.output<T["output"]>;

let all: Readonly<Record<string, AnyOperation>> = {};
/** Makes the list of every operation known to what must not import it. */
export function listOperations(operations: Readonly<Record<string, AnyOperation>>): void {
  all = operations;
}
/** Every operation by its name: for one that runs another, or tells of all, and must not import it. */
export const listedOperations = (): Readonly<Record<string, AnyOperation>> => all;
