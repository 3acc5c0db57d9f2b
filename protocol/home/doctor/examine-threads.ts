/** Checks the threads. spec/check.md, "doctor". */

import { decodeTime, isSealed, type MessageKey, messageId, type ThreadKey } from "../../objects/format/id.ts";
import { keyInThread, locateMessage, messagePath, threadFolder } from "../../objects/message/message.ts";
import { isIgnored } from "../../objects/tree/layout.ts";
import { entries, facts, names } from "../../store/read.ts";
import type { World } from "../../world.ts";
import type { Finding } from "../check/doctor-finding.ts";
import type { Faults } from "../file-faults.ts";
import { readMessage } from "../thread/read-message.ts";
import { messageKeys, readThread, threadDays, threadsOfDay } from "../thread/threads.ts";

/** A clock that is behind what was written by more than this is worth a word. */
const CLOCK_SLACK_MS = 5 * 60_000;

/** Every message that can be read, by its id, and whom it is for. */
export type Known = Map<string, { key: MessageKey; to: string[] }>;

/** Every message of the home, and what is wrong in the threads. */
export function examineThreads(world: World, findings: Finding[]): Known {
  const { store } = world.home();
  const known: Known = new Map();
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

/** Whether the path is that of a message whose text gave it its name. */
function isMessageSealed(path: string): boolean {
  const key = locateMessage(path);
  return key !== null && isSealed(key.token);
}

function examineThread(world: World, thread: ThreadKey, known: Known, findings: Finding[]): void {
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
    else if (!isMessage && entry.name !== "thread.md" && !isIgnored(entry.name)) {
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
      remedy: isMessageSealed(fault.path)
        ? "A message cannot be edited: take it back from git (`cd .relay && git log -p`)"
        : "Correct it by hand, or take it back from git (`cd .relay && git log -p`)",
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
