/** How the tasks of a session stand, in one line. */
import type { Style } from "../style.ts";

/** How the tasks of the current session stand, as a line of its own; empty without a session. */
export function sessionLine(session: Record<string, number | string> | null, style: Style): string {
  if (session === null) return "";
  const { id, todo, in_progress, in_review, blocked = 0, done, ready } = session;
  const counts = Object.entries({ "to do": todo, "in progress": in_progress, "in review": in_review, blocked, done }).filter(
    ([, number]) => number !== 0,
  );
  const tasks = counts.length === 0 ? "no tasks" : counts.map(([name, number]) => `${number} ${name}`).join(", ");
  const next = ready === 0 ? "" : style.dim(` · ${ready} can be started: relay task list --ready`);
  return `\nSession ${style.bold(String(id))}: ${tasks}${next}`;
}
