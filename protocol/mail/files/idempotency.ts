/** Idempotency keys: a key reserves a message, so that a retry completes or returns the first result. spec/messages.md, "Idempotency keys". */
import { idIn, type MessageLocation, parseMessageId } from "../../core/format/id.ts";
import { LIMITS } from "../../core/format/schema.ts";
import { mustRead } from "../../core/home/broken-files.ts";
import type { World } from "../../core/world.ts";
import { sha256 } from "../../store/digest.ts";
import { entries } from "../../store/read/list-folder.ts";
import { readText } from "../../store/read/read-file.ts";
import type { Store } from "../../store/root.ts";
import { place, publish } from "../../store/write/publish.ts";
import { parseMessage } from "../nouns/message.ts";
import { formerNamesOf } from "./members.ts";
import type { Letter } from "./post.ts";

/** Whose key it is: two parts, or two operations, may use the same words. */
export interface IdempotencyScope {
  /** The part that gave the key. */
  owner: string;
  operation: string;
}

const KEYS = "local/keys";
const pathOf = ({ owner, operation }: IdempotencyScope, key: string): string => `${KEYS}/${owner}/${operation}.${sha256(key).slice(0, 32)}`;

/**
 * The name that a key reserves, where a name is no message id.
 * @param offered given to the key if it has none yet; null only asks
 */
export function reserveName(world: World, scope: IdempotencyScope, key: string, offered: string | null): string | null {
  const { store } = world.home();
  const path = pathOf(scope, key);
  if (offered !== null) publish(store, path, `${offered}\n`);
  return readText(store, path, 256)?.trim() ?? null;
}

/** What a key was given: a message, finished but for its commit; or only the id of one, whose text was forgotten. */
export interface Reserved {
  key: MessageLocation;
  letter: Letter | null;
}

/** What a key was given earlier, also under a former name of the part; null when it is new. */
export function reservedBy(world: World, scope: IdempotencyScope, key: string): Reserved | null {
  for (const owner of [scope.owner, ...formerNamesOf(world, scope.owner)]) {
    const path = pathOf({ ...scope, owner }, key);
    const text = readText(world.home().store, path, LIMITS.messageBytes);
    if (text !== null) return mustRead(path, () => readReserved(text));
  }
  return null;
}

function readReserved(text: string): Reserved | null {
  const id = idIn(text);
  const location = parseMessageId(id ?? text.trim());
  if (location === null) return null;
  return { key: location, letter: id === null ? null : { key: location, message: parseMessage(text, location, sha256), text } };
}

/** Takes the text of a message out of the keys that reserve it; they name it still, so that it is not sent again. */
export function dropText(store: Store, id: string, folder = KEYS): void {
  for (const { name, kind } of entries(store, folder)) {
    const path = `${folder}/${name}`;
    if (kind === "folder") dropText(store, id, path);
    else if (kind === "file" && idIn(readText(store, path, LIMITS.messageBytes) ?? "") === id) place(store, path, `${id}\n`);
  }
}

/** Gives a key the message offered, or the one that it has already. Of two calls with one key the exclusive create decides. */
export function reserve(world: World, scope: IdempotencyScope, key: string, offered: Letter): Reserved {
  const { store } = world.home();
  const given = { key: offered.key, letter: offered };
  const earlier = reservedBy(world, scope, key);
  if (earlier !== null) return earlier;
  const created = publish(store, pathOf(scope, key), offered.text) === "created";
  return created ? given : (reservedBy(world, scope, key) ?? given);
}
