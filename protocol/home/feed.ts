/** The local feed that viewers follow, and this clone's identity. spec/messages.md, "Events". */
import { FEED_FOLDER, type FeedLine, feedPath } from "../objects/event/event.ts";
import { dayOf } from "../objects/format/id.ts";
import { appendLine, makeFolder, publish, removeFile } from "../store/files.ts";
import { exists, names, readText } from "../store/read.ts";
import type { Store } from "../store/root.ts";
import type { World } from "../world.ts";

/** Days of the feed that are kept. */
const KEPT_DAYS = 7;
const CLONE_PATH = "local/clone";

/** Tells viewers that something happened. The feed is disposable: what fails here fails nobody's operation. */
export function tell(world: World, line: Omit<FeedLine, "at">): void {
  const { store } = world.home();
  const at = world.now();
  const target = feedPath(dayOf(at));
  try {
    const fresh = !exists(store, target);
    appendLine(store, target, JSON.stringify({ at: new Date(at).toISOString(), ...line }), false);
    if (fresh) dropOld(store, dayOf(at - KEPT_DAYS * 86_400_000));
  } catch {
    // Viewers miss a line; the files themselves are the truth.
  }
}

/** Makes the folder of the feed for whoever follows it; a home that cannot be written is followed all the same. */
export function makeFeed(world: World): void {
  try {
    makeFolder(world.home().store, FEED_FOLDER);
  } catch {
    // A viewer only looks.
  }
}

function dropOld(store: Store, before: string): void {
  for (const name of names(store, FEED_FOLDER)) if (name < before) removeFile(store, `${FEED_FOLDER}/${name}`);
}

/** The name of this clone, made once by whoever needs it first. It keeps two machines' lines apart. */
export function cloneName(world: World): string {
  const { store } = world.home();
  const known = knownClone(store);
  if (known !== null) return known;
  publish(store, CLONE_PATH, `${world.random(8)}\n`);
  return (readText(store, CLONE_PATH, 64) as string).trim();
}

/** The name of this clone, where it has one by now. */
export function knownClone(store: Store): string | null {
  const known = readText(store, CLONE_PATH, 64)?.trim() ?? "";
  return /^[0-9a-z]{8}$/.test(known) ? known : null;
}
