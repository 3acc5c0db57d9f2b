/** Prints for people: the parts that there are. */

import { type Member, memberTable } from "../mail/print-member.ts";
import type { Printer } from "../style.ts";
import { plainLine } from "../words.ts";

/** What to do where mail waits for parts that no pager can wake; empty where there are none. */
export function pagerLines(parts: Member[]): string[] {
  const unserved = parts.flatMap(({ part, wake, online }) => (!online && wake?.reason === "no_pager" ? [plainLine(part)] : []));
  return unserved.length === 0 ? [] : [`No pager that runs here can wake ${unserved.join(", ")}. To start one: relay pager start`];
}

/** The parts of a project with who is there, how each is woken, and its unread mail. */
export const printRoster: Printer<"roster"> = ({ project, parts, groups = {}, leads = [] }, style) =>
  [
    style.bold(plainLine(project.name)),
    memberTable(parts, style),
    ...Object.entries(groups).map(([name, of]) => style.dim(plainLine(`${name}: ${of.join(", ")}`))),
    ...(leads.length === 0 ? [] : [style.dim(plainLine(`leads of the office: ${leads.join(", ")}`))]),
    ...pagerLines(parts),
  ].join("\n");
