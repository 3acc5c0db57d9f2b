/** What `doctor` adds to a finding of `check`: what can be done about it on this machine. spec/check.md, "doctor". */
import { posix } from "node:path";
import { orElse } from "../../core/format/file-error.ts";
import { BY_HAND, type Finding } from "../../core/format/finding.ts";
import { isSealed, type MessageLocation, messageId } from "../../core/format/id.ts";
import { keptPath } from "../../core/noun/merge-tree.ts";
import { nounAt, type Place, placeOf } from "../../core/tree/layout.ts";
import type { World } from "../../core/world.ts";
import { idLength } from "../../git/git-index.ts";
import { findRepository } from "../../git/home/repository.ts";
import { currentNames } from "../../mail/files/delivery-state.ts";
import { ackOne } from "../../mail/files/inbox-files.ts";
import { isMember } from "../../mail/files/members.ts";
import { readMessage } from "../../mail/files/read-message.ts";
import { messagePath } from "../../mail/nouns/message.ts";
import { mailPlaces, unreadPath } from "../../mail/nouns/part.ts";
import { blobId } from "../../store/digest.ts";
import { exists, facts } from "../../store/read/facts.ts";
import { bytesAt } from "../../store/read/read-file.ts";
import type { Store } from "../../store/root.ts";
import { flushFolder } from "../../store/write/make-folder.ts";
import { removeFile } from "../../store/write/move-file.ts";
import { linkFile } from "../../store/write/publish.ts";
import { removeIf } from "../../store/write/remove-if.ts";
import { isReserved } from "../../store/write/reserve.ts";

type Mail = Extract<Place, { kind: "unread" | "acked" }>;

/** Codes of a file that is not what its place is for. */
const BROKEN: ReadonlySet<string> = new Set(["malformed", "conflict", "too_large", "not_a_file", "outside_home", "differing_mail"]);

/** A finding with the `fix` that is safe here, and with what a person can do. Reads; only the `fix` writes. */
export function withRepair(world: World, finding: Finding): Finding {
  const { code, path } = finding;
  const place = path === undefined ? null : placeOf(path);
  if (path === undefined || place === null) return finding;
  if (place.kind === "unread" || place.kind === "acked") return { ...finding, fix: mailRepair(world, code, path, place) };
  if (place.kind === "message" && code === "missing_mail") return { ...finding, fix: missingRepair(world, place.key) };
  if (place.kind === "message" && BROKEN.has(code) && isSealed(place.key.token))
    return { ...finding, remedy: `${SEALED}; or remove it for everybody: relay forget ${messageId(place.key)}` };
  if (UNREAD.has(place.kind) && BROKEN.has(code)) {
    const fix = putBeside(world, path);
    return fix === undefined ? finding : { ...finding, remedy: BESIDE, fix };
  }
  const isOnce = BROKEN.has(code) && nounAt(path)?.noun.guard === "once" && findRepository(world) !== null;
  return isOnce ? { ...finding, remedy: ONCE } : finding;
}

/** Kinds of which a file that cannot be read says nothing. */
const UNREAD: ReadonlySet<Place["kind"]> = new Set(["claim", "review", "result"]);
const BESIDE = `${BY_HAND}; it says nothing meanwhile. --fix keeps it beside its name`;
const ONCE = "Correct it by hand, then `relay record`: a text that can be read takes its place";
const SEALED = "A message cannot be edited: `relay record` restores it where the home was recorded with it";

/** In place of broken mail comes the message that its thread has whole; mail whose thread has lost it gives it back. */
function mailRepair(world: World, code: string, at: string, { kind, part, key }: Mail): Finding["fix"] {
  const { store } = world.home();
  const origin = messagePath(key);
  if (code === "not_addressed")
    return kind === "unread" && isMember(world, part) ? () => void ackOne(store, part, messageId(key)) : undefined;
  if (code === "dangling_mail")
    return !exists(store, origin) && readMessage(store, key, at, []) !== null ? () => restore(store, at, origin) : undefined;
  // A folder may hold what nobody else has, and so may a file that the thread cannot stand in for.
  const isSafe = BROKEN.has(code) && exists(store, origin) && facts(store, at)?.kind !== "folder";
  if (!isSafe || readMessage(store, key, origin, []) === null) return undefined;
  return () => {
    removeFile(store, at);
    restore(store, origin, at);
  };
}

/** Gives a file a second name, which a loss of power after that leaves. */
function restore(store: Store, source: string, target: string): void {
  linkFile(store, source, target);
  flushFolder(store, posix.dirname(target));
}

/** Absence is never a deletion: a message that is in neither half of a recipient's inbox goes back to unread. */
function missingRepair(world: World, location: MessageLocation): Finding["fix"] {
  const { store } = world.home();
  const id = messageId(location);
  const renamed = currentNames(world);
  const missing = (readMessage(store, location, messagePath(location), [])?.to ?? []).flatMap((name) => {
    const mail = mailPlaces(name, { id, day: location.day }, (part) => isMember(world, part), renamed);
    return mail === null || mail.paths.some((at) => exists(store, at)) ? [] : [mail.part];
  });
  if (missing.length === 0) return undefined;
  return () => {
    for (const part of missing) restore(store, messagePath(location), unreadPath(part, id));
  };
}

/** A record that cannot be read says nothing: it is kept beside its name, which is free then. */
function putBeside(world: World, path: string): Finding["fix"] {
  const { store } = world.home();
  const bytes = orElse(null, () => bytesAt(store, path, MOST_BYTES));
  if (bytes === null) return undefined;
  return () => {
    if (isReserved(store, path)) return;
    const id = blobId(bytes, idLength(findRepository(world)));
    linkFile(store, path, keptPath(path, id));
    removeIf(store, path, MOST_BYTES, (now) => now.equals(bytes));
  };
}
const MOST_BYTES = 1_048_576;
