/** Tells main that a part is stuck: once for each quiet period, from any process. spec/waking.md, "Stuck agents". */

import { postOnce } from "../../board/files/session-messages.ts";
import { acted } from "../../core/act.ts";
import { asLine } from "../../core/format/hidden.ts";
import { LIMITS } from "../../core/format/schema.ts";
import { HUMAN } from "../../core/names.ts";
import type { World } from "../../core/world.ts";
import { isMember, namesOf } from "../../mail/files/members.ts";
import { MARK_MS } from "../../mail/files/presence.ts";
import { type Quiet, stuckFolder, stuckPath } from "../../mail/nouns/quiet.ts";
import { names } from "../../store/read/list-folder.ts";
import { removeFile } from "../../store/write/move-file.ts";
import { publish } from "../../store/write/publish.ts";

/**
 * Tells of a quiet period by one message and one line of the feed.
 * @returns whom; null where somebody told of it before
 */
export function tellStuck(world: World, quiet: Quiet): string | null {
  const { store, config } = world.home();
  const { part, sinceMs, tasks } = quiet;
  // A part that was renamed meanwhile was told of by its former name.
  const toldMs = namesOf(world, part).flatMap((each) => names(store, stuckFolder(each)).map(Number));
  // A mark is true to the minute, so that two that differ by less are of one period.
  if (toldMs.some((ms) => Math.abs(ms - sinceMs) < MARK_MS)) return null;
  const { main } = config();
  const to = main === part || !isMember(world, main) ? HUMAN : main;
  const since = new Date(sinceMs).toISOString();
  const { session, task, title, origin } = tasks[0] as Quiet["tasks"][number];
  // First the mail, which its key lets be sent once: who dies between the two leaves the rest to the next look.
  postOnce(
    world,
    session,
    { operation: "stuck", key: `${part} ${sinceMs}` },
    {
      from: part,
      to: [to],
      broadcast: false,
      // This machine writes the message, and a push may have written the title.
      subject: asLine(`Stuck: ${part}${origin === undefined ? "" : ` (task ${origin})`}, on ${title}`, LIMITS.subject),
      content: letterOf(quiet, since),
      metadata: { task_id: task },
    },
  );
  // What people are told of it stands in the mark.
  const mark = `${JSON.stringify({ at: new Date(world.now()).toISOString(), task, title: asLine(title, LIMITS.taskTitle), origin })}\n`;
  if (publish(store, stuckPath(part, sinceMs), mark) === "exists") return null;
  for (const name of names(store, stuckFolder(part))) if (Number(name) < sinceMs) removeFile(store, `${stuckFolder(part)}/${name}`);
  acted(world, {
    event: {
      type: "part:stuck",
      part,
      sessionId: session,
      since,
      to,
      tasks: tasks.map(({ task: id, title: words }) => ({ id, title: asLine(words, LIMITS.taskTitle) })),
    },
  });
  return to;
}

/** Tasks that are named. */
const NAMED = 20;

function letterOf({ part, tasks }: Quiet, since: string): string {
  const more = tasks.length > NAMED ? [`- and ${tasks.length - NAMED} more`] : [];
  return [
    `Relay's pager wrote this, not ${part}: ${part} has shown no sign of life since ${since}, and holds`,
    "",
    ...tasks
      .slice(0, NAMED)
      .map(({ task, title, origin }) => `- ${task}${origin === undefined ? "" : ` (${origin})`}: ${asLine(title, LIMITS.taskTitle)}`),
    ...more,
    "",
    `A reply wakes ${part}. If it stays silent, assign its work to another part: \`update_task\` (\`relay task update TASK --assignee NAME\`).`,
  ].join("\n");
}
