/** What one file of a home says, and what is wrong with it by itself. SPEC.md, "Check". */
import { READ, readPlace, type Told } from "../objects/check-file.ts";
import { mayConflict } from "../objects/conflict.ts";
import { type CheckFinding, finding } from "../objects/finding.ts";
import type { Place } from "../objects/layout.ts";
import { MessageError } from "../objects/message.ts";
import { sha256 } from "../store/digest.ts";
import type { ContentError } from "../store/read.ts";
import { conflictFinding } from "./check-conflict.ts";
import type { Reading } from "./check-list.ts";
import type { TeamReader } from "./check-yaml.ts";
import { faultOf } from "./threads.ts";

/** What was read of a file; `told` is null where it could not be. */
interface Read {
  told: Told | null;
  findings: CheckFinding[];
}

/** Reads a file by its place. @param text an error stands for a text that could not be had */
export function readFile({ file: { path }, place }: Reading, text: string | ContentError, teams: TeamReader): Read {
  if (typeof text !== "string") return { told: null, findings: [malformed(place, path, text)] };
  const conflict = conflictFinding(path, text);
  const left = conflict !== null && mayConflict(place.kind) ? [conflict] : [];
  if (place.kind === "pool" || place.kind === "team")
    return { told: null, findings: conflict === null ? teams.read(path, text, place.kind) : left };
  try {
    const told = readPlace(place, text, sha256);
    return { told, findings: told.kind === "events" ? brokenEvents(path, told.events) : left };
  } catch (error) {
    return { told: null, findings: [conflict ?? malformed(place, path, error)] };
  }
}

function malformed(place: Place, path: string, error: unknown): CheckFinding {
  const { line, problem } = faultOf(error, path);
  return finding("malformed", { path, line }, problem, READ[place.kind] ?? "another text");
}

/** Broken lines of one file that are named; of a file that is full of them it is enough to know where they begin. */
const LINES_NAMED = 100;

function brokenEvents(path: string, events: Extract<Told, { kind: "events" }>["events"]): CheckFinding[] {
  const broken = events.filter(({ event }) => event instanceof MessageError);
  const named = broken
    .slice(0, LINES_NAMED)
    .map(({ line, event }) => finding("malformed", { path, line }, (event as MessageError).message, READ.events as string));
  const next = broken[LINES_NAMED];
  if (next === undefined) return named;
  const more = `${broken.length - LINES_NAMED} more lines of it are broken`;
  return [...named, finding("malformed", { path, line: next.line }, more, READ.events as string)];
}
