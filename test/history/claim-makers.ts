/** Which call made which record of a task's chain: the answers say so of most, and of the others there may be several who can have. */
import { type Call, nameOf, type Told, won } from "./claim-log.ts";
import type { Chained, TaskFound } from "./claim-survey.ts";

/** The call that made each record, by fence. */
export type Makers = ReadonlyMap<number, Call>;

/** Calls that were answered as having made a record, and say of which fence. */
export function answeredMakers({ chain }: TaskFound, calls: readonly Call[]): { makers: Makers; faults: string[] } {
  const makers = new Map<number, Call>();
  const faults: string[] = [];
  const byFence = new Map<number, Call[]>();
  for (const call of calls) {
    const { fence } = (call.told ?? {}) as Partial<Told>;
    if (won(call) && call.kind !== "in_review" && fence !== undefined) byFence.set(fence, [...(byFence.get(fence) ?? []), call]);
  }
  for (const [fence, winners] of byFence) {
    if (winners.length > 1) faults.push(`two winners of fence ${fence}: ${winners.map(nameOf).join(" and ")}`);
    const record = chain.find((each) => each.fence === fence);
    for (const call of winners) {
      if (record !== undefined && record.kind === call.kind && record.agent === call.agent) makers.set(fence, call);
      else {
        const instead = record === undefined ? "not there" : `a ${record.kind} of ${record.agent}`;
        faults.push(`lost: ${nameOf(call)} was answered with fence ${fence}, which is ${instead}`);
      }
    }
  }
  return { makers, faults };
}

/**
 * Every way to say who made the other records: calls that were killed, and releases, whose answers have no fence. A record
 * that nobody can have made has no maker. Calls that ended before one began that saw a lower fence are left out.
 */
export function* allMakers(task: TaskFound, calls: readonly Call[], answered: Makers): Generator<Makers> {
  const seen = calls.flatMap(({ at, told }) => (told?.fence === undefined ? [] : [{ at, fence: told.fence }]));
  const used = new Set(answered.values());
  const makers = new Map<number, Call>();

  const fits = ({ fence, kind, agent }: Chained, lowest: number): Call[] =>
    calls
      .filter((call) => call.told === null || (call.kind === "release" && won(call)))
      .filter((call) => call.kind === kind && call.agent === agent && (call.believed ?? fence - 1) === fence - 1 && !used.has(call))
      .filter(({ end }) => end >= lowest)
      .sort((a, b) => Number(a.told === null) - Number(b.told === null) || a.at - b.at);

  function* from(index: number, latest: number): Generator<Makers> {
    const record = task.chain[index];
    if (record === undefined) {
      yield new Map(makers);
      return;
    }
    const known = answered.get(record.fence);
    const lowest = seen.reduce((most, { at, fence }) => (fence < record.fence ? Math.max(most, at) : most), latest);
    const candidates = known === undefined ? fits(record, lowest) : [known];
    for (const maker of candidates) {
      makers.set(record.fence, maker);
      used.add(maker);
      yield* from(index + 1, Math.max(latest, maker.at));
      makers.delete(record.fence);
      if (maker !== known) used.delete(maker);
    }
    if (candidates.length === 0) yield* from(index + 1, latest);
  }
  yield* from(0, Number.NEGATIVE_INFINITY);
}
