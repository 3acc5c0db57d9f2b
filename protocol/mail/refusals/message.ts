/** Refusals about messages and threads. */
import { EXIT, entry, nearestHint, quote, quoteAll } from "../../core/refusals/entry.ts";

type Loop = { part: string; rule: "identical" | "per_minute" | "exchange"; most: number; seconds?: number; other?: string };

/** Why a caller seems to go round in a circle. */
const loopWords = ({ part, rule, most, seconds, other }: Loop): string =>
  ({
    identical: `${part} sent exactly this ${most} times within ${seconds} seconds`,
    per_minute: `${part} sent ${most} messages within ${seconds} seconds`,
    exchange: `${part} and ${other} sent each other ${most} messages, and no person, no task and no other part came between`,
  })[rule];

/** Code → the exit code of a refusal, and its sentence by its data. */
export const MESSAGE_REFUSALS = {
  unknown_thread: entry(
    EXIT.notFound,
    (d: { given: string; nearest?: string[] }, { on }) =>
      `no thread ${quote(d.given)}.${nearestHint(d.nearest ?? [])} Expected an id such as "t-20260131-k3f9x2ab", or a unique piece of it or of a message's id (3 characters or more). ` +
      `${on("`threads`", "`relay threads`")} lists them.`,
  ),
  archived_thread: entry(
    EXIT.refused,
    (d: { threadId: string }, { on }) =>
      `thread ${d.threadId} is archived, so nothing was written. To read it: ${on("`show`", `\`relay show ${d.threadId}\``)}. ` +
      `To restore it: \`relay archive ${d.threadId} --undo\`.`,
  ),
  unknown_message: entry(EXIT.notFound, (d: { given: string[] }, { on, operation }) =>
    operation === "forget"
      ? `no message ${quoteAll(d.given)}, so nothing was forgotten. \`relay show THREAD\` names each message of a thread, and \`relay search WORDS\` finds one.`
      : `no message ${quoteAll(d.given)} in your inbox. Expected ${on("a messageId", "the id of a message")}, or a unique piece of it; ${on("`inbox`", "`relay inbox`")} lists them. ` +
        on("To ack a whole thread, pass its threadId.", "To ack a whole thread, use `relay ack --thread ID`."),
  ),
  not_your_message: entry(
    EXIT.refused,
    (d: { part: string; given: string[] }, { on }) =>
      `${d.given.join(", ")}: not addressed to ${quote(d.part)}, so ${d.part} cannot ack it. Ack only what ${on("`inbox`", "`relay inbox`")} lists.`,
  ),
  to_self: entry(EXIT.refused, (d: { part: string }, { on }) =>
    on(
      `you are ${quote(d.part)}, and a message to yourself is refused, so nothing was sent. Leave ${d.part} out of "to".`,
      `you are ${d.part} here, and a message to yourself is refused, so nothing was sent. Leave ${d.part} out, or say who you are with --part.`,
    ),
  ),
  to_nobody: entry(
    EXIT.refused,
    (d: { reason: string }, { on }) =>
      `no recipient is left: ${d.reason}. Name a part as ${on('"to"', "recipient")}; ${on("`roster`", "`relay roster`")} lists all parts.`,
  ),
  loop: entry(
    EXIT.refused,
    (d: Loop, { on }) =>
      `${loopWords(d)}. It looks like a loop, so nothing was sent. ${on(
        'Use `wait` for an answer, or ask a person: to = ["human"], needsHuman = true.',
        'Wait for an answer (`relay wait`), or ask a person: `relay send human "SUBJECT" "TEXT" --needs-human`.',
      )} The limits are under \`loop:\` in relay.yml.`,
  ),
  thread_closed: entry(
    EXIT.refused,
    (d: { threadId: string; status: string }, { on }) =>
      `thread ${d.threadId} is ${d.status}, so nothing was written. ${on(
        'Reopen it (`close` with status = "open"), or begin another with `send`.',
        `Reopen it (\`relay reopen ${d.threadId}\`), or begin another with \`relay send\`.`,
      )}`,
  ),
  thread_full: entry(
    EXIT.refused,
    (d: { threadId: string; number: number }, { on }) =>
      `thread ${d.threadId} has a message with the highest possible number, ${d.number}, so nothing was written. ` +
      `Begin another thread with ${on("`send`", "`relay send`")}.`,
  ),
  not_participant: entry(
    EXIT.refused,
    (d: { part: string; threadId: string; participants: string[] }) =>
      `${quote(d.part)} is not a participant in ${d.threadId}, so it cannot change its status. Ask one of ${d.participants.join(", ")}, or main, or human.`,
  ),
};
