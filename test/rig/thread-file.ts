/** The file of a thread as it lies beside every first message in homes of before, and wherever somebody said something of the thread. */
import fs from "node:fs";
import path from "node:path";
import type { MessageLocation, ThreadLocation } from "../../protocol/core/format/id.ts";
import { parseThreadId } from "../../protocol/core/format/id.ts";
import { locateMessage, parseMessage, threadFolder } from "../../protocol/mail/nouns/message.ts";
import { formatThread, type ThreadStatus, threadFromFirst, threadPath } from "../../protocol/mail/nouns/thread.ts";

/** The path and the text of a thread's file, by the path and the text of its first message. */
export function threadFile(first: string, text: string, status?: ThreadStatus): [path: string, text: string] {
  const key = locateMessage(first) as MessageLocation;
  return [threadPath(key), formatThread({ ...threadFromFirst(parseMessage(text, key, null)), status })];
}

/** Writes the file of a thread into a home. @param home absolute path */
export function layThreadFile(home: string, threadId: string): void {
  const folder = threadFolder(parseThreadId(threadId) as ThreadLocation);
  const first = fs.readdirSync(path.join(home, folder)).find((name) => name.startsWith("1-")) as string;
  const [at, text] = threadFile(`${folder}/${first}`, fs.readFileSync(path.join(home, folder, first), "utf8"));
  fs.writeFileSync(path.join(home, at), text);
}
