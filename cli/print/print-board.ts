/** What people see of sessions, artifacts, reviews, memory, and the messages of a session. */
import { placeWords } from "../../protocol/internal.ts";
import { since, statusPaint } from "./print-task.ts";
import { ago, type Cell, many, type Printers, plainLine, type Style, short, table } from "./style.ts";

interface Detail {
  id: string;
  started_at: string;
  ended_at: string | null;
  current: boolean;
  has_summary: boolean;
}

function sessionRow({ id, started_at, ended_at, current, has_summary }: Detail, style: Style): Cell[] {
  return [
    current ? { text: "*", paint: style.cyan } : " ",
    { text: id, paint: style.yellow },
    ended_at === null ? { text: "open", paint: style.green } : { text: "ended", paint: style.dim },
    { text: ago(started_at, style.now), paint: style.dim },
    has_summary ? "summary" : "",
  ];
}

interface Artifact {
  id: string;
  name: string;
  version: number;
  type: string;
  created_by: string;
  task_id: string | null;
  created_at: number;
}

interface Review {
  id: string;
  name: string;
  version: number;
  status: string;
  reviewer: string;
  requester: string;
  comments: string | null;
  created_at: number;
  origin?: string;
}

interface Message {
  id: string;
  from_agent: string;
  to_agent: string | null;
  content: string;
  thread_id: string | null;
  created_at: number;
  seq: number;
}

/** The printers of the board, by operation. */
export const boardPrinters: Printers = {
  get_server_info: ({ home, sessionId, dashboardUrl }, style) =>
    `${style.dim("home     ")} ${home}\n${style.dim("session  ")} ${sessionId ?? "none yet"}\n${style.dim("dashboard")} ${dashboardUrl ?? "none"}`,
  start_session: ({ session_id }, style, input) =>
    `${style.green("Session")} ${session_id}${input["session_id"] === undefined ? "" : `\n${style.dim(`other commands go to the newest open session; to this one with --session ${session_id}, or RELAY_SESSION_ID=${session_id}`)}`}`,
  list_sessions: ({ details }: { details: Detail[] }, style) =>
    details.length === 0
      ? style.dim("No sessions.")
      : table(
          details.map((detail) => sessionRow(detail, style)),
          style,
        ),
  reopen_session: ({ session_id, reopened }, style) =>
    reopened ? `${style.green("Opened")} session ${session_id} again.` : `Session ${session_id} is open.`,
  end_session: ({ session_id, left = 0, unfilled = [] }, style) =>
    [
      `${style.green("Ended")} ${session_id}; its summary: relay session summary ${placeWords([session_id])}`,
      ...(left === 0 ? [] : [style.yellow(`${many(left, "task")} not done: relay task list --session ${session_id}`)]),
      ...(unfilled.length === 0 ? [] : [style.yellow(`relay check will find ${many(unfilled.length, "thing")} to be written in it:`)]),
      ...unfilled.map((each: string) => `  ${plainLine(each)}`),
    ].join("\n"),
  save_session_summary: ({ session_id, version }, style) =>
    `${style.green("Saved")} the summary of ${session_id}${version === undefined ? "" : `; the earlier one is kept as summaries/${version}.md`}.`,
  send_message: ({ message }: { message: Message }, style) =>
    `${style.green("Sent")} ${message.id} to ${message.to_agent ?? "all"}${style.dim(` (seq ${message.seq})`)}`,
  get_messages: ({ messages }: { messages: Message[] }, style) =>
    messages.length === 0
      ? style.dim("No messages.")
      : `${table(
          messages.map(({ id, from_agent, to_agent, content, thread_id, created_at, seq }) => [
            { text: String(seq).padStart(3), paint: style.dim },
            { text: short(id), paint: style.yellow },
            { text: from_agent, paint: style.bold },
            { text: to_agent === null ? "to all" : "", paint: style.dim },
            since(created_at, style),
            { text: thread_id === null ? "" : plainLine(thread_id), paint: style.dim },
            plainLine(content),
          ]),
          style,
        )}\n${style.dim(`later ones: --after-seq ${messages.at(-1)?.seq ?? 0}`)}`,
  post_artifact: ({ artifact_id, version }, style) => `${style.green("Posted")} ${artifact_id}, version ${version}`,
  list_artifacts: ({ artifacts }: { artifacts: Artifact[] }, style) =>
    artifacts.length === 0
      ? style.dim("No artifacts.")
      : table(
          artifacts.map(({ id, name, version, type, created_by, task_id, created_at }) => [
            { text: id, paint: style.yellow },
            `v${version}`,
            { text: type, paint: style.dim },
            { text: created_by, paint: style.bold },
            since(created_at, style),
            { text: task_id === null ? "" : short(task_id), paint: style.dim },
            plainLine(name),
          ]),
          style,
        ),
  request_review: ({ review_id, artifact_id }, style, { reviewer }) =>
    `${style.green("Asked")} ${plainLine(String(reviewer))} for ${review_id} of ${artifact_id}`,
  submit_review: ({ review }: { review: Review }, style) => `Submitted ${review.id}: ${statusPaint(review.status, style)(review.status)}`,
  list_reviews: ({ reviews }: { reviews: Review[] }, style) =>
    reviews.length === 0
      ? style.dim("No reviews.")
      : table(
          reviews.map(({ id, name, version, status, reviewer, requester, comments, created_at, origin }) => [
            { text: id, paint: style.yellow },
            { text: origin === undefined ? status : `${status} (${origin})`, paint: statusPaint(status, style) },
            { text: `${requester} → ${reviewer}`, paint: style.bold },
            since(created_at, style),
            `${plainLine(name)} v${version}${(comments ?? "") === "" ? "" : ` — ${plainLine(comments as string)}`}`,
          ]),
          style,
        ),
  write_memory: ({ path, characters }, style) => `${style.green("Written")} to ${path}, ${many(characters, "character")} now.`,
  append_memory: ({ path, characters }, style) => `${style.green("Appended")} to ${path}, ${many(characters, "character")} now.`,
  save_orchestrator_state: ({ session_id }, style) => `${style.green("Kept")} the state of ${session_id}.`,
  broadcast_thinking: (_answer, style) => style.dim("Shown to whoever watches."),
};

/** The text that an operation gives, null where there is none, and what to say then; undefined where it gives more. */
// biome-ignore lint/suspicious/noExplicitAny: each entry knows the shape that its own operation answers.
type GiveContent = (answer: any) => { text: string | null; beside?: string | undefined } | undefined;

/** Operations that print somebody's text and nothing else, so that it can be piped. */
export const boardContents: Record<string, GiveContent> = {
  end_session: ({ template }) => (template === undefined ? undefined : { text: template }),
  get_session_summary: ({ summary }) => ({ text: summary }),
  get_artifact: ({ artifact }) => ({ text: artifact.content }),
  read_memory: ({ content, origin }) => ({
    text: content,
    beside: content === null ? "Nothing is remembered yet." : origin && `The text was changed ${origin}.`,
  }),
  get_orchestrator_state: ({ state }) => ({ text: state, ...(state === null ? { beside: "No state was kept." } : {}) }),
};
