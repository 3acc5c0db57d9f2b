/** What the hooks of an agent tell of its work: the tasks that it holds, and what it asked a person. spec/waking.md, "Waking by hooks". */

import { heldBy } from "../../protocol/board/files/held-tasks.ts";
import { orElse } from "../../protocol/core/format/file-error.ts";
import type { World } from "../../protocol/index.ts";
import { askedBy } from "../../protocol/mail/files/questions.ts";
import type { HeldTask } from "../../protocol/mail/nouns/quiet.ts";
import { keepHookMemory, recallHookMemory } from "../../protocol/wake/files/hook-memory.ts";
import { tellIdle } from "../../protocol/wake/files/tell-idle.ts";
import { quoted } from "./announcement.ts";

/** So many tasks, and so many questions, are named. */
const NAMED = 5;

const taskLine = ({ task, title, fence, origin }: HeldTask): string =>
  `- ${task} ${quoted(title)}, fence ${fence}${origin === undefined ? "" : ` (${origin})`}`;

/** The tasks that a part holds in progress, and its questions that no person answered, for a session that begins; none where there is nothing. */
export function heldLines(world: World, part: string): string[] {
  const tasks = orElse([], () => heldBy(world, part));
  const asked = orElse([], () => askedBy(world, part));
  return [
    ...(tasks.length === 0 ? [] : ["You hold, in progress:", ...tasks.slice(0, NAMED).map(taskLine)]),
    ...(asked.length === 0
      ? []
      : ["You asked a person, and wait for the answer:", ...asked.slice(0, NAMED).map((subject) => `- ${quoted(subject)}`)]),
  ];
}

/**
 * The reason to hold back the end of a turn: a task in progress, once for each. Where a turn ends with such a task a second time,
 * Relay tells main. An agent that waits for a person's answer may end its turn.
 */
export function heldForWork(world: World, part: string, session: string): string | null {
  const tasks = orElse([], () => heldBy(world, part));
  if (tasks.length === 0 || orElse([], () => askedBy(world, part)).length > 0) return null;
  const memory = recallHookMemory(world, part, session);
  const keyOf = ({ task, fence }: HeldTask): string => `${task} ${fence}`;
  const fresh = tasks.filter((each) => !memory.tasks.includes(keyOf(each)));
  if (fresh.length === 0) {
    for (const each of tasks) tellIdle(world, part, each);
    return null;
  }
  // Who cannot remember would be held back for ever.
  if (!keepHookMemory(world, part, session, { ...memory, tasks: tasks.map(keyOf) })) return null;
  return [
    `Relay: you hold work in progress. Go on, hand it in, or give it back (\`release_task\`); end your turn again where you must wait.`,
    ...fresh.slice(0, NAMED).map(taskLine),
  ].join("\n");
}
