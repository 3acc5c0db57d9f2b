/** The delivery state of a message for each recipient, as its sender sees it. spec/messages.md, "Delivery states". */
import { renamedParts } from "../../core/config/config.ts";
import type { World } from "../../core/world.ts";
import { exists } from "../../store/read/facts.ts";
import type { Message } from "../nouns/message.ts";
import { unreadPath } from "../nouns/part.ts";
import type { Thread } from "../nouns/thread.ts";
import { isAcked } from "./inbox-files.ts";
import { markPath } from "./mail.ts";
import { membership } from "./members.ts";

/** How far a message came for one recipient, in this order; `closed-unread` was cleared by a close. */
export type DeliveryState = "stored" | "noticed" | "fetched" | "acked" | "replied" | "closed-unread";

/** A message for one recipient. `missing` is set when it is in neither half of the inbox: `doctor --fix` restores it. */
export interface Receipt {
  part: string;
  state: DeliveryState;
  missing?: true;
}

/**
 * The receipts of a message.
 * @param later the messages of its thread that came after it
 */
export function receiptsOf(world: World, thread: Thread, message: Message, later: readonly Pick<Message, "from">[]): Receipt[] {
  const { store } = world.home();
  const renamed = currentNames(world);
  return message.to.map((recipient) => {
    const part = renamed.get(recipient) ?? recipient;
    const names = [part, ...[...renamed].flatMap(([name, now]) => (now === part ? [name] : []))];
    if (names.some((name) => thread.closedUnread?.includes(`${name} ${message.id}`))) return { part: recipient, state: "closed-unread" };
    if (later.some(({ from }) => names.includes(from))) return { part: recipient, state: "replied" };
    if (isAcked(store, part, message.id)) return { part: recipient, state: "acked" };
    const state = exists(store, markPath("fetched", part, message.id))
      ? "fetched"
      : exists(store, markPath("noticed", part, message.id))
        ? "noticed"
        : "stored";
    return exists(store, unreadPath(part, message.id)) ? { part: recipient, state } : { part: recipient, state, missing: true };
  });
}

/** Former name → name now, of every part that was renamed. */
export const currentNames = (world: World): Map<string, string> => renamedParts(world.home().config().parts, membership(world));
