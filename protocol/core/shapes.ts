/** Shapes that several operations take or answer. */
import * as z from "zod/mini";
import { LIMITS } from "./format/schema.ts";

/** Who a message goes to. */
export const Recipients = z
  .array(z.string())
  .check(z.minLength(1), z.maxLength(LIMITS.recipients), z.describe("parts, @groups, or * for all"));

/** What is known of a recipient right after a send. */
export const Recipient = z.object({
  part: z.string(),
  state: z.string(),
  online: z.boolean(),
  reachable: z.optional(z.array(z.string())),
  wake: z.enum(["owed", "none"]),
  reason: z.optional(z.string()),
});

/** The answer of `send` and `reply`. */
export const Sent = z.object({ threadId: z.string(), messageId: z.string(), recipients: z.array(Recipient) });

/** What was acked beside, where that was asked for, how much is unread then, and how much of the thread, because nobody saw it. */
export const AlsoAcked = { acked: z.optional(z.array(z.string())), unread: z.optional(z.number()), unseen: z.optional(z.number()) };

/** Where the wake of a part with mail stands. */
export const Wake = z.object({
  state: z.string(),
  since: z.optional(z.string()),
  rung: z.optional(z.string()),
  reason: z.optional(z.string()),
  detail: z.optional(z.string()),
});

/** The session a call is about; without it, the current one. */
export const SessionId = z.optional(z.string().check(z.describe("default: current")));

/** A part or guest, as the tools of the board name it. */
export const AgentId = (description: string) => z.string().check(z.describe(description));

/** A file that was skipped, and why. */
export const Fault = z.object({ path: z.string(), line: z.optional(z.number()), problem: z.string() });

/** Files that were skipped; absent when there are none. */
export const Faults = z.optional(z.array(Fault));

/** A message in a list. */
export const Brief = z.object({
  messageId: z.string(),
  threadId: z.string(),
  subject: z.string(),
  from: z.string(),
  /** Absent of what was written on this machine. */
  origin: z.optional(z.string()),
  unread: z.boolean(),
  urgent: z.boolean(),
  needsHuman: z.boolean(),
  /** Present of what was sent in a session that has ended. */
  sessionEnded: z.optional(z.boolean()),
  at: z.string(),
  preview: z.string(),
  /** All of a short body. */
  body: z.optional(z.string()),
});

/** What a sync did to a part that lives here; absent where nothing was done. */
export const Notices = z.optional(z.array(z.object({ id: z.string(), at: z.string(), lines: z.array(z.string()) })));

/** What pushes, or commits by hand, took away or changed, and this clone brought back by a commit. */
export const BroughtBackShape = z.object({
  commit: z.string(),
  by: z.array(z.string()),
  deleted: z.number(),
  changed: z.number(),
  paths: z.array(z.string()),
});

/** Messages that somebody asked to forget; absent where there are none. `kept`: this machine has the bytes, and a person answers. */
export const Requests = z.optional(
  z.array(z.object({ id: z.string(), by: z.string(), at: z.string(), reason: z.optional(z.string()), open: z.boolean() })),
);
