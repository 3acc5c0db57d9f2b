/** Ends a thread whose matter is settled. SPEC.md, "Thread". */
import type { ThreadLocation } from "../../objects/format/id.ts";
import { LIMITS } from "../../objects/format/schema.ts";
import { formatThread, parseThread, type Thread, threadPath } from "../../objects/message/thread.ts";
import { highestIn } from "../../objects/tree/series.ts";
import { replaceFile } from "../../store/write/replace.ts";
import type { World } from "../../world.ts";
import { mustRead } from "../broken-files.ts";
import { noteHere } from "../note-origins.ts";
import { messageKeys, readThread } from "./threads.ts";

/** Closes a thread, and leaves its mail unread: its last message is news. @throws Refusal `malformed_file` */
export async function closeThread(world: World, location: ThreadLocation): Promise<void> {
  const { store } = world.home();
  const keys = messageKeys(store, location);
  const thread = readThread(store, location, keys, []);
  if (thread === null) return;
  await replaceFile(store, threadPath(location), LIMITS.threadBytes, (source) => {
    const before: Thread = source === null ? thread : mustRead(threadPath(location), () => parseThread(source, location));
    return formatThread({ ...before, status: "closed", statusAfter: highestIn(keys.map(({ n }) => n)) });
  });
  noteHere(world, [threadPath(location)]);
}
