/** Parses one file of a home, and finds its own faults. spec/check.md, "Check". */
import { expectedOf, type ParsedFile, readPlace } from "../../objects/check/check-files.ts";
import type { EventsFile } from "../../objects/event/event.ts";
import type { FileError } from "../../objects/format/file-error.ts";
import { type Finding, type FindingCode, finding } from "../../objects/format/finding.ts";
import type { NounPlace } from "../../objects/index.ts";
import { conflictFinding, mayConflict } from "../../objects/tree/conflict.ts";
import { sha256 } from "../../store/digest.ts";
import { faultOf } from "../broken-files.ts";
import type { Reading } from "./check-list.ts";
import type { TeamReader } from "./check-yaml.ts";

/** What was read of a file; `parsed` is null where it could not be. */
interface Read {
  parsed: ParsedFile | null;
  findings: Finding[];
}

/** Reads a file by its place. @param text an error stands for a text that could not be had */
export function readFile({ file: { path }, place }: Reading, text: string | FileError, teams: TeamReader): Read {
  if (typeof text !== "string") return { parsed: null, findings: [malformed(place, path, text)] };
  const conflict = conflictFinding(path, text);
  const left = conflict !== null && mayConflict(place.kind) ? [conflict] : [];
  if (place.kind === "pool" || place.kind === "team")
    return { parsed: null, findings: conflict === null ? teams.read(path, text, place.kind) : left };
  try {
    const parsed = readPlace(place, text, sha256);
    return { parsed, findings: parsed.kind === "events" ? brokenEvents(path, parsed.value) : left };
  } catch (error) {
    return { parsed: null, findings: [conflict ?? malformed(place, path, error)] };
  }
}

function malformed(place: NounPlace, path: string, error: unknown): Finding {
  const { line, problem } = faultOf(error, path);
  return finding("malformed", { path, line }, problem, expectedOf(place.kind));
}

/** Lines of one file that are named for one reason; of a file that is full of them it is enough to know where they begin. */
const LINES_NAMED = 100;

/** The first findings of a file, and, in place of all others, how many there are. @param are what is wrong with the others */
export function firstOf(findings: readonly Finding[], are: string): Finding[] {
  const next = findings[LINES_NAMED];
  if (next === undefined) return [...findings];
  const more = `${findings.length - LINES_NAMED} more lines of it are ${are}`;
  return [
    ...findings.slice(0, LINES_NAMED),
    finding(next.code as FindingCode, { path: next.path as string, line: next.line }, more, next.expected as string),
  ];
}

const brokenEvents = (path: string, { broken }: EventsFile): Finding[] =>
  firstOf(
    broken.map(({ line, problem }) => finding("malformed", { path, line }, problem, expectedOf("events"))),
    "broken",
  );
