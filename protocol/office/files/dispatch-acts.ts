/** Small acts that several steps of a dispatch have in common. */
import type { World } from "../../core/world.ts";
import { ackMail } from "../../mail/files/ack-mail.ts";
import { unreadIdsSeen } from "../../mail/files/inbox-files.ts";
import { isOwn, ring } from "./local-files.ts";

/** Notes that a dispatch of this clone may have something to do, so that the runner looks at it; of another clone's nothing is noted. */
export function ringDispatch(world: World, id: string): void {
  const { store } = world.home();
  if (isOwn(store, id)) ring(store, id);
}

/** Acks those of some messages that are unread. */
export function ackInputs(world: World, part: string, ids: readonly string[]): void {
  const unread = unreadIdsSeen(world.home().store, part);
  const left = ids.filter((id) => unread.includes(id));
  if (left.length > 0) ackMail(world, part, left, unread);
}
