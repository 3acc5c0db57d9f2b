/** Syncs on a beat, told as one when they end. */
import { cameTogether, type Synced, together } from "./sync-result.ts";

/** Of what earlier beats listed so much is kept, the newest: a watch may go on for months. */
const KEPT = 1_000;

/** What two syncs list: each once, of the earlier ones only what still fits. */
const listed = <T>(before: readonly T[], now: readonly T[]): T[] => [...new Set([...before, ...now])].slice(-Math.max(KEPT, now.length));

/** What a sync and those before it came to. */
export function addSync(before: Synced, now: Synced): Synced {
  const [one, other] = [before.arrived, now.arrived];
  return {
    ...now,
    sent: before.sent || now.sent,
    came: cameTogether(before.came, now.came),
    broughtBack: listed(before.broughtBack, now.broughtBack),
    contested: listed(before.contested, now.contested),
    attempts: listed(before.attempts, now.attempts),
    arrived: {
      ...together(one, other),
      gaveWay: listed(one.gaveWay, other.gaveWay),
      did: listed(one.did, other.did),
      strangers: listed(one.strangers, other.strangers),
      skipped: listed(one.skipped, other.skipped),
      unfit: listed(one.unfit, other.unfit),
    },
  };
}
