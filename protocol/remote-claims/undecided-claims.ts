/** Which records of claims the remote has still to decide: this machine's own list. spec/git.md, "Claims across machines". */

import type { ClaimRecord } from "../board/nouns/claim.ts";
import { isSessionId } from "../board/nouns/session.ts";
import { isTaskId } from "../board/nouns/task.ts";
import type { World } from "../core/world.ts";
import { facts } from "../store/read/facts.ts";
import { names } from "../store/read/list-folder.ts";
import { readText } from "../store/read/read-file.ts";
import { removeFile } from "../store/write/move-file.ts";
import { place } from "../store/write/publish.ts";

const UNDECIDED = "local/provisional";

/** A record that is to be offered to the remote. */
export interface UndecidedClaim {
  session: string;
  task: string;
  fence: number;
  nonce: string;
  /** What the task's ref named when the record was made, as far as it was known; null when it was not there. */
  seen: string | null;
  /** When it was noted, in milliseconds since the epoch. */
  notedMs: number;
}

const pathOf = ({ session, task, fence, nonce }: Omit<UndecidedClaim, "seen" | "notedMs">): string =>
  `${UNDECIDED}/${session}.${task}.${fence}.${nonce}`;

/** Notes that a record is to be offered; before it is written, so that none is forgotten. */
export function markUndecided(world: World, session: string, { task, fence, nonce }: ClaimRecord, seen: string | null): void {
  place(world.home().store, pathOf({ session, task, fence, nonce }), `${seen ?? ""}\n`);
}

/** Notes that a record has been decided. */
export function unmarkUndecided(world: World, open: UndecidedClaim): void {
  removeFile(world.home().store, pathOf(open));
}

/** Whether a task has records that are to be offered. */
export const hasUndecided = (world: World, session: string, task: string): boolean =>
  undecidedNames(world).some((name) => name.startsWith(`${session}.${task}.`));

const undecidedNames = (world: World): string[] => names(world.home().store, UNDECIDED);

/** Every record that is to be offered, the lower numbers first. */
export function undecidedClaims(world: World): UndecidedClaim[] {
  const { store } = world.home();
  return undecidedNames(world)
    .flatMap((name) => {
      const [session = "", task = "", number = "", nonce = "", ...more] = name.split(".");
      const fence = Number(number);
      if (more.length > 0 || !isSessionId(session) || !isTaskId(task) || !Number.isSafeInteger(fence)) return [];
      const seen = readText(store, `${UNDECIDED}/${name}`, 256)?.trim() ?? "";
      const notedMs = facts(store, `${UNDECIDED}/${name}`)?.modifiedMs ?? 0;
      return [{ session, task, fence, nonce, seen: seen === "" ? null : seen, notedMs }];
    })
    .sort((a, b) => a.fence - b.fence);
}
