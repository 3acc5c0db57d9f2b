/** Threads that were written in this clock's future. spec/check.md, "doctor". */
import type { Finding } from "../../objects/format/finding.ts";
import { decodeTime } from "../../objects/format/id.ts";
import { threadFolder } from "../../objects/message/message.ts";
import type { World } from "../../world.ts";
import { messageKeys, threadDays, threadsOfDay } from "../thread/threads.ts";

/** A clock that is behind what was written by more than this is worth a word. */
export const CLOCK_SLACK_MS = 5 * 60_000;

/** Examines the times of all messages, which their names hold. */
export function examineClocks(world: World): Finding[] {
  const { store } = world.home();
  return threadDays(store).flatMap((day) =>
    threadsOfDay(store, day).flatMap((thread): Finding[] => {
      const newest = messageKeys(store, thread).reduce((latest, key) => Math.max(latest, decodeTime(key.token)), 0);
      const minutes = Math.round((newest - world.now()) / 60_000);
      if (newest <= world.now() + CLOCK_SLACK_MS) return [];
      const problem = `written ${minutes} minutes in this clock's future: this clock, or the writer's, is wrong`;
      return [{ severity: "warning", code: "clock", path: threadFolder(thread), problem }];
    }),
  );
}
