/** Delivering mail again that a commit moved. spec/trust.md, "Undo". */
import { addTo } from "../../core/format/append.ts";
import { parseMessageId, parseThreadId, type ThreadLocation, threadId } from "../../core/format/id.ts";
import { HUMAN } from "../../core/names.ts";
import type { World } from "../../core/world.ts";
import { isAcked } from "../../mail/files/inbox-files.ts";
import { currentName } from "../../mail/files/members.ts";
import { post } from "../../mail/files/post.ts";
import { readMessage } from "../../mail/files/read-message.ts";
import { messageKeys } from "../../mail/files/threads.ts";
import { messagePath } from "../../mail/nouns/message.ts";
import { readPath, unreadPath } from "../../mail/nouns/part.ts";
import { exists } from "../../store/read/facts.ts";
import { originsOf } from "../../trust/files/note-origins.ts";
import { shortCommit } from "../../trust/nouns/origin.ts";

/** A commit, and what it did to mail of a part. */
interface Moved {
  commit: string;
  how: "acked" | "moved";
}

/**
 * Tells a part again of messages that were marked read in its name, or moved to another: one message for each thread, which names them. It quotes
 * none of them, because it is from who took the commit back, and they are not.
 */
export function undoMail(
  world: World,
  moved: Moved,
  part: string,
  messages: readonly string[],
  by: string,
): { done: string[]; gone: string[] } {
  const { store } = world.home();
  const to = currentName(world, part);
  const threads = new Map<string, string[]>();
  const gone: string[] = [];
  for (const id of messages) {
    const location = parseMessageId(id);
    const isDone = to !== null && isAcked(store, to, id) === (moved.how === "acked");
    const isStill = isDone && !(moved.how === "moved" && exists(store, unreadPath(to, id)));
    if (location === null || !isStill || readMessage(store, location, messagePath(location), []) === null) gone.push(id);
    else addTo(threads, threadId(location), id);
  }
  return { done: [...threads].flatMap(([thread, ids]) => (putBackUnread(world, moved, to as string, thread, ids, by) ? ids : [])), gone };
}

/** Who tells a part of what was taken back: never the part itself, which would take it for its own. */
function senderTo(world: World, part: string, by: string): string {
  if (by !== part) return by;
  const { main } = world.home().config();
  return main === part ? HUMAN : main;
}

/** @returns false where the part has such a message already, which it has not dealt with, or dealt with here */
function putBackUnread(world: World, { commit, how }: Moved, part: string, id: string, ids: readonly string[], by: string): boolean {
  const { store } = world.home();
  const thread = parseThreadId(id) as ThreadLocation;
  const messages = messageKeys(store, thread).flatMap((location) => readMessage(store, location, messagePath(location), []) ?? []);
  const many = ids.length === 1 ? "a message" : `${ids.length} messages`;
  const body = `Commit ${shortCommit(commit)} ${how === "acked" ? `marked ${many} of this thread as read in your name` : `moved ${many} of this thread out of your inbox`}. If you have not dealt with them, read the thread again (\`show\`):\n\n${ids.map((id) => `- ${id}`).join("\n")}`;
  const originOf = originsOf(world);
  // A push can write such a message too, and mark it as read: then nobody was told. A second one harms nobody.
  const isKnown = messages.some(
    (each) =>
      each.metadata?.["undone"] === commit &&
      each.to.includes(part) &&
      each.body.trim() === body &&
      (isAcked(store, part, each.id)
        ? originOf(readPath(part, each.id, thread.day)).from === "here"
        : exists(store, unreadPath(part, each.id))),
  );
  if (isKnown) return false;
  post(world, thread, {
    from: senderTo(world, part, by),
    to: [part],
    subject: messages[0]?.subject ?? "Delivered again",
    metadata: { undone: commit },
    body,
  });
  return true;
}
