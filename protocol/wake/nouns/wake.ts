/**
 * The wake of a part: one nudge that is owed to it, whatever the number of messages, and whoever delivers it.
 *
 *                    unread               lease               commit          reported, or fetched
 *     idle, settled ───────► owed ───────────────► leased ───────────► typed ───────► noticed
 *        ▲                  │ ▲ ▲                    │                  │  │              │
 *        │        forbidden │ │ │ lease over, gone,  │     unreachable  │  │ re-fire      │ re-fire, or new mail
 *        │                  ▼ │ │ or unreachable     │                  │  ▼              ▼
 *        │         suppressed─┘ └────────────────────┴──────────────────┘ expired ──────► owed
 *        │
 *        └── nothing unread: from everywhere. Fetched: from owed, leased, suppressed and typed to noticed, until the re-fire
 *
 * Who goes back to `owed` gets a new wake id, so that whatever the earlier holder still says is stale. A wake that was
 * committed and never reported keeps its id: a successor may finish it, and may not begin anew. spec/waking.md, "The wake machine".
 */
import type { WakePolicy } from "../../core/config/wake-policy.ts";
import type { Again, HolderFacts, RungName, WakeEvent, WakeState } from "./wake-state.ts";

/** A stamp may be ahead of this clock by so much before the clock counts as set back. */
const CLOCK_SLACK_MS = 5_000;

/** Whether a lease is over: its holder gone, not renewed in time, or taken in a future that this clock does not know. */
export function leaseOver(state: { leasedMs: number }, nowMs: number, holder: HolderFacts, policy: WakePolicy): boolean {
  const { gone, renewedMs, silentMs = null } = holder;
  if (gone || silentMs !== null) return gone || (silentMs ?? 0) >= policy.leaseMs;
  const held = Math.max(state.leasedMs, renewedMs);
  return nowMs >= held + policy.leaseMs || held > nowMs + CLOCK_SLACK_MS;
}

/** Whether a committed wake may be finished by a successor: nobody said what came of it, and a terminal shows how far it came. */
const resumable = (state: WakeState): boolean => state.kind === "typed" && !state.reported && state.rung === "tmux";

/**
 * The state after an event; the same value when nothing changes.
 * @returns null when the event is refused: the wake is no longer the one it speaks of, or cannot be had
 */
export function reduce(state: WakeState, event: WakeEvent, policy: WakePolicy): WakeState | null {
  switch (event.kind) {
    case "scan":
      return scanned(rebased(state, event.nowMs), event, policy);
    case "lease":
      return leased(state, event, policy);
    case "commit":
      return state.kind === "leased" && state.wakeId === event.wakeId
        ? { ...state, kind: "typed", atMs: event.nowMs, leasedMs: event.nowMs, reported: false, resumed: false }
        : null;
    case "retry":
      return state.kind === "owed" && state.tried.length > 0 ? owedStill(state, event.newId, event.nowMs) : null;
    case "report":
      return "wakeId" in state && state.wakeId === event.wakeId ? reported(state, event) : null;
  }
}

/** A clock that was set back would make what waits for a time wait too long: such a stamp becomes now. */
function rebased(state: WakeState, nowMs: number): WakeState {
  return "atMs" in state && state.atMs > nowMs + CLOCK_SLACK_MS
    ? { ...state, atMs: nowMs, ...(state.kind === "owed" ? { notBeforeMs: nowMs } : {}) }
    : state;
}

type Scan = Extract<WakeEvent, { kind: "scan" }>;

function scanned(state: WakeState, event: Scan, policy: WakePolicy): WakeState {
  const { nowMs, newId, unread, unseen } = event;
  if (unread === 0)
    return state.kind === "idle" || state.kind === "settled" ? state : { kind: "settled", wakeId: state.wakeId, atMs: nowMs };
  switch (state.kind) {
    case "idle":
    case "settled":
      return permitted(owed(newId, nowMs, nowMs + (event.urgent ? 0 : policy.debounceMs)), event);
    case "expired": {
      // Another batch is waited for like the first; what was left for long is not.
      const batchMs = state.again || event.urgent ? 0 : policy.debounceMs;
      return permitted({ ...owedStill(state, newId, nowMs), notBeforeMs: nowMs + batchMs }, event);
    }
    case "owed":
      if (!unseen && !state.again) return fetched(state, nowMs);
      // After the last rung all of them again, later each time.
      if (state.tried.length > 0 && nowMs >= state.atMs + pauseMs(state.fails, policy))
        return permitted({ ...owedStill(state, newId, nowMs), fails: state.fails + 1 }, event);
      if (event.urgent && state.notBeforeMs > nowMs) return permitted({ ...state, notBeforeMs: nowMs }, event);
      return permitted(state, event);
    case "suppressed":
      if (!unseen && !state.again) return fetched(state, nowMs);
      return permitted(state, event);
    case "leased":
      if (!unseen && !state.again) return fetched(state, nowMs);
      if (!leaseOver(state, nowMs, event, policy)) return state;
      return { ...owedStill(state, newId, nowMs), tried: state.tried, fails: state.fails };
    case "typed":
      if (!unseen && !state.again) return fetched(state, nowMs);
      if ((event.ageMs ?? nowMs - state.atMs) >= policy.refireMs) return { ...expired(state, nowMs), again: true };
      return state.reported && event.heard ? fetched(state, nowMs) : state;
    case "noticed":
      if ((event.ageMs ?? nowMs - state.atMs) >= policy.refireMs) return { ...expired(state, nowMs), again: true };
      // Of what it was told it knows; what came after it read its mail is another batch.
      return state.fetched && event.fresh && (event.ageMs ?? nowMs - state.atMs) >= policy.againMs
        ? expired(state, nowMs)
        : noted(state, event.heard || !unseen);
  }
}

const owed = (wakeId: string, nowMs: number, notBeforeMs: number, sinceMs: number = nowMs): Extract<WakeState, { kind: "owed" }> => ({
  kind: "owed",
  wakeId,
  sinceMs,
  atMs: nowMs,
  tried: [],
  fails: 0,
  notBeforeMs,
});

/** Owed under a new id, since it was and for what it was. */
const owedStill = ({ sinceMs, again }: { sinceMs: number; again?: Again }, newId: string, nowMs: number) => ({
  ...owed(newId, nowMs, nowMs, sinceMs),
  ...(again ? { again } : {}),
});

const expired = ({ wakeId, sinceMs }: { wakeId: string; sinceMs: number }, nowMs: number): Extract<WakeState, { kind: "expired" }> => ({
  kind: "expired",
  wakeId,
  sinceMs,
  atMs: nowMs,
});

/** The wake of a part that read its mail: it knows, whoever rang. */
export const fetched = ({ wakeId, sinceMs, ...rest }: { wakeId: string; sinceMs: number; rung?: RungName }, nowMs: number): WakeState => ({
  kind: "noticed",
  wakeId,
  sinceMs,
  atMs: nowMs,
  rung: rest.rung ?? null,
  fetched: true,
});

/** A part that heard the doorbell, and may have read its mail now. */
const noted = (state: Extract<WakeState, { kind: "noticed" }>, reads: boolean): WakeState =>
  state.fetched || !reads ? state : { ...state, fetched: true };

/** What is owed, or kept back: as the policy says. */
function permitted(state: Extract<WakeState, { kind: "owed" | "suppressed" }>, { permit, nowMs, newId }: Scan): WakeState {
  if (permit.ok) return state.kind === "owed" ? state : owedStill(state, newId, nowMs);
  const { reason, untilMs } = permit;
  if (state.kind === "suppressed" && state.reason === reason) return state;
  const { wakeId, sinceMs, again } = state;
  return { kind: "suppressed", wakeId, sinceMs, atMs: nowMs, reason, untilMs, ...(again ? { again } : {}) };
}

function leased(state: WakeState, event: Extract<WakeEvent, { kind: "lease" }>, policy: WakePolicy): WakeState | null {
  const { nowMs, rung, holder, unread, urgent } = event;
  if (state.kind === "owed" && nowMs >= state.notBeforeMs && !state.tried.includes(rung)) {
    const { wakeId, sinceMs, tried, fails, again } = state;
    return { kind: "leased", wakeId, sinceMs, rung, holder, leasedMs: nowMs, unread, urgent, tried, fails, ...(again ? { again } : {}) };
  }
  if (state.kind === "typed" && resumable(state) && rung === state.rung && leaseOver(state, nowMs, event, policy))
    return { ...state, holder, leasedMs: nowMs, resumed: true };
  return null;
}

/** The state after what a rung reports; null where the report is stale. */
export function reported(state: WakeState, event: Extract<WakeEvent, { kind: "report" }>): WakeState | null {
  const { nowMs, newId, outcome, reason, detail } = event;
  if (state.kind !== "leased" && state.kind !== "typed") return state.kind === "noticed" && outcome !== "unreachable" ? state : null;
  switch (outcome) {
    case "noticed":
      return { kind: "noticed", wakeId: state.wakeId, sinceMs: state.sinceMs, atMs: nowMs, rung: state.rung, fetched: false };
    case "typed":
      // Without a commit nothing can have been delivered.
      return state.kind === "typed" ? { ...state, reported: true, reason, detail } : null;
    case "waiting":
      return state.reason === reason ? state : { ...state, leasedMs: nowMs, reason, detail };
    case "released":
      // What was committed may have been delivered: its lease is given back, and not its right.
      return state.kind === "typed"
        ? { ...state, holder: "" }
        : { ...owedStill(state, newId, nowMs), tried: state.tried, fails: state.fails, reason, detail };
    case "unreachable":
      return unreachable(state, event);
  }
}

function unreachable(
  state: Extract<WakeState, { kind: "leased" | "typed" }>,
  { nowMs, newId, reason, detail }: Extract<WakeEvent, { kind: "report" }>,
): WakeState {
  // A successor that finds nothing to finish does not know what became of it: the re-fire does the rest.
  if (state.kind === "typed" && state.resumed) return { ...state, reported: true, reason, detail };
  const tried = [...state.tried, state.rung];
  return { ...owedStill(state, newId, nowMs), tried, fails: state.fails, reason, detail };
}

/** How long a part that no rung reached is left alone. */
const pauseMs = (fails: number, policy: WakePolicy): number => Math.min(policy.refireMs, policy.retryMs * 2 ** Math.min(fails, 10));

/**
 * When a state is worth another scan though no file changes, in milliseconds since the epoch; null when it never is.
 * What a clock alone does not decide (a permit, a gone process) is found by a scan every now and then.
 */
export function dueAt(state: WakeState, policy: WakePolicy, nowMs: number): number | null {
  switch (state.kind) {
    case "idle":
    case "settled":
      return null;
    case "owed":
      return state.tried.length > 0
        ? state.atMs + pauseMs(state.fails, policy)
        : Math.max(state.notBeforeMs, state.atMs + policy.waiterGraceMs);
    case "suppressed":
      return state.untilMs;
    case "leased":
      return state.leasedMs + policy.leaseMs;
    case "typed":
      return state.reported ? state.atMs + policy.refireMs : Math.min(state.atMs + policy.refireMs, state.leasedMs + policy.leaseMs);
    case "noticed": {
      const againMs = state.atMs + policy.againMs;
      return state.fetched && againMs > nowMs ? againMs : state.atMs + policy.refireMs;
    }
    case "expired":
      return state.atMs;
  }
}

/** The doorbell: one line of plain characters that no shell would take for more than words, and never words of a message. */
export const doorbellLine = (part: string, unread: number, wakeId: string): string =>
  `Relay: ${unread} unread ${unread === 1 ? "message" : "messages"} for ${part}. Read now: relay next, or the next tool. Wake ${wakeId}`;
