/** What operations answer, by names that programs use. Times are ISO 8601 in UTC, but for the board's: seconds since the epoch. */
import type { OutputOf } from "./core/operation.ts";
import type { operations } from "./operations.ts";

/** A message as `inbox` and `wait` list it: its ids, who sent it, and the beginning of its body, or all of a short one. */
export type Message = OutputOf<typeof operations.inbox>["messages"][number];

/** A thread as `threads` lists it: its status, who takes part, and how much of it the caller has not read. */
export type Thread = OutputOf<typeof operations.threads>["threads"][number];

/** A part or guest as `roster` lists it: whether it is online, how much it has not read, and how it can be woken. */
export type Part = OutputOf<typeof operations.roster>["parts"][number];

/** A task as `get_all_tasks` lists it. `created_at` and `updated_at` are seconds since the epoch. */
export type Task = OutputOf<typeof operations.get_all_tasks>["tasks"][number];

/** What a claim came to: `claimed`, the task's `fence`, and until when it holds, in seconds since the epoch. */
export type Claim = OutputOf<typeof operations.claim_task>;
