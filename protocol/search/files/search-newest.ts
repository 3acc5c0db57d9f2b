/**
 * Searching thread by thread, the one written to last first, until a page is full or the time is up: what follows is older than all
 * that was found. spec/messages.md, "Search".
 */
import { decodeTime, type MessageLocation, messageId, parseMessageId } from "../../core/format/id.ts";
import type { Faults } from "../../core/home/broken-files.ts";
import { pacer } from "../../core/pacer.ts";
import type { World } from "../../core/world.ts";
import { listingOf } from "../../mail/files/list-in-turns.ts";
import type { RecentState } from "../../mail/files/recent-state.ts";
import { newestThreads } from "../../mail/files/recent-threads.ts";
import { FullPage, type Page } from "./full-page.ts";
import { addHit, fitsText, type Hits, type Query, searchArchives } from "./search-messages.ts";

/** When a search stops. */
export interface Until extends Page {
  /** It begins after this message's thread. */
  from: string | undefined;
  /** It goes on only while no more messages than this would fill the page, by what was found so far. */
  messages: number;
  /** And for so long, in milliseconds. */
  forMs: number;
  /** What is known of the threads written to last, where it was asked already. */
  recent?: RecentState | undefined;
}

/** From so many messages on it is reckoned how many more the page takes. */
const READ_FIRST = 400;

/** What was found. */
export interface Newest {
  hits: Hits;
  /**
   * `whole` where every thread was searched, `full` where the page is: then all other hits are older. Else it was given up after the
   * thread of the message `upTo`.
   */
  ended: "whole" | "full" | "given up";
  upTo: string | undefined;
}

/** Searches the threads. @throws Refusal `interrupted` */
export async function searchNewest(world: World, query: Query, until: Until, faults: Faults): Promise<Newest> {
  const { store } = world.home();
  const hits: Hits = new Map();
  const pace = pacer(world, "messages");
  let endMs = performance.now() + until.forMs;
  let looked = 0;
  let upTo = until.from;
  if (until.from === undefined) await searchArchives(world, query, hits, faults);
  const page = new FullPage(until);
  // Each page comes further than the one before.
  const isLate = (): boolean => looked > 0 && performance.now() > endMs;
  const isTimed = until.forMs !== Number.POSITIVE_INFINITY && store.recorded === undefined;
  const listing = isTimed ? listingOf(store, until.from === undefined) : undefined;
  for (const listed of newestThreads(store, until.from, listing, until.recent)) {
    if (listed === null) {
      const turn = pace();
      if (turn !== null) await turn;
      if (isTimed && isLate()) return { hits, ended: "given up", upTo };
      if (looked === 0) endMs = performance.now() + until.forMs;
      continue;
    }
    const { newest, keys } = listed;
    if (page.isFull(newest)) return { hits, ended: "full", upTo };
    if (decodeTime((parseMessageId(newest) as MessageLocation).token) < until.sinceMs) break;
    const expected = looked < READ_FIRST ? 0 : (looked * (until.limit + 1)) / page.found;
    if (expected > until.messages || isLate()) return { hits, ended: "given up", upTo };
    for (const location of keys) {
      const turn = pace();
      if (turn !== null) await turn;
      looked += 1;
      if (fitsText(store, location, query, faults)) addHit(store, query, location, hits, faults);
    }
    page.note(keys.filter((location) => hits.has(messageId(location))));
    upTo = newest;
  }
  return { hits, ended: "whole", upTo };
}
