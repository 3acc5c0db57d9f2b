/** The closed catalogue of the findings of `relay check`: one entry for each code. spec/check.md, "Check". */

/** Code → what is wrong wherever it is found. */
export const FINDINGS = {
  malformed: "the file is not as its kind must be",
  conflict: "git left a conflict in the file",
  too_large: "the file is over its limit",
  unknown_file: "the file is outside of the layout",
  not_a_file: "something else stands in the place of a file",
  outside_home: "the link leaves the home",
  unknown_setting: "relay.yml has a setting that this version does not know",
  case_clash: "two names differ only in case",
  duplicate_id: "the id is used twice",
  dangling_reply: "the message answers one that is not there",
  dangling_mail: "the inbox has a message that its thread has not",
  not_addressed: "the message lies in the inbox of a part that it is not addressed to",
  differing_mail: "the name in an inbox holds another text than the message",
  missing_mail: "the message is in no half of a recipient's inbox",
  dangling_guest: "the guest belongs to a session that is not there",
  dangling_dependency: "the task depends on one that is not there",
  dangling_parent: "the task was derived from one that is not there",
  dangling_claim: "the claim is of a task that is not there",
  dangling_artifact: "the artifact names what is not there",
  dangling_review: "the review is of what is not there",
  dangling_summary: "the summary names a task that is not there",
  summary_missing: "the session has no summary",
  summary_heading: "the summary lacks a heading that relay.yml asks for",
  summary_empty: "nothing is written under a heading",
  summary_short: "the summary is shorter than relay.yml asks for",
  summary_field: "the summary's front matter lacks a field that relay.yml asks for",
  summary_untrue: "the summary says of a task what the board does not",
  summary_leaves_out: "the summary leaves out a task that is done",
  claim_overdue: "the claim is over, and its task still in progress",
  claim_missing: "the task is in progress, and nobody holds it",
  claim_by_nobody: "the task is held by a part that does not exist",
  deleted_by_push: "a commit deleted what no operation deletes",
  changed_by_push: "a commit changed what is written once",
  history_cut: "the history is not all here",
  commit_without_session: "the commit names no session",
  commit_unknown_session: "the commit names a session that is not there",
  commit_without_summary: "the commit names a session that has no summary",
} as const;

/** A code of the catalogue. */
export type FindingCode = keyof typeof FINDINGS;

/** Something that is wrong in a home. */
export interface CheckFinding {
  code: FindingCode;
  /** Path in the home; a finding about a commit of the code has `commit` instead. */
  path?: string | undefined;
  /** Counted from 1, where it is known. */
  line?: number | undefined;
  commit?: string | undefined;
  /** The catalogue's sentence with what is there and what was expected. */
  problem: string;
  found: string;
  expected: string;
  /** Of a finding that stands for others of its code: how many they are. */
  more?: number | undefined;
}

/** Where something is wrong: a path with the line where it is known, or a commit. */
export type FindingPlace = { path: string; line?: number | undefined } | { commit: string };

/** Makes a finding: what is there, what was expected. */
export function finding(code: FindingCode, place: FindingPlace, found: string, expected: string): CheckFinding {
  return { code, ...place, problem: `${FINDINGS[code]}: ${found}; expected ${expected}`, found, expected };
}

/** Stands for the findings of a code that are too many to be told. @param first of those that are left out */
export function moreFindings({ code, path, line, commit }: CheckFinding, more: number): CheckFinding {
  const place = path === undefined ? { commit: commit as string } : { path, line };
  return { ...finding(code, place, `and ${more} more, of which this is the first`, "none"), more };
}

/** Order of a report: by path, then line, then code; commits last, as they came. */
export function compareFindings(a: CheckFinding, b: CheckFinding): number {
  if (a.path === undefined || b.path === undefined) return Number(a.path === undefined) - Number(b.path === undefined);
  if (a.path !== b.path) return a.path < b.path ? -1 : 1;
  return (a.line ?? 0) - (b.line ?? 0) || (a.code < b.code ? -1 : a.code > b.code ? 1 : 0);
}
