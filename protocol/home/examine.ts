/** Looking a home over: what is broken, what a killed process left, what can be put right safely. SPEC.md, "doctor". */
import fs from "node:fs";
import path from "node:path";
import { guestPath } from "../objects/guest.ts";
import { decodeTime, type MessageKey, messageId, parseMessageId, type ThreadKey } from "../objects/id.ts";
import { keyInThread, messagePath, threadFolder } from "../objects/message.ts";
import { inboxNew, outboxOf, partProblem, readPath, unreadPath } from "../objects/part.ts";
import { absolute, entries, exists, facts, linkFile, names, removeFile, type Store } from "../store/files.ts";
import type { World } from "../world.ts";
import { examineWakes } from "./examine-wakes.ts";
import { idInInbox, isAcked } from "./inbox.ts";
import { examineLeft } from "./left.ts";
import { makeInbox, members } from "./parts.ts";
import { heartbeats } from "./presence.ts";
import { currentNames } from "./receipts.ts";
import { formerNames, moveMail } from "./rename.ts";
import { type Faults, messageKeys, readMessage, readThread, threadDays, threadsOfDay } from "./threads.ts";

/** Something that is not as it should be. `fix` puts it right when that is safe; `remedy` says what a person can do. */
export interface Finding {
  severity: "error" | "warning" | "note";
  code: string;
  path?: string | undefined;
  line?: number | undefined;
  problem: string;
  remedy?: string | undefined;
  fix?: (() => void) | undefined;
}

/** A clock that is behind what was written by more than this is worth a word. */
const CLOCK_SLACK_MS = 5 * 60_000;

/** Every message of the home, and what is wrong in the threads. */
function examineThreads(world: World, findings: Finding[]): Map<string, { key: MessageKey; to: string[] }> {
  const { store } = world.home();
  const known = new Map<string, { key: MessageKey; to: string[] }>();
  for (const name of names(store, "threads")) {
    if (!/^\d{4}-\d\d-\d\d$/.test(name))
      findings.push({
        severity: "note",
        code: "unknown_file",
        path: `threads/${name}`,
        problem: "not a day (yyyy-mm-dd), so it is not read",
      });
  }
  for (const day of threadDays(store)) {
    if (facts(store, `threads/${day}`)?.kind !== "folder") {
      findings.push({
        severity: "error",
        code: "link_or_other",
        path: `threads/${day}`,
        problem: "not a folder of its own (a link or another kind of file), so nothing in it is read",
      });
      continue;
    }
    world.progress?.(`threads of ${day}`);
    for (const thread of threadsOfDay(store, day)) examineThread(world, thread, known, findings);
  }
  return known;
}

function examineThread(world: World, thread: ThreadKey, known: Map<string, { key: MessageKey; to: string[] }>, findings: Finding[]): void {
  const { store } = world.home();
  const folder = threadFolder(thread);
  for (const entry of entries(store, folder)) {
    const isMessage = keyInThread(thread, entry.name) !== null;
    if (isMessage && entry.kind !== "file")
      findings.push({
        severity: "error",
        code: "link_or_other",
        path: `${folder}/${entry.name}`,
        problem: "a message must be a plain file; this is a folder, a link or a device",
      });
    else if (!isMessage && entry.name !== "thread.md" && !entry.name.startsWith(".") && !entry.name.endsWith(".sig")) {
      findings.push({
        severity: "note",
        code: "unknown_file",
        path: `${folder}/${entry.name}`,
        problem: "not the name of a message, so it is not read",
      });
    }
  }
  const keys = messageKeys(store, thread);
  const faults: Faults = [];
  readThread(store, thread, keys, faults);
  for (const key of keys) {
    const message = readMessage(store, key, messagePath(key), faults);
    if (message !== null) known.set(messageId(key), { key, to: message.to });
  }
  const seen = new Set<string>();
  for (const fault of faults) {
    if (seen.has(fault.path)) continue;
    seen.add(fault.path);
    findings.push({
      severity: "error",
      code: "malformed",
      ...fault,
      remedy: "Correct it by hand, or take it back from git (`cd .relay && git log -p`)",
    });
  }
  const newest = keys.reduce((latest, key) => Math.max(latest, decodeTime(key.token)), 0);
  if (newest > world.now() + CLOCK_SLACK_MS) {
    findings.push({
      severity: "warning",
      code: "clock",
      path: folder,
      problem: `written ${Math.round((newest - world.now()) / 60_000)} minutes in this clock's future: this clock, or the writer's, is wrong`,
    });
  }
}

function examineInboxes(world: World, known: Map<string, { key: MessageKey; to: string[] }>, findings: Finding[]): void {
  const { store } = world.home();
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
        fix: () => makeInbox(store, part),
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
    for (const name of names(store, inboxNew(part))) examineUnread(store, part, name, known, findings);
  }
  for (const [name, part] of formerNames(world)) {
    findings.push({
      severity: "warning",
      code: "former_inbox",
      path: inboxNew(name),
      problem: `mail of "${part}" lies under its former name`,
      fix: () => moveMail(store, name, part),
    });
  }
  restoreMissing(world, known, findings);
}

function examineUnread(store: Store, part: string, name: string, known: Map<string, unknown>, findings: Finding[]): void {
  const at = `${inboxNew(part)}/${name}`;
  const id = idInInbox(name);
  if (id === null) {
    if (!name.startsWith(".") && !name.endsWith(".sig"))
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
  } else examineCopy(store, parseMessageId(id) as MessageKey, at, findings);
}

/** An unread name that is no longer the thread's own file: an editor broke the link, and perhaps the text. */
function examineCopy(store: Store, key: MessageKey, at: string, findings: Finding[]): void {
  if (facts(store, at)?.inode === facts(store, messagePath(key))?.inode) return;
  const faults: Faults = [];
  const repair = (): void => {
    removeFile(store, at);
    linkFile(store, messagePath(key), at);
  };
  readMessage(store, key, at, faults);
  for (const fault of faults) findings.push({ severity: "error", code: "malformed", ...fault, fix: repair });
}

/** Absence is never a deletion: a message that is in neither half of a recipient's inbox goes back to unread. */
function restoreMissing(world: World, known: Map<string, { key: MessageKey; to: string[] }>, findings: Finding[]): void {
  const { store } = world.home();
  const parts = new Set(members(world).map(({ part }) => part));
  const renamed = currentNames(world);
  for (const [id, { key, to }] of known) {
    for (const name of to) {
      const part = parts.has(name) ? name : (renamed.get(name) ?? name);
      // Under a former name it is found, and moved, as `former_inbox`.
      const there = [part, name].some((under) => exists(store, unreadPath(under, id)) || exists(store, readPath(under, id, key.day)));
      if (!parts.has(part) || there) continue;
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

function examineRun(world: World, findings: Finding[]): void {
  const { store } = world.home();
  const parts = new Set([
    ...members(world).map(({ part }) => part),
    ...names(store, "run/presence").filter((name) => partProblem(name) === null),
  ]);
  for (const part of parts) {
    for (const { path: at, live } of heartbeats(world, part)) {
      if (!live)
        findings.push({
          severity: "note",
          code: "stale_presence",
          path: at,
          problem: `a connection of "${part}" died without saying so`,
          fix: () => void removeFile(store, at),
        });
    }
  }
  for (const { part } of members(world)) {
    for (const name of names(store, outboxOf(part))) {
      if (name.endsWith(".refused") && exists(store, `${outboxOf(part)}/${name.slice(0, -8)}`)) {
        findings.push({
          severity: "warning",
          code: "outbox_refused",
          path: `${outboxOf(part)}/${name.slice(0, -8)}`,
          problem: "a message that could not be sent; the reason is in the .refused beside it",
          remedy: "Correct the file, or remove it",
        });
      }
    }
  }
}

function examinePermissions(store: Store, findings: Finding[]): void {
  for (const folder of [".", "threads", "inbox", "local", "run"]) {
    if (folder !== "." && !exists(store, folder)) continue;
    if (facts(store, folder)?.kind !== "folder") {
      findings.push({ severity: "error", code: "link_or_other", path: folder, problem: "expected a folder" });
      continue;
    }
    try {
      fs.accessSync(absolute(store, folder), fs.constants.R_OK | fs.constants.W_OK | fs.constants.X_OK);
    } catch {
      findings.push({
        severity: "error",
        code: "not_writable",
        path: folder,
        problem: "this user may not write here",
        remedy: "Fix its owner or mode, or add the home to the sandbox's writable roots",
      });
    }
  }
}

/** Links anywhere in the home that lead out of it; their files are neither read nor written. */
function examineLinks(store: Store, findings: Finding[]): void {
  const walk = (folder: string, depth: number): void => {
    for (const entry of entries(store, folder)) {
      const at = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.kind === "link") {
        const real = realOf(absolute(store, at));
        if (real === null || !real.startsWith(store.root + path.sep))
          findings.push({
            severity: "error",
            code: "outside_home",
            path: at,
            problem: "a link that leads out of the home; it is neither read nor written",
            remedy: "Remove the link",
          });
      } else if (entry.kind === "folder" && depth < 4 && entry.name !== ".git") walk(at, depth + 1);
    }
  };
  walk("", 0);
}

function realOf(at: string): string | null {
  try {
    return fs.realpathSync.native(at);
  } catch {
    return null;
  }
}

/** Looks the whole home over. Writes nothing; each finding's `fix` would. */
export function examine(world: World): Finding[] {
  const { store } = world.home();
  const findings: Finding[] = [];
  examinePermissions(store, findings);
  examineLinks(store, findings);
  const known = examineThreads(world, findings);
  examineInboxes(world, known, findings);
  examineRun(world, findings);
  examineLeft(store, [...known.values()], findings);
  examineWakes(world, findings);
  return findings;
}
