/**
 * The claims of a task on disk: the chain of its records, who holds it by them, and who decides about the next one. SPEC.md, "Claim";
 * spec/git.md, "Claims across machines".
 */
import { acted } from "../../core/act.ts";
import { succeeds } from "../../core/format/file-error.ts";
import { withoutUndefined } from "../../core/format/frontmatter.ts";
import { FILE_BYTES } from "../../core/format/schema.ts";
import { type Faults, noting } from "../../core/home/broken-files.ts";
import type { IntentFile } from "../../core/home/commit-then-finish.ts";
import { cloneName } from "../../core/home/feed.ts";
import { packageWith } from "../../core/package.ts";
import { refuse } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { lifeOf, thisProcess } from "../../store/process.ts";
import { exists, facts } from "../../store/read/facts.ts";
import { readText } from "../../store/read/read-file.ts";
import { owing } from "../../store/root.ts";
import { addNumber, type Chain, highest, numbersIn } from "../../store/write/chain.ts";
import { removeFile } from "../../store/write/move-file.ts";
import { afterCommit } from "../../store/write/publish.ts";
import { removeIf } from "../../store/write/remove-if.ts";
import { isReserved } from "../../store/write/reserve.ts";
import {
  type ClaimKind,
  type ClaimRecord,
  CONNECTION_LEASE_S,
  claimFolder,
  claimPath,
  FENCE_MOST,
  fenceOf,
  formatClaim,
  type Hold,
  holdOf,
  isDoubtful,
  LEASE_S,
  leasePath,
  parseClaim,
} from "../nouns/claim.ts";
import { REMOTE_LEASE_S } from "../nouns/remote-claim.ts";
import type { Task } from "../nouns/task.ts";
import { noteClaim } from "./claim-notes.ts";
import { readSeen } from "./seen-claims.ts";

const CLAIM_BYTES = FILE_BYTES.claim;

/** The records of a task; none is ever cleared. */
const chainOf = (session: string, task: string): Chain => ({
  folders: [claimFolder(session, task)],
  numberOf: fenceOf,
  pathOf: (fence) => claimPath(session, task, fence),
});

/** The number of the last record of a task; 0 when it was never claimed. */
export const lastFence = (world: World, session: string, task: string): number => lastClaim(world, session, task)?.fence ?? 0;

/**
 * Adds a record that was decided elsewhere to its task's chain. A file of its number that cannot be read gives way.
 * @returns false when another record has its number
 */
export function addRecord(world: World, session: string, record: ClaimRecord): boolean {
  const { store } = world.home();
  const add = (): boolean => addNumber(store, chainOf(session, record.task), record.fence, formatClaim(record));
  if (add()) return true;
  const path = claimPath(session, record.task, record.fence);
  if (!saysNothing(world, session, record.task, record.fence)) return false;
  return removeIf(store, path, CLAIM_BYTES, (bytes) => !succeeds(() => parseClaim(String(bytes), record.task, record.fence))) && add();
}

/** Whether there is a file of a number that cannot be read, and is nobody's reservation. */
function saysNothing(world: World, session: string, task: string, fence: number): boolean {
  const { store } = world.home();
  const path = claimPath(session, task, fence);
  const size = facts(store, path)?.size;
  if (size === undefined || isReserved(store, path)) return false;
  // A reservation that is none any more was filled, or freed.
  return readableClaimAt(world, session, task, fence) === null && facts(store, path) !== null;
}

/**
 * The last record of a task's chain that can be read; null when there is none. A file that cannot be read says nothing.
 * @param faults gets those after it that cannot be read
 */
export function lastClaim(world: World, session: string, task: string, faults: Faults = []): ClaimRecord | null {
  const { store } = world.home();
  const numbers = numbersIn(store, chainOf(session, task));
  const read = (fence: number): ClaimRecord | null => {
    const path = claimPath(session, task, fence);
    return noting(faults, path, () => {
      const source = readText(store, path, CLAIM_BYTES);
      return source === null || (source === "" && isReserved(store, path)) ? null : parseClaim(source, task, fence);
    });
  };
  const last = highest(numbers);
  const record = last === 0 ? null : read(last);
  if (record !== null) return record;
  for (const fence of numbers.sort((a, b) => b - a)) {
    const found = fence === last ? null : read(fence);
    if (found !== null) return found;
  }
  return null;
}

/** A record by its number; null where there is none. @throws FileError where it is no record; Refusal `outside_home`; the errors of the disk */
export function claimAt(world: World, session: string, task: string, fence: number): ClaimRecord | null {
  const source = readText(world.home().store, claimPath(session, task, fence), CLAIM_BYTES);
  return source === null ? null : parseClaim(source, task, fence);
}

/** The same; null also where what is there is no record. @throws the errors of the disk */
export const readableClaimAt = (world: World, session: string, task: string, fence: number): ClaimRecord | null =>
  noting([], claimPath(session, task, fence), () => claimAt(world, session, task, fence));

/** Who holds a task now. */
export const holder = (world: World, session: string, { id, fence }: Pick<Task, "id" | "fence">): Hold =>
  holdBy(world, session, lastClaim(world, session, id), fence);

/**
 * Who holds a task now, by the last record of its chain. A task's file can know of a record that is not there: it was copied,
 * or brought back without its claims. Then nobody holds it, and the next number is above the one that its file says.
 * @param last null where it was never claimed
 * @param fence the one that the task's file says
 */
export function holdBy(world: World, session: string, last: ClaimRecord | null, fence: number): Hold {
  if (last === null || last.fence < fence) return { state: "free", fence };
  const { store } = world.home();
  const { task } = last;
  const nowMs = world.now();
  if (last.clone !== undefined && last.clone !== cloneName(world)) {
    // Another machine's clock says nothing here: what counts is for how long it has been silent by this one's.
    return holdOf(last, { nowMs, renewedMs: null, gone: false, knownMs: heardMs(world, session, last) ?? nowMs });
  }
  const renewal = leasePath(session, task, last.fence);
  const renewedMs = facts(store, renewal)?.modifiedMs ?? null;
  const gone = last.process !== undefined && last.clone !== undefined && lifeOf(last.process) === "gone";
  const silentMs = isDoubtful(last, { nowMs, renewedMs }) ? world.unchangedMs([claimPath(session, task, last.fence), renewal]) : null;
  if (silentMs === null) return holdOf(last, { nowMs, renewedMs, gone });
  return holdOf(last, { nowMs, renewedMs: null, gone, knownMs: nowMs - silentMs });
}

/** When another machine's claim was last heard of here, in milliseconds since the epoch. */
function heardMs(world: World, session: string, { task, fence, nonce }: ClaimRecord): number | null {
  const seen = readSeen(world, session, task);
  if (seen !== null && seen.fence === fence && seen.nonce === nonce) return seen.sinceMs;
  return facts(world.home().store, claimPath(session, task, fence))?.modifiedMs ?? null;
}

/** What a new record says beside its number. */
export interface NewClaim {
  kind: ClaimKind;
  agent: string;
  /** Of a claim that hands over what is in review: that it is. */
  status?: "in_review" | "canceled" | undefined;
  /** Of a release: who may claim it next. */
  to?: string | undefined;
  /** Of a release of what another part held: why. */
  reason?: string | undefined;
  /** Of a claim that hands the task over: who does. */
  by?: string | undefined;
  /** Its nonce, where it has to be known before. */
  nonce?: string | undefined;
  /** The lease that was asked for, in seconds. */
  leaseS?: number | undefined;
  /** Whether the claim is for who calls over this connection: then it lasts as long as the connection. */
  own?: boolean | undefined;
}

/**
 * A record that is not written yet.
 * @param remote whether a remote decides it: then it says whose machine made it, and holds for longer
 * @throws Refusal `claims_full`: there is no number after the last one that a reader would take
 */
export function newClaim(world: World, task: string, fence: number, claim: NewClaim, remote: boolean): ClaimRecord {
  if (fence > FENCE_MOST) throw refuse("claims_full", { task_id: task, fence: fence - 1 });
  const lasting = claim.kind === "claim" && claim.own === true && world.connection.lasting;
  const leaseS = claim.leaseS ?? (lasting ? CONNECTION_LEASE_S : LEASE_S);
  return withoutUndefined({
    task,
    fence,
    kind: claim.kind,
    agent: claim.agent,
    at: new Date(world.now()).toISOString(),
    nonce: claim.nonce ?? world.random(8),
    status: claim.status,
    to: claim.to,
    reason: claim.reason,
    by: claim.by,
    leaseS: claim.kind === "claim" ? (remote ? Math.max(REMOTE_LEASE_S, leaseS) : leaseS) : undefined,
    process: lasting ? thisProcess() : undefined,
    clone: lasting || remote ? cloneName(world) : undefined,
  });
}

/**
 * Adds a record after one that was seen: the home's decider decides between two who saw the same.
 * @param after the fence that was seen last
 * @param intent of the act that it begins, which is created with it
 * @returns the new record; null when somebody else was quicker
 * @throws Refusal `claims_full`
 */
export async function addClaim(
  world: World,
  session: string,
  task: string,
  after: number,
  claim: NewClaim,
  intent?: IntentFile,
): Promise<ClaimRecord | null> {
  const { store } = world.home();
  const path = claimPath(session, task, after + 1);
  // Before it is there, as of every act; but not of one that came meanwhile.
  if (!exists(store, path)) acted(world, { paths: [path] });
  const record = await deciderOf(world).add(world, session, task, after, claim, intent);
  if (record === null) return null;
  noteClaim(world, session, record);
  // Most claims are over before they are renewed.
  const before = leasePath(session, task, after);
  if (after > 0) afterCommit(() => void (exists(store, before) && removeFile(store, before)));
  return record;
}

/** What a claim needs of whoever decides: this disk alone (`byThisDisk`), or a remote that is asked first (`remote/`). */
export interface Decider {
  /**
   * Adds a record after the one that was seen last.
   * @param after the fence that was seen last
   * @param intent of the act that it begins: created before anything is decided
   * @returns the record as it stands here; null when somebody else was quicker
   * @throws Refusal `claims_full`
   */
  add(world: World, session: string, task: string, after: number, claim: NewClaim, intent?: IntentFile): Promise<ClaimRecord | null>;
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

declare module "../../core/package.ts" {
  interface Package {
    /** Decides between two parts that claim one task, where the settings of the home leave that to a remote. */
    decider?(): Decider;
  }
}

/** The exclusive create on this disk decides, at once. */
export const byThisDisk: Decider = {
  async add(world, session, task, after, claim, intent) {
    const { store } = world.home();
    for (let fence = after + 1; ; fence += 1) {
      const record = newClaim(world, task, fence, claim, false);
      // Its name is flushed after the content of the change that follows, which takes it along, and before that change is committed.
      if (addNumber(owing(store), chainOf(session, task), fence, formatClaim(record), { aside: intent?.path })) return record;
      // A file that says nothing keeps only its own number.
      if (!saysNothing(world, session, task, fence)) return null;
      if (intent !== undefined) removeFile(store, intent.path);
    }
  },
  decideUndecided: async () => false,
  renew: async () => {},
  whyUndecided: async () => null,
};

/** Who decides this home's claims: its disk, unless its settings leave it to a remote. */
export const deciderOf = (world: World): Decider =>
  world.home().config().claims === "remote" ? packageWith("decider").decider() : byThisDisk;
