/** Prints for people: what the positions of an office do. */
import type { Answer, Printer, Style } from "../style.ts";
import { table } from "../table.ts";
import { ago, many, more, plain, plainLine } from "../words.ts";

type Conversation = Answer<"office_tree">["conversations"][number];
type Position = Answer<"office_tree">["positions"][number];

const since = (at: string, style: Style): string => ago(at, style.now);

const AT_WORK = ["running", "queued", "waiting"];

/** What a position does now: what it runs goes before what it waits for, and that before what it did. */
function doingOf(conversations: readonly Conversation[], position: string): Conversation | undefined {
  const own = conversations.filter((each) => each.position === position);
  return AT_WORK.flatMap((state) => own.filter((each) => each.state === state))[0] ?? own[0];
}

const painted = (state: string, style: Style): { text: string; paint: (text: string) => string } => ({
  text: state,
  paint: state === "failed" ? style.red : AT_WORK.includes(state) ? style.green : style.dim,
});

const costOf = (conversations: readonly Conversation[]): string => {
  const costs = conversations.flatMap(({ cost_usd: cost }) => cost ?? []);
  return costs.length === 0 ? "" : `$${costs.reduce((sum, cost) => sum + cost, 0).toFixed(2)}`;
};

export const printOfficeTree: Printer<"office_tree"> = ({ name, runner, positions, conversations, cursor, limitFaults }, style) => {
  const depths = new Map<string, number>();
  const rowOf = ({ id, name: called, parent }: Position) => {
    const depth = parent === null ? 0 : (depths.get(parent) ?? 0) + 1;
    depths.set(id, depth);
    const doing = doingOf(conversations, id);
    return [
      { text: `${"  ".repeat(depth)}${called}`, paint: style.bold },
      { text: id, paint: style.dim },
      painted(doing?.state ?? "idle", style),
      doing === undefined ? "" : plainLine(doing.subject).slice(0, 60),
      doing === undefined ? "" : { text: since(doing.since, style), paint: style.dim },
      costOf(conversations.filter((each) => each.position === id)),
    ];
  };
  const isWorking = conversations.some(({ state }) => AT_WORK.includes(state));
  const end = isWorking
    ? runner
      ? style.dim("The runner runs. See a conversation: relay office log CONTEXT")
      : style.yellow("No runner runs: relay office start, a pager, or any Send starts one")
    : style.dim('Nothing is at work. Give the lead a goal: relay office start "GOAL"');
  const asking = [...new Set(conversations.flatMap(({ position, awaiting_input }) => (awaiting_input.length > 0 ? [position] : [])))];
  return [
    style.bold(plainLine(name)),
    table(positions.map(rowOf), style),
    ...asking.map((position) => style.yellow(`${plainLine(position)} asks people: relay inbox --part human`)),
    ...limitFaults.map((text) => style.yellow(plainLine(text))),
    end + more({ cursor }, style),
  ].join("\n");
};

const WORDS: Readonly<Record<string, string>> = {
  ok: "replied",
  empty: "replied, without a text",
  failed: "failed",
  timeout: "ran out of time",
  closed: "was closed",
  question: "asks",
  queued: "works on it",
};

const printed = ({ status, context_id, agent, result, question }: Answer<"office_start">, style: Style): string =>
  [
    `${status === "failed" || status === "timeout" ? style.red(agent) : style.bold(agent)} ${WORDS[status] ?? status}`,
    ...[question ?? result ?? ""].filter((text) => text !== "").map(plain),
    style.dim(`See it: relay office log ${context_id}`),
  ].join("\n");
export const printOfficeStart: Printer<"office_start"> = printed;
export const printOfficeSend: Printer<"office_send"> = printed;

/** Lines of a text that a log shows; `relay show` has all of it. */
const LINES = 10;

function beginning(text: string): string {
  const lines = plain(text).trim().split("\n");
  return lines.length <= LINES ? lines.join("\n") : [...lines.slice(0, LINES), `[${lines.length - LINES} lines more]`].join("\n");
}

export const printOfficeLog: Printer<"office_log"> = ({ conversation, turns, led_to }, style) => {
  const { context_id, position, initiator, state, subject } = conversation;
  const head = [
    `${style.bold(plainLine(subject))}`,
    `${initiator} gave it to ${position}; ${painted(state, style).paint(state)} since ${since(conversation.since, style)}`,
    style.dim(context_id),
  ];
  const rows = turns.map(({ turn, at, reason, runner, outcome, problem }) => [
    `turn ${turn}`,
    { text: since(at, style), paint: style.dim },
    reason,
    runner,
    painted(outcome ?? "running", style),
    plainLine(problem ?? ""),
  ]);
  const said = turns.flatMap(({ turn, text }) => (text.trim() === "" ? [] : [`${style.dim(`turn ${turn}:`)} ${beginning(text)}`]));
  return [...head, table(rows, style), ...said, ...led_to.map((context) => style.dim(`led to ${context}`))].join("\n");
};

export const printOfficeStop: Printer<"office_stop"> = ({ closed }, style) =>
  closed.length === 0 ? style.dim("Nothing was at work.") : closed.map((context) => `${style.green("Closed")} ${context}`).join("\n");

export const printOfficeConversation: Printer<"office_conversation"> = ({ conversation, threadId, state, messages }, style) =>
  [
    `The thread of ${style.bold(plainLine(conversation))} is ${state === "active" ? style.green("open") : style.dim("closed")}, with ${many(messages, "message")}`,
    style.dim(messages === 0 ? `Begin it: relay send PART SUBJECT BODY --conversation ${conversation}` : `Read it: relay show ${threadId}`),
    style.dim("Each piece of work has a thread of its own: relay office tree"),
  ].join("\n");
