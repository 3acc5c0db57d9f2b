/** Refusals about the office. */
import { many } from "../../core/format/many.ts";
import { EXIT, entry, nearestHint, quote, quoteAll } from "../../core/refusals/entry.ts";

/** Code → the exit code of a refusal, and its sentence by its data. */
export const OFFICE_REFUSALS = {
  roster_unavailable: entry(
    EXIT.refused,
    (d: { path: string; line?: number | undefined; problem: string; more: number; none?: boolean | undefined }) =>
      d.none === true
        ? "there is no office here yet. Make one: `relay office init`."
        : `the office cannot be used: ${d.path}${d.line === undefined ? "" : `:${d.line}`}: ${d.problem}` +
          `${d.more === 0 ? "" : `, and ${many(d.more, "fault")} more`}. ` +
          "`relay office check` lists every fault.",
  ),
  program_missing: entry(
    EXIT.refused,
    (d: { position: string; program: string; named: boolean }) =>
      `${quote(d.position)} is run by ${d.named ? `${quote(d.program)}, which was not found on this machine` : "a command that nobody named on this machine"}, so no work was given. ` +
      `${d.named ? "Install it, or say where it is" : "Name it"}: \`relay office runner ${d.program} -- PATH\`.`,
  ),
  unknown_position: entry(
    EXIT.notFound,
    (d: { given: string; nearest: string[] }) =>
      `no such position: ${quote(d.given)}.${nearestHint(d.nearest)} \`relay office show\` lists all positions.`,
  ),
  office_untrusted: entry(
    EXIT.refused,
    (d: { changed: string[]; programs: string[]; positions: string[]; tools: string[]; worktrees: string[] }, { on }) =>
      `${d.changed.length === 0 ? "nobody trusted the office on this machine yet" : `the office changed since it was trusted on this machine: ${quoteAll(d.changed)}`}. ` +
      `It would run ${quoteAll(d.programs)} as ${quoteAll(d.positions)}.` +
      `${d.tools.length === 0 ? "" : ` With the tools ${quoteAll(d.tools)}.`}` +
      `${d.worktrees.length === 0 ? "" : ` In a worktree of their own: ${quoteAll(d.worktrees)}.`} ` +
      on("A person reads its files and types `relay trust office`.", "Read its files in `.relay/org`, then: `relay trust office`."),
  ),
  no_worktree: entry(
    EXIT.refused,
    (d: { reason: string }) =>
      `this agent works in a worktree of its own, and none can be made: ${d.reason}. Correct that, or set \`isolation: none\` in its file.`,
  ),
  people_only: entry(
    EXIT.refused,
    (d: { command: string }) => `\`${d.command}\` is for a person, and an agent of the office called it. Ask a person to type it.`,
  ),
  office_exists: entry(
    EXIT.refused,
    (d: { paths: string[] }) =>
      `the office has these files already, with another text: ${quoteAll(d.paths)}. Nothing was written. ` +
      "Move them out of the home first, or import into another home.",
  ),
};
