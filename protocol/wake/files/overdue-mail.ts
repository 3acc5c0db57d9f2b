/** Mail that lies unread for too long: who is told of it, and how. Asked of the disk alone. spec/waking.md, "Unread for long". */
import type { News } from "../../core/event/notify.ts";
import { asLine } from "../../core/format/hidden.ts";
import { compareNewest, decodeTime, parseMessageId } from "../../core/format/id.ts";
import { LIMITS } from "../../core/format/schema.ts";
import { HUMAN } from "../../core/names.ts";
import type { World } from "../../core/world.ts";
import { unreadIdsSeen } from "../../mail/files/inbox-files.ts";
import { readMail } from "../../mail/files/mail.ts";
import { isMember } from "../../mail/files/members.ts";
import { newThread, post } from "../../mail/files/post.ts";
import { limitedUntil, whereaboutsOf } from "../../mail/files/presence.ts";
import { type Message, messagePath } from "../../mail/nouns/message.ts";
import { unreadPath } from "../../mail/nouns/part.ts";
import { facts } from "../../store/read/facts.ts";
import { originsOf } from "../../trust/files/note-origins.ts";

/** So many of a part's oldest unread messages are read. */
const READ = 20;
const HOUR_MS = 3_600_000;
/** The key, in the metadata of what tells of it, that names the message. */
const UNREAD = "unread";

/** A message that a part has not read for too long. */
export interface OverdueMail {
  part: string;
  message: Message;
  /** Since when it lies here, in milliseconds since the epoch. */
  sinceMs: number;
}

/** The oldest overdue message of each sender to each part that is not at work just now. Reads names, and files only where something is overdue. */
export function overdueMail(world: World): OverdueMail[] {
  const { store, config } = world.home();
  const { health, parts } = config();
  if (health.unreadHours === 0 || world.past !== undefined) return [];
  const before = world.now() - health.unreadHours * HOUR_MS;
  return [...parts.keys()].flatMap((part) => {
    if (part === HUMAN) return [];
    const old = unreadIdsSeen(store, part)
      .filter((id) => decodeTime(parseMessageId(id)?.token ?? "") <= before)
      .sort((a, b) => compareNewest(b, a))
      .slice(0, READ);
    if (old.length === 0 || whereaboutsOf(world, part).presence === "working" || limitedUntil(world, part) !== null) return [];
    const bySender = new Map<string, OverdueMail>();
    for (const id of old) {
      const sinceMs = Math.max(decodeTime(parseMessageId(id)?.token ?? ""), facts(store, unreadPath(part, id))?.modifiedMs ?? 0);
      const message = readMail(world, part, id, unreadPath(part, id), []);
      if (message === null || sinceMs > before || message.metadata?.[UNREAD] !== undefined || bySender.has(message.from)) continue;
      bySender.set(message.from, { part, message, sinceMs });
    }
    return [...bySender.values()];
  });
}

/** Tells the sender, once for a message, where it was sent from this machine. @returns whether somebody was told now or before */
export function tellOverdue(world: World, { part, message, sinceMs }: OverdueMail): boolean {
  const location = parseMessageId(message.id);
  if (location === null || originsOf(world)(messagePath(location)).from !== "here" || !isMember(world, message.from)) return false;
  const body = [
    `Relay's pager wrote this, not ${part}: ${part} has not read your message ${message.id} since ${new Date(sinceMs).toISOString()}.`,
    `\`relay status\` says where ${part} is, and what could wake it.`,
  ].join("\n");
  post(
    world,
    newThread(world),
    {
      from: part,
      to: [message.from],
      subject: asLine(`Unread by ${part}: ${message.subject}`, LIMITS.subject),
      metadata: { [UNREAD]: message.id },
      body,
    },
    { scope: { owner: part, operation: UNREAD }, key: message.id },
  );
  return true;
}

/** What a person may be told of it. */
export const overdueNews = (world: World): News[] =>
  overdueMail(world).map(({ part, message, sinceMs }) => {
    const atMs = sinceMs + world.home().config().health.unreadHours * HOUR_MS;
    return { kind: "unread", id: message.id, part, subject: `Unread by ${part}: ${message.subject}`, atMs, hereMs: atMs };
  });
