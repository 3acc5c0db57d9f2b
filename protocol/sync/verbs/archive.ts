import * as z from "zod/mini";
import { type ThreadLocation, threadId } from "../../core/format/id.ts";
import { atMost, flag, instantOrDay, maybe } from "../../core/format/schema.ts";
import { defineOperation } from "../../core/operation.ts";
import { Refusal, refuse } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { messageKeys, newestOf, readThread, resolveWithArchives, threadDays, threadsOfDay } from "../../mail/files/threads.ts";
import { timeInId } from "../../mail/nouns/message.ts";
import { isEnded } from "../../mail/nouns/thread.ts";
import { archiveThread, unarchiveThread } from "../../removal/files/archive-thread.ts";
import { archivedFiles, unreadByThread } from "../../removal/files/archives.ts";
import { recordHome } from "../sync/record-home.ts";

/** Moves closed threads into archives, or back. */
export const archive = defineOperation({
  name: "archive",
  summary: "Move each closed thread, when all have read it, into one file; --undo restores them",
  effect: "write",
  idempotent: true,
  identity: "optional",
  positionals: ["threadIds"],
  input: () => ({
    threadIds: maybe(z.array(z.string().check(z.minLength(1), ...atMost(128))).check(z.maxLength(1_000))),
    before: maybe(instantOrDay("every closed thread without unread mail and with no message since this day")),
    undo: flag("restore the threads"),
  }),
  output: () => ({
    archived: z.array(z.object({ threadId: z.string(), path: z.string() })),
    back: z.array(z.string()),
    left: z.array(z.string()),
  }),
  example: { before: "2026-01-31" },
  async run(world, { threadIds = [], before, undo = false }) {
    if (threadIds.length === 0 && (before === undefined || undo))
      throw refuse("invalid_argument", {
        argument: "threadIds",
        expected: undo ? "the threads to restore; `relay threads --status archived` lists them" : "threads, or `--before` with a day",
        given: null,
        example: "t-20260131-k3f9x2ab",
      });
    if (undo) return { archived: [], back: threadIds.flatMap((given) => broughtBack(world, given)), left: [] };
    // Another clone believes an archive of mail that it has unread only where it sees the ack before.
    await recordHome(world);
    const archived: { threadId: string; path: string }[] = [];
    const left: string[] = [];
    const take = async (location: ThreadLocation): Promise<void> => {
      const path = await archiveThread(world, location);
      if (path === null) left.push(`${threadId(location)}: somebody wrote to it meanwhile, so Relay restored it`);
      else archived.push({ threadId: threadId(location), path });
    };
    for (const given of threadIds) {
      const { key, isArchived } = resolveWithArchives(world.home(), given);
      if (!isArchived) await take(key);
    }
    for (const location of before === undefined ? [] : endedBefore(world, Date.parse(before))) {
      try {
        await take(location);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        left.push(error.message);
      }
    }
    return { archived, back: [], left };
  },
});

function broughtBack(world: World, given: string): string[] {
  const home = world.home();
  const { key } = resolveWithArchives(home, given);
  // What is broken in an archive is said, not passed over.
  const faults: Parameters<typeof archivedFiles>[2] = [];
  archivedFiles(home.store, key, faults);
  if (faults[0] !== undefined) throw refuse("malformed_file", faults[0]);
  return unarchiveThread(world, key) > 0 ? [threadId(key)] : [];
}

/** The closed threads without unread mail to which nobody wrote since an instant. */
function endedBefore(world: World, beforeMs: number): ThreadLocation[] {
  const { store } = world.home();
  const unread = unreadByThread(store);
  return threadDays(store)
    .filter((day) => Date.parse(day) < beforeMs)
    .flatMap((day) => threadsOfDay(store, day))
    .filter((location) => {
      const keys = messageKeys(store, location);
      const newest = newestOf(keys);
      if (newest === null || Date.parse(timeInId(newest)) >= beforeMs || unread.has(threadId(location))) return false;
      const status = readThread(store, location, keys, [])?.status;
      return status !== undefined && isEnded(status);
    });
}
