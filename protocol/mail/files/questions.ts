/** The messages that people must decide and did not ack. */
import { compareNewest, parseMessageId } from "../../core/format/id.ts";
import type { Faults } from "../../core/home/broken-files.ts";
import { HUMAN } from "../../core/names.ts";
import type { World } from "../../core/world.ts";
import { originsOf } from "../../trust/files/note-origins.ts";
import type { Origin } from "../../trust/nouns/origin.ts";
import { type Message, messagePath } from "../nouns/message.ts";
import { unreadPath } from "../nouns/part.ts";
import { unreadIds } from "./inbox-files.ts";
import { readMail } from "./mail.ts";
import { nameNow } from "./members.ts";

/** Unread messages to people that are read to find which of them a person must decide. */
const READ_FOR_PEOPLE = 50;

/**
 * The questions among the oldest unread mail of people that was written here, and among the oldest that syncs brought, oldest first: no
 * push hides what was asked here. @param faults gets what cannot be read
 */
export function questions(world: World, faults: Faults): Message[] {
  const origin = originsOf(world);
  const all = unreadIds(world.home().store, HUMAN).sort((a, b) => compareNewest(b, a));
  const brought = new Set(all.filter((id) => isBrought(origin, id)));
  const oldest = new Set([...all.filter((id) => !brought.has(id)).slice(0, READ_FOR_PEOPLE), ...[...brought].slice(0, READ_FOR_PEOPLE)]);
  return all
    .filter((id) => oldest.has(id))
    .flatMap((id) => {
      const message = readMail(world, HUMAN, id, unreadPath(HUMAN, id), faults);
      return message?.needsHuman === true ? [message] : [];
    });
}

function isBrought(origin: (path: string) => Origin, id: string): boolean {
  const location = parseMessageId(id);
  return location === null || origin(messagePath(location)).from === "sync";
}

/** The parts that asked a person something from this machine and have no answer yet: what a push says in a part's name counts not. */
export function askers(world: World): Set<string> {
  const origin = originsOf(world);
  return new Set(
    questions(world, [])
      .filter(({ id }) => !isBrought(origin, id))
      .map(({ from }) => nameNow(world, from)),
  );
}

/** The subjects of what a part asked a person from this machine, and has no answer to, oldest first. */
export function askedBy(world: World, part: string): string[] {
  const origin = originsOf(world);
  return questions(world, []).flatMap(({ id, from, subject }) =>
    !isBrought(origin, id) && nameNow(world, from) === part ? [subject] : [],
  );
}
