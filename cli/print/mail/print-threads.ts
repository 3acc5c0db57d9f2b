import type { Answer, Printer, Style } from "../style.ts";
import { table } from "../table.ts";
import { ago, many, more, plainLine, short } from "../words.ts";

type Thread = Answer<"threads">["threads"][number];

/** Threads as a table. */
export function threadTable(list: Thread[], style: Style): string {
  const paints: Record<string, (text: string) => string> = { open: style.yellow, answered: style.green, holding: style.cyan };
  return table(
    list.map(({ id, subject, status, lastAt, participants, messages: count, unread }) => [
      { text: short(id), paint: style.yellow },
      { text: status, paint: paints[status] ?? style.dim },
      { text: ago(lastAt, style.now), paint: style.dim },
      { text: many(count, "message"), paint: style.dim },
      unread > 0 ? { text: `${unread} unread`, paint: style.cyan } : "",
      {
        text: participants.length > 4 ? `${participants.slice(0, 3).join(", ")} +${participants.length - 3}` : participants.join(", "),
        paint: style.bold,
      },
      plainLine(subject),
    ]),
    style,
    "cut",
  );
}

/** Threads, a line each: id, state, subject and when it changed. */
export const printThreads: Printer<"threads"> = (answer, style) =>
  answer.threads.length > 0
    ? threadTable(answer.threads, style) + more(answer, style)
    : style.dim(answer.cursor === null ? "No threads." : "No threads so far.") + more(answer, style);
