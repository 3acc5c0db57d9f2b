/**
 * What this machine remembers of the remote that decides claims: that it kept somebody waiting, and when the home was last
 * synced with it. Disposable. spec/git.md, "Claims across machines".
 */

import { CLAIM_REFS } from "../board/nouns/remote-claim.ts";
import { orElse } from "../core/format/file-error.ts";
import { asLine } from "../core/format/hidden.ts";
import { shellWord } from "../core/format/shell-word.ts";
import { Refusal } from "../core/refusal.ts";
import type { World } from "../core/world.ts";
import type { Remote } from "../git/remote/git-network.ts";
import { sha256 } from "../store/digest.ts";
import { exists } from "../store/read/facts.ts";
import { readText } from "../store/read/read-file.ts";
import { removeFile } from "../store/write/move-file.ts";
import { place } from "../store/write/publish.ts";

const FAILED = "run/remote-claims/failed.json";
const SYNCED = "run/remote-claims/synced.json";
const STRAYS = "run/remote-claims/strays.json";
/** Characters of a name of a ref that is shown. */
const REF_SHOWN = 200;
const NOTE_BYTES = 4_096;
/** A remote that took this long to fail is not asked again for a while. */
const SLOW_MS = 3_000;
/** That while. */
export const SILENT_MS = 60_000;
/** Refusals that mean: the remote could not be asked, or did not answer as one that decides. */
const UNASKED = new Set(["remote_unreachable", "remote_refused", "login_needed", "remote_damaged", "remote_too_large"]);

/** How asking a remote failed last. */
export interface Failure {
  /** In milliseconds since the epoch. */
  atMs: number;
  tookMs: number;
  reason: string;
}

/** Whether an error says that the remote could not be asked. */
export const isUnasked = (error: unknown): error is Refusal => error instanceof Refusal && UNASKED.has(error.code);

/** Asks a remote something, and remembers how that went. @throws what the step throws */
export async function asking<T>(world: World, remote: Remote, step: () => Promise<T>): Promise<T> {
  const begun = performance.now();
  const { store } = world.home();
  try {
    const answer = await step();
    if (exists(store, FAILED)) removeFile(store, FAILED);
    return answer;
  } catch (error) {
    if (isUnasked(error)) {
      const reason = String((error.data as { reason?: unknown }).reason ?? error.code).slice(0, 1_000);
      writeNote(world, FAILED, { remote: keyOf(remote), atMs: world.now(), tookMs: Math.round(performance.now() - begun), reason });
    }
    throw error;
  }
}

/** How asking a remote failed a moment ago; null when it did not, or that was long ago. */
export function lastFailure(world: World, remote: Remote): Failure | null {
  const found = readNote(world, FAILED, remote);
  if (found === null || typeof found["tookMs"] !== "number" || typeof found["reason"] !== "string") return null;
  return isWithin(world, found.atMs, SILENT_MS) ? { atMs: found.atMs, tookMs: found["tookMs"], reason: found["reason"] } : null;
}

/** Whether a remote kept somebody waiting in vain a moment ago: then it is not asked again yet. */
export const isSilent = (world: World, remote: Remote): boolean => (lastFailure(world, remote)?.tookMs ?? 0) >= SLOW_MS;

/** Notes that the home has all that a remote had just now. */
export const noteSynced = (world: World, remote: Remote): void => writeNote(world, SYNCED, { remote: keyOf(remote), atMs: world.now() });

/** Whether the home had all that a remote had, at some time within the last so many milliseconds. */
export function wasSynced(world: World, remote: Remote, withinMs: number): boolean {
  const found = readNote(world, SYNCED, remote);
  return found !== null && isWithin(world, found.atMs, withinMs);
}

/** Notes which refs of a remote lie among those of claims and are none. @returns the same in words; null where there is none */
export function noteStrays(world: World, remote: Remote, refs: readonly string[]): string | null {
  const { store } = world.home();
  const [first] = refs;
  if (first === undefined) {
    if (exists(store, STRAYS)) removeFile(store, STRAYS);
    return null;
  }
  const one = refs.length === 1 ? "1 ref is no claim" : `${refs.length} refs are no claims`;
  const words =
    `on ${remote.name}, below ${CLAIM_REFS}, ${one} of a task here, and Relay passed over ${refs.length === 1 ? "it" : "them"}: ` +
    `${asLine(first, REF_SHOWN)}${refs.length === 1 ? "" : " is the first"}. Remove what is not yours: git push ${shellWord(remote.name)} --delete ${shellWord(asLine(first, REF_SHOWN))}`;
  writeNote(world, STRAYS, { remote: keyOf(remote), atMs: world.now(), words });
  return words;
}

/** What the last sync with a remote said of refs that are no claims; null where there was none. */
export function notedStrays(world: World, remote: Remote): string | null {
  const words = readNote(world, STRAYS, remote)?.["words"];
  return typeof words === "string" ? words : null;
}

/** A note of a time to come was made before the clock was set back: it says nothing. */
const isWithin = (world: World, atMs: number, ms: number): boolean => world.now() >= atMs && world.now() - atMs < ms;

const keyOf = ({ url }: Remote): string => sha256(url).slice(0, 16);

function writeNote(world: World, path: string, note: Record<string, unknown>): void {
  place(world.home().store, path, `${JSON.stringify(note)}\n`);
}

function readNote(world: World, path: string, remote: Remote): (Record<string, unknown> & { atMs: number }) | null {
  return orElse(null, () => {
    const note = JSON.parse(readText(world.home().store, path, NOTE_BYTES) ?? "null") as Record<string, unknown> | null;
    const isOf = note?.["remote"] === keyOf(remote) && typeof note["atMs"] === "number";
    return isOf ? (note as Record<string, unknown> & { atMs: number }) : null;
  });
}
