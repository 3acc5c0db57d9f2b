/** Prints for people: a part, and of a change to the parts. */
import type { Printer } from "../style.ts";
import { boundedTable } from "../table.ts";
import { many, plainLine } from "../words.ts";

/** Who the caller is: project, part and home, and how much mail waits. */
export const printWhoami: Printer<"whoami"> = ({ project, part, main, bound, unread, home }, style) =>
  part === null
    ? `You are not a part of ${style.bold(plainLine(project.name))} yet. Name one with --part, RELAY_PART, or \`relay part here web\`.\n${style.dim(home)}`
    : `${style.bold(part)}${main ? " (main)" : ""} in ${style.bold(plainLine(project.name))}, ${many(unread, "unread message")}${bound ? "" : style.dim(" (set by this worktree)")}\n${style.dim(home)}`;

/** Which part was added. */
export const printPartAdd: Printer<"part_add"> = ({ part }, style) => `${style.green("Added")} ${part}`;

/** The new name of a part, and the one before. */
export const printPartRename: Printer<"part_rename"> = ({ part, formerly }, style) =>
  `${style.green("Renamed")} ${formerly} to ${part}; it keeps its mail.`;

/** Which part was removed, and how much unread mail it left. */
export const printPartRemove: Printer<"part_remove"> = ({ part, unread }, style) =>
  `${style.green("Removed")} ${part}${unread > 0 ? `; ${many(unread, "message")} stayed unread in inbox/${part}` : ""}.`;

/** Which part is main, and which was. */
export const printPartSetMain: Printer<"part_set_main"> = ({ main, before }, style) =>
  `${style.green("Main")} is ${main} now; it was ${before}.`;

/** Which part this worktree is. */
export const printPartHere: Printer<"part_here"> = ({ part, worktree }) =>
  part === null ? `This worktree is not a part. \`relay part here web\` makes it one.` : `This worktree is ${part} (kept in ${worktree}).`;

/** The parts of a home, a line each, with the main one marked. */
export const printPartList: Printer<"part_list"> = ({ main, parts }, style) =>
  boundedTable(
    parts.map(({ part, about, session }) => [
      { text: part, paint: style.bold },
      [part === main ? "main" : "", session === undefined ? "" : `guest of ${session}`, about === undefined ? "" : plainLine(about)]
        .filter((note) => note !== "")
        .join(" · "),
    ]),
    style,
  );
