/**
 * Claims on disk: made as whoever decides says, renewed, and remembered by the connection that made them. SPEC.md, "Claim" and
 * "Claiming"; spec/git.md, "Claims across machines".
 */
import { type ClaimRecord, claimPath, LEASE_S, leasePath } from "../../objects/task/claim.ts";
import { afterCommit, place, removeFile, touch } from "../../store/files.ts";
import type { Connection, HeldClaim, World } from "../../world.ts";
import { noteHere } from "../note-origins.ts";
import { namesOf } from "../part/members.ts";
import { addRecord, holder, type NewClaim, newClaim } from "./claim-read.ts";

/**
 * Adds a record after one that was seen: the home's decider decides between two who saw the same.
 * @param after the fence that was seen last
 * @returns the new record; null when somebody else was quicker
 * @throws Refusal `claims_full`
 */
export async function addClaim(world: World, session: string, task: string, after: number, claim: NewClaim): Promise<ClaimRecord | null> {
  const record = await deciderOf(world).add(world, session, task, after, claim);
  if (record === null) return null;
  noteHere(world, [claimPath(session, task, record.fence)]);
  afterCommit(() => void removeFile(world.home().store, leasePath(session, task, after)));
  if (claim.kind === "claim" && claim.own === true) rememberClaim(world, session, record, record.process !== undefined);
  return record;
}

function rememberClaim(
  world: World,
  session: string,
  { agent, task, fence, nonce, leaseS = LEASE_S }: ClaimRecord,
  lasting: boolean,
): void {
  const { claims } = world.connection;
  const renewedMs = Date.now();
  claims.set(keyOf(world, agent, session, task), { world, agent, session, task, fence, nonce, leaseMs: leaseS * 1_000, renewedMs });
  // Also where the connection is closed already: a call of it may end later.
  if (!lasting || renewing.has(world.connection)) return;
  const timer = setInterval(() => renewDue(claims.values()), BEAT_MS);
  timer.unref();
  renewing.set(world.connection, timer);
}

/** How often a connection looks whether a claim of its own is to be renewed. */
const BEAT_MS = 500;
/** By what a connection renews its claims; null once it is closed. */
const renewing = new WeakMap<Connection, NodeJS.Timeout | null>();

/** Renews no claim of a connection any more: it is closed, and each of its claims is over when its lease is. */
export function stopRenewing(connection: Connection): void {
  clearInterval(renewing.get(connection) ?? undefined);
  renewing.set(connection, null);
}

/** Renews the claims of a connection that nobody took over, each well before its lease is over. */
function renewDue(claims: Iterable<HeldClaim>): void {
  for (const held of claims) {
    // A clock that was set back says nothing of the time that went by: it is renewed once more.
    if (Math.abs(Date.now() - held.renewedMs) < held.leaseMs / 3) continue;
    try {
      const { world, session, task, fence } = held;
      const hold = holder(world, session, { id: task, fence });
      held.renewedMs = Date.now();
      if (hold.state === "free" || hold.fence !== fence || hold.record.nonce !== held.nonce) continue;
      renewClaim(world, session, task, fence);
      // What fails here is tried at the next beat; a remote that is silent for long lets others take over.
      void deciderOf(world)
        .renew(world, session, task, fence)
        .catch(() => {});
    } catch {
      // The home is gone or read-only: the lease runs out, and others may take over.
    }
  }
}

/** Renews a claim: it holds for its lease from now on. A claim that is over already stays so. */
export function renewClaim(world: World, session: string, task: string, fence: number): void {
  const { store } = world.home();
  const path = leasePath(session, task, fence);
  if (touch(store, path, world.now())) return;
  place({ ...store, durable: false }, path, "");
  touch(store, path, world.now());
}

const keyOf = (world: World, agent: string, session: string, task: string): string =>
  `${agent} ${session} ${task} ${world.home().store.root}`;

/** The claim that an agent made over this connection; null when it made none, or gave it back. */
export function rememberedClaim(world: World, agent: string, session: string, task: string): HeldClaim | null {
  const { claims } = world.connection;
  const name = namesOf(world, agent).find((each) => claims.has(keyOf(world, each, session, task)));
  return name === undefined ? null : (claims.get(keyOf(world, name, session, task)) ?? null);
}

/** Forgets a claim that was given back, finished or handed over by whoever called. */
export function forgetClaim(world: World, agent: string, session: string, task: string): void {
  for (const name of namesOf(world, agent)) world.connection.claims.delete(keyOf(world, name, session, task));
}

/** What a claim needs of whoever decides: this disk alone (`byThisDisk`), or a remote that is asked first (`remote/`). */
export interface Decider {
  /**
   * Adds a record after the one that was seen last.
   * @param after the fence that was seen last
   * @returns the record as it stands here; null when somebody else was quicker
   * @throws Refusal `claims_full`
   */
  add(world: World, session: string, task: string, after: number, claim: NewClaim): Promise<ClaimRecord | null>;
  /**
   * Has records of a task decided that were made while nobody could be asked; nothing to do of most.
   * @returns whether one of them was lost: then the task is another's now
   */
  decideUndecided(world: World, session: string, task: string): Promise<boolean>;
  /** Tells other machines that a claim of this one goes on, where they have to hear it. */
  renew(world: World, session: string, task: string, fence: number): Promise<void>;
  /** Why a record is only provisional, as a sentence; null where it is decided. */
  whyUndecided(world: World, session: string, record: ClaimRecord): Promise<string | null>;
}

/** The exclusive create on this disk decides, at once. */
export const byThisDisk: Decider = {
  async add(world, session, task, after, claim) {
    const record = newClaim(world, task, after + 1, claim, false);
    return addRecord(world, session, record) ? record : null;
  },
  decideUndecided: async () => false,
  renew: async () => {},
  whyUndecided: async () => null,
};

/** Who decides this home's claims: its disk, unless its settings leave it to a remote. */
export const deciderOf = (world: World): Decider => (world.home().config().claims === "remote" ? world.remoteDecider : byThisDisk);
