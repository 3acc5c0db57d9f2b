/** Parses one file of a home, and finds its own faults. spec/check.md, "Check". */
import { isCutLine } from "../../core/format/cut-line.ts";
import { FileError } from "../../core/format/file-error.ts";
import { type Finding, type FindingCode, finding } from "../../core/format/finding.ts";
import { faultOf } from "../../core/home/broken-files.ts";
import { conflictFinding, mayConflict } from "../../core/tree/conflict.ts";
import type { ParsedFile } from "../../nouns.ts";
import { sha256 } from "../../store/digest.ts";
import type { FilesCheck } from "../asks.ts";
import { expectedOf, readPlace } from "../nouns/check-files.ts";
import type { Reading } from "./check-list.ts";

/** What was read of a file; `parsed` is null where it could not be. */
interface Read {
  parsed: ParsedFile | null;
  findings: Finding[];
}

/**
 * Reads a file by its place.
 * @param text an error stands for a text that could not be had
 * @param checks those of the packages
 */
export function readFile({ file: { path }, place }: Reading, text: string | FileError, checks: readonly FilesCheck[]): Read {
  const malformed = ({ line, problem }: { line?: number | undefined; problem: string }): Finding =>
    finding("malformed", { path, line }, problem, expectedOf(place.kind));
  if (typeof text !== "string") return { parsed: null, findings: [malformed(faultOf(text, path))] };
  const conflict = conflictFinding(path, text);
  try {
    const parsed = readPlace(place, text, sha256);
    if (conflict !== null && mayConflict(place.kind)) return { parsed, findings: [conflict] };
    const [cut, broken] = apart(brokenLines(parsed, checks), parsed.kind === "events" || parsed.kind === "usage" ? text.split("\n") : []);
    const notes = firstOf(cut.map(malformed), "cut").map((each) => ({ ...each, severity: "note" as const, remedy: CUT_LINE }));
    return { parsed, findings: [...firstOf(broken.map(malformed), "broken"), ...notes] };
  } catch (error) {
    if (conflict !== null) return { parsed: null, findings: [conflict] };
    const all = error instanceof FileError ? [error, ...error.others] : [error];
    return {
      parsed: null,
      findings: firstOf(
        all.map((each) => malformed(faultOf(each, path))),
        "broken",
      ),
    };
  }
}

const CUT_LINE = "Nothing: a loss of power cut the line, and nobody was answered for it";

/** What is wrong with single lines of a file, of those apart that a loss of power cut. @param rows the lines of a file that only grows */
function apart<T extends { line?: number | undefined }>(faults: readonly T[], rows: readonly string[]): [cut: T[], broken: T[]] {
  const isCut = ({ line = 0 }: T): boolean => isCutLine(rows[line - 1] ?? "");
  return [faults.filter(isCut), faults.filter((fault) => !isCut(fault))];
}

/** What is wrong with single lines of a file that can be read as a whole. */
function brokenLines(parsed: ParsedFile, checks: readonly FilesCheck[]): readonly { line?: number | undefined; problem: string }[] {
  if (parsed.kind === "events" || parsed.kind === "usage") return parsed.value.broken;
  return checks.flatMap((each) => each.brokenLines?.(parsed) ?? []);
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
