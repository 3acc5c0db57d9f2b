/** The checker of claim histories sees each fault that is planted. */
import { expect, test } from "vitest";
import { checkClaims } from "./claim-history.ts";
import type { Asked, ClaimEntry } from "./claim-log.ts";
import type { Chained, TaskFound } from "./claim-survey.ts";

const TASK = "task-1";
const LEASE_MS = 1_000;

/** One call, from when to when, and what it was told. */
interface Spoken {
  kind: Asked["kind"];
  agent: string;
  from: number;
  to: number;
  believed?: number;
  fence?: number;
  claimed?: boolean;
  code?: string;
}

const entries = (spoken: readonly Spoken[]): ClaimEntry[] =>
  spoken.flatMap(({ kind, agent, from, to, believed, fence, claimed, code }, at): ClaimEntry[] => {
    const call = `${at + 1}`;
    const begun: ClaimEntry = { phase: "invoked", call, at: from, kind, task: TASK, agent, believed, leaseMs: LEASE_MS };
    if (code !== undefined) return [begun, { phase: "refused", call, at: to, code, fence }];
    return [begun, { phase: "answered", call, at: to, claimed, fence }];
  });
const chain = (...records: [Chained["kind"], string][]): Chained[] => records.map(([kind, agent], at) => ({ fence: at + 1, kind, agent }));
const onDisk = (status: string, records: Chained[]): TaskFound => ({ task: TASK, status, fence: records.length, chain: records });

/** `web` claimed and was suspended; `api` took over, was suspended, took it again and finished it; `web` was refused. */
const STORY = (): Spoken[] => [
  { kind: "claim", agent: "web", from: 0, to: 10, claimed: true, fence: 1 },
  { kind: "claim", agent: "api", from: 5, to: 12, claimed: false, fence: 1 },
  { kind: "claim", agent: "api", from: 1_500, to: 1_510, claimed: true, fence: 2 },
  { kind: "in_review", agent: "web", from: 1_490, to: 1_600, believed: 1, code: "stale_fence", fence: 2 },
  { kind: "claim", agent: "api", from: 2_720, to: 2_730, claimed: true, fence: 3 },
  { kind: "in_review", agent: "api", from: 2_740, to: 2_750, believed: 3, fence: 3 },
  { kind: "done", agent: "api", from: 2_760, to: 2_770, believed: 3, fence: 4 },
  { kind: "done", agent: "web", from: 2_780, to: 2_790, believed: 1, code: "not_your_task" },
];
const CHAIN = chain(["claim", "web"], ["claim", "api"], ["claim", "api"], ["done", "api"]);
const check = (spoken: readonly Spoken[], disk: TaskFound = onDisk("done", CHAIN)): string[] => checkClaims(entries(spoken), [disk]);
/** The story with one of its calls as it should not be. */
const told = (at: number, change: Partial<Spoken>): Spoken[] =>
  STORY().map((each, index) => (index === at ? { ...each, ...change } : each));

test.each<[string, RegExp, Spoken[]]>([
  ["two winners of a fence", /two winners of fence 1/, told(1, { claimed: true, fence: 1 })],
  ["a stale fence that was accepted", /went back/, told(3, { code: undefined as never, fence: 1, from: 1_520 })],
  ["a change with a fence that is over", /stale: .* accepted with fence 1 while it was 3/, told(5, { believed: 1 })],
  ["a result with a fence that is over", /stale: .* accepted with fence 2 while it was 3/, told(6, { believed: 2 })],
  ["a fence that goes back", /went back/, told(1, { from: 1_550, to: 1_560 })],
  ["a claim before the lease is over", /claimed while held/, told(2, { from: 500, to: 510 })],
  [
    "a claim of what is in review",
    /claimed while in review/,
    STORY().toSpliced(2, 0, { kind: "in_review", agent: "web", from: 20, to: 30, believed: 1, fence: 1 }),
  ],
  [
    "two results",
    /done twice: done 7 of api and done 9 of web/,
    [...STORY(), { kind: "done", agent: "web", from: 2_800, to: 2_810, fence: 5 }],
  ],
  ["a no to what was free", /told no while it was free/, told(1, { from: -10, to: -5, fence: 0 })],
  ["a no to the highest fence", /refused with the highest fence/, told(6, { code: "stale_fence", fence: 3 })],
  ["a no to the only one who had it", /nobody else's/, told(7, { from: 1, to: 2, agent: "web" })],
  ["a claim that nobody made", /nobody made claim 1 of web/, STORY().slice(1)],
  ["a result that was refused and is there", /nobody made done 4/, told(6, { code: "busy" })],
  ["a change by somebody else", /not theirs/, told(5, { agent: "web", believed: 3 })],
])("it sees %s", (_name, fault, spoken) => {
  expect(check(spoken)).toContainEqual(expect.stringMatching(fault));
});

test.each<[string, RegExp, TaskFound]>([
  ["a result gone from the disk", /lost: done 7 of api .* not there/, onDisk("in_progress", CHAIN.slice(0, 3))],
  ["a result that its task does not have", /lost: its file says in_progress/, { ...onDisk("in_progress", CHAIN) }],
  ["a task that is behind its chain", /its file has fence 3, its chain 4/, { ...onDisk("done", CHAIN), fence: 3 }],
  [
    "another's record",
    /lost: claim 1 of web .* a claim of api/,
    onDisk("done", chain(["claim", "api"], ...CHAIN.slice(1).map(({ kind, agent }) => [kind, agent] as [Chained["kind"], string]))),
  ],
  ["a gap in the chain", /record 2 is missing/, onDisk("done", CHAIN.toSpliced(1, 1))],
  ["two results on the disk", /done twice: 4 and 5/, onDisk("done", [...CHAIN, { fence: 5, kind: "done", agent: "web" }])],
  ["a claim of what is done", /claim 5 after it was done/, onDisk("in_progress", [...CHAIN, { fence: 5, kind: "claim", agent: "web" }])],
  ["nothing at all", /lost/, onDisk("todo", [])],
])("it sees %s", (_name, fault, disk) => {
  expect(check(STORY(), disk)).toContainEqual(expect.stringMatching(fault));
});
