/**
 * What a part's wake hangs on besides the clock, as the disk has it: a pager need not look again into a part of which none
 * of it changed.
 */
import { CONFIG_PATH } from "../../objects/config/config-schema.ts";
import { inboxNew } from "../../objects/part/part.ts";
import { limitedPath, presenceFolder } from "../../objects/part/presence.ts";
import { wakeFolder } from "../../objects/wake/wake-record.ts";
import { type FileFacts, facts } from "../../store/read.ts";
import type { World } from "../../world.ts";
import { findMachineStore } from "../machine.ts";
import { marksFolder } from "../message/delivery-marks.ts";
import { ledgerFacts } from "./wake-budget.ts";
import { wakeMethodPath } from "./who-rings.ts";

/** Two changes within the grain of the file system's clock look like one. */
const GRAIN_MS = 2_000;

/** Tells of parts, as long as one look takes, what their wakes hang on. */
export interface WakeSigns {
  /** Changes with the unread mail; null where a change might not show yet. */
  inbox(part: string): string | null;
  /** Changes with all else: how it is rung, who is connected, what it was told, what others did, and what the policy and the budget say. */
  around(part: string): string | null;
}

/** Makes the signs of one look. @param world with a home of its own, for what is asked of every part is found out once */
export function wakeSigns(world: World): WakeSigns {
  const { store, config } = world.home();
  let shared: { store: ReturnType<typeof findMachineStore>; all: (FileFacts | null)[] } | null = null;
  return {
    inbox: (part) => signOf([facts(store, inboxNew(part))]),
    around(part) {
      shared ??= { store: findMachineStore(world), all: [facts(store, CONFIG_PATH), ledgerFacts(world)] };
      const names = [part, ...(config().parts.get(part)?.formerly ?? [])];
      const own = names.flatMap((name) => [
        shared?.store ? facts(shared.store, wakeMethodPath(name)) : null,
        facts(store, presenceFolder(name)),
        facts(store, limitedPath(name)),
      ]);
      return signOf([...shared.all, facts(store, wakeFolder(part)), facts(store, marksFolder(part)), ...own]);
    },
  };
}

function signOf(found: readonly (FileFacts | null)[]): string | null {
  const now = Date.now();
  if (found.some((each) => each !== null && Math.abs(now - each.modifiedMs) < GRAIN_MS)) return null;
  return found.map((each) => (each === null ? "" : `${each.inode} ${each.modifiedMs}`)).join("|");
}
