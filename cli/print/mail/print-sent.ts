/** Prints for people: a message that was sent: who gets it, and who is woken. */
import { nextFor } from "../../../protocol/wake/nouns/wake-words.ts";
import type { Answer, Printer, Style } from "../style.ts";
import { table } from "../table.ts";
import { many, short } from "../words.ts";

type Recipient = Answer<"send">["recipients"][number];

const WHY: Record<string, string> = {
  no_pager: "reads it at its next turn",
  no_rung: "nothing here can wake it, so it reads this at its next turn",
  human: "a person reads it when they choose",
  limited: "asked not to be woken yet",
  budget: "the wake budget is used up",
  acked: "already acked",
  no_reply: "not woken for it",
};

/** Why a part is not woken; where it has no way to be, also what gives it one. */
const whyNot = (reason: string, part: string): string =>
  reason === "no_rung" ? `${WHY[reason]}: ${nextFor(reason, part)}` : (WHY[reason] ?? reason);

function recipientTable(list: Recipient[], style: Style): string {
  return table(
    list.map(({ part, state, online, wake, reason }) => [
      { text: `  ${part}`, paint: style.bold },
      state,
      {
        text: online ? "there now" : reason === undefined ? (wake === "owed" ? "will be woken" : "") : whyNot(reason, part),
        paint: style.dim,
      },
    ]),
    style,
  );
}

/** Reasons of which nothing need be said: the recipient reads the message at its next turn, or has. */
const USUAL: ReadonlySet<string> = new Set(["no_pager", "acked"]);

/** Recipients of a message by name, each with what keeps it from reading soon. */
export const printSent: Printer<"send" | "reply"> = (answer, style) => {
  const odd = answer.recipients.filter(({ online, reason }) => !online && reason !== undefined && !USUAL.has(reason));
  return [
    `${style.green("Sent")} ${short(answer.messageId)} to ${answer.recipients.map(({ part }) => part).join(", ")}${odd.length === 0 ? "." : `\n${recipientTable(odd, style)}`}`,
    ...ackedLines(answer, style),
  ].join("\n");
};

/** What was acked beside, and what was not, because nobody saw it. */
export function ackedLines(answer: { threadId: string; acked?: string[]; unseen?: number }, style: Style): string[] {
  const { threadId, acked, unseen } = answer;
  if (acked === undefined) return [];
  const done = `${style.green("Acked")} ${acked.length}.`;
  if (unseen === undefined) return [done];
  const left = `${many(unseen, "message")} of this thread ${unseen === 1 ? "was" : "were"} not shown to you, and ${unseen === 1 ? "stays" : "stay"} unread`;
  return [`${done} ${style.yellow(left)}: relay show ${short(threadId)}, then relay ack --thread ${short(threadId)}`];
}
