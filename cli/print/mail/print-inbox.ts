/** Prints for people: their inbox. */
import { turnWords } from "../../../protocol/turn/nouns/turn-words.ts";
import type { Answer, Printer, Style } from "../style.ts";
import { type Cell, table } from "../table.ts";
import { ago, many, more, plainLine, short } from "../words.ts";
import { sender } from "./message-words.ts";
import { noticeLines } from "./notice-lines.ts";

/** A preview of so many characters may have been cut. */
const CUT_FROM = 159;

/** What is shown of a preview: where it was cut, whole words and a mark that there is more. */
const beginning = (preview: string): string => (preview.length < CUT_FROM ? preview : `${preview.replace(/\s\S*$/, "")} …`);

type Brief = Answer<"inbox">["messages"][number];

/** Before a message: a person must decide it (`?`), it is urgent, it is unread. */
function mark(unread: boolean, urgent: boolean, needsHuman: boolean, style: Style): Cell {
  if (!unread) return " ";
  if (needsHuman) return { text: "?", paint: style.yellow };
  return urgent ? { text: "!", paint: style.red } : { text: "•", paint: style.cyan };
}

function messageTable(list: Brief[], style: Style): string {
  return table(
    list.map(({ messageId, threadId, subject, from, origin, unread, urgent, needsHuman, sessionEnded, at, preview }) => [
      mark(unread, urgent, needsHuman, style),
      { text: short(messageId), paint: style.yellow },
      { text: short(threadId), paint: style.dim },
      { text: sender(from, origin), paint: style.bold },
      { text: ago(at, style.now), paint: style.dim },
      `${sessionEnded === true ? "(session ended) " : ""}${plainLine(subject)} — ${plainLine(beginning(preview))}`,
    ]),
    style,
    "cut",
  );
}

/** The mail of a part, a line each, with what to type next. */
export const printInbox: Printer<"inbox"> = (answer, style, input) =>
  `${unreadLines(answer, style, input)}${noticeLines(answer.notices, style)}`;

const unreadLines: Printer<"inbox"> = (answer, style, input) => {
  const none = input["unreadOnly"] === false ? "No messages." : "Nothing unread.";
  const [newest] = answer.messages;
  // Of what cannot be read, the lines of the problems say more.
  if (newest === undefined && answer.problems !== undefined && answer.unread === 0)
    return style.yellow("Not all of this inbox can be read, so there may be mail in it.");
  const broken = answer.problems?.length ?? 0;
  if (newest === undefined)
    return answer.unread === 0
      ? style.dim(none)
      : `${style.dim(`${broken} of ${many(answer.unread, "unread message")} cannot be read: relay check says why, and what to type.`)}${more(answer, style)}`;
  return `${messageTable(answer.messages, style)}\n${style.dim(`${answer.unread} unread · read: relay show ${short(newest.threadId)} · done: relay ack ${short(newest.messageId)}`)}${more(answer, style)}`;
};

/** The news of a part, with commands to type: the same words that a tool answers. */
export const printNext = (answer: Answer<"next"> | Answer<"wait">, style: Style): string => turnWords(answer, "command", style.now);
