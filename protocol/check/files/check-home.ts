/** Checks a whole snapshot of a home, and writes nothing. spec/check.md, "Check". */

import { type Config, NO_RULES, type SummaryRules } from "../../core/config/config.ts";
import { CONFIG_PATH } from "../../core/config/config-schema.ts";
import { append } from "../../core/format/append.ts";
import { compareFindings, type Finding, finding } from "../../core/format/finding.ts";
import { refuse } from "../../core/refusal.ts";
import type { Snapshot, SnapshotFile } from "../../git/home/home-reader.ts";
import { isUnreadable } from "../../store/read/unreadable.ts";
import { checkRequests } from "../nouns/check-thread.ts";
import { readConfig } from "./check-config.ts";
import { CheckInOrder } from "./check-in-order.ts";
import { list, type Reading, type ThreadFiles } from "./check-list.ts";
import type { ClaimFacts } from "./claim-facts.ts";
import { type Reads, readAllFiles } from "./lasting-findings.ts";

/** What came of checking a home. */
export interface Checked {
  findings: Finding[];
  /** What may be a fault, and may be a later version's. */
  warnings: Finding[];
  /** How many files there are. */
  files: number;
  /** Every session, and whether it has a summary. */
  summed: Map<string, boolean>;
  /** Every thread with its messages, as the names say. */
  threads: Iterable<ThreadFiles>;
}

/**
 * Checks a whole home. Holds the names of all files, and the text of one at a time.
 * @param around what this machine knows of claims
 * @param progress hears how far it is, in words
 * @param rules what is asked of summaries in place of what the home itself asks; null for the home's own
 * @param reads which files are read; all are listed
 * @param given the configuration that counts, where another examines `relay.yml`; undefined for the snapshot's own
 * @throws Refusal `unsupported_format`, `no_home`
 */
export async function checkHome(
  snapshot: Snapshot,
  around: ClaimFacts,
  progress: (at: string) => void,
  rules: SummaryRules | null = null,
  reads: Reads = readAllFiles,
  given?: Config,
): Promise<Checked> {
  const findings: Finding[] = [];
  const warnings: Finding[] = [];
  progress("names");
  const listing = await list(snapshot, findings);
  for (const { keys, unanswered } of listing.threads.values()) append(warnings, checkRequests(keys, unanswered));
  for (const [at, problem] of snapshot.store?.skipped ?? [])
    if (isUnreadable(problem)) findings.push(finding("not_readable", { path: at }, problem, "a folder that may be listed"));
  const file = listing.files.get(CONFIG_PATH);
  if (file === undefined && given === undefined) throw refuse("no_home", { looked: CONFIG_PATH });
  const config = given ?? (await readConfig(snapshot, file as SnapshotFile, findings, warnings));
  // An inbox may be an empty folder, which git does not keep; its name is taken all the same.
  for (const part of config?.parts.keys() ?? []) append(findings, listing.names.add(`inbox/${part}`));
  const check = new CheckInOrder(listing, config, rules ?? config?.summaries ?? NO_RULES, around, findings, warnings);
  const readings = listing.readings.filter(({ file: { path }, place }) => place.kind !== "config" && reads({ path, place }));
  let at = 0;
  // A file that went meanwhile has no text.
  for await (const { file: read, text } of snapshot.texts(readings.map((reading) => reading.file))) {
    while (readings[at]?.file !== read) at += 1;
    const reading = readings[at++] as Reading;
    if (at % 1_000 === 0) progress(`${at} of ${readings.length} files`);
    check.take(reading, text);
  }
  check.finish();
  const summed = new Map([...listing.sessions.values()].map(({ session, hasSummary }) => [session, hasSummary]));
  return { findings: findings.sort(compareFindings), warnings, files: listing.files.size, summed, threads: listing.threads.values() };
}
