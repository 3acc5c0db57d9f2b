/** Who holds a task, and for how long. */
import { countdown, nowMs, span } from "../state/time.ts";
import { Origin } from "./bits.tsx";
import { Icon } from "./icon.tsx";

/** A claim as `show_task` answers it. */
export interface Claim {
  agent: string;
  state: string;
  until?: string | undefined;
  ended?: string | undefined;
  origin?: string | undefined;
}

/** Below so many milliseconds a lease is amber, and red. */
const SOON_MS = 15 * 60_000;
const LAST_MS = 2 * 60_000;

/** True once the lease is over: others may take the task. */
export const isOver = (claim: Claim): boolean => claim.state !== "held" || Date.parse(claim.until ?? "") <= nowMs.value;

/** The holder, and what is left of the lease. */
export function LeaseBar({ claim }: { claim: Claim }) {
  const end = claim.until ?? claim.ended;
  const leftMs = Date.parse(end ?? "") - nowMs.value;
  const tone = isOver(claim) ? "warn" : leftMs < LAST_MS ? "bad" : leftMs < SOON_MS ? "warn" : "";
  const words = !isOver(claim) ? countdown(leftMs) : end === undefined ? "its process ended" : `lease ended ${span(-leftMs)} ago`;
  return (
    <span class="lease">
      <span class={`row wrap sm ${tone}`}>
        <Icon name="lock" small />
        <span class="cut">{claim.agent}</span>
        <Origin origin={claim.origin} />
        <span class="grow" />
        <span class="nowrap">{words}</span>
      </span>
    </span>
  );
}
