/**
 * The effects of a push beside new messages: each noun says what a change of its files did. A pure function of what changed, so
 * that a sync can list it, parts can be told of it, and it can be undone. spec/trust.md, "What a push did".
 */

import { succeeds } from "../../core/format/file-error.ts";
import { type Digest, messageId } from "../../core/format/id.ts";
import type { Changed, Edited, Effects, HeldBefore } from "../../core/noun/noun-effects.ts";
import { isBroken, isTooLarge } from "../../core/tree/broken.ts";
import { nounAt, placeOf } from "../../core/tree/layout.ts";
import type { EffectOf, NounPlace } from "../../nouns.ts";

/** One thing that a push did. `path` is the file by which it did it. */
export type Effect = { path: string } & (EffectOf | Edited | { kind: "unreadable" });

/** What people's own git does not show in the home. It is no file of a noun, and says nothing to Relay. */
const IGNORED_PATH = ".gitignore";

// biome-ignore lint/suspicious/noExplicitAny: each noun checks its own effects.
type AnyEffects = Effects<any, any>;

const effectsAt = (path: string): AnyEffects | undefined => nounAt(path)?.noun.effects;

/** Whether what a file says has to be read to know what its change did. */
export const saysMore = (path: string): boolean => path === IGNORED_PATH || effectsAt(path)?.reads !== undefined;

/** Whether a file is one that a push begins, so that it did nothing to what was here. */
export const isBegun = ({ path, before }: { path: string; before: string | null }): boolean =>
  before === null && effectsAt(path)?.reads === "changed";

/** What changes did, in the order of their paths. Of a file that cannot be read only that it was changed is known. */
export function effectsOf(changes: readonly Changed[], digest: Digest): Effect[] {
  const { own, moved } = effectsByPath(changes);
  return [...own.flatMap((change) => effectsOfOne(change, digest)), ...moved];
}

/** What a change is by its path alone: `before` and `after` may be texts, or names of contents. */
interface Named {
  path: string;
  before: string | null;
  after: string | null;
}

/**
 * The changes whose effects are each its own, in the order in which those are told, and the effects that no text has to be read for,
 * which come last.
 */
export function effectsByPath<T extends Named>(changes: readonly T[]): { own: T[]; moved: Effect[] } {
  // Mail that a rename moved was acked before, under the other name.
  const moved = new Set(changes.flatMap(({ path, after }) => (after === null && placeOf(path)?.kind === "acked" ? [baseName(path)] : [])));
  const own = changes
    .filter(({ path }) => !(placeOf(path)?.kind === "acked" && moved.has(baseName(path))))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  return { own, moved: mailMoved(own) };
}

const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** Unread mail that is in another inbox now, and not acked in its own. */
function mailMoved(changes: readonly Named[]): Effect[] {
  const gone = new Map<string, string>();
  for (const { path, after } of changes) {
    const place = placeOf(path);
    if (place?.kind === "unread" && after === null) gone.set(messageId(place.key), place.part);
  }
  if (gone.size === 0) return [];
  const come = changes.flatMap(({ path, before, after }) => {
    const place = before === null && after !== null ? placeOf(path) : null;
    return place?.kind === "unread" || place?.kind === "acked" ? [{ path, to: place.part, message: messageId(place.key) }] : [];
  });
  const acked = new Set(come.flatMap(({ to, message }) => (gone.get(message) === to ? [message] : [])));
  return come.flatMap(({ path, to, message }): Effect[] => {
    const part = gone.get(message);
    return part === undefined || acked.has(message) ? [] : [{ kind: "moved", path, part, to, message }];
  });
}

/** What one change did. */
export function effectsOfOne({ path, before: had, after, ...more }: Changed, digest: Digest): Effect[] {
  if (path === IGNORED_PATH) return had === null ? [] : [{ kind: "edited", path }];
  const { noun, place } = nounAt(path) ?? {};
  if (noun?.effects === undefined || after === null) return [];
  // No clone checks it out, so that it did nothing.
  if (isTooLarge(path, after)) return had === null ? [{ kind: "unreadable", path }] : [];
  const said = (text: string): boolean =>
    succeeds(() => (noun.effects as AnyEffects).of({ path, before: null, after: text }, place as NounPlace));
  // Of what is written once a broken text said nothing, unless its path alone says it, as an end's does.
  const isLost = had !== null && saysMore(path) && isBroken(path, had, digest) && (isTooLarge(path, had) || !said(had));
  const before = isLost ? null : had;
  try {
    const did = (noun.effects as AnyEffects).of({ path, before, after, ...more }, place as NounPlace);
    return did.map((each) => ({ path, ...each }));
  } catch {
    if (before === null) return [{ kind: "unreadable", path }];
    return noun.isEdited === true ? [{ kind: "edited", path }] : [];
  }
}

/** What was done, in words that follow "commit c": `marked 14 messages of web as read`. What is counted is told first. */
export function effectWords(effects: readonly Effect[], heldBefore: HeldBefore): string[] {
  const counted = new Map<string, { effect: Effect; count: number }>();
  const words: string[] = [];
  for (const effect of effects) {
    const one = wordsOf(effect, heldBefore, 1);
    if (one === null) continue;
    if (effectsAt(effect.path)?.isCounted === true) counted.set(one, { effect, count: (counted.get(one)?.count ?? 0) + 1 });
    else words.push(one);
  }
  return [...[...counted.values()].flatMap(({ effect, count }) => wordsOf(effect, heldBefore, count) ?? []), ...words];
}

function wordsOf(effect: Effect, heldBefore: HeldBefore, count: number): string | null {
  if (effect.kind === "unreadable") return `brought ${effect.path}, which cannot be read`;
  const { words } = effectsAt(effect.path) ?? {};
  return effect.kind === "edited" || words === undefined ? `changed ${effect.path}` : words(effect, heldBefore, count);
}

/** The effects that were done to a part. @param takesPart whether the part takes part in what an effect names */
export const doneTo = (
  part: string,
  effects: readonly Effect[],
  heldBefore: HeldBefore,
  takesPart: (effect: Effect) => boolean,
): Effect[] =>
  effects.filter(
    (effect) =>
      effect.kind !== "unreadable" && effectsAt(effect.path)?.isDoneTo?.(effect, part, () => takesPart(effect), heldBefore) === true,
  );
