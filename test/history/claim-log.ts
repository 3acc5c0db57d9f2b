/** A log of what was asked of claims and answered, and the calls that it tells of. */

/** A line of the log. `at` is the monotonic clock that all processes of a machine share, in milliseconds. */
export type ClaimEntry = Asked | Told | Denied | Killed;

/** A call begins. */
export interface Asked {
  phase: "invoked";
  /** Tells calls apart. */
  call: string;
  at: number;
  kind: "claim" | "in_review" | "done" | "release";
  task: string;
  agent: string;
  /** Tells the processes of one agent apart: one is killed, and another goes on. */
  process: string;
  /** The fence that the caller had; absent where it had none, or asks for one. */
  believed?: number | undefined;
  /** Of a claim: for how long it holds, and whether only while its process lives. */
  leaseMs?: number | undefined;
  lasting?: boolean | undefined;
}

/** A call was answered. */
export interface Told {
  phase: "answered";
  call: string;
  at: number;
  /** Of a claim: whether it has the task. */
  claimed?: boolean | undefined;
  /** The task's fence after the call; a release does not say. */
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

/** A process was killed, after `from` and before `at`: of the call that it was in nobody knows the end. */
export interface Killed {
  phase: "killed";
  process: string;
  from: number;
  at: number;
}

/** A call with its end. */
export interface Call extends Omit<Asked, "phase"> {
  end: number;
  told: Told | Denied | null;
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
export const won = ({ kind, told }: Call): boolean => told?.phase === "answered" && (kind !== "claim" || told.claimed === true);

/** The calls of a log, each with its end: that of its process where nobody was told. */
export function callsOf(log: readonly ClaimEntry[], kills: ReadonlyMap<string, Killed>): Call[] {
  const told = new Map(
    log.flatMap((entry) => (entry.phase === "answered" || entry.phase === "refused" ? [[entry.call, entry] as const] : [])),
  );
  return log
    .filter((entry) => entry.phase === "invoked")
    .map(({ phase: _, ...asked }) => {
      const answer = told.get(asked.call) ?? null;
      return { ...asked, told: answer, end: answer?.at ?? kills.get(asked.process)?.at ?? Number.POSITIVE_INFINITY };
    });
}
