/**
 * Checks a log of what was asked of claims and answered against the chains that lie on the disk in the end: that there is
 * one order of all accepted calls of a task, which agrees with the instants at which they began and ended, and in which each
 * was allowed. The numbers of the records give that order, so nothing has to be searched.
 */
import { type Call, type ClaimEntry, callsOf, nameOf, won } from "./claim-log.ts";
import type { Chained, TaskFound } from "./claim-survey.ts";

/** A call's place in a task's order: after the record of that fence, or as that record. */
interface Step {
  call: Call;
  fence: number;
  isRecord: boolean;
}

/** By so much the stamps of files and of records may differ from the monotonic clock, in milliseconds. */
const SLACK_MS = 25;

const isHolding = (record: Chained | undefined): boolean => record?.kind === "claim";

/** @returns a sentence for each fault; none when all is well */
export function checkClaims(log: readonly ClaimEntry[], disk: readonly TaskFound[]): string[] {
  const byTask = new Map<string, Call[]>(disk.map(({ task }) => [task, []]));
  for (const call of callsOf(log)) byTask.set(call.task, [...(byTask.get(call.task) ?? []), call]);
  const found = new Map(disk.map((task) => [task.task, task]));
  return [...byTask].flatMap(([task, calls]) => {
    const there = found.get(task) ?? { task, status: "none", fence: 0, chain: [] };
    return new TaskCheck(there, calls).faults().map((fault) => `${task}: ${fault}`);
  });
}

/** One task's calls against its chain. */
class TaskCheck {
  readonly #task: TaskFound;
  readonly #calls: readonly Call[];
  /** The call that made each record, by fence. */
  readonly #makers = new Map<number, Call>();

  constructor(task: TaskFound, calls: readonly Call[]) {
    this.#task = task;
    this.#calls = calls;
  }

  faults(): string[] {
    return [
      ...this.#findMakers(),
      ...this.#checkChain(),
      ...this.#checkMakers(),
      ...this.#checkOrder(),
      ...this.#checkEachCall(),
      ...this.#checkTakeovers(),
    ];
  }

  #record(fence: number): Chained | undefined {
    return this.#task.chain.find((record) => record.fence === fence);
  }

  /** Each call that was answered with the fence of a record made that record, and is the only one. */
  #findMakers(): string[] {
    const faults: string[] = [];
    const byFence = new Map<number, Call[]>();
    for (const call of this.#calls) {
      const { fence } = call.told;
      if (won(call) && call.kind !== "in_review" && fence !== undefined) byFence.set(fence, [...(byFence.get(fence) ?? []), call]);
    }
    for (const [fence, winners] of byFence) {
      if (winners.length > 1) faults.push(`two winners of fence ${fence}: ${winners.map(nameOf).join(" and ")}`);
      const record = this.#record(fence);
      for (const call of winners) {
        if (record?.kind === call.kind && record.agent === call.agent) this.#makers.set(fence, call);
        else {
          const instead = record === undefined ? "not there" : `a ${record.kind} of ${record.agent}`;
          faults.push(`lost: ${nameOf(call)} was answered with fence ${fence}, which is ${instead}`);
        }
      }
    }
    return faults;
  }

  /** The records have no gap, follow from each other, and the task's file says what the last of them does. */
  #checkChain(): string[] {
    const { chain, status, fence } = this.#task;
    const faults: string[] = [];
    for (const [at, { fence: number, kind, agent }] of chain.entries()) {
      const before = chain[at - 1];
      if (number !== at + 1) faults.push(`record ${at + 1} is missing`);
      if (before?.kind === "done")
        faults.push(kind === "done" ? `done twice: ${before.fence} and ${number}` : `${kind} ${number} after it was done`);
      if (kind !== "claim" && isHolding(before) && before?.agent !== agent)
        faults.push(`${kind} ${number} of ${agent}, and ${before?.agent} held it`);
    }
    const last = chain.at(-1);
    if (fence !== (last?.fence ?? 0)) faults.push(`its file has fence ${fence}, its chain ${last?.fence ?? 0}`);
    const expected = { none: ["todo"], claim: ["in_progress", "in_review"], done: ["done"] }[last?.kind ?? "none"];
    if (!expected.includes(status)) faults.push(`lost: its file says ${status}, its chain ends with ${last?.kind ?? "nothing"}`);
    return faults;
  }

  /** Every record is somebody's, and one result counts. */
  #checkMakers(): string[] {
    const orphans = this.#task.chain.filter(({ fence }) => !this.#makers.has(fence));
    const dones = this.#calls.filter((call) => call.kind === "done" && won(call));
    return [
      ...orphans.map(({ fence, kind, agent }) => `nobody made ${kind} ${fence} of ${agent}`),
      ...(dones.length > 1 ? [`done twice: ${dones.map(nameOf).join(" and ")}`] : []),
    ];
  }

  /** Where each call stands by the fence that it made or saw. */
  #steps(): Step[] {
    const steps: Step[] = [...this.#makers].map(([fence, call]) => ({ call, fence, isRecord: true }));
    for (const call of this.#calls) {
      const isSeen = !won(call) || call.kind === "in_review";
      if (isSeen && call.told.fence !== undefined) steps.push({ call, fence: call.told.fence, isRecord: false });
    }
    return steps.sort((a, b) => a.fence - b.fence || Number(b.isRecord) - Number(a.isRecord));
  }

  /** No call ended before one began that stands before it: then there are instants at which each happened, in that order. */
  #checkOrder(): string[] {
    const faults: string[] = [];
    let latest: Step | undefined;
    let pending: Step | undefined;
    for (const step of this.#steps()) {
      // What only saw a fence may stand in any order with others that saw it.
      if (pending !== undefined && (step.isRecord || step.fence !== pending.fence)) {
        if (latest === undefined || pending.call.at > latest.call.at) latest = pending;
        pending = undefined;
      }
      if (latest !== undefined && step.call.end < latest.call.at)
        faults.push(`went back: ${nameOf(latest.call)} began at fence ${latest.fence} after ${nameOf(step.call)} ended at ${step.fence}`);
      if (step.isRecord) {
        if (latest === undefined || step.call.at > latest.call.at) latest = step;
      } else if (pending === undefined || step.call.at > pending.call.at) pending = step;
    }
    return faults;
  }

  /** What was accepted had the highest fence, and what was refused had not. */
  #checkEachCall(): string[] {
    return this.#calls.flatMap((call) => {
      const { told, believed, agent } = call;
      if (told.phase === "answered" && call.kind === "claim") {
        const record = this.#record(told.fence ?? 0);
        return told.claimed || isHolding(record) || record?.kind === "done"
          ? []
          : [`${nameOf(call)} was told no while it was free (fence ${told.fence})`];
      }
      if (told.phase === "answered") {
        const had = call.kind === "in_review" ? told.fence : this.#before(call);
        if (believed !== undefined && had !== undefined && believed !== had)
          return [`stale: ${nameOf(call)} was accepted with fence ${believed} while it was ${had}`];
        const record = this.#record(had ?? 0);
        const isOwn = isHolding(record) && record?.agent === agent;
        return call.kind === "in_review" && !isOwn ? [`${nameOf(call)} was accepted, and it was not theirs (fence ${had})`] : [];
      }
      if (told.code === "stale_fence" && believed !== undefined && told.fence === believed)
        return [`${nameOf(call)} was refused with the highest fence`];
      if (told.code === "not_your_task" && !this.#wasAnothers(call))
        return [`${nameOf(call)} was refused as not theirs, and it was nobody else's`];
      return [];
    });
  }

  /** The fence that there was before a call made its record; undefined when it made none. */
  #before(call: Call): number | undefined {
    for (const [fence, maker] of this.#makers) if (maker === call) return fence - 1;
    return undefined;
  }

  #wasAnothers({ agent, at, end }: Call): boolean {
    return this.#task.chain.some(
      (record) =>
        record.agent !== agent && (this.#makers.get(record.fence)?.at ?? 0) <= end && (this.#makers.get(record.fence + 1)?.end ?? at) >= at,
    );
  }

  /** Whoever took over a claim did so when its lease can have been over. */
  #checkTakeovers(): string[] {
    return [...this.#makers].flatMap(([fence, taker]) => {
      const held = this.#makers.get(fence - 1);
      if (taker.kind !== "claim" || held === undefined || held.kind !== "claim") return [];
      const review = this.#calls.find(
        ({ kind, told, end }) => kind === "in_review" && told.phase === "answered" && told.fence === fence - 1 && end < taker.at,
      );
      if (review !== undefined) return [`claimed while in review: ${nameOf(taker)}, after ${nameOf(review)}`];
      const earliest = held.at + (held.leaseMs ?? 0) - SLACK_MS;
      return taker.end >= earliest
        ? []
        : [`claimed while held: ${nameOf(taker)}, ${Math.round(earliest - taker.end)} ms before the lease of ${nameOf(held)} was over`];
    });
  }
}
