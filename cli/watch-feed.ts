/** `relay watch`: the local feed, followed. */
import { createWorld, EXIT } from "../protocol/index.ts";
import { absolute, asRefusal, FEED_FOLDER, finishPending, makeFeed, names, readLines, refuse, watchFolders } from "../protocol/internal.ts";
import type { Common } from "./commands.ts";
import { feedWords } from "./print/feed-words.ts";
import { styleFor } from "./print/style.ts";

/** Prints what happens until interrupted; gives the exit code. */
export async function watch(options: Common & { last: string }): Promise<number> {
  const world = createWorld({ home: options.home, part: options.part });
  const { store } = world.home();
  world.home().config();
  const style = styleFor(process.stdout, process.env, Date.now());
  const print = (line: string): void => {
    if (options.json === true) process.stdout.write(`${line}\n`);
    else process.stdout.write(`${style.fit(feedWords(line, style))}\n`);
  };
  const seen = new Set<string>();
  /** Whether a line is told for the first time: whoever was killed while telling it is followed by one who tells it again. */
  const isNew = (line: string): boolean => {
    const { eventId } = JSON.parse(line) as { eventId?: unknown };
    if (typeof eventId !== "string") return true;
    const isFirst = !seen.has(eventId);
    seen.add(eventId);
    return isFirst;
  };
  const offsets = new Map<string, number>();
  /** Each whole line of the feed once, across days. */
  const fresh = (): string[] =>
    days().flatMap((day) => {
      const { lines, next } = readLines(store, `${FEED_FOLDER}/${day}`, offsets.get(day) ?? 0);
      offsets.set(day, next);
      return lines.filter((line) => isWhole(line) && isNew(line));
    });
  const days = (): string[] =>
    names(store, FEED_FOLDER)
      .filter((name) => name.endsWith(".jsonl"))
      .sort();
  const earlier = fresh();
  if (!/^\d+$/.test(options.last))
    throw refuse("usage", {
      problem: `--last: expected a number, given ${JSON.stringify(options.last)}.`,
      help: "Example: `relay watch --last 20`.",
    });
  const wanted = Number(options.last);
  for (const line of wanted === 0 ? [] : earlier.slice(-wanted)) print(line);

  const ended = new Promise<void>((resolve) => {
    process.once("SIGINT", resolve);
    process.once("SIGTERM", resolve);
  });
  const folders = [FEED_FOLDER, "local/pending", "outbox"].map((folder) => absolute(store, folder));
  // It is made by the first line, and a watch on it would come too late for that one. Where it cannot be made, the beat finds it.
  makeFeed(world);
  const watching = await watchFolders(folders, async () => {
    await finishPending(world).catch((error) => process.stderr.write(`relay: ${asRefusal(world, error).message}\n`));
    for (const line of fresh()) print(line);
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
