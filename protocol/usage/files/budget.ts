/**
 * Budgets: a warning, once, and an end to what the office starts. Only what this clone collected itself counts, by lines and marks that no
 * sync touches: no push stops work here, or keeps a budget from being reached. spec/usage.md, "Budgets".
 */

import { endedPath, isSessionId, reopenedPath, sessionFolder, sessionPath, TURNS_MOST } from "../../board/nouns/session.ts";
import { acted } from "../../core/act.ts";
import { eventId, eventPath, type PartEvent } from "../../core/event/event.ts";
import { dayOf, hashTail } from "../../core/format/id.ts";
import { hasEvent } from "../../core/home/events.ts";
import { cloneName } from "../../core/home/feed.ts";
import type { World } from "../../core/world.ts";
import { sha256 } from "../../store/digest.ts";
import { withLock } from "../../store/lock.ts";
import { exists } from "../../store/read/facts.ts";
import { names } from "../../store/read/list-folder.ts";
import { readText } from "../../store/read/read-file.ts";
import { appendLine } from "../../store/write/append-line.ts";
import { place } from "../../store/write/publish.ts";
import { originsOf } from "../../trust/files/note-origins.ts";
import { fileSums } from "./file-sums.ts";
import { monthsAround, SPENT } from "./spent-lines.ts";
import { tariffOf } from "./tariff.ts";

const WARNED = "local/usage/warned";
const MARK_BYTES = 256;
/** What a mark says before the event is written, with the event's id behind it. */
const BEGUN = "begun ";

/** What was spent in a day or session. */
interface Spent {
  per: "day" | "session";
  /** The day in the zone of this machine, or the session. */
  of: string;
  usd: number;
}

/**
 * What was spent here in the day that it is now, or in each session that goes on here, from so much on. A subscription's calls are paid
 * for. By session, the calls of the day that are of none, or of one that others alone say has ended, count together.
 */
function spentNow(world: World, leastUsd: number): Spent[] {
  const { per } = world.home().config().usage;
  const { store } = world.home();
  const tariff = tariffOf(world);
  const nowMs = world.now();
  const today = tariff.dayOf(new Date(nowMs).toISOString());
  const files = names(store, SPENT).filter((name) => per === "session" || monthsAround(nowMs).has(name.slice(0, -".jsonl".length)));
  const sums = new Map<string, { all: number; today: number }>();
  for (const name of files)
    for (const cell of fileSums(store, `${SPENT}/${name}`, tariff)?.cells ?? []) {
      if (cell.subscription) continue;
      const key = per === "session" && isSessionId(cell.session) ? cell.session : "";
      const sum = sums.get(key) ?? { all: 0, today: 0 };
      sums.set(key, sum);
      sum.all += cell.usd;
      if (cell.day === today) sum.today += cell.usd;
    }
  const spent: Spent[] = [];
  let ofDay = 0;
  for (const [session, sum] of sums) {
    const life = session === "" ? "ended elsewhere" : lifeHere(world, session);
    if (life === "goes on") spent.push({ per: "session", of: session, usd: sum.all });
    if (life === "ended elsewhere") ofDay += sum.today;
  }
  return [...spent, { per: "day" as const, of: today, usd: ofDay }].filter(({ usd }) => usd >= leastUsd);
}

/**
 * Whether a session goes on, as far as others cannot say otherwise: what a sync brought ends none that was begun here, and opens none
 * again. One that is not there has ended.
 */
function lifeHere(world: World, session: string): "goes on" | "ended" | "ended elsewhere" {
  const { store } = world.home();
  const originOf = originsOf(world);
  const isBrought = (path: string): boolean => originOf(path).from === "sync";
  let life: ReturnType<typeof lifeHere> = exists(store, sessionFolder(session)) ? "goes on" : "ended";
  const isOurs = !isBrought(sessionPath(session));
  for (let turn = 1; turn <= TURNS_MOST && exists(store, endedPath(session, turn)); turn += 1) {
    const [ended, reopened] = [endedPath(session, turn), reopenedPath(session, turn)];
    if (!isBrought(ended)) life = "ended";
    else if (!isOurs && life === "goes on") life = "ended elsewhere";
    if (exists(store, reopened) && !isBrought(reopened)) life = "goes on";
  }
  return life;
}

/**
 * Warns where a budget's threshold is reached: by one event for each day or session, whatever processes see it, and whichever is killed.
 * What others say of that event counts for nothing: the mark of it does, which no sync touches.
 * @param part whose turn ended; the main part where nobody knows
 */
export async function warnOfBudget(world: World, part: string | null): Promise<void> {
  const { main, usage } = world.home().config();
  const { warnUsd } = usage;
  if (warnUsd === null) return;
  const { store } = world.home();
  const clone = cloneName(world);
  for (const { per, of, usd } of spentNow(world, warnUsd)) {
    const token = hashTail(sha256(`${per} ${of} ${warnUsd} ${clone}`));
    const mark = `${WARNED}/${token}`;
    if (isWarned(world, mark)) continue;
    await withLock(store, "usage-budget", () => {
      if (isWarned(world, mark)) return;
      const nowMs = world.now();
      const id = eventId(dayOf(nowMs), token);
      const detail = { per, of, usd: Math.round(usd * 100) / 100, warn_usd: warnUsd };
      const event: PartEvent = { id, at: new Date(nowMs).toISOString(), part: part ?? main, type: "budget", detail };
      place(store, mark, `${BEGUN}${id}\n`);
      appendLine(store, eventPath(dayOf(nowMs), clone), JSON.stringify(event), true);
      acted(world, { event: { ...event, type: "event:budget", eventId: id } });
      place(store, mark, "done\n");
    });
  }
}

/** Whether a mark says that its warning was written. One that was begun may have been, just before its process was killed. */
function isWarned(world: World, mark: string): boolean {
  const said = readText(world.home().store, mark, MARK_BYTES);
  return said !== null && (!said.startsWith(BEGUN) || hasEvent(world, said.slice(BEGUN.length).trim(), cloneName(world)));
}

/** Why the office starts no agent now; null where it may. The limit of sessions is that of any that has not ended. */
export function stoppedByBudget(world: World): string | null {
  const { stopUsd } = world.home().config().usage;
  if (stopUsd === null) return null;
  const [over] = spentNow(world, stopUsd);
  if (over === undefined) return null;
  const whose = over.per === "day" ? `on ${over.of}` : `in the session ${over.of}`;
  return `the budget is spent: $${over.usd.toFixed(2)} of $${stopUsd.toFixed(2)} ${whose} on this machine. To go on, raise usage.stop_usd in relay.yml, then \`relay config accept\``;
}
