/** The moment that the whole page shows: now, or an earlier record of the home, which nobody can change. It stands in the address. */
import { computed, effect, signal } from "@preact/signals";
import { addressOf, goTo, route, routeNow } from "../state/route.ts";
import type { AnswerOf } from "../state/server.ts";
import { stopClock } from "../state/time.ts";
import { exported } from "./exported.ts";

/** An earlier record. */
export interface Moment {
  commit: string;
  /** When it was made, ISO 8601; null until that is known. */
  at: string | null;
}

/** A record as the log tells it. */
export type Entry = AnswerOf<"log">["entries"][number];

export const commitOf = ({ commit }: Entry): string => commit;

const known = signal<ReadonlyMap<string, Entry>>(new Map());

/** Remembers records: they do not change. */
export function knowRecords(records: readonly Entry[]): void {
  const fresh = records.filter(({ commit }) => !known.value.has(commit));
  if (fresh.length > 0) known.value = new Map([...known.value, ...fresh.map((entry) => [entry.commit, entry] as const)]);
}

/** The record of a commit; undefined until the page was told of it. */
export const recordOf = (commit: string): Entry | undefined => known.value.get(commit);

/** The newest records as the server told them last, for whoever shows them without asking; none until then. */
export const newestRecords = signal<Pick<AnswerOf<"log">, "entries" | "cursor"> | undefined>(undefined);

/** The record that is shown; null while the page is live. */
export const moment = computed<Moment | null>(() => {
  const { at: commit } = route.value;
  return commit === "" || exported !== null ? null : { commit, at: recordOf(commit)?.at ?? null };
});

// A lease that ran then runs on the page as well.
effect(() => {
  if (exported !== null) return;
  const at = moment.value?.at ?? null;
  stopClock(at === null ? null : Date.parse(at));
});

/** Shows the home as it was at a commit, or is. @param commit null goes back to now @param isSameStep as `goTo` has it */
export function showMoment(commit: string | null, isSameStep = false): void {
  const { view, chosen } = routeNow();
  goTo(addressOf(view, chosen, commit ?? ""), isSameStep);
}

/** What is asked of every moment alike: what the records are, and what they changed. */
const OF_ALL = new Set(["log", "diff"]);

/** The commit that an operation is asked about; empty for now. */
export const commitFor = (operation: string): string => (OF_ALL.has(operation) ? "" : route.value.at);
