/** The status of each recipient for the sender, and of a part's wake for everybody. spec/messages.md, "Delivery states" and "Why not". */
import { orElse, readOr } from "../../core/format/file-error.ts";
import { HUMAN } from "../../core/names.ts";
import type { World } from "../../core/world.ts";
import type { DeliveryState } from "../../mail/files/delivery-state.ts";
import { isAcked } from "../../mail/files/inbox-files.ts";
import { positionsAmong } from "../../mail/files/members.ts";
import { isOnline, limitedUntil } from "../../mail/files/presence.ts";
import type { Message } from "../../mail/nouns/message.ts";
import { permitFor } from "./wake-budget.ts";
import { lastStep } from "./wake-chain.ts";
import { hasRung, isServed, type Ringers, reachableBy, ringersOf, wakeMethodOf } from "./who-rings.ts";

/** What a sender is told about a recipient. `wake: "owed"` means somebody will nudge it; otherwise `reason` says why not. */
interface RecipientStatus {
  part: string;
  state: DeliveryState;
  online: boolean;
  /** By what an idle session of it can be reached; absent where by nothing. */
  reachable?: string[];
  wake: "owed" | "none";
  reason?: "no_pager" | "no_rung" | "human" | "limited" | "budget" | "acked" | "no_reply" | undefined;
}

/** What is known of each recipient right after a message was stored. */
export function recipientStatuses(world: World, message: Message): RecipientStatus[] {
  return message.to.map((part) => {
    try {
      return recipientStatus(world, part, message);
    } catch {
      // The message was sent; that nothing more can be read just now must not be told as a failure.
      return { part, state: "stored", online: false, wake: "none", reason: "no_pager" };
    }
  });
}

function recipientStatus(world: World, part: string, { id, at, urgent, expectsReply }: Message): RecipientStatus {
  const acked = isAcked(world.home().store, part, id);
  const online = isOnline(world, part);
  // How it is rung may not be readable: then nobody rings it.
  const ringers = orElse(null, () => ringersOf(world, part));
  const silent = acked ? "acked" : expectsReply === false ? "no_reply" : null;
  const reason = silent ?? noWake(world, part, urgent === true, Date.parse(at), ringers ?? undefined);
  return {
    part,
    state: acked ? "acked" : "stored",
    online,
    ...(ringers === null ? {} : reachedBy(ringers)),
    ...(reason === null ? { wake: "owed" } : { wake: "none", reason }),
  };
}

/** By what an idle session of a part can be reached. Only reads; what cannot be read reaches nobody. */
export const reached = (world: World, part: string): { reachable?: string[] } => orElse({}, () => reachedBy(ringersOf(world, part)));

function reachedBy(ringers: Ringers): { reachable?: string[] } {
  const reachable = reachableBy(ringers);
  return reachable.length === 0 ? {} : { reachable };
}

/** Why nobody will nudge a part that has mail; null when somebody will, or did since the mail was stored (milliseconds since the epoch). */
function noWake(
  world: World,
  part: string,
  urgent: boolean,
  storedMs = Infinity,
  ringers?: Ringers,
): "no_pager" | "no_rung" | "human" | "limited" | "budget" | null {
  // Its runner starts it.
  if (positionsAmong(world, [part]).length > 0) return null;
  if (part === HUMAN && wakeMethodOf(world, part).deliver === "none") return "human";
  if (limitedUntil(world, part) !== null) return "limited";
  const { state } = lastStep(world, part);
  const rung = state.kind === "leased" || state.kind === "typed" || state.kind === "noticed";
  // A waiter that rang for this very mail may have ended already, and serves nobody any more.
  if (rung && (state.kind === "leased" ? state.leasedMs : state.atMs) >= storedMs) return null;
  if (!isServed(world, part, ringers)) return "no_pager";
  if (!rung && !hasRung(world, part, ringers)) return "no_rung";
  // A wake that was delivered speaks for this message too; what is left unread is owed again later.
  if (rung) return null;
  const permit = permitFor(world, part, urgent);
  return permit.ok ? null : permit.reason === "limited" ? "limited" : "budget";
}

/** Where a part's wake stands, as people and agents are shown it. */
export interface WakeShown {
  /** `none`: mail waits, and nobody who lives could ring. */
  state: "owed" | "leased" | "typed" | "noticed" | "expired" | "suppressed" | "none";
  /** Since when the mail waits; ISO 8601. */
  since?: string;
  rung?: string;
  reason?: string;
  /** What the rung said of it, such as that a command was killed at its limit. */
  detail?: string;
}

/** Where the wake of a part with unread mail stands; null where none is due. Only reads. */
export function wakeShown(world: World, part: string, unread: number): WakeShown | null {
  if (unread === 0) return null;
  // How it is rung cannot be read: nobody rings it, and nobody else's row is the worse for it. `doctor` names the file.
  return readOr<WakeShown>({ state: "none", reason: "no_pager" }, () => shownOf(world, part));
}

function shownOf(world: World, part: string): WakeShown {
  const { state } = lastStep(world, part);
  if (state.kind === "idle" || state.kind === "settled") return awaited(world, part);
  const isRung = ["leased", "typed", "noticed"].includes(state.kind);
  const missing = isRung ? null : isServed(world, part) ? (hasRung(world, part) ? null : "no_rung") : "no_pager";
  const rung = "rung" in state && state.rung !== null ? { rung: state.rung } : {};
  const reason = "reason" in state && state.reason !== undefined ? { reason: state.reason } : {};
  const since = { since: new Date(state.sinceMs).toISOString() };
  const detail = state.kind === "typed" && state.detail !== undefined ? { detail: state.detail } : {};
  return missing === null ? { state: state.kind, ...since, ...rung, ...reason, ...detail } : { state: "none", ...since, reason: missing };
}

/** A wake that no scan has written down yet. */
function awaited(world: World, part: string): WakeShown {
  const reason = noWake(world, part, false);
  return reason === null
    ? { state: "owed" }
    : { state: reason === "no_pager" || reason === "no_rung" || reason === "human" ? "none" : "suppressed", reason };
}
