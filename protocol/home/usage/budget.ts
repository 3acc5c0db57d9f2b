/**
 * Budgets: a warning, once, and an end to what the office starts. Only what this clone collected itself counts, by lines that no sync
 * touches: no push stops work here. spec/usage.md, "Budgets".
 */
import { eventId, eventPath, type PartEvent } from "../../objects/event/event.ts";
import { dayOf, hashTail } from "../../objects/format/id.ts";
import { endedPath, isSessionId, reopenedPath, sessionFolder, sessionPath, TURNS_MOST } from "../../objects/session/session.ts";
import type { UsageCell } from "../../objects/usage/usage-cells.ts";
import { sha256 } from "../../store/digest.ts";
import { withLock } from "../../store/lock.ts";
import { exists } from "../../store/read/facts.ts";
import { names } from "../../store/read/list-folder.ts";
import { appendLine } from "../../store/write/append-line.ts";
import { publish } from "../../store/write/publish.ts";
import type { World } from "../../world.ts";
import { hasEvent } from "../events.ts";
import { cloneName, tell } from "../feed.ts";
import { originsOf } from "../note-origins.ts";
import { fileSums } from "./file-sums.ts";
import { SPENT } from "./spent-lines.ts";
import { tariffOf } from "./tariff.ts";

const WARNED = "local/usage/warned";
const DAY_MS = 86_400_000;

/** What was spent in a day or session. */
interface Spent {
  per: "day" | "session";
  /** The day in the zone of this machine, or the session. */
  of: string;
  usd: number;
}

/** What was spent here in the day that it is now, or in each session that goes on here, from so much on. A subscription's calls are paid for. */
function spentNow(world: World, leastUsd: number): Spent[] {
  const { per } = world.home().config().usage;
  const { store } = world.home();
  const tariff = tariffOf(world);
  const nowMs = world.now();
  const today = tariff.dayOf(new Date(nowMs).toISOString());
  // A day of a zone may touch two months.
  const months = [nowMs - DAY_MS, nowMs, nowMs + DAY_MS].map((ms) => dayOf(ms).slice(0, 7));
  const files = names(store, SPENT).filter((name) => per === "session" || months.some((month) => name === `${month}.jsonl`));
  const sums = new Map<string, number>();
  const add = (cell: UsageCell): void => {
    if (!cell.subscription && (per === "session" ? isSessionId(cell.session) : cell.day === today))
      sums.set(cell[per], (sums.get(cell[per]) ?? 0) + cell.usd);
  };
  for (const name of files) for (const cell of fileSums(store, `${SPENT}/${name}`, tariff)?.cells ?? []) add(cell);
  const isMeant = ([of, usd]: [string, number]): boolean => usd >= leastUsd && (per === "day" || goesOnHere(world, of));
  return [...sums].filter(isMeant).map(([of, usd]) => ({ per, of, usd }));
}

/**
 * Whether a session goes on, as far as others cannot say otherwise: one that was opened again elsewhere does not, and one that was begun
 * here ends here.
 */
function goesOnHere(world: World, session: string): boolean {
  const { store } = world.home();
  const originOf = originsOf(world);
  const isBrought = (path: string): boolean => originOf(path).from === "sync";
  let goesOn = exists(store, sessionFolder(session));
  const isOurs = !isBrought(sessionPath(session));
  for (let turn = 1; turn <= TURNS_MOST && exists(store, endedPath(session, turn)); turn += 1) {
    const [ended, reopened] = [endedPath(session, turn), reopenedPath(session, turn)];
    if (!isOurs || !isBrought(ended)) goesOn = false;
    if (exists(store, reopened) && !isBrought(reopened)) goesOn = true;
  }
  return goesOn;
}

/**
 * Warns where a budget's threshold is reached: by one event for each day or session, whatever processes see it, and whichever is killed.
 * @param part whose turn ended; the main part where nobody knows
 */
export async function warnOfBudget(world: World, part: string | null): Promise<void> {
  const { main, usage } = world.home().config();
  const { warnUsd } = usage;
  if (warnUsd === null) return;
  const { store } = world.home();
  for (const { per, of, usd } of spentNow(world, warnUsd)) {
    const token = hashTail(sha256(`${per} ${of} ${warnUsd} ${cloneName(world)}`));
    const mark = `${WARNED}/${token}`;
    if (exists(store, mark)) continue;
    await withLock(store, "usage-budget", () => {
      // The id is the same for whoever warns on a day, so that one who was killed before the mark is known by its event.
      const nowMs = world.now();
      const isTold = [nowMs, nowMs - DAY_MS].some((ms) => hasEvent(world, eventId(dayOf(ms), token)));
      if (!exists(store, mark) && !isTold) {
        const id = eventId(dayOf(nowMs), token);
        const detail = { per, of, usd: Math.round(usd * 100) / 100, warn_usd: warnUsd };
        const event: PartEvent = { id, at: new Date(nowMs).toISOString(), part: part ?? main, type: "budget", detail };
        appendLine(store, eventPath(dayOf(nowMs), cloneName(world)), JSON.stringify(event), true);
        tell(world, { ...event, type: "event:budget", eventId: id });
      }
      publish(store, mark, "");
    });
  }
}

/** Why the office starts no agent now; null where it may. The limit of sessions is that of any that has not ended. */
export function stoppedByBudget(world: World): string | null {
  const { stopUsd } = world.home().config().usage;
  if (stopUsd === null) return null;
  const [over] = spentNow(world, stopUsd);
  if (over === undefined) return null;
  const whose = over.per === "day" ? `on ${over.of}` : `in the session ${over.of}`;
  return `the budget is spent: $${over.usd.toFixed(2)} of $${stopUsd.toFixed(2)} ${whose} on this machine. To go on, raise usage.stop_usd in relay.yml`;
}
