/**
 * Hints that something changed. A browser opens six connections to a server, so all pages of a profile share one stream: the page that
 * has the lock listens, and passes on what it hears.
 */
import { signal } from "@preact/signals";
import { askPage } from "./server.ts";
import { askFirst, leave } from "./shared.ts";
import { hearTold, printed, type Told } from "./told.ts";

/** Whether the page hears of changes: `lost` where the link must be opened again. */
export const link = signal<"live" | "away" | "lost">("away");

/** @param asked what the page that listens asks for all */
type Said =
  | { areas: string[]; hint: number; asked: string[] }
  | { told: Told[] }
  | { link: "live" | "away" | "lost"; printed?: typeof printed.value }
  | { who: "leads" };

const NAME = `relay hints ${location.pathname}`;
const AGAIN_MS = 1_000;
const channel = new BroadcastChannel(NAME);
const listeners = new Set<(areas: readonly string[], hint: number) => void>();
let leads = false;
/** The number of the last hint. */
let last = 0;

/** Calls back when parts of the home may have changed, with the number of the hint; gives what ends that. */
export function onHint(listener: (areas: readonly string[], hint: number) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function hear(areas: readonly string[], hint: number): void {
  last = hint;
  for (const listener of listeners) listener(areas, hint);
}

function tellLink(now: "live" | "away" | "lost"): void {
  link.value = now;
  channel.postMessage({ link: now } satisfies Said);
}

channel.onmessage = ({ data }: MessageEvent<Said>) => {
  if ("areas" in data) {
    leave(data.asked, data.hint);
    hear(data.areas, data.hint);
  } else if ("told" in data) hearTold(data.told);
  else if ("link" in data) {
    link.value = data.link;
    if (printed.value.size === 0) printed.value = data.printed ?? printed.value;
  } else if (leads) channel.postMessage({ link: link.value, printed: printed.value } satisfies Said);
};

/** Listens to the stream as long as this page lives. An answer that is no stream closes it for good, so it is opened again then. */
function listen(): void {
  const source = new EventSource("stream");
  source.onopen = () => tellLink("live");
  source.onmessage = ({ data }: MessageEvent<string>) => {
    const { areas } = JSON.parse(data) as { areas: string[] };
    // Counted by the clock, so that the numbers of the page that listens next go on, also where the clock is set back.
    const hint = Math.max(last + 1, Date.now());
    const asked = askFirst(() => hear(areas, hint));
    channel.postMessage({ areas, hint, asked } satisfies Said);
  };
  source.addEventListener("told", ({ data }: MessageEvent<string>) => {
    const told = JSON.parse(data) as Told[];
    channel.postMessage({ told } satisfies Said);
    hearTold(told);
  });
  source.onerror = async () => {
    const isOver = source.readyState === EventSource.CLOSED;
    const { failure } = await askPage();
    // The browser opened the stream again meanwhile.
    if (source.readyState === EventSource.OPEN) return;
    tellLink(failure?.status === 401 ? "lost" : "away");
    if (!isOver) return;
    source.close();
    setTimeout(listen, AGAIN_MS);
  };
}

/** Begins to hear of changes. */
export function begin(): void {
  channel.postMessage({ who: "leads" } satisfies Said);
  void navigator.locks.request(NAME, () => {
    leads = true;
    listen();
    // Kept until the page is closed.
    return new Promise(() => {});
  });
}
