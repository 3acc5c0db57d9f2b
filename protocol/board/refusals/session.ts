/** Refusals about sessions. */
import { many, someOf } from "../../core/format/many.ts";
import { EXIT, entry, nearestHint, quote } from "../../core/refusals/entry.ts";

/** The first of some words for a sentence, and how many more there are. */
const few = (all: readonly string[]): string => someOf(all.map((each) => quote(each.slice(0, 80))));

/** Says that a text which came with a refused call is not lost. */
const savedWords = (saved: boolean | undefined): string => (saved === true ? " Your summary is saved, so leave it out the next time." : "");

/** Code → the exit code of a refusal, and its sentence by its data. */
export const SESSION_REFUSALS = {
  bad_session: entry(EXIT.usage, (d: { given: string; existing?: string; ends?: number }) =>
    d.ends !== undefined
      ? `session ${quote(d.given)} ended ${d.ends} times, and cannot be reopened again. Start another session.`
      : d.existing === undefined
        ? `${quote(d.given)} is not a session id. Expected 1 to 128 letters, digits, "_" and "-", and not a device name of Windows. Example: "2026-01-31-001-K3F9".`
        : `${quote(d.given)} differs from the existing session ${quote(d.existing)} only in case. Use that one, or choose an id that differs in more.`,
  ),
  unknown_session: entry(
    EXIT.notFound,
    (d: { given: string; nearest?: string[]; summary?: false }, { on }) =>
      d.summary === false
        ? `${d.given === "" ? "no session" : `session ${d.given}`} has ${d.given === "" ? "a" : "no"} summary yet. ${on("`save_session_summary` writes one.", "Write one: `relay session end`.")}`
        : `${d.given === "" ? "no session is open" : `no session ${quote(d.given)}`}.${nearestHint(d.nearest ?? [])} ${on("`list_sessions`", "`relay session list`")} lists ${d.given === "" ? "those that ended" : "them"}.`,
    (d) => (d.given === "" ? null : "session not found"),
  ),
  session_ended: entry(
    EXIT.refused,
    (d: { session_id: string; ended_at: string; ended_by: string }, { on }) =>
      `session ${d.session_id} ended at ${d.ended_at}, by ${d.ended_by}, so no work can begin in it. Nothing was written. ${on(
        "Leave session_id out to work in the open session, or reopen this one with `start_session`.",
        `To reopen it: \`relay session reopen ${d.session_id}\`.`,
      )}`,
  ),
  session_unfinished: entry(
    EXIT.refused,
    (d: { sessionId: string; part: string; unread: string[]; reviews: string[]; summary_saved?: boolean }, { on }) =>
      `session ${d.sessionId} cannot end yet: ${[
        ...(d.unread.length === 0 ? [] : [`${d.part} was not shown ${many(d.unread.length, "message")} (${few(d.unread)})`]),
        ...(d.reviews.length === 0 ? [] : [`${many(d.reviews.length, "review")} open (${few(d.reviews)})`]),
      ].join("; ")}. ${[
        ...(d.unread.length === 0 ? [] : [on("Read them with `next`.", "Read them: `relay next`.")]),
        ...(d.reviews.length === 0
          ? []
          : [on("`withdraw_review` takes a review back.", "To take one back: `relay review withdraw NAME`.")]),
        on("To end it all the same: force = true.", "To end it all the same: --force."),
      ].join(" ")}${savedWords(d.summary_saved)}`,
  ),
  tasks_in_progress: entry(
    EXIT.refused,
    (d: { sessionId: string; tasks: { id: string; title: string; assignee: string | null }[]; summary_saved?: boolean }, { on }) =>
      `session ${d.sessionId} has ${many(d.tasks.length, "task")} in progress: ${someOf(
        d.tasks.map(({ id, title, assignee }) => `${id} (${title.slice(0, 80)}${assignee === null ? "" : `, ${assignee}`})`),
      )}. ` +
      `Finish or release them, or end the session all the same with ${on("force = true", "--force")}.${savedWords(d.summary_saved)}`,
  ),
};
