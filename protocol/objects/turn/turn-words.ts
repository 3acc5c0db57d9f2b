/** The words in which an agent is told its turn, by a command or by a tool: text to act on. spec/messages.md, "A turn". */
import { shortNames } from "../format/id.ts";
import type { OwnTask, ReviewAsked } from "./turn.ts";

/** What a turn answers. Times are ISO 8601. */
export interface TurnAnswer {
  unread: number;
  timedOut?: boolean | undefined;
  messages: readonly TurnMessage[];
  /** New messages that did not fit. */
  left?: number | undefined;
  missing?: readonly string[] | undefined;
  reviews?: readonly ReviewAsked[] | undefined;
  tasks?: readonly OwnTask[] | undefined;
  happened?: readonly string[] | undefined;
  acked?: readonly string[] | undefined;
}

interface TurnMessage {
  messageId: string;
  threadId: string;
  subject: string;
  from: string;
  origin?: string | undefined;
  urgent: boolean;
  needsHuman: boolean;
  at: string;
  body?: string | undefined;
  /** Whether its thread takes no answer. */
  closed?: boolean | undefined;
}

/** How a surface writes what to do. */
interface Surface {
  read(review: ReviewAsked): string;
  review(id: string): string;
  claim(id: string): string;
  answer: string;
  done: string;
  idle: string;
  more: string;
}

/** Whom a turn is written for: by what it acts. */
export type TurnSurface = "command" | "tool" | "file";

const SURFACES: Readonly<Record<TurnSurface, Surface>> = {
  command: {
    read: ({ artifact }) => `relay artifact show ${artifact}`,
    review: (id) => `relay review submit ${id} approved|changes_requested [--done]`,
    claim: (id) => `relay task claim ${id}`,
    answer: "Then `relay reply <thread> - <<'END'`, the text, `END`; `relay wait --ack shown` acks the rest.",
    done: "Then `relay wait --ack shown`.",
    idle: "Nothing new. `relay wait` blocks until there is.",
    more: "relay next",
  },
  tool: {
    read: ({ artifact }) => `get_artifact ${artifact}`,
    review: (id) => `submit_review ${id}`,
    claim: (id) => `claim_task ${id}`,
    answer: "Then `reply`; `wait` with ack: shown acks the rest.",
    done: "Then `wait` with ack: shown.",
    idle: "Nothing new. `wait` blocks until there is.",
    more: "next",
  },
  file: {
    read: ({ artifact }) => `sessions/*/artifacts/${artifact}`,
    review: (id) => `review: ${id}`,
    claim: (id) => `claim: ${id}`,
    answer: "Answer by drafts with `thread: …`; move what you dealt with from new/ to read/.",
    done: "Move what you dealt with from new/ to read/.",
    idle: "Nothing new.",
    more: "ls inbox",
  },
};

/** The piece of an id that names a task or a review: its first characters after the word. */
const PIECE = 4;
const shortOf = (id: string): string => id.replace(/^(task|review)-/, "").slice(0, PIECE);
const indented = (text: string): string => text.replace(/^(?=.)/gm, "  ");

/** For how long something is past, such as `5m ago`. */
function ageOf(at: string, nowMs: number): string {
  const minutes = Math.max(0, Math.floor((nowMs - Date.parse(at)) / 60_000));
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes}m ago`;
  return minutes < 2_880 ? `${Math.floor(minutes / 60)}h ago` : `${Math.floor(minutes / 1_440)}d ago`;
}

/**
 * Writes a turn as text.
 * @param nowMs milliseconds since the epoch
 */
export function turnWords(answer: TurnAnswer, surface: TurnSurface, nowMs: number): string {
  const words = SURFACES[surface];
  // In files everything has its whole name, and a text that is read later has no age.
  const isFile = surface === "file";
  const pieceOf = isFile ? (id: string): string => id : shortOf;
  const { messages, left = 0, reviews = [], tasks = [], happened = [], unread, missing = [], acked = [] } = answer;
  const short = isFile ? pieceOf : shortNames(messages.flatMap(({ messageId, threadId }) => [messageId, threadId]));
  const lines: string[] = acked.length === 0 ? [] : [`Acked ${acked.length}.`];
  for (const { messageId, threadId, subject, from, origin, urgent, needsHuman, at, closed, body = "" } of messages) {
    const said = { urgent, "a person must decide": needsHuman, closed: closed === true };
    const marks = [isFile ? at : ageOf(at, nowMs), ...Object.entries(said).flatMap(([mark, is]) => (is ? [mark] : []))].join(", ");
    const by = origin === undefined ? from : `${from} ${origin}`;
    lines.push(`${by}: ${subject} (message ${short(messageId)}, thread ${short(threadId)}, ${marks})`, indented(body));
  }
  if (left > 0) lines.push(`${left} more new: \`${words.more}\` once you dealt with these.`);
  for (const review of reviews) {
    const { id, name, version, from } = review;
    lines.push(`Review ${name} v${version} of ${from}: \`${words.read(review)}\`, then \`${words.review(pieceOf(id))}\`.`);
  }
  for (const { id, title, state, until, blockedBy = [], waiting = [] } of tasks) {
    const more = {
      held: `yours until ${until?.slice(11, 16)}Z`,
      ready: `ready: ${isFile ? "a draft with " : ""}\`${words.claim(pieceOf(id))}\``,
      blocked: `blocked by ${blockedBy.map(pieceOf).join(", ")}`,
      in_review: "in review",
    }[state];
    lines.push(
      `Task ${pieceOf(id)} '${title}': ${more ?? state}${waiting.length === 0 ? "" : `; ${waiting.join(", ")} ${waiting.length === 1 ? "needs" : "need"} it`}.`,
    );
  }
  lines.push(...happened.map((sentence) => `${sentence}.`));
  if (missing.length > 0) lines.push(`Still nothing in ${missing.join(", ")}.`);
  if (lines.length === (acked.length === 0 ? 0 : 1)) {
    const waits = unread === 0 ? "" : ` ${unread} unread, shown before.`;
    return [...lines, answer.timedOut === true ? `Nothing came.${waits}` : `${words.idle}${waits}`].join("\n");
  }
  const earlier = unread - messages.length - left - reviews.length;
  if (earlier > 0) lines.push(`${earlier} unread, shown before.`);
  const further = messages.length === 0 ? [] : [messages.every(({ closed }) => closed === true) ? words.done : words.answer];
  return [...lines, ...further].join("\n");
}
