/** Tells main that a part ended its turn with a task in progress: once for each claim. spec/waking.md, "Waking by hooks". */
import { asLine } from "../../objects/format/hidden.ts";
import { LIMITS } from "../../objects/format/schema.ts";
import type { HeldTask } from "../../objects/part/quiet.ts";
import type { World } from "../../world.ts";
import { postOnce } from "../message/session-messages.ts";
import { isMember } from "../part/members.ts";

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
