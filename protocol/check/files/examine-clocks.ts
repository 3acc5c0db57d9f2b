/** Checks whether what was written is ahead of this machine's clock. spec/check.md, "doctor". */
import { CLOCK_SLACK_MS, inTheFuture } from "../../core/ahead.ts";
import { type Finding, found } from "../../core/format/finding.ts";
import { decodeTime, encodeTime } from "../../core/format/id.ts";
import type { World } from "../../core/world.ts";
import { threadFolder } from "../../mail/nouns/message.ts";
import type { ThreadFiles } from "./check-list.ts";

/** Checks the times of all messages, which their names hold: tokens sort as their times do. */
export function* examineClocks(world: World, threads: Iterable<ThreadFiles>): Generator<Finding> {
  const latest = encodeTime(world.now() + CLOCK_SLACK_MS + 1);
  for (const { thread, keys } of threads) {
    const token = keys.reduce((last, each) => (each.token > last ? each.token : last), "");
    if (token >= latest)
      yield found("clock", `${inTheFuture(world, decodeTime(token))}: this clock, or the writer's, is wrong`, {
        path: threadFolder(thread),
      });
  }
}
