/** Tells people news while a pager runs: finds news, marks it as told, and runs their commands or calls their webhooks. spec/waking.md, "Telling a person". */

import type { News, Notify } from "../protocol/core/event/notify.ts";
import { feedSign } from "../protocol/core/home/feed.ts";
import { withOwnHome } from "../protocol/core/world.ts";
import { HUMAN, type World } from "../protocol/index.ts";
import { inboxNew } from "../protocol/mail/nouns/part.ts";
import { facts } from "../protocol/store/read/facts.ts";
import { machineStore } from "../protocol/trust/files/machine.ts";
import { type NewsMemory, newsOf } from "../protocol/wake/files/news.ts";
import { keepResult, notifies, notifySign } from "../protocol/wake/files/notify-list.ts";
import { isTaken, takeNews } from "../protocol/wake/files/notify-once.ts";
import { runNotify } from "../protocol/wake/files/tell-person.ts";
import type { Tell } from "./ring-part.ts";

/** Tells people while a pager runs. */
export interface Notifier {
  /** Checks whether something may be new, and begins to tell it; called at each scan of the pager, with the world of that scan. */
  check(seen: World): void;
  /** Waits until everything that was found is told. */
  idle(): Promise<void>;
  /** Waits for what is being told, for a while, and ends it. */
  close(): Promise<void>;
}

/** What no feed tells, such as what a sync brought, is searched for this often. */
const BEAT_MS = 30_000;
/** A check may cost one part in so many of the time until the next: where nothing stirs, and where something does. */
const COST_SHARE = { still: 1_000, stirred: 20 };
/** Commands that run when the pager is told to end have so long. */
const LEAVE_MS = 3_000;

/** Makes one. @param runningMs a clock that only runs */
export function createNotifier(shared: World, tell: Tell, runningMs = () => performance.now()): Notifier {
  const memory: NewsMemory = new Map();
  const stop = new AbortController();
  /** What each is being told, one after the other. */
  const telling = new Map<string, Promise<void>>();
  /** Whether something of a notify is over its budget, and to be summed up; what another pager left is asked for once. */
  const waiting = new Map<string, boolean>();
  let searching: Promise<void> | null = null;
  let sign = "";
  let nextMs = Number.NEGATIVE_INFINITY;
  let soonestMs = Number.NEGATIVE_INFINITY;
  let problem: string | null = null;

  const run = async (notify: Notify, news: News): Promise<void> => {
    const { kind, id, part } = news;
    if (stop.signal.aborted) return tell("not_notified", { notify: notify.name, event: kind, id });
    const { ok, detail } = await runNotify(shared, notify, news, stop.signal);
    keepResult(shared, notify, news, ok, detail);
    tell(ok ? "notified" : "notify_failed", { notify: notify.name, event: kind, id, part, detail });
  };

  /** What fails is of one telling alone: the next of its notify waits for it, and comes. */
  const failed = ({ name }: Notify, { kind, id, part }: News, { message }: Error): void =>
    tell("notify_failed", { notify: name, event: kind, id, part, detail: message });

  const findNews = async (): Promise<void> => {
    const world = withOwnHome(shared);
    const all = notifies(world);
    if (all.length === 0) return;
    const news = newsOf(world, new Set(all.flatMap(({ on }) => on)), memory);
    const store = machineStore(world);
    for (const notify of all) {
      const addedMs = Date.parse(notify.addedAt);
      const fresh = news.filter(({ kind, hereMs }) => notify.on.some((on) => on === kind) && hereMs > addedMs);
      const untaken = fresh.filter((each) => !isTaken(store, notify, each));
      if (untaken.length === 0 && waiting.get(notify.name) === false) continue;
      const { news: taken, more } = await takeNews(world, notify, untaken);
      waiting.set(notify.name, more);
      for (const each of taken)
        telling.set(
          notify.name,
          (telling.get(notify.name) ?? Promise.resolve())
            .then(() => run(notify, each))
            .catch((error: Error) => failed(notify, each, error)),
        );
    }
  };

  return {
    check(seen) {
      const now = runningMs();
      if (searching !== null || now < soonestMs || seen.home().store.foreign !== null) return;
      const human = facts(seen.home().store, inboxNew(HUMAN))?.modifiedMs;
      const current = `${feedSign(seen)} ${human} ${notifySign(seen)}`;
      if (current === sign && now < nextMs) return;
      sign = current;
      const begunMs = performance.now();
      searching = findNews()
        .then(
          () => {
            problem = null;
          },
          (error: Error) => {
            if (error.message !== problem) tell("fault", { what: "notify", problem: error.message });
            problem = error.message;
          },
        )
        .finally(() => {
          searching = null;
          const tookMs = performance.now() - begunMs;
          soonestMs = runningMs() + tookMs * COST_SHARE.stirred;
          nextMs = runningMs() + Math.max(BEAT_MS, tookMs * COST_SHARE.still);
        });
    },
    async idle() {
      await searching;
      await Promise.all(telling.values());
    },
    async close() {
      await searching;
      const timer = setTimeout(() => stop.abort(), LEAVE_MS);
      await this.idle();
      clearTimeout(timer);
    },
  };
}
