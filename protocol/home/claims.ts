/** The chain of claims of a task on disk. SPEC.md, "Claim". */

import {
  type ClaimKind,
  type ClaimRecord,
  CONNECTION_LEASE_S,
  claimFolder,
  claimPath,
  fenceOf,
  formatClaim,
  type Hold,
  holdOf,
  LEASE_S,
  leasePath,
  parseClaim,
} from "../objects/claim.ts";
import { FILE_BYTES } from "../objects/file-bytes.ts";
import { withoutUndefined } from "../objects/message.ts";
import { place, publish, removeFile, settle, touch } from "../store/files.ts";
import { lifeOf, thisProcess } from "../store/process.ts";
import { facts, names, readText } from "../store/read.ts";
import type { Connection, World } from "../world.ts";
import { cloneName } from "./feed.ts";

const CLAIM_BYTES = FILE_BYTES.claim;

/** The number of the last record of a task; 0 when it was never claimed. Costs one listing. */
export function lastFence(world: World, session: string, task: string): number {
  return names(world.home().store, claimFolder(session, task)).reduce((highest, name) => Math.max(highest, fenceOf(name) ?? 0), 0);
}

/** The last record of a task's chain; null when it was never claimed. @throws MessageError, FrontmatterError */
export function lastClaim(world: World, session: string, task: string): ClaimRecord | null {
  const fence = lastFence(world, session, task);
  const source = fence === 0 ? null : readText(world.home().store, claimPath(session, task, fence), CLAIM_BYTES);
  return source === null ? null : parseClaim(source, task, fence);
}

/** Who holds a task now. */
export function holder(world: World, session: string, task: string): Hold {
  const last = lastClaim(world, session, task);
  if (last === null) return holdOf(null, { nowMs: 0, renewedMs: null, gone: false });
  const here = last.process !== undefined && last.clone === cloneName(world);
  return holdOf(last, {
    nowMs: world.now(),
    renewedMs: facts(world.home().store, leasePath(session, task, last.fence))?.modifiedMs ?? null,
    gone: here && lifeOf(last.process as string) === "gone",
  });
}

/** What a new record says beside its number. */
export interface NewClaim {
  kind: ClaimKind;
  agent: string;
  /** Of a claim that hands over what is in review: that it is. */
  status?: "in_review" | undefined;
  /** Of a release: who may claim it next. */
  to?: string | undefined;
  /** The lease that was asked for, in seconds. */
  leaseS?: number | undefined;
  /** Whether the claim is for who calls over this connection: then it lasts as long as the connection. */
  own?: boolean | undefined;
}

/**
 * Adds a record after one that was seen: the exclusive create decides between two who saw the same.
 * @param after the fence that was seen last
 * @returns the new fence; null when somebody else was quicker
 */
export function addClaim(world: World, session: string, task: string, after: number, claim: NewClaim): number | null {
  const { store } = world.home();
  const lasting = claim.kind === "claim" && claim.own === true && world.connection.lasting;
  const record: ClaimRecord = withoutUndefined({
    task,
    fence: after + 1,
    kind: claim.kind,
    agent: claim.agent,
    at: new Date(world.now()).toISOString(),
    nonce: world.random(8),
    status: claim.status,
    to: claim.to,
    leaseS: claim.kind === "claim" ? (claim.leaseS ?? (lasting ? CONNECTION_LEASE_S : LEASE_S)) : undefined,
    process: lasting ? thisProcess() : undefined,
    clone: lasting ? cloneName(world) : undefined,
  });
  if (publish(store, claimPath(session, task, record.fence), formatClaim(record)) === "exists") return null;
  settle(() => void removeFile(store, leasePath(session, task, after)));
  if (claim.kind === "claim" && claim.own === true) remember(world, session, record, lasting);
  return record.fence;
}

function remember(world: World, session: string, { agent, task, fence, leaseS = LEASE_S }: ClaimRecord, lasting: boolean): void {
  const { claims } = world.connection;
  claims.set(keyOf(agent, session, task), { agent, session, task, fence, leaseMs: leaseS * 1_000, renewedMs: Date.now() });
  if (!lasting || renewing.has(world.connection)) return;
  const timer = setInterval(() => renewDue(world), BEAT_MS);
  timer.unref();
  renewing.set(world.connection, timer);
}

/** How often a connection looks whether a claim of its own is to be renewed. */
const BEAT_MS = 500;
const renewing = new WeakMap<Connection, NodeJS.Timeout>();

/** Renews the claims of a connection that nobody took over, each well before its lease is over. */
function renewDue(world: World): void {
  for (const held of world.connection.claims.values()) {
    if (Date.now() - held.renewedMs < held.leaseMs / 3) continue;
    try {
      const { session, task, fence } = held;
      const hold = holder(world, session, task);
      held.renewedMs = Date.now();
      if (hold.state !== "free" && hold.fence === fence) renew(world, session, task, fence);
    } catch {
      // The home is gone or read-only: the lease runs out, and others may take over.
    }
  }
}

/** Renews a claim: it holds for its lease from now on. A claim that is over already stays so. */
export function renew(world: World, session: string, task: string, fence: number): void {
  const { store } = world.home();
  const path = leasePath(session, task, fence);
  if (touch(store, path, world.now())) return;
  place({ ...store, durable: false }, path, "");
  touch(store, path, world.now());
}

const keyOf = (agent: string, session: string, task: string): string => `${agent} ${session} ${task}`;

/** The fence under which an agent claimed a task over this connection; null when it did not, or gave it back. */
export function rememberedFence(world: World, agent: string, session: string, task: string): number | null {
  return world.connection.claims.get(keyOf(agent, session, task))?.fence ?? null;
}

/** Forgets a claim that was given back, finished or handed over by whoever called. */
export function forget(world: World, agent: string, session: string, task: string): void {
  world.connection.claims.delete(keyOf(agent, session, task));
}
