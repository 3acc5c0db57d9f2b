/**
 * The envelope: the whole text that a turn is given, and the only thing. Nobody's history, no text of a sibling and nothing of the
 * environment is in it. spec/office.md, "Envelope".
 */

import { escapedJson, hiddenIn } from "../../core/format/hidden.ts";
import { type DispatchStateName, isAtWork } from "./dispatch-state.ts";
import type { Roster } from "./roster.ts";
import type { TurnReason } from "./turn.ts";

/** A message in an envelope. */
export interface Given {
  kind: "work" | "answer" | "reply" | "question";
  /** What its sender is called. */
  from: string;
  context: string;
  /** Whether an earlier turn may have heard it. */
  isAgain?: boolean | undefined;
  /** Of a reply that is none of the best: `failed`, `timeout`, `empty`, `closed`. */
  outcome?: string | undefined;
  /** Of an answer of people the question, in one line. */
  question?: string | undefined;
  /** The text, or its beginning where it is too long. */
  text: string;
  /** How many pages the whole text has; absent where this is all. */
  pages?: number | undefined;
}

/** What an envelope is made of. */
export interface Enclosed {
  /** The position, and what others call it. */
  position: string;
  name: string;
  initiator: string;
  context: string;
  /** Absolute. */
  directory: string;
  reason: TurnReason;
  given: readonly Given[];
  /** What it gave to others, and what each is at. */
  open: readonly { name: string; context: string; state: DispatchStateName }[];
  /** Whom it may give work to or ask; empty for a leaf. */
  roster: Roster;
  /** Whether the files of the office changed since the dispatch began. */
  isOfficeChanged: boolean;
}

const HEADINGS: Readonly<Record<Given["kind"], string>> = {
  work: "Message from",
  answer: "Answer from",
  reply: "Reply from",
  question: "Question from",
};

/** Each character, or pair, that a reader may take for the end of a line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const LINE_END = /\r\n|[\n-\r\u001c-\u001e\u0085\u2028\u2029]/;

/** A text of others as it stands among Relay's words: each of its lines begins with `>`, so that none speaks in another's name. */
export const quoted = (text: string): string =>
  text
    .split(LINE_END)
    .map((line) => (line === "" ? ">" : `> ${line}`))
    .join("\n");

/** A text of others within a line: as it is, or as JSON where it has more than one line, or characters that nobody sees. */
const inLine = (text: string): string => (hiddenIn(text) === null && !text.includes("\n") ? text : escapedJson(JSON.stringify(text)));

function section({ kind, from, context, isAgain, outcome, question, text, pages }: Given, own: string): string {
  const where = context === own ? "" : `\ncontext_id: ${context}`;
  const how = outcome === undefined || outcome === "ok" ? "" : `\noutcome: ${outcome}`;
  const asked = question === undefined ? "" : `\nto your question: ${inLine(question)}`;
  const again = isAgain === true ? "\n(You may have heard this before: your last turn failed.)" : "";
  const more = pages === undefined ? "" : `\n\n[This is page 1 of ${pages}. ReadReply with context_id and page reads the rest.]`;
  const todo = kind === "question" ? `\n\n[Answer with Send to ${from}, with this context_id.]` : "";
  return `## ${HEADINGS[kind]} ${from}${where}${how}${asked}${again}\n\n${text === "" ? "(no text)" : quoted(text)}${more}${todo}`;
}

/** Writes the envelope of a turn. */
export function formatEnvelope(enclosed: Enclosed): string {
  const { position, name, initiator, context, directory, reason, given, open, roster, isOfficeChanged } = enclosed;
  const notes = [
    ...(reason === "interrupted"
      ? ["Your last turn was interrupted. What it was given stands below again; look at what is done already before you go on."]
      : []),
    ...(isOfficeChanged ? ["The office's files changed since this work began. Your instructions and your members are those of then."] : []),
    ...open
      .filter(({ state }) => isAtWork(state))
      .map((each) => `Still at work for you, do not send it again: ${each.name} (${each.state}), context_id ${each.context}`),
  ];
  const head = [
    `You are ${name} (${position}).`,
    `From: ${initiator}`,
    `context_id: ${context}`,
    `Directory: ${inLine(directory)}`,
    // One object, on one line: whatever a description says, it begins no line of its own.
    ...(Object.keys(roster).length === 0 ? [] : [`You may Send to: ${escapedJson(JSON.stringify(roster))}`]),
    'Lines that begin with ">" are the words of whoever the heading above them names; all others are Relay\'s.',
  ];
  const end = `Your last message of this turn is your reply to ${initiator}. End the turn once nothing is left to do but to wait: you are started again when an answer comes.`;
  return `${[head.join("\n"), ...(notes.length === 0 ? [] : [notes.map((note) => `- ${note}`).join("\n")]), ...given.map((each) => section(each, context)), end].join("\n\n")}\n`;
}
