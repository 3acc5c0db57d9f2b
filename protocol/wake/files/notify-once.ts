/** Chooses the news for one way of telling: each news once, by exclusive marks, and within a budget. spec/waking.md, "Telling a person". */
import { mayTell, type News, type Notify, type Told } from "../../core/event/notify.ts";
import type { World } from "../../core/world.ts";
import { sha256 } from "../../store/digest.ts";
import { withLock } from "../../store/lock.ts";
import { exists, facts } from "../../store/read/facts.ts";
import { names } from "../../store/read/list-folder.ts";
import type { Store } from "../../store/root.ts";
import { removeFile } from "../../store/write/move-file.ts";
import { place, publish } from "../../store/write/publish.ts";
import { touch } from "../../store/write/touch.ts";
import { machineStore } from "../../trust/files/machine.ts";
import { notifiedFolder } from "./notify-list.ts";

const HOUR_MS = 3_600_000;
/** What is over the budget is collected for so long before it is summed up. */
const COLLECT_MS = 60_000;
/** News of a day ago is none; its marks are kept twice as long. */
const KEPT_MS = 48 * HOUR_MS;
/** What a mark holds of what was told, and of what a sync brought and was told; one of what was over holds nothing. */
const TOLD = "told\n";
const BROUGHT = "told, by sync\n";

/** A mark: of what, whether it was told, and when; milliseconds since the epoch. */
interface Mark extends Told {
  told: boolean;
  atMs: number;
}

const marksOf = (name: string): string => `${notifiedFolder(name)}/marks`;
/** Two of one id are told apart by when they happened: a task may be done twice. */
const markPath = (name: string, { kind, id, atMs }: News): string => `${marksOf(name)}/${kind}.${sha256(`${id} ${atMs}`).slice(0, 32)}`;

/** What was taken. */
export interface Taken {
  news: News[];
  /** Whether some is over the budget, and still to be summed up. */
  more: boolean;
}

/** Whether a notify was told of it, or was to be: then it is not again. */
export const isTaken = (store: Store, { name }: Notify, news: News): boolean => exists(store, markPath(name, news));

/**
 * Takes news for a notify, oldest first: whoever marks it tells it. It is marked before it is told, so who dies between the two tells
 * nobody: at most once. What is over the budget is marked too, and summed up by one `more` an hour.
 */
export function takeNews(world: World, notify: Notify, news: readonly News[]): Promise<Taken> {
  const store = { ...machineStore(world), durable: false };
  return withLock(store, `notify-${notify.name}`, () => takeHeld(world, store, notify, news));
}

function takeHeld(world: World, store: Store, { name }: Notify, news: readonly News[]): Taken {
  const now = world.now();
  const marks = currentMarks(store, name, now);
  const earlier: Told[] = marks.filter((mark) => mark.told && Math.abs(now - mark.atMs) < HOUR_MS);
  const taken: News[] = [];
  for (const each of [...news].sort((a, b) => a.atMs - b.atMs)) {
    const path = markPath(name, each);
    const one = { kind: each.kind, isBrought: each.origin !== undefined };
    const may = mayTell(earlier, one);
    if (publish(store, path, may ? (one.isBrought ? BROUGHT : TOLD) : "") === "exists") continue;
    touch(store, path, now);
    if (!may) marks.push({ ...one, told: false, atMs: now });
    else {
      earlier.push(one);
      taken.push(each);
    }
  }
  const summed = `${notifiedFolder(name)}/more`;
  const summedMs = facts(store, summed)?.modifiedMs ?? 0;
  const over = marks.filter((mark) => !mark.told && mark.atMs > summedMs);
  if (over.length === 0) return { news: taken, more: false };
  const isDue = now - summedMs >= HOUR_MS && now - (over[0] as Mark).atMs >= COLLECT_MS;
  if (!isDue) return { news: taken, more: true };
  place(store, summed, "");
  touch(store, summed, now);
  return { news: [...taken, moreOf(over, now)], more: false };
}

/** The marks of a notify, oldest first; those that are too old go. */
function currentMarks(store: Store, name: string, now: number): Mark[] {
  const marks: Mark[] = [];
  for (const file of names(store, marksOf(name))) {
    const path = `${marksOf(name)}/${file}`;
    const fact = facts(store, path);
    if (fact === null) continue;
    if (now - fact.modifiedMs > KEPT_MS) removeFile(store, path);
    else marks.push({ kind: file.split(".")[0] as string, isBrought: fact.size > TOLD.length, told: fact.size > 0, atMs: fact.modifiedMs });
  }
  return marks.sort((a, b) => a.atMs - b.atMs);
}

/** One thing to tell for all that was over the budget. */
function moreOf(over: readonly Mark[], now: number): News {
  const counts = new Map<string, number>();
  for (const { kind } of over) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const kinds = [...counts].map(([kind, count]) => `${count} ${kind}`).join(", ");
  return { kind: "more", id: "", part: "", subject: `and ${over.length} more: ${kinds}`, atMs: now, hereMs: now };
}
