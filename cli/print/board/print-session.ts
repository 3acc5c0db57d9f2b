/** Prints for people: sessions, and of the state that is kept of one. */

import { saveSummaryCommand } from "../../../protocol/board/nouns/session.ts";
import { placeWords } from "../../../protocol/core/format/shell-word.ts";
import type { Answer, Printer, Style } from "../style.ts";
import { boundedTable, type Cell } from "../table.ts";
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
    : boundedTable(
        details.map((detail) => sessionRow(detail, style)),
        style,
      );

/** Which session was opened again. */
export const printReopenSession: Printer<"reopen_session"> = ({ session_id, reopened }, style) =>
  reopened ? `${style.green("Reopened")} session ${session_id}.` : `Session ${session_id} is open.`;

/** The end of a session: its open tasks and reviews, unread mail, gaps of its summary, and the next steps. */
export const printEndSession: Printer<"end_session"> = (answer, style) => {
  const { session_id, tasks, open = [], unmerged = [], unread = [], recorded, unfilled = [], summary_path = "", next = "" } = answer;
  const state = [tasks ?? "", recorded === true ? "recorded" : ""].filter((each) => each !== "").map(plainLine);
  return [
    `${style.green("Ended")} ${session_id}${state.length === 0 ? "" : `: ${state.join("; ")}`}. Summary: ${summary_path}`,
    ...open.map((each) => style.yellow(`Not done: ${plainLine(each)}`)),
    ...unmerged.map((each) => style.yellow(`Approved, not merged: ${plainLine(each)}`)),
    ...(unread.length === 0 ? [] : [`Unread mail, which each part still gets: ${unread.join(", ")}`]),
    ...(unfilled.length === 0 ? [] : [style.yellow(`relay check will report ${many(unfilled.length, "gap")} in it:`)]),
    ...unfilled.map((each) => `  ${plainLine(each)}`),
    ...(unfilled.length === 0
      ? []
      : [`To fill it in: relay session summary ${placeWords([session_id])} > summary.md, edit that, ${saveSummaryCommand(session_id)}`]),
    plainLine(next),
  ].join("\n");
};

/** Of which session a summary was saved, and the version that the earlier one is. */
export const printSaveSessionSummary: Printer<"save_session_summary"> = ({ session_id, version }, style) =>
  `${style.green("Saved")} the summary of ${session_id}${version === undefined ? "" : `; the earlier one is kept as summaries/${version}.md`}.`;

/** Of which session a state was saved. */
export const printSaveOrchestratorState: Printer<"save_orchestrator_state"> = ({ session_id }, style) =>
  `${style.green("Saved")} the state of ${session_id}.`;
