/** Tells main that a part ended its turn with a task in progress: once for each claim. spec/waking.md, "Waking by hooks". */

import { postOnce } from "../../board/files/session-messages.ts";
import { asLine } from "../../core/format/hidden.ts";
import { LIMITS } from "../../core/format/schema.ts";
import type { World } from "../../core/world.ts";
import { isMember } from "../../mail/files/members.ts";
import type { HeldTask } from "../../mail/nouns/quiet.ts";

/** Sends main one message about a task; nothing where the part is main, or main is nobody. */
export function tellIdle(world: World, part: string, { session, task, title, fence, origin }: HeldTask): void {
  const { main } = world.home().config();
  if (part === main || !isMember(world, main)) return;
  const said = origin === undefined ? "" : ` (task ${origin})`;
  postOnce(
    world,
    session,
    { operation: "idle", key: `${part} ${task} ${fence}` },
    {
      from: part,
      to: [main],
      broadcast: false,
      // This machine writes the message, and a push may have written the title.
      subject: asLine(`Idle: ${part}${said}, with ${title} in progress`, LIMITS.subject),
      content: `Relay's hook wrote this, not ${part}: ${part} ended its turn and still holds ${task}. A reply wakes ${part}.`,
      metadata: { task_id: task },
    },
  );
}
