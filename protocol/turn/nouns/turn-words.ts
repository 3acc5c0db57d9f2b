/** The words in which an agent is told its turn, by a command or by a tool: text to act on. spec/messages.md, "A turn". */
import { ageOf } from "../../core/format/age.ts";
import { shortNames, shortOf } from "../../core/format/id.ts";
import { someOf } from "../../core/format/many.ts";
import { cutAtWord } from "../../mail/nouns/message.ts";
import { ANSWER, isAllDone, type OwnTask, type ReviewAsked } from "./turn.ts";

/** What a turn answers. Times are ISO 8601. */
export interface TurnAnswer {
  /** The part, at its first turn. */
  you?: string | undefined;
  unread: number;
  timedOut?: boolean | undefined;
  messages: readonly TurnMessage[];
  /** New messages that did not fit. */
  left?: number | undefined;
  missing?: readonly string[] | undefined;
  reviews?: readonly ReviewAsked[] | undefined;
  tasks?: readonly (OwnTask & { details?: string })[] | undefined;
  happened?: readonly string[] | undefined;
  memory?: readonly string[] | undefined;
  acked?: readonly string[] | undefined;
  ackedSubjects?: readonly string[] | undefined;
  /** Unread messages that are not in this answer, nor taken by the next ack of what was shown. */
  earlier?: number | undefined;
  owes?: readonly string[] | undefined;
  /** Who leads, to a part that has nothing left to do. */
  through?: string | undefined;
  /** That no session is open, which the reader may begin. */
  noSession?: boolean | undefined;
  /** That the last session is over. */
  ended?: string | undefined;
  /** Approved work that is to be merged, and how. */
  unmerged?: readonly string[] | undefined;
  open?: readonly string[] | undefined;
}

interface TurnMessage {
  messageId: string;
  subject: string;
  from: string;
  origin?: string | undefined;
  urgent: boolean;
  needsHuman: boolean;
  at: string;
  body?: string | undefined;
  /** Who wrote what it answers, `you` for the reader, and the first words of that. */
  answers?: { from: string; words?: string | undefined } | undefined;
  /** Whether its thread takes no answer. */
  closed?: boolean | undefined;
  /** Whether a reply goes to others than who wrote it, too. */
  toAll?: boolean | undefined;
}

/** How a surface writes what to do. */
interface Surface {
  read(review: ReviewAsked): string;
  /** What an approval is given to end its task. */
  ends: string;
  /** @param isLed whether a merge ends its task; `ends` says what does, and who needs it */
  review(id: string, isLed: boolean, ends: string): string;
  claim(id: string): string;
  /** Says, after a semicolon, what shows a task that cannot begin. */
  show(id: string): string;
  /** Says how a task that is held is handed in, where the answer of its claim does not. */
  submit(id: string): string;
  answer(id: string): string;
  /** Says that a reply goes to all in a thread, and how it goes to one. */
  all(from: string): string;
  begin: string;
  done: string;
  /** Says how a session ends of which nothing is left. */
  end: string;
  wait: string;
  ack: string;
  more: string;
  /** Says how a piece of the memory is read. */
  memory: string;
}

/** Whom a turn is written for: by what it acts. */
export type TurnSurface = "command" | "tool" | "file";

/** How a session ends, after the command that does it. */
const ENDS = " ends it; tasks, commits and remarks are listed below your words. A remark that is work: ";

/** How a command reads a piece of the memory. */
export const MEMORY = "relay memory read --key KEY";

const SURFACES: Readonly<Record<TurnSurface, Surface>> = {
  command: {
    read: ({ artifact }) => `relay artifact show ${artifact}`,
    ends: "`--done`",
    review: (id, isLed, ends) =>
      `\`relay review submit ${id} approved${isLed ? "" : " --done"} - <<'END'\` (${ends}) or \`… changes_requested - <<'END'\``,
    claim: (id) => `relay task claim ${id}`,
    show: (id) => `; \`relay task show ${id}\``,
    submit: () => "",
    answer: (id) => `\`relay reply ${id} - <<'END'\` answers and acks; then \`relay wait --ack shown\` acks the rest and waits.`,
    all: (from) => `A reply goes to all in the thread; \`--to ${from}\` to ${from} alone`,
    begin: "`relay plan apply` begins one with its tasks and first mail (`relay plan apply --help`)",
    done: "Then `relay wait --ack shown`.",
    end: `\`relay session end --summary - <<'END'\`${ENDS}\`relay task create 'TITLE' --assignee PART\`.`,
    wait: "`relay wait` blocks until there is.",
    ack: "`relay ack --all`",
    more: "relay next",
    memory: MEMORY,
  },
  tool: {
    read: ({ artifact }) => `get_artifact ${artifact}`,
    ends: "done: true",
    review: (id, _, ends) => `\`submit_review ${id}\`: approved (${ends}) or changes_requested`,
    claim: (id) => `claim_task ${id}`,
    show: (id) => `; \`show_task ${id}\``,
    submit: () => "",
    answer: () => "`reply` answers and acks; then `wait` with ack: shown acks the rest and waits.",
    all: (from) => `A reply goes to all in the thread, with to: ["${from}"] to ${from} alone`,
    begin: "`start_session` begins one, `create_task` its tasks",
    done: "Then `wait` with ack: shown.",
    end: `\`end_session\` with a summary${ENDS}\`create_task\`.`,
    wait: "`wait` blocks until there is.",
    ack: "`ack` with all",
    more: "next",
    memory: "`read_memory` with key",
  },
  file: {
    read: ({ commit, path }) => (commit === undefined ? (path ?? "sessions/*/artifacts/") : `git diff HEAD...${commit.slice(0, 7)}`),
    ends: "`done: true`",
    review: (id, _, ends) => `a draft with \`review: ${id}\`, \`status: approved\` (${ends}) or \`changes_requested\``,
    claim: (id) => `claim: ${id}`,
    show: () => "",
    submit: (id) => `; a draft with \`submit: ${id}\` and what you did hands in HEAD`,
    answer: (id) => `A draft with \`thread: ${id}\` answers; then move \`new/*-${id}-*\` to read/.`,
    all: (from) => `It goes to all in the thread, with \`to: [${from}]\` to ${from} alone`,
    begin: "`relay plan apply` begins one",
    done: "Move what you dealt with from new/ to read/, as `new/*-ID-*`; mail of a review that you answer, or a task that you claim, goes by itself.",
    end: "`relay session end --summary TEXT` ends it.",
    wait: "",
    ack: "",
    more: "",
    memory: "memory/project.md",
  },
};

/** Says who needs the end of a task, after a semicolon. */
const waitingWords = (waiting: readonly string[]): string => (waiting.length === 0 ? "" : `; needed by ${waiting.join(", ")}`);

const indented = (text: string): string => text.replace(/^(?=.)/gm, "  ");
/** Ends a sentence, unless it ends already. */
const ended = (sentence: string): string => (/[.!?…)]$/.test(sentence) ? sentence : `${sentence}.`);

/**
 * Writes a turn as text.
 * @param nowMs milliseconds since the epoch
 */
export function turnWords(answer: TurnAnswer, surface: TurnSurface, nowMs: number): string {
  const words = SURFACES[surface];
  // A text that is read later has no age.
  const timeOf = (at: string): string => (surface === "file" ? `${at.slice(0, 16)}Z` : ageOf(at, nowMs));
  const { messages, left = 0, reviews = [], tasks = [], happened = [], memory = [], missing = [], acked = [], ackedSubjects = [] } = answer;
  const short = shortNames(messages.map(({ messageId }) => messageId));
  const lines: string[] =
    acked.length === 0 ? [] : [ended(`Acked${ackedSubjects.length === 0 ? "" : ":"} ${ackedWords(acked.length, ackedSubjects)}`)];
  for (const { messageId, subject, from, origin, urgent, needsHuman, at, closed, answers, body = "" } of messages) {
    const said = { urgent, "a person must decide": needsHuman, closed: closed === true };
    const marks = [short(messageId), timeOf(at), ...Object.entries(said).flatMap(([mark, is]) => (is ? [mark] : []))].join(", ");
    const by = origin === undefined ? from : `${from} ${origin}`;
    const told = isToldBy(by, subject);
    const { from: whom, words: quoted } = told || answers === undefined ? {} : answers;
    lines.push(`${told ? "" : `${by}${whom === undefined ? "" : ` answers ${whom}`}: `}${subject} (${marks})`);
    lines.push(...(quoted === undefined ? [] : [`  > ${quoted}`]), indented(body));
  }
  if (left > 0) lines.push(`${left} more new${words.more === "" ? "" : `: \`${words.more}\``} once you dealt with these.`);
  for (const review of reviews) {
    const { id, name, version, from, commit, changed, merges, waiting = [], read = words.read(review), said = "" } = review;
    const run = commit === undefined ? "" : ` (to run it: \`git archive ${commit.slice(0, 7)} | tar x -C DIR\`)`;
    const change = changed === undefined ? "" : ` (since you answered: \`${changed}\`)`;
    const ends = `${merges === undefined ? words.ends : `${merges} merges it, which`} ends its task${waitingWords(waiting)}`;
    lines.push(
      `Review ${name} v${version} of ${from}: \`${read}\`${change}${run}, then ${words.review(shortOf(id), merges !== undefined, ends)}.`,
    );
    if (said !== "") lines.push(indented(said));
  }
  for (const { id, title, state, until, blockedBy = [], reason, merge = [], waiting = [], details = "" } of tasks) {
    const more = {
      // A connection renews its claims.
      held: `yours${surface === "tool" ? "" : `, its lease ends ${timeOf(until ?? "")}`}${words.submit(shortOf(id))}`,
      ready: `ready: ${surface === "file" ? "a draft with " : ""}\`${words.claim(shortOf(id))}\`${surface === "file" ? "" : " shows it whole"}${merge.length === 0 ? "" : `, then ${merge.map((each) => `\`git merge ${each}\``).join(", ")}`}`,
      blocked: `${reason === undefined ? `blocked by ${blockedBy.join(", ")}` : `blocked: ${reason}`}${words.show(shortOf(id))}`,
      in_review: "in review",
    }[state];
    lines.push(`Task ${shortOf(id)} '${title}': ${more ?? state}${waitingWords(waiting)}.`, ...(details === "" ? [] : [indented(details)]));
  }
  lines.push(...happened.map(ended));
  if (memory.length > 0) lines.push(memoryWords(memory, words.memory), ...memory.map((each) => indented(each.trimEnd())));
  if (missing.length > 0) lines.push(`Still nothing in ${missing.join(", ")}.`);
  const said = acked.length === 0 ? 0 : 1;
  if (lines.length === said) return [...lines, ...nothingNew(answer, words)].join("\n");
  if (answer.timedOut === true && missing.length === 0) lines.splice(said, 0, "Nothing to act on came; meanwhile:");
  const { earlier = 0, you, ended: over } = answer;
  if (over !== undefined) lines.splice(said, 0, ended(over));
  if (you !== undefined) lines.unshift(`You are ${you}.`);
  if (earlier > 0) lines.push(`${earlier} unread, shown before${words.ack === "" ? "" : `: ${words.ack} acks what you were shown`}.`);
  const isTold = messages.every(({ closed, subject, from }) => closed === true || isToldBy(from, subject));
  const first = messages.length === 1 ? short(messages[0]?.messageId ?? "") : "ID";
  const isOver = happened.some(isAllDone);
  if (isTold && answer.through !== undefined) lines.push(`Nothing else is yours now, and ${answer.through} hears of that without mail.`);
  if (messages.length > 0 && !(isTold && isOver)) lines.push(isTold ? words.done : words.answer(first));
  const shared = messages.find(({ toAll, closed, subject, from }) => toAll === true && closed !== true && !isToldBy(from, subject));
  if (shared !== undefined && !isTold)
    lines.push(`${words.all(shared.from)}${messages.length === 1 ? "" : ` (${short(shared.messageId)})`}.`);
  return [...lines, ...openLines(answer), ...unmergedLines(answer), ...(isOver ? [words.end] : [])].join("\n");
}

/** What stands above pieces of the memory. @param read says how the text of a long one is read */
export const memoryWords = (memory: readonly string[], read: string): string =>
  `The project remembers, new to you${memory.some((each) => each.endsWith(" …")) ? ` (${read})` : ""}:`;

/** What a part waits for, and from whom. */
const openLines = ({ open = [] }: TurnAnswer): string[] => (open.length === 0 ? [] : [`Open: ${someOf(open, "; ")}.`]);

/** What is approved, and to be merged. */
const unmergedLines = ({ unmerged = [] }: TurnAnswer): string[] => unmerged.map((each) => `Approved, not merged: ${each}.`);

/** Whether a subject says itself who did what: Relay wrote it, and nobody waits for an answer. */
const isToldBy = (from: string, subject: string): boolean => subject.startsWith(`${from} `);

/** Characters of a subject that says what was acked. */
const SUBJECT = 48;

/** What was acked: the first subjects, and how many more. */
export function ackedWords(count: number, subjects: readonly string[]): string {
  if (subjects.length === 0) return `${count}`;
  const short = subjects.map((each) => (each.length <= SUBJECT ? each : `${cutAtWord(each, SUBJECT)} …`));
  return `${short.join("; ")}${count > subjects.length ? `; and ${count - subjects.length} more` : ""}`;
}

/** What a part still has to do, and what it waits for, where nothing is new. */
function nothingNew(answer: TurnAnswer, { wait, ack, begin }: Surface): string[] {
  const { you, timedOut, owes = [], noSession, ended: over } = answer;
  const first = timedOut === true ? "Nothing came." : `Nothing new.${wait === "" || over !== undefined ? "" : ` ${wait}`}`;
  const mail = owes.some((each) => each.startsWith(ANSWER)) && ack !== "" ? ` (or ${ack})` : "";
  return [
    ...(you === undefined ? [first] : [`You are ${you}. ${first}`]),
    ...(owes.length === 0 ? [] : [`You owe: ${someOf(owes, "; ")}${mail}.`]),
    ...openLines(answer),
    ...unmergedLines(answer),
    ...(over === undefined ? [] : [ended(over)]),
    ...(noSession === true ? [`No session is open: ${begin}.`] : []),
  ];
}
