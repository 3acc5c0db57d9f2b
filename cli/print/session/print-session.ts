/** Prints for people: sessions, and of the state that is kept of one. */
import { placeWords, saveSummaryCommand } from "../../../protocol/internal.ts";
import type { Answer, Printer, Style } from "../style.ts";
import { type Cell, table } from "../table.ts";
import { ago, many, plainLine } from "../words.ts";

type Detail = Answer<"list_sessions">["details"][number];

function sessionRow({ id, title, started_at, ended_at, current, has_summary }: Detail, style: Style): Cell[] {
  return [
    current ? { text: "*", paint: style.cyan } : " ",
    { text: id, paint: style.yellow },
    ended_at === null ? { text: "open", paint: style.green } : { text: "ended", paint: style.dim },
    { text: ago(ended_at ?? started_at, style.now), paint: style.dim },
    has_summary ? "summary" : "",
    plainLine(title ?? ""),
  ];
}

/** Which home and session a server serves. */
export const printGetServerInfo: Printer<"get_server_info"> = ({ home, sessionId, dashboardUrl }, style) =>
  [
    `${style.dim("home     ")} ${home}`,
    `${style.dim("session  ")} ${sessionId ?? "none yet"}`,
    ...(dashboardUrl === null ? [] : [`${style.dim("dashboard")} ${dashboardUrl}`]),
  ].join("\n");

/** The id of a session, and how to use it. */
export const printStartSession: Printer<"start_session"> = ({ session_id }, style, input) =>
  `${style.green("Session")} ${session_id}${input["session_id"] !== session_id ? "" : `\n${style.dim(`other commands use the newest open session; for this one: --session ${session_id}, or RELAY_SESSION_ID=${session_id}`)}`}`;

/** Sessions, a line each: id, state, when it began or ended, and its title. */
export const printListSessions: Printer<"list_sessions"> = ({ details }, style) =>
  details.length === 0
    ? style.dim("No sessions.")
    : table(
        details.map((detail) => sessionRow(detail, style)),
        style,
      );

/** Which session was opened again. */
export const printReopenSession: Printer<"reopen_session"> = ({ session_id, reopened }, style) =>
  reopened ? `${style.green("Reopened")} session ${session_id}.` : `Session ${session_id} is open.`;

/** Which session ended, and what its summary lacks. */
export const printEndSession: Printer<"end_session"> = ({ session_id, left = 0, unfilled = [] }, style) =>
  [
    `${style.green("Ended")} ${session_id}; its summary: relay session summary ${placeWords([session_id])}`,
    ...(left === 0 ? [] : [style.yellow(`${many(left, "task")} not done: relay task list --session ${session_id}`)]),
    ...(unfilled.length === 0 ? [] : [style.yellow(`relay check will report ${many(unfilled.length, "gap")} in it:`)]),
    ...unfilled.map((each) => `  ${plainLine(each)}`),
    ...(unfilled.length === 0
      ? []
      : [`To fill it in: relay session summary ${placeWords([session_id])} > summary.md, edit that, ${saveSummaryCommand(session_id)}`]),
  ].join("\n");

/** Of which session a summary was saved, and the version that the earlier one is. */
export const printSaveSessionSummary: Printer<"save_session_summary"> = ({ session_id, version }, style) =>
  `${style.green("Saved")} the summary of ${session_id}${version === undefined ? "" : `; the earlier one is kept as summaries/${version}.md`}.`;

/** Of which session a state was saved. */
export const printSaveOrchestratorState: Printer<"save_orchestrator_state"> = ({ session_id }, style) =>
  `${style.green("Saved")} the state of ${session_id}.`;
