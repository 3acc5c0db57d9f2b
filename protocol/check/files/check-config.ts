/** Reads the configuration of a home, and finds all that is wrong with it. spec/check.md, "Check". */

import { type Config, parseConfig } from "../../core/config/config.ts";
import { CONFIG_PATH } from "../../core/config/config-schema.ts";
import { misspelt } from "../../core/config/misspelt-settings.ts";
import { FileError, FormatError } from "../../core/format/file-error.ts";
import { type Finding, finding } from "../../core/format/finding.ts";
import { FILE_BYTES } from "../../core/format/schema.ts";
import { asFileRefusal } from "../../core/home/broken-files.ts";
import { conflictFinding } from "../../core/tree/conflict.ts";
import type { Snapshot, SnapshotFile } from "../../git/home/home-reader.ts";
import { readText } from "../../store/read/read-file.ts";
import type { Store } from "../../store/root.ts";
import { expectedOf } from "../nouns/check-files.ts";

/** Reads a configuration; what is wrong with it goes into `findings`. @param text an error stands for a text that could not be had @throws Refusal `unsupported_format` */
function parsedConfig(text: string | FileError, findings: Finding[]): Config | null {
  const conflict = typeof text === "string" ? conflictFinding(CONFIG_PATH, text) : null;
  if (conflict !== null) findings.push(conflict);
  else {
    try {
      if (typeof text !== "string") throw text;
      return parseConfig(text);
    } catch (error) {
      if (!(error instanceof FileError) || error instanceof FormatError) throw asFileRefusal(error, CONFIG_PATH);
      for (const { message, line } of [error, ...error.others])
        findings.push(finding("malformed", { path: CONFIG_PATH, line }, message, expectedOf("config")));
    }
  }
  return null;
}

/** What is wrong with the configuration of a home's folder, which could not be read. @throws Refusal `unsupported_format` */
export function configFaults(store: Store): Finding[] {
  const findings: Finding[] = [];
  let source: string | FileError | null;
  try {
    source = readText(store, CONFIG_PATH, FILE_BYTES.config);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    source = error;
  }
  if (source !== null) parsedConfig(source, findings);
  return findings;
}

/** Settings that are most likely misspelt: warnings, because a later version may know them. @param source the text of `relay.yml` */
export function settingWarnings(source: string): Finding[] {
  return misspelt(source).map(({ setting, near, line }) =>
    finding("unknown_setting", { path: CONFIG_PATH, line }, `${setting}, which has no effect`, near),
  );
}

/**
 * The configuration of a snapshot; null where it cannot be read.
 * @param file its `relay.yml`
 * @param findings gets why it cannot be read
 * @param warnings gets settings that are most likely misspelt
 * @throws Refusal `unsupported_format`
 */
export async function readConfig(snapshot: Snapshot, file: SnapshotFile, findings: Finding[], warnings: Finding[]): Promise<Config | null> {
  // Too large, or no file: that is a finding already.
  if (file.kind !== "file" || file.size > FILE_BYTES.config) return null;
  for await (const { text } of snapshot.texts([file])) {
    const config = parsedConfig(text, findings);
    if (config !== null) warnings.push(...settingWarnings(text as string));
    return config;
  }
  return null;
}
