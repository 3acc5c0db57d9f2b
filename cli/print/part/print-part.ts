/** Prints for people: a part, and of a change to the parts. */
import type { Printer } from "../style.ts";
import { table } from "../table.ts";
import { many, plainLine } from "../words.ts";

export const printWhoami: Printer<"whoami"> = ({ project, part, main, bound, unread, home }, style) =>
  part === null
    ? `You are not a part of ${style.bold(plainLine(project.name))} yet. Name one with --part, RELAY_PART, or \`relay part here web\`.\n${style.dim(home)}`
    : `${style.bold(part)}${main ? " (main)" : ""} in ${style.bold(plainLine(project.name))}, ${many(unread, "unread message")}${bound ? "" : style.dim(" (set by this worktree)")}\n${style.dim(home)}`;

export const printPartAdd: Printer<"part_add"> = ({ part }, style) => `${style.green("Added")} ${part}`;

export const printPartRename: Printer<"part_rename"> = ({ part, formerly }, style) =>
  `${style.green("Renamed")} ${formerly} to ${part}; it keeps its mail.`;

export const printPartRemove: Printer<"part_remove"> = ({ part, unread }, style) =>
  `${style.green("Removed")} ${part}${unread > 0 ? `; ${many(unread, "message")} stayed unread in inbox/${part}` : ""}.`;

export const printPartSetMain: Printer<"part_set_main"> = ({ main, before }, style) =>
  `${style.green("Main")} is ${main} now; it was ${before}.`;

export const printPartHere: Printer<"part_here"> = ({ part, worktree }) =>
  part === null ? `This worktree is not a part. \`relay part here web\` makes it one.` : `This worktree is ${part} (kept in ${worktree}).`;

export const printPartList: Printer<"part_list"> = ({ main, parts }, style) =>
  table(
    parts.map(({ part, about, session }) => [
      { text: part, paint: style.bold },
      [part === main ? "main" : "", session === undefined ? "" : `guest of ${session}`, about === undefined ? "" : plainLine(about)]
        .filter((note) => note !== "")
        .join(" · "),
    ]),
    style,
  );
