/** A log of what was asked of claims and answered, and the calls that it tells of. */

/** A line of the log. `at` is the monotonic clock that all processes of a machine share, in milliseconds. */
export type ClaimEntry = Asked | Told | Denied;

/** A call begins. */
export interface Asked {
  phase: "invoked";
  /** Tells calls apart. */
  call: string;
  at: number;
  kind: "claim" | "in_review" | "done";
  task: string;
  agent: string;
  /** The fence that the caller had; absent where it had none, or asks for one. */
  believed?: number | undefined;
  /** Of a claim: for how long it holds. */
  leaseMs?: number | undefined;
}

/** A call was answered. */
export interface Told {
  phase: "answered";
  call: string;
  at: number;
  /** Of a claim: whether it has the task. */
  claimed?: boolean | undefined;
  /** The task's fence after the call. */
  fence?: number | undefined;
}

/** A call was refused, so it did nothing. */
export interface Denied {
  phase: "refused";
  call: string;
  at: number;
  code: string;
  /** Of `stale_fence`: the task's fence. */
  fence?: number | undefined;
}

/** A call with its end. */
export interface Call extends Omit<Asked, "phase"> {
  end: number;
  told: Told | Denied;
}

/** The clock of a log. */
export const monotonic = (): number => Number(process.hrtime.bigint()) / 1e6;

/** The line for what an operation answered. @param told the answer as `answer` gives it */
// biome-ignore lint/suspicious/noExplicitAny: each operation answers its own fields.
export function endOf(call: string, at: number, told: any): Told | Denied {
  if (told.success === true) return { phase: "answered", call, at, claimed: told.claimed, fence: told.fence };
  return { phase: "refused", call, at, code: told.code, fence: told.code === "stale_fence" ? told.fence : undefined };
}

/** A call in words. */
export const nameOf = ({ call, agent, kind }: Call): string => `${kind} ${call} of ${agent}`;
/** Whether a call was told that it did what it wanted. */
export const won = ({ kind, told }: Call): boolean => told.phase === "answered" && (kind !== "claim" || told.claimed === true);

/** The calls of a log, each of which was answered. */
export function callsOf(log: readonly ClaimEntry[]): Call[] {
  const told = new Map(log.flatMap((entry) => (entry.phase === "invoked" ? [] : [[entry.call, entry] as const])));
  return log
    .filter((entry) => entry.phase === "invoked")
    .map(({ phase: _, ...asked }) => {
      const answer = told.get(asked.call);
      if (answer === undefined) throw new Error(`no answer of ${asked.call}`);
      return { ...asked, told: answer, end: answer.at };
    });
}
