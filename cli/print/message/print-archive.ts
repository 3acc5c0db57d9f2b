/** Prints for people: threads that were archived. */
import type { Printer } from "../style.ts";
import { plainLine } from "../words.ts";

export const printArchive: Printer = ({ archived, back, left }, style) =>
  [
    ...archived.map(({ threadId, path }: { threadId: string; path: string }) => `${style.green("Archived")} ${threadId}: ${path}`),
    ...back.map((id: string) => `${style.green("Restored")} ${id}`),
    ...left.map((why: string) => `${style.yellow("left")}  ${plainLine(why)}`),
    ...(archived.length + back.length + left.length === 0 ? ["Nothing to do."] : []),
  ].join("\n");
