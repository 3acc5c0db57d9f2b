/** Refusals about the office. */
import { many } from "../objects/format/many.ts";
import { EXIT, entry, nearestHint, quote, quoteAll } from "./entry.ts";

export const OFFICE_REFUSALS = {
  roster_unavailable: entry(
    EXIT.refused,
    (d: { path: string; line?: number | undefined; problem: string; more: number }) =>
      `the office cannot be used: ${d.path}${d.line === undefined ? "" : `:${d.line}`}: ${d.problem}` +
      `${d.more === 0 ? "" : `, and ${many(d.more, "fault")} more`}. ` +
      "`relay office check` lists every fault; `relay office init` makes a first office.",
  ),
  unknown_position: entry(
    EXIT.notFound,
    (d: { given: string; nearest: string[] }) =>
      `no such position: ${quote(d.given)}.${nearestHint(d.nearest)} \`relay office show\` lists all positions.`,
  ),
  office_exists: entry(
    EXIT.refused,
    (d: { paths: string[] }) =>
      `the office has these files already, with another text: ${quoteAll(d.paths)}. Nothing was written. ` +
      "Move them out of the home first, or import into another home.",
  ),
};
