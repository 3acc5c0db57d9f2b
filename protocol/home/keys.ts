/** Idempotency keys: a key reserves an id, so that a retry completes or returns the first result. SPEC.md, "Idempotency keys". */
import { type MessageKey, messageId, parseMessageId } from "../objects/id.ts";
import { sha256 } from "../store/digest.ts";
import { publish } from "../store/files.ts";
import { readText } from "../store/read.ts";
import type { World } from "../world.ts";
import { formerNamesOf } from "./parts.ts";

/** Whose key it is: two parts, or two operations, may use the same words. */
export interface KeyScope {
  part: string;
  operation: string;
}

const pathOf = ({ part, operation }: KeyScope, key: string): string => `local/keys/${part}/${operation}.${sha256(key).slice(0, 32)}`;

/**
 * The name that a key reserves, where a name is no message id.
 * @param offered given to the key if it has none yet; null only asks
 */
export function reserveName(world: World, scope: KeyScope, key: string, offered: string | null): string | null {
  const { store } = world.home();
  const path = pathOf(scope, key);
  if (offered !== null) publish(store, path, `${offered}\n`);
  return readText(store, path, 256)?.trim() ?? null;
}

/** The message id that a key was given to earlier, also under a former name of the part; null when it is new. */
export function reservedBy(world: World, scope: KeyScope, key: string): MessageKey | null {
  for (const part of [scope.part, ...formerNamesOf(world, scope.part)]) {
    const text = readText(world.home().store, pathOf({ ...scope, part }, key), 256);
    if (text !== null) return parseMessageId(text.trim());
  }
  return null;
}

/** Gives a key the id offered, or the one that it has already. Of two calls with one key the exclusive create decides. */
export function reserve(world: World, scope: KeyScope, key: string, offered: MessageKey): MessageKey {
  const created = publish(world.home().store, pathOf(scope, key), `${messageId(offered)}\n`) === "created";
  return created ? offered : (reservedBy(world, scope, key) ?? offered);
}
