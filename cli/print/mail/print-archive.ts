/** Prints for people: threads that were archived. */
import type { Printer } from "../style.ts";
import { plainLine } from "../words.ts";

/** Which threads became archives or came back, and which were left and why. */
export const printArchive: Printer<"archive"> = ({ archived, back, left }, style) =>
  [
    ...archived.map(({ threadId, path }) => `${style.green("Archived")} ${threadId}: ${path}`),
    ...back.map((id) => `${style.green("Restored")} ${id}`),
    ...left.map((why) => `${style.yellow("left")}  ${plainLine(why)}`),
    ...(archived.length + back.length + left.length === 0 ? ["Nothing to do."] : []),
  ].join("\n");
