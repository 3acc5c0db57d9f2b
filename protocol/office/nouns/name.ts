/** Names of the office: of units, leads and agents. Two names that differ in case, spaces or signs alone are one. spec/office.md, "Names". */
import { FileError } from "../../core/format/file-error.ts";
import { hiddenIn, lineProblem } from "../../core/format/hidden.ts";
import { LIMITS } from "../../core/format/schema.ts";
import { partProblem } from "../../core/names.ts";

/** A name as a file says it. */
export interface Named {
  name: string;
  /** What is compared, and what positions and rosters say. */
  slug: string;
  /** Where the file says it, counted from 1. */
  line: number;
}

/** The last segment of a lead's position, so that nobody else is called so. */
export const LEAD = "lead";
/** The position of the office's lead, and the first segment of those that belong to no project. */
export const OFFICE_LEAD = "om";

/** What names are compared by: `Quality Control` and `quality-control` are one. The same on every system; empty where nothing is left. */
export const slugOf = (name: string): string =>
  name
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");

/** Says why a text cannot be a name; null where it can. It is checked before it becomes a path. */
export function nameProblem(name: string): string | null {
  if (name === "") return "expected a name, it is empty";
  const problem = lineProblem(name, LIMITS.name);
  if (problem !== null) return problem;
  const hidden = hiddenIn(name);
  if (hidden !== null) return `expected a name without hidden characters, it has ${hidden}`;
  if (/[/\\]|^\.+$/.test(name)) return "expected a name, not a path";
  const slug = slugOf(name);
  if (!/[a-z]/.test(slug)) return "expected a name with a letter from a to z";
  return partProblem(slug);
}

/** What is expected in the place of a name, where something is wrong with it. @param problem as `nameProblem` says it */
export const expectedName = (problem: string): string =>
  problem.startsWith("expected ") ? problem.slice("expected ".length) : `another name: ${problem}`;

/** Files of these names, in any case, agents and editors take for instructions by themselves, wherever they lie. */
const INSTRUCTIONS = /^(?:agents|claude|codex|copilot-instructions|cursor|gemini|skill)$/;

/** The same of an agent, whose name is that of a file: a push must not be able to lay out instructions. */
export const agentProblem = (name: string): string | null =>
  nameProblem(name) ??
  (INSTRUCTIONS.test(slugOf(name)) ? `expected another name: agents take a file ${slugOf(name)}.md for their instructions` : null);

/** A name in the office's folders, `.md` and `.yml` left out, in any case; null where it cannot be one. */
export const fileSlug = (name: string): string | null =>
  /^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(name) && nameProblem(name) === null ? slugOf(name) : null;

/** A fault of a file of the office: `field: value: reason`. @param value undefined where it is missing */
export function fieldFault(line: number, field: string, value: unknown, reason: string, path?: string): FileError {
  const shown = value === undefined ? "(missing)" : (JSON.stringify(value) as string);
  return new FileError(`${field}: ${shown.length <= SHOWN ? shown : `${shown.slice(0, SHOWN).toWellFormed()}…`}: ${reason}`, line, path);
}

/** Characters of a value that a fault repeats. */
const SHOWN = 120;

/** All faults of a file as one error; nothing happens where there is none. @throws FileError */
export function throwAll(faults: readonly FileError[]): void {
  const [first, ...others] = faults;
  if (first !== undefined) throw new FileError(first.message, first.line, first.path, others);
}
