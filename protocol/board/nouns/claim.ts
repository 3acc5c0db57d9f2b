/**
 * Claims: numbered records of a task, each created exclusively, so that the chain says who holds it.
 *
 *     free ──claim──► held ──release, done──► free
 *                      │ ▲
 *                      └─┘ claim by another: when the lease is over or the holder's process is gone, or handed over
 *
 * The number of a record is its fence; it only grows. SPEC.md, "Claim".
 */
import * as z from "zod/mini";
import { FileError } from "../../core/format/file-error.ts";
import { formatFrontmatter, headerError, lineOfKey, parseFrontmatter, withoutUndefined } from "../../core/format/frontmatter.ts";
import { LIMITS, timeOfFile } from "../../core/format/schema.ts";
import { sessionFolder } from "./session.ts";

/** What a record says happened. */
export type ClaimKind = "claim" | "release" | "done";

/** One record of the chain. `at` is ISO 8601. */
export interface ClaimRecord {
  task: string;
  fence: number;
  kind: ClaimKind;
  /** Who claimed, released or finished. */
  agent: string;
  at: string;
  /** Tells two contenders for one number apart. */
  nonce: string;
  /** Of a claim that hands over what is in review: that it is; of a `done`, that the task was given up. */
  status?: "in_review" | "canceled" | undefined;
  /** Of a release: who may claim the task next, where it was handed over. */
  to?: string | undefined;
  /** Of a release of what another part held: why. */
  reason?: string | undefined;
  /** Of a claim that hands the task over: who did. */
  by?: string | undefined;
  /** Of a claim: for how long it holds without being renewed, in seconds. */
  leaseS?: number | undefined;
  /** Of a claim made over a lasting connection: its process, as `store/process.ts` writes it, and its clone. */
  process?: string | undefined;
  clone?: string | undefined;
  /** The remote that decides could not be asked: the claim stands until it has been. */
  provisional?: boolean | undefined;
}

/** What the remote made of a provisional record. */
export type Decision = "confirmed" | "lost";

/** The holder of a task, the end of its lease, and since when a lease is over: in milliseconds since the epoch. */
export type Hold =
  | { state: "free"; fence: number }
  | { state: "held"; fence: number; record: ClaimRecord; until: number }
  | { state: "overdue"; fence: number; record: ClaimRecord; why: "lease"; until: number }
  | { state: "overdue"; fence: number; record: ClaimRecord; why: "process" };

/** Lease of a claim made over a connection, in seconds; it is renewed while the connection lives. */
export const CONNECTION_LEASE_S = 120;
/** Lease of any other claim, in seconds, unless it asks for another. */
export const LEASE_S = 3_600;

/** Where the claims of a session lie, a folder for each task. */
export const claimsFolder = (session: string): string => `${sessionFolder(session)}/claims`;
/** Where the claims of a task lie. */
export const claimFolder = (session: string, task: string): string => `${claimsFolder(session)}/${task}`;
/** Where a record lies. */
export const claimPath = (session: string, task: string, fence: number): string => `${claimFolder(session, task)}/${fence}.md`;
/** Where it is recorded what the remote made of a provisional record: its nonce tells it from another of its number. */
export const decisionPath = (
  session: string,
  { task, fence, nonce }: Pick<ClaimRecord, "task" | "fence" | "nonce">,
  as: Decision,
): string => `${claimFolder(session, task)}/${fence}.${nonce}.${as}.md`;
/** The mark whose time says when a claim was last renewed. Disposable: without it the record's own time counts. */
export const leasePath = (session: string, task: string, fence: number): string => `run/leases/${session}/${task}.${fence}`;

/** The highest number of a record, and so the highest fence that a task's file may say. */
export const FENCE_MOST = 99_999_999;

/** The inverse of `claimPath`, for a name in the folder; null for other names. */
export function fenceOf(name: string): number | null {
  const match = /^([1-9]\d{0,7})\.md$/.exec(name);
  return match === null ? null : Number(match[1]);
}

const ClaimHeader = z.looseObject({
  task: z.string(),
  fence: z.int(),
  kind: z.enum(["claim", "release", "done"]),
  agent: z.string(),
  at: timeOfFile(),
  nonce: z._default(z.string(), ""),
  status: z.optional(z.enum(["in_review", "canceled"])),
  to: z.optional(z.string()),
  reason: z.optional(z.string()),
  by: z.optional(z.string()),
  lease_s: z.optional(z.int().check(z.gte(0))),
  process: z.optional(z.string()),
  clone: z.optional(z.string()),
  provisional: z.optional(z.boolean()),
});

/** Writes a record. */
export function formatClaim(record: ClaimRecord): string {
  const { task, fence, kind, agent, at, nonce, status, to, reason, by, leaseS, process, clone, provisional } = record;
  return formatFrontmatter(
    { task, fence, kind, agent, at, nonce, status, to, reason, by, lease_s: leaseS, process, clone, provisional },
    "",
  );
}

/** Reads a record. @throws FileError, with the line */
export function parseClaim(source: string, task: string, fence: number): ClaimRecord {
  const { header } = parseFrontmatter(source);
  const parsed = ClaimHeader.safeParse(header);
  if (!parsed.success) {
    throw headerError(source, header, parsed.error.issues);
  }
  const fields = parsed.data;
  if (fields.task !== task || fields.fence !== fence) throw new FileError("task, fence and path disagree", lineOfKey(source, "fence"));
  const { kind, agent, at, nonce, status, to, reason, by, process, clone, provisional } = fields;
  return withoutUndefined({
    task,
    fence,
    kind,
    agent,
    at,
    nonce,
    status,
    to,
    reason,
    by,
    leaseS: fields.lease_s,
    process,
    clone,
    provisional,
  });
}

/** What decides whether a holder still holds. */
export interface HoldFacts {
  nowMs: number;
  /** When the claim was last renewed, in milliseconds since the epoch; null when it never was. */
  renewedMs: number | null;
  /** Whether the record's process is gone for certain. */
  gone: boolean;
  /**
   * When it was last heard of, in milliseconds since the epoch, instead of the times that are written: of another machine's
   * claim, and of one that the disk's own clock was asked about.
   */
  knownMs?: number | undefined;
}

/** Whether what is written of a claim may be told by a clock that is wrong: its lease seems over, or it was taken in a time to come. */
export function isDoubtful(last: ClaimRecord, { nowMs, renewedMs }: Pick<HoldFacts, "nowMs" | "renewedMs">): boolean {
  const heldMs = Math.max(Date.parse(last.at), renewedMs ?? 0);
  return last.kind === "claim" && (heldMs > nowMs || nowMs >= heldMs + leaseMsOf(last));
}

/** A record that asks for more than a call could holds for what a call could ask for. */
const leaseMsOf = ({ leaseS = LEASE_S }: ClaimRecord): number => Math.min(leaseS, LIMITS.leaseSeconds) * 1_000;
/** The last instant that can be written, in milliseconds since the epoch. */
const LAST_MS = 8.64e15;

/**
 * Who holds a task, by the last record of its chain.
 * @param last null when it was never claimed
 */
export function holdOf(last: ClaimRecord | null, { nowMs, renewedMs, gone, knownMs }: HoldFacts): Hold {
  if (last === null) return { state: "free", fence: 0 };
  const { fence } = last;
  if (last.kind !== "claim") return { state: "free", fence };
  if (gone) return { state: "overdue", fence, record: last, why: "process" };
  const until = Math.min(LAST_MS, Math.max(knownMs ?? Date.parse(last.at), renewedMs ?? 0) + leaseMsOf(last));
  return nowMs < until ? { state: "held", fence, record: last, until } : { state: "overdue", fence, record: last, why: "lease", until };
}
