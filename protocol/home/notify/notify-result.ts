/** How telling a person went the last time. spec/waking.md, "Telling a person". */
import type { News, Notify } from "../../objects/event/notify.ts";
import { place } from "../../store/files.ts";
import { readText } from "../../store/read.ts";
import type { World } from "../../world.ts";
import { findMachineStore, machineStore } from "../machine.ts";
import { NOTIFY_BYTES, notifies, resultPath } from "./notify-list.ts";

/** How it went the last time. `at` is ISO 8601. */
export interface NotifyResult {
  at: string;
  ok: boolean;
  event: string;
  /** Why it failed, or how it ended. */
  detail: string;
}

/** Keeps how it went. What fails here fails nobody. */
export function keepResult(world: World, { name }: Notify, { kind }: News, ok: boolean, detail: string): void {
  const result: NotifyResult = { at: new Date(world.now()).toISOString(), ok, event: kind, detail };
  try {
    place({ ...machineStore(world), durable: false }, resultPath(name), `${JSON.stringify(result)}\n`);
  } catch {
    // The disk is full, or the folder is gone: nobody can be told.
  }
}

/** How it went the last time; null where nothing was sent yet. */
export function lastResult(world: World, name: string): NotifyResult | null {
  const store = findMachineStore(world);
  try {
    return store === null ? null : (JSON.parse(readText(store, resultPath(name), NOTIFY_BYTES) ?? "null") as NotifyResult | null);
  } catch {
    return null;
  }
}

/** Those whose last try failed. */
export const failingNotifies = (world: World): (NotifyResult & { name: string })[] =>
  notifies(world).flatMap(({ name }) => {
    const result = lastResult(world, name);
    return result === null || result.ok ? [] : [{ name, ...result }];
  });
