/** `relay watch`: the local feed, followed. */

import { finishPending } from "../protocol/core/finish-pending.ts";
import { FEED_FOLDER, makeFeed } from "../protocol/core/home/feed.ts";
import { asRefusal } from "../protocol/core/perform.ts";
import { refuse } from "../protocol/core/refusal.ts";
import { createWorld, EXIT } from "../protocol/index.ts";
import { Kept } from "../protocol/store/read/kept.ts";
import { names } from "../protocol/store/read/list-folder.ts";
import { lastLines, readLines } from "../protocol/store/read/read-lines.ts";
import { absolute, type Store } from "../protocol/store/root.ts";
import { watchFolders } from "../protocol/store/watch.ts";
import type { Common } from "./commands.ts";
import { feedWords } from "./print/feed-words.ts";
import { writeJson } from "./print/output.ts";
import { styleFor } from "./print/style.ts";

/** So many of the last events are known, and told once. Whoever was killed while telling one is soon followed by one who tells it again. */
const KNOWN = 20_000;
/** So many lines from before it began are looked through for such events, whether they are shown or not. */
const LOOKED_THROUGH = 1_000;

/** The local feed, read as it grows. What is held in memory does not grow with it. */
interface Feed {
  /** Its last lines, the oldest first; called once, before all else. */
  last(count: number): string[];
  /** Each whole line that came since, once, across days. */
  fresh(): string[];
}

function followFeed(store: Store): Feed {
  const seen = new Kept<true>(2 * KNOWN, () => 1);
  const offsets = new Map<string, number>();
  const isNew = (line: string): boolean => {
    const { eventId } = JSON.parse(line) as { eventId?: unknown };
    if (typeof eventId !== "string") return true;
    const isFirst = seen.get(eventId) === undefined;
    seen.set(eventId, true);
    return isFirst;
  };
  const days = (): string[] =>
    names(store, FEED_FOLDER)
      .filter((name) => name.endsWith(".jsonl"))
      .sort();
  return {
    last(count) {
      const least = Math.max(count, LOOKED_THROUGH);
      let found: string[] = [];
      for (const day of days().reverse()) {
        const { lines, next } = lastLines(store, `${FEED_FOLDER}/${day}`, Math.max(0, least - found.length));
        offsets.set(day, next);
        found = lines.filter(isWhole).concat(found);
      }
      const shown = found.filter(isNew);
      return count === 0 ? [] : shown.slice(-count);
    },
    fresh: () =>
      days().flatMap((day) => {
        const { lines, next } = readLines(store, `${FEED_FOLDER}/${day}`, offsets.get(day) ?? 0);
        offsets.set(day, next);
        return lines.filter((line) => isWhole(line) && isNew(line));
      }),
  };
}

/** Prints what happens until interrupted; gives the exit code. */
export async function watch(options: Common & { last: string }): Promise<number> {
  const world = createWorld({ home: options.home, part: options.part });
  const { store } = world.home();
  world.home().config();
  const style = styleFor(process.stdout, process.env, Date.now());
  const print = (line: string): void => {
    if (options.json === true) writeJson(JSON.parse(line) as object);
    else process.stdout.write(`${style.fit(feedWords(line, style))}\n`);
  };
  if (!/^\d+$/.test(options.last))
    throw refuse("usage", {
      problem: `--last: expected a number, given ${JSON.stringify(options.last)}.`,
      help: "Example: `relay watch --last 20`.",
    });
  const feed = followFeed(store);
  for (const line of feed.last(Number(options.last))) print(line);

  const ended = new Promise<void>((resolve) => {
    process.once("SIGINT", resolve);
    process.once("SIGTERM", resolve);
  });
  const folders = [FEED_FOLDER, "local/pending", "outbox"].map((folder) => absolute(store, folder));
  // It is made by the first line, and a watch on it would come too late for that one. Where it cannot be made, the beat finds it.
  makeFeed(world);
  const watching = await watchFolders(folders, async () => {
    await finishPending(world).catch((error) => process.stderr.write(`relay: ${asRefusal(world, error).message}\n`));
    for (const line of feed.fresh()) print(line);
  });
  if (options.json !== true) process.stderr.write("Watching; Ctrl-C ends it.\n");
  await ended;
  await watching.close();
  return EXIT.ok;
}

function isWhole(line: string): boolean {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null;
  } catch {
    return false;
  }
}
