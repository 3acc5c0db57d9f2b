/** `relay watch`: the local feed, followed. */
import { absolute, asRefusal, createWorld, EXIT, look, names, readText, watchFolders } from "../protocol/index.ts";
import type { Common } from "./commands.ts";
import { localTime, plainLine, styleFor } from "./style.ts";

const FEED = "run/feed";
const FEED_BYTES = 512 * 1_048_576;

/** Prints what happens until interrupted; gives the exit code. */
export async function watch(options: Common & { last: string }): Promise<number> {
  const world = createWorld({ home: options.home, part: options.part });
  const { store } = world.home();
  world.home().config();
  const style = styleFor(process.stdout, process.env, Date.now());
  const print = (line: string): void => {
    if (options.json === true) process.stdout.write(`${line}\n`);
    else process.stdout.write(`${inWords(line, style)}\n`);
  };
  const reader = new FeedReader((name) => readText(store, `${FEED}/${name}`, FEED_BYTES));
  const days = (): string[] =>
    names(store, FEED)
      .filter((name) => name.endsWith(".jsonl"))
      .sort();
  const earlier = reader.read(days());
  const wanted = Math.max(0, Math.trunc(Number(options.last)) || 0);
  for (const line of wanted === 0 ? [] : earlier.slice(-wanted)) print(line);

  const ended = new Promise<void>((resolve) => {
    process.once("SIGINT", resolve);
    process.once("SIGTERM", resolve);
  });
  const folders = [FEED, "local/pending", "outbox"].map((folder) => absolute(store, folder));
  const watching = await watchFolders(folders, async () => {
    await look(world).catch((error) => process.stderr.write(`relay: ${asRefusal(world, error).message}\n`));
    for (const line of reader.read(days())) print(line);
  });
  if (options.json !== true) process.stderr.write("Following; Ctrl-C ends it.\n");
  await ended;
  await watching.close();
  return EXIT.ok;
}

/** Gives each whole line of the feed once, across days. */
class FeedReader {
  readonly #offsets = new Map<string, number>();
  readonly #load: (name: string) => string | null;

  constructor(load: (name: string) => string | null) {
    this.#load = load;
  }

  read(days: readonly string[]): string[] {
    return days.flatMap((day) => {
      const text = this.#load(day) ?? "";
      const from = this.#offsets.get(day) ?? 0;
      const end = text.lastIndexOf("\n") + 1;
      this.#offsets.set(day, Math.max(from, end));
      return text.slice(from, end).split("\n").filter(isWhole);
    });
  }
}

function isWhole(line: string): boolean {
  try {
    return typeof JSON.parse(line) === "object";
  } catch {
    return false;
  }
}

function inWords(line: string, style: ReturnType<typeof styleFor>): string {
  const { at, type, part, subject, to, threadId, detail } = JSON.parse(line) as Record<string, string & string[]>;
  const rest = [subject, to === undefined ? undefined : `→ ${[to].flat().join(", ")}`, threadId, detail]
    .filter((text) => text !== undefined)
    .map((text) => plainLine(String(text)));
  return `${style.dim(localTime(at as string))}  ${style.bold(String(part ?? "-"))}  ${String(type)}  ${rest.join("  ")}`;
}
