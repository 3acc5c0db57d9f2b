/** Finds what is wrong between the files of an office. spec/check.md, "Check". */

import { type Finding, finding } from "../../core/format/finding.ts";
import type { NounPlace, ParsedFile } from "../../nouns.ts";
import type { AgentFile } from "./agent-file.ts";
import type { OrgFile } from "./org-files.ts";
import { layOut } from "./positions.ts";
import { cannotCommit, toolsWithoutEffect } from "./usable-tools.ts";

/** A file of the office, without the prompt of an agent, so that any number can be held; null for any other file. @param parsed null where it cannot be read */
export function officeFile(path: string, place: NounPlace, parsed: ParsedFile | null): OrgFile | null {
  if (place.kind === "agent") return { path, place, value: parsed?.kind === "agent" ? { ...parsed.value, prompt: "" } : null };
  if (!isUnit(place)) return null;
  return { path, place, value: parsed !== null && isUnit(parsed) ? parsed.value : null };
}

const UNITS = ["office", "project", "workgroup"] as const;
const isUnit = <T extends { kind: string }>(of: T): of is Extract<T, { kind: (typeof UNITS)[number] }> =>
  (UNITS as readonly string[]).includes(of.kind);

/** What is wrong between the files of an office, all of which were read. Without its own file, which is written last, there is none. */
export function checkOffice(files: readonly OrgFile[]): Finding[] {
  if (!files.some(({ place }) => place.kind === "office")) return [];
  return layOut(files).faults.map(({ path, line, message }) =>
    finding("office_fault", { path: path as string, line }, message, "an office as spec/office.md, Positions, says"),
  );
}

/** Keys and tools of a file of the office that have no effect: warnings, because a later version may know them. */
export function unknownKeys({ path, place, value }: OrgFile): Finding[] {
  if (place.kind === "agent" && value !== null) {
    const agent = value as AgentFile;
    const tools = toolsWithoutEffect(agent).map(({ tool, expected }) =>
      finding("unknown_key", { path, line: undefined }, `tools: ${tool}, which has no effect`, expected),
    );
    const title = agent.isolation === "worktree" ? cannotCommit(agent) : null;
    if (title === null) return tools;
    const found = `isolation: worktree, in which ${title} cannot commit: the next agent does not get work that is in no commit`;
    return [...tools, finding("unknown_key", { path, line: undefined }, found, "another runner, or no isolation")];
  }
  const unknown = value !== null && "unknown" in value ? value.unknown : [];
  return unknown.map(({ key, line, near }) =>
    finding("unknown_key", { path, line }, `${key}, which has no effect`, near ?? "a key of spec/office.md, Office files"),
  );
}
