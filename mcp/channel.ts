/**
 * Claude Channels: the doorbell is pushed into the session. A push is never acknowledged, and is dropped in silence where the
 * session does not listen; so the part counts as having noticed only when it then reads its mail. spec/waking.md, "Waking by channel".
 */
import type { World } from "../protocol/index.ts";
import { commitWake, type Lease, renewWake, reportWake } from "../protocol/wake/files/lease-wake.ts";
import { waitForWakes } from "../protocol/wake/verbs/wait-for-wake.ts";

/** The capability that a server with a channel declares. */
export const CHANNEL = "claude/channel";
const METHOD = "notifications/claude/channel";
/** Calls over the connection that show that its part reads its mail. */
const FETCHES: ReadonlySet<string> = new Set(["inbox", "show", "ack", "threads", "wait", "reply"]);
/** After so many pushes in a row without an answer, Relay assumes that the session does not listen. */
const DEAF_AFTER = 3;

/** A channel of one connection. */
export interface Channel {
  /** Hears of each call that succeeded. */
  called(tool: string): void;
  close(): Promise<void>;
}

/** Keeps a channel for the part that a connection is. @param push sends a notification */
export function openChannel(world: World, push: (method: string, params: Record<string, unknown>) => Promise<void>): Channel {
  const ending = new AbortController();
  let heard: (() => void) | null = null;
  let missed = 0;

  /** Whether the part reads its mail within the grace period. */
  const fetched = (part: string, wakeId: string): Promise<boolean> =>
    new Promise((resolve) => {
      const { channelGraceMs, leaseMs } = world.home().config().wake;
      const done = (isRead: boolean): void => {
        clearTimeout(grace);
        clearInterval(renewing);
        ending.signal.removeEventListener("abort", end);
        heard = null;
        resolve(isRead);
      };
      const end = (): void => done(false);
      const grace = setTimeout(end, channelGraceMs);
      const renewing = setInterval(() => keepWake(world, part, wakeId), leaseMs / 3);
      ending.signal.addEventListener("abort", end, { once: true });
      heard = () => done(true);
    });

  const ring = async (part: string, { wakeId, line, unread, urgent }: Lease): Promise<void> => {
    if (ending.signal.aborted || commitWake(world, part, wakeId) !== "committed") return;
    const reading = fetched(part, wakeId);
    const meta = { part, wake: wakeId, unread: String(unread), urgent: String(urgent) };
    const pushed = await push(METHOD, { content: line, meta }).then(
      () => true,
      () => false,
    );
    if (pushed && (await reading)) {
      missed = 0;
      reportWake(world, part, wakeId, "noticed");
      return;
    }
    heard = null;
    missed += 1;
    reportWake(world, part, wakeId, "unreachable", pushed ? "not_fetched" : "closed");
    // Otherwise each wake would come later, by the grace period.
    if (missed >= DEAF_AFTER) ending.abort();
  };

  const waiting = waitForWakes(world, { rung: "channel", signal: ending.signal, ring }).catch(() => {
    // Without a home there is nothing to wait for; the first call says so.
  });
  return {
    called(tool) {
      if (FETCHES.has(tool)) heard?.();
    },
    async close() {
      ending.abort();
      await waiting;
    },
  };
}

/** Renews a lease. What fails here may not end the server: the lease runs out, or the disk is back before that. */
function keepWake(world: World, part: string, wakeId: string): void {
  try {
    renewWake(world, part, wakeId);
  } catch {
    // The home is full, read-only or away just now.
  }
}
