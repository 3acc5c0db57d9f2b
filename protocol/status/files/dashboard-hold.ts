/**
 * The process that serves the dashboard of a home, and its address: known by its process identity, as the runner of a home is, and kept in the user's
 * state folder, because whoever is at that address is given the token. What was written by one that is gone says nothing. spec/commands.md,
 * "Dashboard".
 */

import { orElse } from "../../core/format/file-error.ts";
import { partProblem } from "../../core/names.ts";
import type { World } from "../../core/world.ts";
import { withLock } from "../../store/lock.ts";
import { lifeOf, thisProcess } from "../../store/process.ts";
import { ageMs } from "../../store/read/facts.ts";
import { readText } from "../../store/read/read-file.ts";
import type { Store } from "../../store/root.ts";
import { removeFile } from "../../store/write/move-file.ts";
import { publish } from "../../store/write/publish.ts";
import { touch } from "../../store/write/touch.ts";
import { findMachineStore, machineStore } from "../../trust/files/machine.ts";

/** Three lines: the process, as `thisProcess` writes it, the address of the page, and the part that writes there. */
const DASHBOARD_PATH = "dashboard";
const DASHBOARD_BYTES = 4_096;
/** A process that cannot be seen from here renews its file more often than this. */
const UNSEEN_MS = 30_000;
const ADDRESS = /^http:\/\/127\.0\.0\.1:(\d{1,5})\/[0-9a-z]+\/$/;

/** A dashboard that is served. */
export interface Served {
  /** Its page, without the token that opens it in a new browser. */
  url: string;
  port: number;
  /** The part that the page writes as. */
  part: string;
}

/** The dashboard that a living process serves of a home; null where none does. */
export function servedDashboard(world: World): Served | null {
  const store = orElse(null, () => findMachineStore(world));
  return store === null ? null : servedIn(store);
}

function servedIn(store: Store): Served | null {
  const [holder = "", url = "", part = ""] = linesOf(store);
  const life = lifeOf(holder);
  const lives = life === "alive" || (life === "unknown" && (ageMs(store, DASHBOARD_PATH) ?? UNSEEN_MS) < UNSEEN_MS);
  const port = ADDRESS.exec(url)?.[1];
  return lives && port !== undefined && partProblem(part) === null ? { url, port: Number(port), part } : null;
}

const linesOf = (store: Store): string[] => orElse([], () => (readText(store, DASHBOARD_PATH, DASHBOARD_BYTES) ?? "").split("\n"));

/** This process as the one that serves the dashboard. */
export interface DashboardHold {
  /** Says that it goes on. */
  renew(): void;
  /** Gives it back. */
  release(): void;
}

/** Makes this process the one that serves the dashboard of a home at an address, for a part. @returns null where another one does @throws Refusal `no_state_folder`, `not_own_home`, `tracked_state` */
export async function holdDashboard(world: World, url: string, part: string): Promise<DashboardHold | null> {
  const { foreign } = world.home().store;
  if (foreign !== null) throw foreign;
  const store = machineStore(world);
  const isMine = (): boolean => linesOf(store)[0] === thisProcess();
  const isTaken = await withLock(store, DASHBOARD_PATH, () => {
    if (servedIn(store) !== null) return false;
    removeFile(store, DASHBOARD_PATH);
    return publish(store, DASHBOARD_PATH, `${thisProcess()}\n${url}\n${part}\n`, 0o600) === "created";
  });
  if (!isTaken) return null;
  return {
    renew: () => orElse(undefined, () => void (isMine() && touch(store, DASHBOARD_PATH, world.now()))),
    release: () => orElse(undefined, () => void (isMine() && removeFile(store, DASHBOARD_PATH))),
  };
}
