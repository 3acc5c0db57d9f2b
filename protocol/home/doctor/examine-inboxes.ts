/** Checks the inboxes. spec/check.md, "doctor". */

import { type MessageKey, parseMessageId } from "../../objects/format/id.ts";
import { LIMITS } from "../../objects/format/schema.ts";
import { messagePath } from "../../objects/message/message.ts";
import { guestPath } from "../../objects/part/guest.ts";
import { inboxNew, keptOpen, mailPlaces, unreadPath } from "../../objects/part/part.ts";
import { isIgnored } from "../../objects/tree/layout.ts";
import { linkFile, removeFile } from "../../store/files.ts";
import { exists, facts, names, readText } from "../../store/read.ts";
import type { Store } from "../../store/root.ts";
import type { World } from "../../world.ts";
import type { Finding } from "../check/doctor-finding.ts";
import type { Faults } from "../file-faults.ts";
import { currentNames } from "../message/delivery-state.ts";
import { isAddressed, notAddressed } from "../message/read-mail.ts";
import { ackOne, idInInbox, isAcked, makeInbox } from "../part/inbox-files.ts";
import { inboxFolders, isMember, members } from "../part/members.ts";
import { formerNames, moveMail } from "../part/rename-part.ts";
import { readMessage } from "../thread/read-message.ts";
import type { Known } from "./examine-threads.ts";

/** Looks every inbox over against the threads. */
export function examineInboxes(world: World, known: Known, findings: Finding[]): void {
  const { store, config } = world.home();
  const { inTree } = config();
  const folded = new Map<string, string>();
  for (const { part, session } of members(world)) {
    world.progress?.(`inbox of ${part}`);
    const twin = folded.get(part.toLowerCase());
    if (twin !== undefined)
      findings.push({
        severity: "error",
        code: "case_twins",
        path: `inbox/${part}`,
        problem: `"${twin}" and "${part}" differ only in case`,
      });
    folded.set(part.toLowerCase(), part);
    if (!exists(store, inboxNew(part))) {
      findings.push({
        severity: "note",
        code: "no_inbox",
        path: inboxNew(part),
        problem: `part "${part}" has no inbox`,
        fix: () => makeInbox(store, part, inTree),
      });
    } else if (inTree && !exists(store, keptOpen(part))) {
      findings.push({
        severity: "warning",
        code: "no_gitkeep",
        path: keptOpen(part),
        problem: "without it git takes new/ for renamed once all was acked, and a pull moves new mail to read/",
        fix: () => makeInbox(store, part, inTree),
      });
    }
    if (session === null && exists(store, guestPath(part))) {
      findings.push({
        severity: "note",
        code: "guest_record",
        path: guestPath(part),
        problem: "left from when this part was a guest",
        fix: () => void removeFile(store, guestPath(part)),
      });
    }
    for (const name of names(store, inboxNew(part))) examineUnread(world, part, name, known, findings);
  }
  examineNobodys(world, known, findings);
  for (const [name, part] of formerNames(world)) {
    findings.push({
      severity: "warning",
      code: "former_inbox",
      path: inboxNew(name),
      problem: `mail of "${part}" lies under its former name`,
      fix: () => moveMail(world, name, part),
    });
  }
  restoreMissing(world, known, findings);
}

/** Mail in the inbox of nobody. What was addressed to the name is what a part left that was removed. */
function examineNobodys(world: World, known: Known, findings: Finding[]): void {
  const { store } = world.home();
  for (const name of inboxFolders(store).filter((folder) => !isMember(world, folder))) {
    for (const file of names(store, inboxNew(name))) {
      const to = known.get(idInInbox(file) ?? "")?.to;
      if (to === undefined || isAddressed(world, name, to)) continue;
      findings.push({ severity: "warning", code: "not_addressed", path: `${inboxNew(name)}/${file}`, problem: notAddressed(name) });
    }
  }
}

function examineUnread(world: World, part: string, name: string, known: Known, findings: Finding[]): void {
  const { store } = world.home();
  const at = `${inboxNew(part)}/${name}`;
  const id = idInInbox(name);
  if (id === null) {
    if (!isIgnored(name))
      findings.push({
        severity: "warning",
        code: "unknown_file",
        path: at,
        problem: "not the name of a message, so it is not mail. To send with a shell, put the file into outbox/",
      });
  } else if (isAcked(store, part, id)) {
    findings.push({
      severity: "warning",
      code: "half_acked",
      path: at,
      problem: "acked, but its unread name is still there",
      fix: () => void removeFile(store, at),
    });
  } else if (!known.has(id)) {
    const key = parseMessageId(id) as MessageKey;
    const readable = readMessage(store, key, at, []) !== null;
    const restore = readable && !exists(store, messagePath(key)) ? () => void linkFile(store, at, messagePath(key)) : undefined;
    findings.push({
      severity: "error",
      code: "not_in_thread",
      path: at,
      problem: "its thread has no such message, or it cannot be read there",
      fix: restore,
    });
  } else if (!isAddressed(world, part, known.get(id)?.to ?? [])) {
    findings.push({
      severity: "error",
      code: "not_addressed",
      path: at,
      problem: notAddressed(part),
      fix: () => void ackOne(store, part, id),
    });
  } else examineCopy(store, parseMessageId(id) as MessageKey, at, findings);
}

/**
 * A name in an inbox that is no longer the thread's own file: an editor broke the link, and perhaps the text.
 * @param isInThread whether the thread has such a file at all; a push can bring very many names of messages that nobody has
 */
export function examineCopy(store: Store, key: MessageKey, at: string, findings: Finding[], isInThread = true): void {
  const fact = isInThread ? facts(store, at) : null;
  if (isInThread && fact?.inode === facts(store, messagePath(key))?.inode) return;
  const faults: Faults = [];
  const repair = (): void => {
    removeFile(store, at);
    linkFile(store, messagePath(key), at);
  };
  // A folder may hold what nobody else has, and so may a file that the thread cannot stand in for.
  const isWhole = isInThread && fact?.kind !== "folder" && readMessage(store, key, messagePath(key), []) !== null;
  const isMessage = readMessage(store, key, at, faults) !== null;
  for (const fault of faults) findings.push({ severity: "error", code: "malformed", ...fault, fix: isWhole ? repair : undefined });
  if (isMessage && isWhole && textAt(store, at) !== textAt(store, messagePath(key)))
    findings.push({ severity: "error", code: "differs", path: at, problem: "it is not the message that its thread has", fix: repair });
}

/** The text of a file; null of what is none. */
function textAt(store: Store, path: string): string | null {
  try {
    return readText(store, path, LIMITS.messageBytes);
  } catch {
    return null;
  }
}

/** Absence is never a deletion: a message that is in neither half of a recipient's inbox goes back to unread. */
function restoreMissing(world: World, known: Known, findings: Finding[]): void {
  const { store } = world.home();
  const parts = new Set(members(world).map(({ part }) => part));
  const renamed = currentNames(world);
  for (const [id, { key, to }] of known) {
    for (const name of to) {
      const mail = mailPlaces(name, { id, day: key.day }, (part) => parts.has(part), renamed);
      if (mail === null || mail.paths.some((at) => exists(store, at))) continue;
      const { part } = mail;
      findings.push({
        severity: "error",
        code: "missing_from_inbox",
        path: unreadPath(part, id),
        problem: `addressed to "${part}", but neither unread nor acked there`,
        fix: () => void linkFile(store, messagePath(key), unreadPath(part, id)),
      });
    }
  }
}
