/** What a push did to mail and to threads that were here. spec/trust.md, "What a push did". */
import { type MessageLocation, messageId, type ThreadLocation, threadId } from "../../core/format/id.ts";
import type { Edited, Effects } from "../../core/noun/noun-effects.ts";
import { isEnded, parseThread, type Thread, type ThreadStatus } from "./thread.ts";

/** A message of a part was acked, or is unread in the inbox of another. */
type MailDid = { kind: "acked"; part: string; message: string } | { kind: "moved"; part: string; to: string; message: string };

/** Of names in inboxes: that mail was acked. That it was moved is to be seen only by both names. */
export const mailEffects: Effects<{ part: string; key: MessageLocation }, MailDid> = {
  of: ({ before }, { part, key }) => (before === null ? [{ kind: "acked", part, message: messageId(key) }] : []),
  words(did, _heldBefore, count) {
    const messages = count === 1 ? "message" : "messages";
    return did.kind === "acked"
      ? `marked ${count} ${messages} of ${did.part} as read`
      : `moved ${count} unread ${messages} of ${did.part} to ${did.to}`;
  },
  isCounted: true,
  isDoneTo: (did, part) => did.part === part,
};

type ThreadDid = Edited | { kind: "closed" | "opened"; thread: string; status: ThreadStatus; was: ThreadStatus };

/** Of a thread: that it was closed, or opened again, and that it says something else. */
export const threadEffects: Effects<{ key: ThreadLocation }, ThreadDid> = {
  reads: "changed",
  of({ before, after }, { key }) {
    if (before === null) return [];
    const [earlier, now] = [parseThread(before, key), parseThread(after, key)];
    const [was, status] = [earlier.status ?? "open", now.status ?? "open"];
    const edited: ThreadDid[] = isRetold(earlier, now) ? [{ kind: "edited" }] : [];
    if (isEnded(status) === isEnded(was)) return edited;
    return [...edited, { kind: isEnded(status) ? "closed" : "opened", thread: threadId(key), status, was }];
  },
  words: ({ kind, thread, status }) => `${kind === "opened" ? "reopened" : status === "canceled" ? "canceled" : "closed"} thread ${thread}`,
  isDoneTo: (did, _part, takesPart) => did.kind !== "edited" && takesPart(),
};

/** Whether a thread says something else of itself than its status. */
function isRetold(was: Thread, is: Thread): boolean {
  const told = ({ subject, createdBy, createdAt, tags, other, body }: Thread): string =>
    JSON.stringify([subject, createdBy, createdAt, tags, other, body]);
  return told(was) !== told(is);
}
