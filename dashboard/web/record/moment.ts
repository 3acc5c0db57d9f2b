/** The moment that the whole page shows: now, or an earlier record of the home, which nobody can change. */
import { signal } from "@preact/signals";
import { about } from "../state/about.ts";
import { stopClock } from "../state/time.ts";

/** An earlier record. */
export interface Moment {
  commit: string;
  /** When it was made, ISO 8601. */
  at: string;
}

/** The record that is shown; null while the page is live. */
export const moment = signal<Moment | null>(null);
let mayWrite = false;

/** Shows the home as it was, or is. @param to null goes back to now */
export function showMoment(to: Moment | null): void {
  if (moment.value === null) mayWrite = !about.value.readOnly;
  moment.value = to;
  about.value = { ...about.value, readOnly: to !== null || !mayWrite };
  stopClock(to === null ? null : Date.parse(to.at));
}

/** What is asked of every moment alike: what the records are, and what they changed. */
const OF_ALL = new Set(["log", "diff"]);

/** The commit that an operation is asked about; empty for now. */
export const commitFor = (operation: string): string => (OF_ALL.has(operation) ? "" : (moment.value?.commit ?? ""));
