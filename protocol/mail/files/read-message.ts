/** Messages as they lie on the disk, each read once while its file is as it was. SPEC.md, "Message". */
import path from "node:path";
import { isSealed, type MessageLocation, messageId, parseMessageId } from "../../core/format/id.ts";
import { LIMITS } from "../../core/format/schema.ts";
import { type Faults, faultOf } from "../../core/home/broken-files.ts";
import { sha256 } from "../../store/digest.ts";
import { facts } from "../../store/read/facts.ts";
import { readText } from "../../store/read/read-file.ts";
import type { Store } from "../../store/root.ts";
import { type Message, messagePath, parseMessage } from "../nouns/message.ts";

/** Messages read in this process, by path; a message never changes, so only its file's facts are compared. */
const cache = new Map<string, { sign: string; message: Message }>();
const CACHE_ENTRIES = 1_000;
const CACHED_BODY = 4_096;

/** Where what was read of a message is kept. One whose name ends in its hash is the same in every commit of a home. */
const placeOf = ({ root, recorded }: Store, location: MessageLocation): string =>
  `${recorded !== undefined && isSealed(location.token) ? path.dirname(root) : root} ${messageId(location)}`;

/**
 * Reads a message by a path that holds it (its thread's or an inbox's).
 * @returns null when there is no such file, or when it is not a message: then `faults` says why
 */
export function readMessage(store: Store, location: MessageLocation, at: string, faults: Faults): Message | null {
  try {
    const fact = facts(store, at);
    if (fact === null) return null;
    const sign = `${fact.inode} ${fact.size} ${fact.modifiedMs}`;
    const place = placeOf(store, location);
    const known = cache.get(place);
    if (known?.sign === sign) return known.message;
    const source = readText(store, at, LIMITS.messageBytes);
    if (source === null) return null;
    const message = parseMessage(source, location, sha256);
    if (message.body.length <= CACHED_BODY) {
      if (cache.size >= CACHE_ENTRIES) cache.delete(cache.keys().next().value as string);
      cache.set(place, { sign, message });
    }
    return message;
  } catch (error) {
    faults.push(faultOf(error, at));
    return null;
  }
}

/** A message by its whole id; null where it cannot be read. */
export function messageOf(store: Store, id: string): Message | null {
  const location = parseMessageId(id) as MessageLocation;
  return readMessage(store, location, messagePath(location), []);
}

/** Who wrote a message, and to whom; whether it rings them. */
export type Parties = Pick<Message, "from" | "to" | "expectsReply">;

/** Parties of messages read in this process. They are small, so a long thread need not be read again for every reply. */
const parties = new Map<string, Parties>();
const PARTIES_ENTRIES = 10_000;

/** Reads who wrote a message of a thread, and to whom; as `readMessage`, but what was read once is not read again. */
export function readParties(store: Store, location: MessageLocation, faults: Faults): Parties | null {
  const place = placeOf(store, location);
  const known = parties.get(place);
  if (known !== undefined) return known;
  const message = readMessage(store, location, messagePath(location), faults);
  if (message === null) return null;
  const read = { from: copied(message.from), to: message.to.map(copied), expectsReply: message.expectsReply };
  if (parties.size >= PARTIES_ENTRIES) parties.delete(parties.keys().next().value as string);
  parties.set(copied(place), read);
  return read;
}

/** The same text as one of its own: a piece of another keeps all of that in memory, here the whole message. */
const copied = (text: string): string => Buffer.from(text).toString();
