/** Which records of claims the remote has still to decide: this machine's own list. spec/git.md, "Claims across machines". */

import { isSessionId } from "../../../objects/session/session.ts";
import type { ClaimRecord } from "../../../objects/task/claim.ts";
import { isTaskId } from "../../../objects/task/task.ts";
import { place, removeFile } from "../../../store/files.ts";
import { facts, names, readText } from "../../../store/read.ts";
import type { World } from "../../../world.ts";

const OPEN = "local/provisional";

/** A record that is to be offered to the remote. */
export interface Open {
  session: string;
  task: string;
  fence: number;
  nonce: string;
  /** What the task's ref named when the record was made, as far as it was known; null when it was not there. */
  seen: string | null;
  /** When it was noted, in milliseconds since the epoch. */
  notedMs: number;
}

const pathOf = ({ session, task, fence, nonce }: Omit<Open, "seen" | "notedMs">): string => `${OPEN}/${session}.${task}.${fence}.${nonce}`;

/** Notes that a record is to be offered; before it is written, so that none is forgotten. */
export function markOpen(world: World, session: string, { task, fence, nonce }: ClaimRecord, seen: string | null): void {
  place(world.home().store, pathOf({ session, task, fence, nonce }), `${seen ?? ""}\n`);
}

/** Notes that a record has been decided. */
export function unmark(world: World, open: Open): void {
  removeFile(world.home().store, pathOf(open));
}

/** Whether a task has records that are to be offered. */
export const hasOpen = (world: World, session: string, task: string): boolean =>
  openNames(world).some((name) => name.startsWith(`${session}.${task}.`));

const openNames = (world: World): string[] => names(world.home().store, OPEN);

/** Every record that is to be offered, the lower numbers first. */
export function openRecords(world: World): Open[] {
  const { store } = world.home();
  return openNames(world)
    .flatMap((name) => {
      const [session = "", task = "", number = "", nonce = "", ...more] = name.split(".");
      const fence = Number(number);
      if (more.length > 0 || !isSessionId(session) || !isTaskId(task) || !Number.isSafeInteger(fence)) return [];
      const seen = readText(store, `${OPEN}/${name}`, 256)?.trim() ?? "";
      const notedMs = facts(store, `${OPEN}/${name}`)?.modifiedMs ?? 0;
      return [{ session, task, fence, nonce, seen: seen === "" ? null : seen, notedMs }];
    })
    .sort((a, b) => a.fence - b.fence);
}
