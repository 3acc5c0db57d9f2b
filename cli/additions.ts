/** What the command line adds to some operations: questions to a person, an end by a signal, what only a terminal knows, more examples. */
import type { AnyOperation, operations, World } from "../protocol/index.ts";
import type { Common } from "./commands.ts";
import type { Answer } from "./print/style.ts";

/** What is performed after a person was asked. */
export interface Agreed {
  input: Record<string, unknown>;
  /** Whether a person saw before what is printed now, and agreed. */
  seen: boolean;
}

/** What the command line adds to one operation. `Given` is its answer. */
export interface Addition<Given = Record<string, unknown>> {
  /** Command lines that help shows beside the operation's own example. */
  examples?: readonly string[];
  /** Whether a call goes on until something comes: a signal then ends it gently, and it says what it did until then. */
  waits?(input: Record<string, unknown>): boolean;
  /** Asks a person, where one is there to ask. @returns null where they said no, and nothing is to be done */
  ask?(operation: AnyOperation, input: Record<string, unknown>, options: Common): Promise<Agreed | null>;
  /** Puts into an answer what only the terminals of this machine know. */
  complete?(world: World, answer: Given): Promise<void>;
}

/** The additions, by the operation's name. Each loads its files when it is used: every start of the command line reads this table. */
const ADDITIONS: { readonly [Name in keyof typeof operations]?: Addition<Answer<Name>> } = {
  setup: { ask: async (...given) => (await import("./typed/confirm.ts")).confirmed(...given) },
  trust: { ask: async (...given) => (await import("./typed/confirm-trust.ts")).askedToTrust(...given) },
  trust_office: { ask: async (...given) => (await import("./typed/confirm-trust.ts")).askedToTrustOffice(...given) },
  wait: { waits: () => true },
  sync: { waits: ({ watch }) => watch === true },
  status: { complete: async (...given) => (await import("./print/terminal.ts")).markAskingTerminals(...given) },
  part_deliver: { complete: async (...given) => (await import("./print/terminal.ts")).findTerminal(...given) },
  notify_add: {
    examples: [
      "relay notify add -- notify-send 'Relay: look at your agents'",
      `relay notify add mac -- osascript -e 'display notification (system attribute "RELAY_SUBJECT") with title (system attribute "RELAY_EVENT")'`,
      "relay notify add team --webhook https://example.com/hook --on needs_human,stuck",
    ],
  },
};

/** What the command line adds to an operation; an empty one where it adds nothing. */
export const additionTo = ({ name }: AnyOperation): Addition => (ADDITIONS[name as keyof typeof ADDITIONS] ?? {}) as Addition;
