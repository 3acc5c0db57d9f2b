/** Prints for people: the parts that there are. */
import type { Printer } from "../style.ts";
import { plainLine } from "../words.ts";
import { type Member, memberTable } from "./print-member.ts";

/** What to do where mail waits and nobody wakes; empty where somebody does, or nothing waits. */
export const pagerLines = (parts: Member[], pager: boolean): string[] =>
  !pager && parts.some(({ wake }) => wake?.reason === "no_pager")
    ? ["No pager runs here, so nobody is woken. To start one: relay pager start"]
    : [];

export const printRoster: Printer = ({ project, parts }, style) =>
  [style.bold(plainLine(project.name)), memberTable(parts, style), ...pagerLines(parts, false)].join("\n");
