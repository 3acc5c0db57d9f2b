/** Finds messages that are missing from a thread, or from the inboxes of its recipients. spec/check.md, "Check". */

import { type Finding, finding } from "../../core/format/finding.ts";
import { compareInThread, type MessageLocation, messageId, type ThreadLocation, threadId } from "../../core/format/id.ts";
import { nounOf } from "../../core/noun/noun-list.ts";
import { messagePath } from "../../mail/nouns/message.ts";
import { mailPlaces } from "../../mail/nouns/part.ts";
import { threadPath } from "../../mail/nouns/thread.ts";
import { forgottenPath } from "../../removal/nouns/forget-request.ts";

/**
 * Messages that answer one that is not there: a writer takes the number after the highest it saw, so there are no gaps.
 * @param keys the messages that are there
 * @param forgotten those that somebody asked to forget, which may be missing
 */
export function checkNumbers(thread: ThreadLocation, keys: readonly MessageLocation[], forgotten: readonly MessageLocation[]): Finding[] {
  if (keys.length === 0 && forgotten.length > 0) return [];
  if (keys.length === 0) return [finding("dangling_reply", { path: threadPath(thread) }, "a thread without messages", "its first message")];
  const ordered = [...keys, ...forgotten].toSorted(compareInThread);
  return ordered.flatMap((location, at) => {
    const before = ordered[at - 1]?.n ?? 0;
    // What was asked to be forgotten is said of nobody.
    if (location.n <= before + 1 || !keys.includes(location)) return [];
    const gap = before + 2 === location.n ? `message ${before + 1}` : `messages ${before + 1} to ${location.n - 1}`;
    return [
      finding("dangling_reply", { path: messagePath(location) }, `message ${location.n} after message ${before}`, `${gap} of its thread`),
    ];
  });
}

/** Requests to forget messages that are there: they wait for a person. @param unanswered messages of requests that nobody refused */
export function checkRequests(keys: readonly MessageLocation[], unanswered: readonly MessageLocation[]): Finding[] {
  const there = new Set(keys.map(messageId));
  return unanswered
    .map(messageId)
    .filter((id) => there.has(id))
    .map((id) => finding("open_request", { path: forgottenPath(id) }, id, `an answer of a person: relay forget ${id}, or with --refuse`));
}

/** Dispatches without a thread: their text and their replies lie in it. @param hasThread whether it is there, or was archived */
export const checkDispatches = (dispatches: readonly ThreadLocation[], hasThread: (id: string) => boolean): Finding[] =>
  dispatches
    .filter((key) => !hasThread(threadId(key)))
    .map((key) =>
      finding(
        "dangling_dispatch",
        { path: nounOf("dispatch").path({ key }) },
        "a dispatch without messages",
        `the thread ${threadId(key)}`,
      ),
    );

/**
 * Finds recipients in whose inbox a message is neither unread nor acked.
 * @param to who it is to
 * @param isMember whether a name is a part or a guest now
 * @param renamed former name → name now
 * @param isThere whether a path is there
 */
export function checkMail(
  location: MessageLocation,
  to: readonly string[],
  isMember: (part: string) => boolean,
  renamed: ReadonlyMap<string, string>,
  isThere: (path: string) => boolean,
): Finding[] {
  const id = messageId(location);
  return to.flatMap((name) => {
    const mail = mailPlaces(name, { id, day: location.day }, isMember, renamed);
    if (mail === null || mail.paths.some(isThere)) return [];
    return [
      finding(
        "missing_mail",
        { path: messagePath(location) },
        `nothing in the inbox of "${mail.part}"`,
        mail.paths.slice(0, 2).join(" or "),
      ),
    ];
  });
}
