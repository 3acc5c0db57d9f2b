/**
 * One look at the files of a home for all of its pages. An event is a hint, so the folders themselves are compared: also what was
 * written by hand, by git, or by a program that tells nobody is seen.
 */

import { finishPending } from "../../protocol/core/finish-pending.ts";
import { orElse } from "../../protocol/core/format/file-error.ts";
import { FEED_FOLDER, makeFeed } from "../../protocol/core/home/feed.ts";
import type { World } from "../../protocol/index.ts";
import { lstatIfThere } from "../../protocol/store/look.ts";
import { facts } from "../../protocol/store/read/facts.ts";
import { names } from "../../protocol/store/read/list-folder.ts";
import { absolute, type Store } from "../../protocol/store/root.ts";
import { type Watch, watchFolders } from "../../protocol/store/watch.ts";
import type { Page } from "./page.ts";
import { followTold } from "./told.ts";

/** What happens within so long is one look, and one hint. */
const COLLECT_MS = 100;
/** Where nothing happened before and nobody is in the middle of a write, the look comes after so long. */
const GATHER_MS = 20;
/** Has a file for each write that is not complete yet. */
const PENDING = "local/pending";
/** Folders that say nothing of what a page shows, and those whose number grows with the history. */
const PASSED_OVER = /^(\.git|run\/(tmp|locks|at|reserve|search)|archive|threads\/[^/]+\/[^/]+)$/;
/** So many folders are compared at the most: those that are nearest to the top first, and of these the newest. */
const MOST_FOLDERS = 8_000;
/** Folders with one for each day or month. Of these the newest up to tomorrow are compared: mail in older ones comes by an inbox, too. */
const DATED = /^(threads|dispatches|usage|inbox\/.*read|events(\/[^/]+)?)$/;
const DAYS = 2;
const DAY_MS = 86_400_000;
/** Of any others so many, those that changed last, by the time that nobody can set. Every part has an inbox that is compared. */
const NEWEST = 200;
const WHOLE = /^(\.|inbox(\/.*)?)$/;
/** Folders in which every operation leaves something, so that the look is at once; the others are compared at each beat. */
const RINGING = new RegExp(`^(${FEED_FOLDER}|outbox|local|local/pending|inbox/.*new|run/presence(/.*)?)$`);
const MOST_RINGING = 100;
/** Files here grow without their folder changing. */
const GROWING = new RegExp(`^(${FEED_FOLDER}|local|events(/.*)?|usage/.*)$`);

/** A folder as it was at the last look. */
interface Known {
  sign: string;
  below: readonly string[];
}

/** Looks from now on, and hints to the page's stream whenever something changed. */
export async function startLook(page: Page): Promise<Watch> {
  const { store } = page.reader.home();
  // Where it cannot be made nothing is told by it, and the look finds what lasts.
  const { writer } = page;
  orElse(undefined, () => writer === null || makeFeed(writer));
  let before: ReadonlyMap<string, Known> = orElse(new Map(), () => compare(page.reader, new Map()).now);
  const ringing = (): string[] =>
    [...before.keys()]
      .filter((folder) => RINGING.test(folder))
      .slice(0, MOST_RINGING)
      .map((folder) => absolute(store, folder));
  const told = followTold(store);
  page.stream.keep(told());
  let lookedMs = Number.NEGATIVE_INFINITY;
  /** Waits for what belongs together. */
  const collect = async (): Promise<void> => {
    const untilMs = performance.now() + COLLECT_MS;
    const breathMs = lookedMs + COLLECT_MS - performance.now();
    await new Promise((resolve) => setTimeout(resolve, Math.max(GATHER_MS, breathMs)));
    while (performance.now() < untilMs && names(store, PENDING).length > 0)
      await new Promise((resolve) => setTimeout(resolve, GATHER_MS / 2));
    lookedMs = performance.now();
  };
  const watch = await watchFolders(ringing(), async () => {
    await collect();
    // What others left in an outbox is delivered while somebody looks, as `relay watch` does.
    if (page.writer !== null) await finishPending(page.writer).catch(() => {});
    page.stream.tell(told());
    if (page.stream.size === 0) return;
    const { now, changed } = compare(page.reader, before);
    const isSame = now.size === before.size;
    before = now;
    if (!isSame) watch.rearm(ringing());
    if (changed.length > 0) page.stream.hint([...new Set(changed.map((folder) => folder.split("/")[0] as string))]);
  });
  return watch;
}

/** The folders of a home as they are now, and those that are not as they were. */
function compare(world: World, before: ReadonlyMap<string, Known>): { now: Map<string, Known>; changed: string[] } {
  const { store } = world.home();
  const tomorrow = new Date(world.now() + DAY_MS).toISOString();
  const now = new Map<string, Known>();
  const changed: string[] = [];
  let level: readonly string[] = ["."];
  while (level.length > 0) {
    const next: string[] = [];
    for (const folder of level) {
      const fact = now.size < MOST_FOLDERS ? facts(store, folder) : null;
      if (fact === null || fact.kind !== "folder") continue;
      const sign = `${fact.inode} ${fact.modifiedMs}${GROWING.test(folder) ? ` ${sizesIn(store, folder)}` : ""}`;
      const known = before.get(folder);
      const below = known?.sign === sign ? known.below : foldersIn(store, folder, tomorrow);
      if (known?.sign !== sign) changed.push(folder);
      now.set(folder, { sign, below });
      next.push(...below);
    }
    level = next;
  }
  return { now, changed: [...changed, ...[...before.keys()].filter((folder) => !now.has(folder))] };
}

/** The folders in a folder that are compared as well, the newest first. */
function foldersIn(store: Store, folder: string, tomorrow: string): string[] {
  const all = names(store, folder).sort().reverse();
  return newestOf(store, folder, all, tomorrow)
    .map((name) => (folder === "." ? name : `${folder}/${name}`))
    .filter((at) => !PASSED_OVER.test(at) && facts(store, at)?.kind === "folder");
}

/** @param tomorrow ISO 8601: what a push dates later takes nobody's place */
function newestOf(store: Store, folder: string, all: string[], tomorrow: string): string[] {
  if (DATED.test(folder)) return all.filter((name) => name <= tomorrow).slice(0, DAYS);
  if (WHOLE.test(folder) || all.length <= NEWEST) return all;
  const changed = new Map(
    all.map((name) => [name, orElse(undefined, () => lstatIfThere(absolute(store, `${folder}/${name}`)))?.ctimeMs ?? 0]),
  );
  return all.sort((a, b) => (changed.get(b) as number) - (changed.get(a) as number)).slice(0, NEWEST);
}

/** How long the files in a folder are together. */
const sizesIn = (store: Store, folder: string): number =>
  names(store, folder).reduce((sum, name) => sum + (facts(store, `${folder}/${name}`)?.size ?? 0), 0);
