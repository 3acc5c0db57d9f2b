/** The parts that are connected now. spec/messages.md, "Presence". */
import { HEARTBEAT_MS, HEARTBEAT_STALE_MS, type Presence, parsePresence, presenceFolder } from "../../objects/part/presence.ts";
import { place, removeFile, touch } from "../../store/files.ts";
import { lifeOf, thisProcess } from "../../store/process.ts";
import { facts, names, readText } from "../../store/read.ts";
import type { World } from "../../world.ts";
import { formerNamesOf } from "./members.ts";

const PRESENCE_BYTES = 4_096;
/** How many heartbeats this process began: each has a file of its own, whichever connection keeps it. */
let begun = 0;

/** A kept heartbeat; `stop` removes it. */
export interface Heartbeat {
  stop(): void;
}

/**
 * Shows a part as online until stopped, or until this process is gone.
 * @param named whether it is not the connection's own part, but one that a call named
 */
export function startHeartbeat(world: World, part: string, agent: Presence["agent"], named = false): Heartbeat {
  const { store } = world.home();
  begun += 1;
  const target = `${presenceFolder(part)}/${thisProcess()}-${begun}.json`;
  const connectedAt = new Date(world.now()).toISOString();
  const presence: Presence = { part, agent, process: thisProcess(), connectedAt, ...(named ? { named } : {}) };
  const beat = (): void => {
    try {
      if (!touch(store, target, Date.now())) place({ ...store, durable: false }, target, `${JSON.stringify(presence)}\n`);
    } catch {
      // The home is gone or read-only: nobody can be shown as online there.
    }
  };
  beat();
  const timer = setInterval(beat, HEARTBEAT_MS);
  timer.unref();
  return {
    stop() {
      clearInterval(timer);
      try {
        removeFile(store, target);
      } catch {
        // A heartbeat left behind is seen through: its process is gone.
      }
    },
  };
}

/**
 * The connections of a part that live, those that began under a former name among them: its own first, then those that named
 * it in a call; the newest of each first.
 */
export function connections(world: World, part: string): Presence[] {
  const key = ({ named, connectedAt }: Presence): string => `${named === true ? 0 : 1} ${connectedAt}`;
  return [part, ...formerNamesOf(world, part)]
    .flatMap((name) => heartbeats(world, name))
    .filter(({ live }) => live)
    .map(({ presence }) => presence)
    .sort((a, b) => (key(a) < key(b) ? 1 : -1));
}

/** The processes of a part's connections that live and can be seen from here. */
export const livePids = (world: World, part: string): number[] =>
  connections(world, part).flatMap(({ process: description }) =>
    lifeOf(description) === "alive" ? [Number(description.split("-")[0])] : [],
  );

/** Every heartbeat of a part, with its path and whether it lives. */
export function heartbeats(world: World, part: string): { path: string; presence: Presence; live: boolean }[] {
  const { store } = world.home();
  const folder = presenceFolder(part);
  return names(store, folder).flatMap((name) => {
    if (!name.endsWith(".json")) return [];
    const path = `${folder}/${name}`;
    const presence = readPresence(world, path);
    if (presence === null) return [];
    const life = lifeOf(presence.process);
    // A process in another container cannot be seen; its heartbeat can.
    const fresh = Date.now() - (facts(store, path)?.modifiedMs ?? 0) < HEARTBEAT_STALE_MS;
    return [{ path, presence, live: life === "alive" || (life === "unknown" && fresh) }];
  });
}

function readPresence(world: World, path: string): Presence | null {
  try {
    const source = readText(world.home().store, path, PRESENCE_BYTES);
    return source === null ? null : parsePresence(source);
  } catch {
    return null;
  }
}
