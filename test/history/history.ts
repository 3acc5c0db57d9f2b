/**
 * Checks a log of what was invoked and answered against what lies on the disk in the end: nothing lost, nothing doubled,
 * nothing acked twice, and nothing acked that came back.
 */
import type { Found, Survey } from "./survey.ts";

/** A line of the log. `at` is the monotonic clock that all processes of a machine share, in milliseconds. */
export type Entry = Invoked | Answered | Refused;

/** A call begins. What a call does is known from here on, whether it is answered or not. */
export interface Invoked {
  phase: "invoked";
  /** Tells calls apart. */
  call: string;
  at: number;
  kind: "send" | "reply" | "ack" | "close" | "inbox";
  part: string;
  /** What a send or reply wrote as its body. A retry with the same idempotency key has the same mark. */
  mark?: string;
  /** The messages that an ack named, or the thread that a close did. */
  ids?: string[];
  /** What was given, so that it can be tried again. */
  input?: Record<string, unknown>;
}

/** A call was answered. */
export interface Answered {
  phase: "answered";
  call: string;
  at: number;
  /** What a send or reply made. */
  messageId?: string | undefined;
  /** What this ack or close moved, and for whom. */
  moved?: { part: string; messageId: string }[] | undefined;
  /** Every unread message that an inbox showed. */
  unread?: string[] | undefined;
}

/** A call was refused, so it did nothing. */
export interface Refused {
  phase: "refused";
  call: string;
  at: number;
  code: string;
  error?: string;
}

const keyOf = (part: string, id: string): string => `${part} ${id}`;

/** @returns a sentence for each fault; none when all is well */
export function check(log: readonly Entry[], disk: Survey): string[] {
  const invoked = log.filter((entry) => entry.phase === "invoked");
  const answers = new Map(log.flatMap((entry) => (entry.phase === "answered" ? [[entry.call, entry] as const] : [])));
  const refused = new Set(log.flatMap((entry) => (entry.phase === "refused" ? [entry.call] : [])));
  return [
    ...checkPosts(invoked, answers, refused, disk),
    ...checkInboxes(invoked, disk),
    ...checkMoves(invoked, answers, disk),
    ...checkLooks(invoked, answers, disk),
  ];
}

/** Every answered message is in its thread, every mark at most once, and no message is anybody else's. */
function checkPosts(invoked: Invoked[], answers: Map<string, Answered>, refused: Set<string>, disk: Survey): string[] {
  const faults: string[] = [];
  const made = new Map<string, string[]>();
  for (const { id, body } of disk.messages) made.set(body, [...(made.get(body) ?? []), id]);
  const marks = new Map<string, Invoked[]>();
  for (const each of invoked) if (each.mark !== undefined) marks.set(each.mark, [...(marks.get(each.mark) ?? []), each]);
  for (const [mark, ids] of made) {
    if (!marks.has(mark)) faults.push(`nobody wrote ${ids.join(", ")}`);
    if (ids.length > 1) faults.push(`doubled: ${mark} is ${ids.join(" and ")}`);
  }
  const named = disk.messages.map(({ id }) => id);
  if (new Set(named).size !== named.length) faults.push("two messages have one id");
  for (const [mark, calls] of marks) {
    const ids = made.get(mark) ?? [];
    for (const { call } of calls) {
      const id = answers.get(call)?.messageId;
      if (id !== undefined && !ids.includes(id))
        faults.push(`lost: ${mark} was answered as ${id}, its thread has ${ids.join(", ") || "nothing"}`);
    }
    if (ids.length > 0 && calls.every(({ call }) => refused.has(call))) faults.push(`refused, and there all the same: ${mark}`);
  }
  return faults;
}

/** Every message is in each recipient's inbox exactly once, in one of its halves, and in nobody else's. */
function checkInboxes(invoked: Invoked[], disk: Survey): string[] {
  const faults: string[] = [];
  const owed = new Map(disk.messages.flatMap(({ id, to, thread }) => to.map((part) => [keyOf(part, id), { part, id, thread }] as const)));
  const asked = new Set(invoked.flatMap(({ kind, part, ids = [] }) => (kind === "ack" ? ids.map((id) => keyOf(part, id)) : [])));
  const closed = new Set(invoked.flatMap(({ kind, ids = [] }) => (kind === "close" ? ids : [])));
  for (const [key, { part, id, thread }] of owed) {
    const unread = (disk.unread.get(part) ?? []).filter((each) => each === id).length;
    const acked = (disk.acked.get(part) ?? []).filter((each) => each === id).length;
    if (unread + acked === 0) faults.push(`lost: ${id} is in neither half of the inbox of ${part}`);
    if (unread + acked > 1) faults.push(`doubled: ${id} is ${unread} times unread and ${acked} times acked for ${part}`);
    if (acked > 0 && !asked.has(key) && !closed.has(thread)) faults.push(`nobody acked ${id} for ${part}`);
  }
  for (const half of [disk.unread, disk.acked]) {
    for (const [part, ids] of half) {
      for (const id of ids) if (!owed.has(keyOf(part, id))) faults.push(`${id} lies in the inbox of ${part}, to whom nobody sent it`);
    }
  }
  return faults;
}

/** Every message is moved once for each part, and stays moved. */
function checkMoves(invoked: Invoked[], answers: Map<string, Answered>, disk: Survey): string[] {
  const faults: string[] = [];
  const moved = new Map<string, number>();
  for (const { call } of invoked) {
    for (const { part, messageId } of answers.get(call)?.moved ?? []) {
      const key = keyOf(part, messageId);
      moved.set(key, (moved.get(key) ?? 0) + 1);
      if (disk.unread.get(part)?.includes(messageId)) faults.push(`came back: ${messageId} was acked for ${part} and is unread`);
      if (!disk.acked.get(part)?.includes(messageId)) faults.push(`lost ack: ${messageId} was acked for ${part} and is not under read/`);
    }
  }
  for (const [key, times] of moved) if (times > 1) faults.push(`acked ${times} times: ${key}`);
  return faults;
}

/** What an inbox showed agrees with what was answered before it was asked, and with what could have happened meanwhile. */
function checkLooks(invoked: Invoked[], answers: Map<string, Answered>, disk: Survey): string[] {
  const faults: string[] = [];
  const sent = new Times();
  const moved = new Times();
  const asked = new Times();
  for (const { kind, call, at, part, ids = [] } of invoked) {
    // Whoever asks to ack a message, or to close its thread, may have moved it from here on, answered or not.
    for (const id of ids) asked.note(kind === "close" ? id : keyOf(part, id), at);
    const answer = answers.get(call);
    if (answer?.messageId !== undefined) sent.note(answer.messageId, answer.at);
    for (const each of answer?.moved ?? []) moved.note(keyOf(each.part, each.messageId), (answer as Answered).at);
  }
  const byPart = new Map<string, Found[]>();
  for (const message of disk.messages) for (const part of message.to) byPart.set(part, [...(byPart.get(part) ?? []), message]);
  for (const { kind, call, at, part } of invoked) {
    const answer = answers.get(call);
    if (kind !== "inbox" || answer?.unread === undefined) continue;
    const shown = new Set(answer.unread);
    for (const id of shown) {
      if (moved.of(keyOf(part, id)) < at) faults.push(`came back: ${part} saw ${id} unread after it was acked`);
    }
    for (const { id, thread } of byPart.get(part) ?? []) {
      const gone = Math.min(asked.of(keyOf(part, id)), asked.of(thread));
      if (!shown.has(id) && sent.of(id) < at && gone > answer.at) {
        faults.push(`missed: ${part} did not see ${id}, which had been sent and was not acked`);
      }
    }
  }
  return faults;
}

/** The earliest instant at which something was so; never, for what was not noted. */
class Times {
  readonly #earliest = new Map<string, number>();
  note(key: string, at: number): void {
    this.#earliest.set(key, Math.min(at, this.of(key)));
  }
  of(key: string): number {
    return this.#earliest.get(key) ?? Number.POSITIVE_INFINITY;
  }
}
