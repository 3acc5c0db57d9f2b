/** How the tasks of a session stand, in one line. */
import type { Answer, Style } from "../style.ts";
import { ago, plainLine } from "../words.ts";

/** Counts of the current session's tasks by status, or word that the last session is over, as a line of its own; empty where there never was one. */
export function sessionLine({ session, lastSession: last }: Pick<Answer<"status">, "session" | "lastSession">, style: Style): string {
  if (session === null)
    return last === undefined
      ? ""
      : `\nNo session is open; ${plainLine(last.endedBy ?? "?")} ended ${plainLine(last.title ?? last.id)} ${ago(last.endedAt ?? "", style.now)}: relay session summary ${plainLine(last.id)}`;
  const { id, todo, in_progress, in_review, blocked = 0, done, ready } = session;
  const counts = Object.entries({ "to do": todo, "in progress": in_progress, "in review": in_review, blocked, done }).filter(
    ([, number]) => number !== 0,
  );
  const tasks = counts.length === 0 ? "no tasks" : counts.map(([name, number]) => `${number} ${name}`).join(", ");
  const next = ready === 0 ? "" : style.dim(` · ${ready} can be started: relay task list --ready`);
  return `\nSession ${style.bold(String(id))}: ${tasks}${next}`;
}
