/** Writing the status of a thread into its file. SPEC.md, "Thread". */
import { acted } from "../../core/act.ts";
import type { ThreadLocation } from "../../core/format/id.ts";
import { LIMITS } from "../../core/format/schema.ts";
import { mustRead } from "../../core/home/broken-files.ts";
import { highestIn } from "../../core/tree/series.ts";
import type { World } from "../../core/world.ts";
import { replaceFile } from "../../store/write/replace.ts";
import { formatThread, parseThread, type Thread, type ThreadStatus, threadPath } from "../nouns/thread.ts";
import { messageKeys, readThread } from "./threads.ts";

/**
 * Sets the status of a thread, as of its messages of now. Its mail stays as it is.
 * @param clearing unread mail that the caller clears next, as `<part> <message id>`
 * @throws Refusal `malformed_file`
 */
export async function writeStatus(
  world: World,
  location: ThreadLocation,
  status: ThreadStatus,
  clearing: readonly string[] = [],
): Promise<void> {
  const { store } = world.home();
  const keys = messageKeys(store, location);
  const thread = readThread(store, location, keys, []);
  if (thread === null) return;
  await replaceFile(store, threadPath(location), LIMITS.threadBytes, (source) => {
    const before: Thread = source === null ? thread : mustRead(threadPath(location), () => parseThread(source, location));
    const noted = new Set([...(before.closedUnread ?? []), ...clearing]);
    const statusAfter = highestIn(keys.map(({ n }) => n));
    return formatThread({ ...before, status, statusAfter, closedUnread: noted.size === 0 ? undefined : [...noted] });
  });
  acted(world, { paths: [threadPath(location)] });
}
