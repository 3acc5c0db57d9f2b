/** A line of the feed in words: when, who, what they did, to what. */
import { atCommit } from "./board/print-artifact.ts";
import type { Style } from "./style.ts";
import { localSecond, plainLine, short } from "./words.ts";

/** A line of the feed, as far as words are made of it; anything may be absent. */
interface Line {
  at?: string;
  type?: string;
  part?: string | null;
  to?: string | string[];
  subject?: string;
  threadId?: string;
  messageIds?: string[];
  sessionId?: string;
  task?: { id?: string; title?: string; status?: string; assignee?: string | null };
  created?: boolean;
  artifact?: { name?: string };
  review?: { name?: string; version?: number; reviewer?: string; status?: string; commit?: string; comment?: string };
  path?: string;
  since?: string;
  tasks?: { title?: string }[];
  formerly?: string;
  detail?: string | object;
  chunk?: string;
  turn?: number;
  reason?: string;
  outcome?: string;
  problem?: string;
  state?: string;
  program?: string;
  bytes?: number;
  from?: string;
  costUsd?: number;
  limitUsd?: number;
  tokens?: number;
  limitTokens?: number;
}

/** What was done, by type, and to what; a type that is not here is printed as it is. */
const DONE: Record<string, (line: Line) => [done: string, what: string]> = {
  "message:sent": ({ subject, to, threadId }) => ["sent", `${subject ?? ""} → ${[to ?? []].flat().join(", ")} (${short(threadId ?? "")})`],
  "message:acked": ({ messageIds = [] }) => ["acked", messageIds.map(short).join(", ")],
  "task:updated": ({ task, created }) => [
    created === true ? "created" : "changed",
    `task ${short(task?.id ?? "")} ${task?.title ?? ""}: ${task?.status ?? ""}${task?.assignee == null ? "" : `, ${task.assignee}`}`,
  ],
  "artifact:posted": ({ artifact }) => ["posted", `artifact ${artifact?.name ?? ""}`],
  "review:requested": ({ review }) => ["asked", `${review?.reviewer ?? ""} for a review`],
  "review:updated": ({ review: { name = "", version = "", status = "", commit, comment } = {} }) => [
    "reviewed",
    `${name} v${version}${atCommit(commit)}: ${status}${comment === undefined ? "" : `: ${comment}`}`,
  ],
  "memory:updated": ({ path }) => ["wrote", path ?? "memory"],
  "session:started": ({ sessionId }) => ["started", `session ${sessionId ?? ""}`],
  "session:ended": ({ sessionId }) => ["ended", `session ${sessionId ?? ""}`],
  "session:reopened": ({ sessionId }) => ["reopened", `session ${sessionId ?? ""}`],
  "part:stuck": ({ since = "", tasks = [] }) => ["is stuck", `on ${tasks[0]?.title ?? ""}: no sign of life since ${localSecond(since)}`],
  "part:blocked": () => ["waits", "for an answer in its terminal: relay attach"],
  "part:renamed": ({ formerly }) => ["renamed", `it was ${formerly ?? ""}`],
  "office:session_started": ({ program }) => ["began", `a session of ${program ?? ""}`],
  "office:dispatch_started": ({ turn, reason }) => ["started", `turn ${turn ?? ""}: ${reason ?? ""}`],
  "office:dispatch_completed": ({ turn, outcome }) => ["ended", `turn ${turn ?? ""}: ${outcome ?? ""}`],
  "office:stream_data": ({ turn, bytes }) => ["printed", `${bytes ?? 0} bytes in turn ${turn ?? ""}`],
  "office:state_changed": ({ state }) => ["is", state ?? ""],
  "office:failure": ({ outcome, problem }) => ["failed", `${problem ?? ""} (${outcome ?? ""})`],
  "office:cost_warning": ({ costUsd = 0, limitUsd = 0 }) => ["cost", `$${costUsd.toFixed(2)} by now, more than $${limitUsd.toFixed(2)}`],
  "office:context_warning": ({ tokens, limitTokens }) => ["is given", `${tokens ?? 0} tokens, more than ${limitTokens ?? 0}`],
  "office:input_requested": ({ to }) => ["asks", [to ?? []].flat().join(", ")],
  "office:input_received": ({ from }) => ["heard", `the answer of ${from ?? ""}`],
  "agent:thinking": ({ chunk }) => ["thinks", chunk ?? ""],
};

/** Columns of who and of what they did. */
const WHO = 12;
const DOES = 9;

/** @param text one line of JSON of the feed */
export function feedWords(text: string, style: Style): string {
  const line = JSON.parse(text) as Line;
  const { at = "", type = "", detail, part, subject, threadId } = line;
  const [done, what] = DONE[type]?.(line) ?? [
    type.replace(/^event:/, ""),
    [subject, threadId].filter((each) => each !== undefined).join("  "),
  ];
  // What settles a claim is no part; the claim is its holder's.
  const who = plainLine(String((part === "relay" ? line.task?.assignee : part) ?? "-"));
  const rest = [what, detail]
    .flatMap((each) =>
      each === undefined || each === "" ? [] : [plainLine(typeof each === "object" ? JSON.stringify(each) : String(each))],
    )
    .join("  ");
  return [style.dim(localSecond(at)), style.bold(who.padEnd(WHO)), plainLine(done).padEnd(DOES), rest].join("  ").trimEnd();
}
