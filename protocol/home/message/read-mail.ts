/** Reads mail: an inbox counts only as far as the thread has the same message, addressed to that part. SPEC.md, "Inbox". */
import { append } from "../../objects/format/append.ts";
import { isSealed, type MessageKey, parseMessageId } from "../../objects/format/id.ts";
import { type Message, messagePath } from "../../objects/message/message.ts";
import { mayHold } from "../../objects/part/part.ts";
import type { World } from "../../world.ts";
import type { Faults } from "../broken-files.ts";
import { isMember } from "../part/members.ts";
import { readMessage, readParties } from "../thread/read-message.ts";

/** Whether a message to some names may lie in a part's inbox. */
export function isAddressed(world: World, part: string, to: readonly string[]): boolean {
  const { parts } = world.home().config();
  return mayHold(part, to, parts, (name) => isMember(world, name));
}

/** Whether a part may say of a message that it has dealt with it. One that cannot be read stands in nobody's way. */
export function isMailOf(world: World, part: string, id: string): boolean {
  const parties = readParties(world.home().store, parseMessageId(id) as MessageKey, []);
  return parties === null || isAddressed(world, part, parties.to);
}

/**
 * Reads a message of a part's inbox: the thread's file counts, whatever the name in the inbox holds.
 * @param at the name in the inbox. It stands in for a thread's file that is gone, where its text matches its name
 * @returns null when it is no message, or none to this part: then `faults` says why
 */
export function readMail(world: World, part: string, id: string, at: string, faults: Faults): Message | null {
  const { store } = world.home();
  const key = parseMessageId(id) as MessageKey;
  const found: Faults = [];
  let message = readMessage(store, key, messagePath(key), found);
  if (message === null && found.length === 0) {
    if (isSealed(key.token)) message = readMessage(store, key, at, found);
    else found.push({ path: at, problem: "its thread does not have this message; `relay doctor --fix` restores it" });
  }
  append(faults, found);
  if (message === null || isAddressed(world, part, message.to)) return message;
  faults.push({ path: at, problem: `${notAddressed(part)}; \`relay doctor --fix\` removes it from this inbox` });
  return null;
}

/** What is wrong with mail that somebody put into another's inbox. */
export const notAddressed = (part: string): string => `the message is not addressed to ${JSON.stringify(part)}`;
