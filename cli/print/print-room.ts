/** What people see of messages, threads and who is there. */
import { HUMAN } from "../../protocol/index.ts";
import { nextFor, reasonWords, shellWord } from "../../protocol/internal.ts";
import { sessionLine } from "./print-task.ts";
import { ago, type Cell, localTime, many, more, type Printer, type Printers, plain, plainLine, type Style, short, table } from "./style.ts";

interface Recipient {
  part: string;
  state: string;
  online: boolean;
  reachable?: string[];
  wake: string;
  reason?: string;
}

const WHY: Record<string, string> = {
  no_pager: "reads it when it looks",
  human: "a person reads it when they look",
  limited: "asked not to be woken now",
  budget: "the wake budget is used up",
  acked: "dealt with already",
};

/** Where nobody of a part is connected: whether a session of it idles somewhere. */
const away = (reachable: string[] | undefined): string =>
  reachable === undefined ? "offline" : `idle, wakes by ${reachable.join(" or ")}`;

function recipients(list: Recipient[], style: Style): string {
  return table(
    list.map(({ part, state, online, reachable, wake, reason }) => [
      { text: `  ${part}`, paint: style.bold },
      state,
      online ? { text: "online", paint: style.green } : { text: away(reachable), paint: style.dim },
      { text: reason === undefined ? (wake === "owed" ? "is to be woken" : "") : (WHY[reason] ?? reason), paint: style.dim },
    ]),
    style,
  );
}

const sent: Printer = (answer, style) =>
  [
    `${style.green("Sent")} ${answer.messageId}\n${style.dim("  in thread")} ${answer.threadId}\n${recipients(answer.recipients, style)}`,
    ...ackedLines(answer, style),
  ].join("\n");

/** What was acked beside, and what was not, because nobody saw it. */
function ackedLines(answer: { threadId: string; acked?: string[]; unseen?: number }, style: Style): string[] {
  const { threadId, acked, unseen } = answer;
  if (acked === undefined) return [];
  const done = `${style.green("Acked")} ${acked.length}.`;
  if (unseen === undefined) return [done];
  const left = `${many(unseen, "message")} of this thread ${unseen === 1 ? "was" : "were"} not shown to you, and ${unseen === 1 ? "stays" : "stay"} unread`;
  return [`${done} ${style.yellow(left)}: relay show ${short(threadId)}, then relay ack --thread ${short(threadId)}`];
}

/** A preview of so many characters may have been cut. */
const CUT_FROM = 159;
/** What is shown of a preview: where it was cut, whole words and a mark that there is more. */
const beginning = (preview: string): string => (preview.length < CUT_FROM ? preview : `${preview.replace(/\s\S*$/, "")} …`);

interface Brief {
  messageId: string;
  threadId: string;
  subject: string;
  from: string;
  origin?: string;
  unread: boolean;
  urgent: boolean;
  needsHuman: boolean;
  at: string;
  preview: string;
}

/** Who wrote a message, and where, unless it was here. */
const sender = (from: string, origin: string | undefined): string =>
  origin === undefined || from.includes(" ") ? from : `${from} (${origin === "unknown" ? "origin unknown" : origin})`;

/** Before a message: a person must decide it (`?`), it is urgent, it is unread. */
function mark(unread: boolean, urgent: boolean, needsHuman: boolean, style: Style): Cell {
  if (!unread) return " ";
  if (needsHuman) return { text: "?", paint: style.yellow };
  return urgent ? { text: "!", paint: style.red } : { text: "•", paint: style.cyan };
}

function messages(list: Brief[], style: Style): string {
  return table(
    list.map(({ messageId, threadId, subject, from, origin, unread, urgent, needsHuman, at, preview }) => [
      mark(unread, urgent, needsHuman, style),
      { text: short(messageId), paint: style.yellow },
      { text: short(threadId), paint: style.dim },
      { text: sender(from, origin), paint: style.bold },
      { text: ago(at, style.now), paint: style.dim },
      `${plainLine(subject)} — ${plainLine(beginning(preview))}`,
    ]),
    style,
    "cut",
  );
}

interface Thread {
  id: string;
  subject: string;
  status: string;
  lastAt: string;
  participants: string[];
  messages: number;
  unread: number;
}

function threadTable(list: Thread[], style: Style): string {
  const paints: Record<string, (text: string) => string> = { open: style.yellow, answered: style.green, holding: style.cyan };
  return table(
    list.map(({ id, subject, status, lastAt, participants, messages: count, unread }) => [
      { text: short(id), paint: style.yellow },
      { text: status, paint: paints[status] ?? style.dim },
      { text: ago(lastAt, style.now), paint: style.dim },
      { text: many(count, "message"), paint: style.dim },
      unread > 0 ? { text: `${unread} unread`, paint: style.cyan } : "",
      {
        text: participants.length > 4 ? `${participants.slice(0, 3).join(", ")} +${participants.length - 3}` : participants.join(", "),
        paint: style.bold,
      },
      plainLine(subject),
    ]),
    style,
    "cut",
  );
}

interface Member {
  part: string;
  online: boolean;
  main: boolean;
  you: boolean;
  unread: number;
  reachable?: string[];
  agent: { name: string; connectedAt: string } | null;
  about?: string;
  session?: string;
  limitedUntil?: string;
  quietSince?: string;
  wake?: { state: string; rung?: string; reason?: string; detail?: string };
  oldestUnreadAt?: string;
  terminal?: string;
}

/** Reasons that are said once, or that everybody knows, and so not of each part. */
const NOT_EACH = new Set(["no_pager", "human"]);

/** Where a wake stands, in words. */
const STANDS: Record<string, string> = {
  owed: "to be woken",
  leased: "being woken",
  typed: "woken",
  noticed: "heard of it",
  expired: "to be woken again",
  suppressed: "not woken",
  none: "not woken",
};

/** A wake in a few words, with what can be done where nothing comes of it. */
function wakeNote(
  part: string,
  { state, rung, reason, detail }: { state: string; rung?: string; reason?: string; detail?: string },
): string {
  const by = rung === undefined ? "" : ` by ${rung}`;
  const why = reason === undefined ? "" : `: ${plainLine(reasonWords(reason))}`;
  const next = reason === undefined ? null : nextFor(reason, part);
  return `${STANDS[state] ?? plainLine(state)}${by}${detail === undefined ? "" : `, ${plainLine(detail)}`}${why}${next === null ? "" : ` (${next})`}`;
}

/** What keeps a part's terminal, with what can be done. */
function terminalNote(part: string, reason: string): string {
  const next = nextFor(reason, part);
  return `${plainLine(reasonWords(reason))}${next === null ? "" : ` (${next})`}`;
}

/** How long the oldest unread message waits, where that is more than a minute. */
function sinceWhen({ oldestUnreadAt }: Member, style: Style): string {
  if (oldestUnreadAt === undefined || style.now - Date.parse(oldestUnreadAt) < 60_000) return "";
  return `, oldest ${ago(oldestUnreadAt, style.now)}`;
}

/** What a person must decide. */
const questionLines = (list: { threadId: string; subject: string; from: string; at: string; origin?: string }[], style: Style): string[] =>
  list.map(
    ({ threadId, subject, from, at, origin }) =>
      `${style.yellow("?")} ${style.bold(plainLine(subject))} ${style.dim(`from ${sender(from, origin)}, ${ago(at, style.now)}: relay show ${short(threadId)} --part human`)}`,
  );

interface FailedNotify {
  name: string;
  at: string;
  detail: string;
}

/** A way of telling people that failed. */
const failedLine = ({ name, at, detail }: FailedNotify, style: Style): string =>
  `${style.yellow("!")} notify ${style.bold(name)} failed ${ago(at, style.now)}: ${plainLine(detail)} (relay notify test ${name})`;

/** What to do where mail waits and nobody wakes; empty where somebody does, or nothing waits. */
const pagerLines = (parts: Member[], pager: boolean): string[] =>
  !pager && parts.some(({ wake }) => wake?.reason === "no_pager") ? ["No pager runs here, so nobody is woken: relay pager start"] : [];

function memberTable(list: Member[], style: Style): string {
  return table(
    list.map((member) => {
      const notes = [
        member.you ? "you" : "",
        member.main ? "main" : "",
        member.session === undefined ? "" : `guest of ${member.session}`,
        member.limitedUntil === undefined ? "" : `limited until ${localTime(member.limitedUntil)}`,
        member.quietSince === undefined ? "" : style.yellow(`quiet since ${localTime(member.quietSince)}, with a task in hand`),
        member.wake === undefined || NOT_EACH.has(member.wake.reason ?? "") ? "" : wakeNote(member.part, member.wake),
        member.terminal === undefined || member.terminal === member.wake?.reason ? "" : terminalNote(member.part, member.terminal),
        member.about === undefined ? "" : plainLine(member.about),
      ].filter((note) => note !== "");
      const row: Cell[] = [
        member.online ? { text: "●", paint: style.green } : { text: "○", paint: style.dim },
        { text: member.part, paint: style.bold },
        member.agent === null
          ? { text: away(member.reachable), paint: style.dim }
          : { text: plainLine(member.agent.name), paint: style.green },
        member.unread > 0 ? { text: `${member.unread} unread${sinceWhen(member, style)}`, paint: style.cyan } : "",
        notes.join(" · "),
      ];
      return row;
    }),
    style,
  );
}

interface Notice {
  part?: string;
  id: string;
  lines: string[];
}

/** What syncs did to parts that live here. @param there the parts there are: a person acks the notices of others */
const noticeLines = (notices: Notice[] | undefined, style: Style, there?: ReadonlySet<string>): string =>
  (notices ?? [])
    .flatMap(({ part, id, lines }) => {
      const isGone = part !== undefined && there?.has(part) === false;
      const reader = isGone ? HUMAN : part;
      return [
        style.yellow(`Notice ${id}${part === undefined ? "" : ` for ${part}${isGone ? ", which is no part any more" : ""}`}:`),
        ...lines.map((line) => `  ${plainLine(line)}`),
        style.dim(`  seen: relay ack ${id}${reader === undefined ? "" : ` --part ${shellWord(reader)}`}`),
      ];
    })
    .map((line) => `\n${line}`)
    .join("");

const inbox: Printer = (answer, style, input) => `${unreadLines(answer, style, input)}${noticeLines(answer.notices, style)}`;

const unreadLines: Printer = (answer, style, input) => {
  const none = input["unreadOnly"] === false ? "No messages." : "Nothing unread.";
  if (answer.messages.length === 0) return style.dim(answer.unread === 0 ? none : `Nothing unread can be shown (${answer.unread} in all).`);
  return `${messages(answer.messages, style)}\n${style.dim(`${answer.unread} unread · read: relay show ${short(answer.messages[0].threadId)} · done: relay ack ${short(answer.messages[0].messageId)}`)}${more(answer, style)}`;
};

/** Messages that somebody asked to forget. */
const requestLines = (
  requests: { id: string; by: string; at: string; reason?: string; kept: boolean }[] | undefined,
  style: Style,
): string[] =>
  (requests ?? []).map(({ id, by, at, reason, kept }) => {
    const answer = kept ? `; this machine keeps it: relay forget ${shellWord(id)} --confirm, or --refuse` : "";
    return style.yellow(
      `${short(id)}  asked to be forgotten by ${plainLine(by)}, ${localTime(at)}${reason === undefined ? "" : `: ${plainLine(reason)}`}${answer}`,
    );
  });

const show: Printer = ({ thread, messages: list, cursor, forgotten }, style) => {
  const head = `${style.bold(plainLine(thread.subject))}  ${style.dim(`${thread.status} · ${thread.id} · ${thread.participants.join(", ")}`)}`;
  const blocks = list.map(
    (message: {
      messageId: string;
      from: string;
      origin?: string;
      to: string[];
      at: string;
      body: string;
      urgent: boolean;
      needsHuman: boolean;
      receipts: { part: string; state: string; origin?: string; missing?: boolean }[];
    }) => {
      const flags = `${message.urgent ? ` ${style.red("urgent")}` : ""}${message.needsHuman ? ` ${style.yellow("needs a person")}` : ""}`;
      const receipts = message.receipts
        .map(
          ({ part, state, origin, missing }) =>
            `${part} ${state}${origin === undefined ? "" : ` (${origin})`}${missing === true ? " (missing from its inbox: relay doctor)" : ""}`,
        )
        .join(", ");
      const body = plain(message.body)
        .split("\n")
        // A bar of its own before each line: no body can look like the head of another message, or like what Relay says.
        .map((row) => `${style.dim("│")} ${row}`.trimEnd())
        .join("\n");
      return `${style.yellow(short(message.messageId))}  ${style.bold(sender(message.from, message.origin))} → ${message.to.join(", ")}  ${style.dim(localTime(message.at))}${flags}\n${body}\n${style.dim(`  [${receipts}]`)}`;
    },
  );
  return [head, ...blocks, ...requestLines(forgotten, style)].join("\n\n") + more({ cursor }, style);
};

const setStatus: Printer = (answer, style) => {
  const { threadId, status, cleared } = answer;
  const names = cleared.map(({ part, messageId }: { part: string; messageId: string }) => `${part} ${short(messageId)}`).join(", ");
  const done = `${style.green("Done")}: ${threadId} is ${status}.${cleared.length === 0 ? "" : ` Cleared unread, listed in the thread: ${names}`}`;
  return [done, ...ackedLines(answer, style)].join("\n");
};

/** The printers of the room, by operation. */
export const roomPrinters: Printers = {
  send: sent,
  reply: sent,
  inbox,
  wait: (answer, style, input) => (answer.timedOut ? style.dim("Nothing came.") : inbox({ ...answer, cursor: null }, style, input)),
  ack: ({ acked, alreadyRead, unread }, style) =>
    `${style.green("Acked")} ${acked.length}${alreadyRead.length > 0 ? style.dim(` (${alreadyRead.length} before)`) : ""}; ${unread} unread left.`,
  show,
  threads: (answer, style) =>
    answer.threads.length === 0 ? style.dim("No threads.") : threadTable(answer.threads, style) + more(answer, style),
  roster: ({ project, parts }, style) =>
    [style.bold(plainLine(project.name)), memberTable(parts, style), ...pagerLines(parts, false)].join("\n"),
  whoami: ({ project, part, main, bound, unread, home }, style) =>
    part === null
      ? `Nobody yet, in ${style.bold(plainLine(project.name))}. Say who with --part, RELAY_PART, or \`relay part here web\`.\n${style.dim(home)}`
      : `${style.bold(part)}${main ? " (main)" : ""} in ${style.bold(plainLine(project.name))}, ${many(unread, "unread message")}${bound ? "" : style.dim(" (by default of this worktree)")}\n${style.dim(home)}`,
  status: ({ project, part, unread, session, parts, needsHuman, pager, threads, home, forgotten, notices, notifyFailed }, style) => {
    const you = part === null ? style.dim("nobody (--part says who)") : `${style.bold(part)}, ${many(unread, "unread message")}`;
    const latest = threads.length === 0 ? style.dim("No threads yet.") : threadTable(threads, style);
    const people = questionLines(needsHuman, style);
    const blocks = [
      `${style.bold(plainLine(project.name))}  ${style.dim(home)}\nYou: ${you}${sessionLine(session, style)}`,
      ...(people.length === 0 ? [] : [[style.bold("A person must decide:"), ...people].join("\n")]),
      [memberTable(parts, style), ...pagerLines(parts, pager)].join("\n"),
      ...(notifyFailed === undefined ? [] : [notifyFailed.map((each: FailedNotify) => failedLine(each, style)).join("\n")]),
      latest,
      ...(forgotten === undefined ? [] : [requestLines(forgotten, style).join("\n")]),
    ];
    return `${blocks.join("\n\n")}${noticeLines(notices, style, new Set(parts.map(({ part: id }: { part: string }) => id)))}`;
  },
  close: setStatus,
  reopen: setStatus,
  event: ({ eventId, limitedUntil, lifted }, style) =>
    `${style.green("Recorded")} ${eventId}${limitedUntil === undefined ? "" : `; no wakes until ${localTime(limitedUntil)}`}${lifted === true ? "; it may be woken again" : ""}`,
};
