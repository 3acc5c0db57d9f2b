/** Checks every file of the home by itself, as `check` does. spec/check.md, "doctor". */

import { READ } from "../../objects/check/check-file.ts";
import { checkFile, checkKind } from "../../objects/check/check-files.ts";
import { append } from "../../objects/format/append.ts";
import type { CheckFinding } from "../../objects/format/finding.ts";
import type { MessageKey } from "../../objects/format/id.ts";
import { messagePath } from "../../objects/message/message.ts";
import { placeOf } from "../../objects/tree/layout.ts";
import type { Store } from "../../store/root.ts";
import type { Reading } from "../check/check-list.ts";
import { readFile } from "../check/check-text.ts";
import { TeamReader } from "../check/check-yaml.ts";
import type { Finding } from "../check/doctor-finding.ts";
import { type Reads, readAllFiles } from "../check/read-again.ts";
import { folderSnapshot } from "../git/home-reader.ts";
import { examineCopy } from "./examine-inboxes.ts";

const BY_HAND = "Correct it by hand, or take it back from git (`cd .relay && git log -p`)";

/**
 * What is wrong with each file by itself: what stands in its place, its size, its text, a conflict that git left. Of
 * messages that is the threads' to say, and mail is read only where it is another file than its thread's.
 * @param reads which files are read; all are listed
 */
export async function examineFiles(store: Store, reads: Reads = readAllFiles): Promise<Finding[]> {
  const snapshot = folderSnapshot(store.root);
  const found: CheckFinding[] = [];
  const readings: Reading[] = [];
  const mail: { path: string; same: string; key: MessageKey }[] = [];
  const messages = new Map<string, string>();
  for await (const file of snapshot.files()) {
    const place = placeOf(file.path);
    if (place === null || place.kind === "ignored" || place.kind === "machine") continue;
    if (place.kind === "message") messages.set(file.path, file.same);
    else if (place.kind === "unread" || place.kind === "acked") {
      if (reads({ path: file.path, place })) mail.push({ path: file.path, same: file.same, key: place.key });
    } else {
      const wrong = file.kind === "file" ? checkFile(file, place) : checkKind(file, place, false);
      append(found, wrong);
      if (wrong.length === 0 && READ[place.kind] !== undefined && reads({ path: file.path, place })) readings.push({ file, place });
    }
  }
  // The pool comes before the teams that it fills in.
  readings.sort((a, b) => (a.file.path < b.file.path ? -1 : 1));
  const teams = new TeamReader();
  let at = 0;
  for await (const { file, text } of snapshot.texts(readings.map((reading) => reading.file))) {
    while (readings[at]?.file !== file) at += 1;
    append(found, readFile(readings[at] as Reading, text, teams).findings);
  }
  const findings = found.map(reported);
  for (const { path, same, key } of mail) {
    const original = messages.get(messagePath(key));
    if (original !== same) examineCopy(store, key, path, findings, original !== undefined);
  }
  return findings;
}

/** A finding of `check` in the words of `doctor`, which calls what is no file `link_or_other`. */
function reported({ code, path, line, problem }: CheckFinding): Finding {
  return { severity: "error", code: code === "not_a_file" ? "link_or_other" : code, path, line, problem, remedy: BY_HAND };
}

/** What was found in each file, and what was found otherwise: what is wrong with one file is told once. */
export function toldOnce(files: readonly Finding[], others: readonly Finding[]): Finding[] {
  const conflicts = new Set(files.flatMap(({ code, path }) => (code === "conflict" ? [path] : [])));
  const kept = others.filter(({ code, path }) => !code.startsWith("malformed") || !conflicts.has(path));
  const named = new Set(kept.flatMap(({ severity, path }) => (severity === "error" ? [path] : [])));
  return [...files.filter(({ path }) => !named.has(path)), ...kept];
}
