/** The moment that the whole page shows: now, or an earlier record of the home, which nobody can change. It stands in the address. */
import { computed, effect, signal } from "@preact/signals";
import { addressOf, goTo, route } from "../state/route.ts";
import type { AnswerOf } from "../state/server.ts";
import { stopClock } from "../state/time.ts";
import { exported } from "./exported.ts";

/** An earlier record. */
export interface Moment {
  commit: string;
  /** When it was made, ISO 8601; null until that is known. */
  at: string | null;
}

const madeAt = signal<ReadonlyMap<string, string>>(new Map());

/** Remembers when records were made. */
export function knowRecords(records: readonly { commit: string; at: string }[]): void {
  const fresh = records.filter(({ commit }) => !madeAt.value.has(commit));
  if (fresh.length > 0) madeAt.value = new Map([...madeAt.value, ...fresh.map(({ commit, at }) => [commit, at] as const)]);
}

/** The newest records as the server told them last, for whoever shows them without asking; none until then. */
export const newestRecords = signal<Pick<AnswerOf<"log">, "entries" | "cursor"> | undefined>(undefined);

/** The record that is shown; null while the page is live. */
export const moment = computed<Moment | null>(() => {
  const { at: commit } = route.value;
  return commit === "" || exported !== null ? null : { commit, at: madeAt.value.get(commit) ?? null };
});

// A lease that ran then runs on the page as well.
effect(() => {
  if (exported !== null) return;
  const at = moment.value?.at ?? null;
  stopClock(at === null ? null : Date.parse(at));
});

/** Shows the home as it was at a commit, or is. @param commit null goes back to now @param isSameStep as `goTo` has it */
export function showMoment(commit: string | null, isSameStep = false): void {
  const { view, chosen } = route.value;
  goTo(addressOf(view, chosen, commit ?? ""), isSameStep);
}

/** What is asked of every moment alike: what the records are, and what they changed. */
const OF_ALL = new Set(["log", "diff"]);

/** The commit that an operation is asked about; empty for now. */
export const commitFor = (operation: string): string => (OF_ALL.has(operation) ? "" : route.value.at);
