/** Prints for people: wakes. */
import { nextFor, reasonWords } from "../../../protocol/wake/nouns/wake-words.ts";
import type { Answer, Printer, Style } from "../style.ts";
import { table } from "../table.ts";
import { many, plainLine } from "../words.ts";
import { stepRows, storyRows } from "./wake-rows.ts";

/** The reason for which the remedy is the same whatever the part is. */
const NO_PAGER = "no_pager";

type Waiting = Answer<"wakes">["waiting"][number];

/** Wakes, or their steps, and why a part with unread mail is not woken now. */
export const printWakes: Printer<"wakes"> = ({ wakes, steps, waiting, suppressed, hour }, style, input) => {
  const rows = input["steps"] === true ? stepRows(steps, style) : storyRows(wakes, style);
  // One pager serves all, so where several wait for one it is said once.
  const unserved = waiting.filter(({ reason }) => reason === NO_PAGER);
  const now = waiting.flatMap(({ part, unread, state, reason }) => {
    if (reason === undefined) return [];
    if (reason === NO_PAGER && unserved.length > 1) return part === unserved[0]?.part ? [unservedLine(unserved, style)] : [];
    const next = nextFor(reason, part);
    return [
      `${style.yellow("•")} ${style.bold(part)} has ${unread} unread, ${state === "owed" ? "will be woken" : "is not woken now"}: ${plainLine(reasonWords(reason))}${next === null ? "" : ` → ${next}`}`,
    ];
  });
  const kept = Object.entries(suppressed).map(([reason, count]) => `${count} not woken: ${reasonWords(reason)}`);
  const foot = [`${many(hour.delivered, "wake")} in the last hour over all your projects, of at most ${hour.budget}`, ...kept].join("; ");
  return [rows.length === 0 ? style.dim("No wakes.") : table(rows, style), ...now, style.dim(foot)].join("\n");
};

/** Says once of several parts that no pager runs for them. */
function unservedLine(unserved: Waiting[], style: Style): string {
  const parts = unserved.map(({ part, unread }) => `${style.bold(part)} has ${unread} unread`).join(", ");
  return `${style.yellow("•")} ${parts}: no pager runs that could wake them → ${nextFor(NO_PAGER, "")}`;
}
