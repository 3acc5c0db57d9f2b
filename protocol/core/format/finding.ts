/** The closed catalogue of the findings of `relay check`: one entry for each code. spec/check.md, "Check". */

/** How grave a finding is on a machine: a note asks for nothing. In CI every finding counts alike. */
type Severity = "error" | "warning" | "note";

/** What all findings of a code have in common: how grave they are, what is wrong, and what a person can do. */
interface Kind {
  severity: Severity;
  problem: string;
  remedy: string | undefined;
}

const kind = (severity: Severity, problem: string, remedy?: string): Kind => ({ severity, problem, remedy });

/** What a person can do about a file that only people change. */
export const BY_HAND = "Correct it by hand, or restore it from git (`cd .relay && git log -p`)";

/** Code → what is true of it wherever it is found. */
export const FINDINGS = {
  malformed: kind("error", "the file is not valid", BY_HAND),
  conflict: kind("error", "git left a conflict in the file", BY_HAND),
  too_large: kind("error", "the file is over its limit", BY_HAND),
  unknown_file: kind(
    "note",
    "the file is outside of the layout",
    "Move it out of the home. To send a message with a shell, put the file into outbox/",
  ),
  not_readable: kind("error", "this cannot be read", "Correct its owner or its permissions"),
  not_a_file: kind("error", "this is not a plain file", BY_HAND),
  outside_home: kind("error", "the link leaves the home", "Remove the link"),
  unknown_setting: kind("warning", "relay.yml has a setting that this version does not know", "Correct it by hand"),
  unknown_key: kind("warning", "the office has a key, or names a tool, that has no effect", "Correct it by hand"),
  office_fault: kind("error", "the files of the office do not agree", BY_HAND),
  case_clash: kind("error", "two names differ only in case"),
  duplicate_id: kind("error", "the id is used twice"),
  dangling_reply: kind("error", "the message answers a missing message"),
  dangling_mail: kind("error", "the inbox has a message that its thread lacks"),
  not_addressed: kind("error", "the message is in the inbox of a part that it is not addressed to"),
  differing_mail: kind("error", "the file in an inbox differs from the message"),
  missing_mail: kind("error", "the message is missing in a recipient's inbox"),
  dangling_guest: kind("error", "the guest belongs to a missing session"),
  dangling_dependency: kind("error", "the task depends on a missing task", "Remove the missing task from its depends_on"),
  dangling_parent: kind("error", "the task was derived from a missing task"),
  dangling_claim: kind("error", "the claim is of a missing task"),
  dangling_artifact: kind("error", "the artifact names something that is missing"),
  dangling_review: kind("error", "the review is of something that is missing"),
  dangling_summary: kind("error", "the summary names a missing task"),
  dangling_dispatch: kind("error", "the dispatch has no thread"),
  dangling_turn: kind("error", "the file of a dispatch belongs to a missing one"),
  summary_missing: kind("note", "the session has no summary"),
  summary_heading: kind("note", "the summary lacks a heading that relay.yml asks for"),
  summary_empty: kind("note", "a heading has no text below it"),
  summary_short: kind("note", "the summary is shorter than relay.yml asks for"),
  summary_field: kind("note", "the summary's front matter lacks a field that relay.yml asks for"),
  summary_untrue: kind("note", "the summary and the board differ on a task"),
  summary_leaves_out: kind("note", "the summary leaves out a task that is done"),
  approval_behind: kind("warning", "the branch has commits since its approval"),
  claim_overdue: kind("note", "the claim is over, and its task is still in progress"),
  claim_missing: kind(
    "note",
    "the task is in progress, and nobody holds it",
    "Put the task back, so that it can be claimed: `relay task update TASK todo`",
  ),
  claim_by_nobody: kind("note", "the task is held by a part that does not exist"),
  unlawful: kind("error", "no operation writes this", BY_HAND),
  doubtful: kind("note", "no operation comes to this by itself"),
  ignored_by_git: kind(
    "error",
    "git ignores what the home keeps, so that it reaches no commit",
    "Take the rule out, or add one with ! after it",
  ),
  open_request: kind("warning", "somebody asks to forget a message that is here"),
  not_laid_out: kind("warning", "only the home's branch has the file, which cannot be checked out here"),
  deleted_by_push: kind("warning", "a commit deleted what no operation deletes"),
  changed_by_push: kind("warning", "a commit changed what is written once"),
  history_cut: kind("warning", "the history is incomplete"),
  commit_without_session: kind("error", "the commit names no session"),
  commit_unknown_session: kind("error", "the commit names a missing session"),
  commit_without_summary: kind("error", "the commit names a session that has no summary"),
} as const;

type Words<S extends string> = S extends `${infer First} ${infer Rest}` ? First | Words<Rest> : S;
const all = <S extends string>(severity: Severity, codes: S): Record<Words<S>, Severity> =>
  Object.fromEntries(codes.split(" ").map((code) => [code, severity])) as Record<Words<S>, Severity>;

/** Codes of what only this machine knows, which `doctor` alone examines, and how grave they are as a rule. */
const MACHINE = {
  ...all(
    "error",
    "claims_unreadable disk_full home_gone missing no_git not_writable repository_elsewhere tracked_state unsupported_format",
  ),
  ...all(
    "warning",
    "attempt channel_unheard clock dangling_link former_inbox half_acked memory_large no_gitkeep no_pager pager_still unread_long",
  ),
  ...all("warning", "no_repository nobody_decides not_accepted not_believed not_excluded not_granted not_recorded notify_failed old_git"),
  ...all(
    "warning",
    "outbox_refused pane_gone part_not_here racy_git run_by_host setup_altered setup_leads_nowhere shared_part state_folder stray_refs",
  ),
  ...all(
    "warning",
    "inner_home limit_ignored no_merge_driver sent_along stray_worktree twice unfinished_change unreadable_token wake_failed",
  ),
  ...all("note", "agent_file folder_untrusted guest_record guide_differs hooks_missing hooks_untrusted kept_beside left_aside no_inbox"),
  ...all("note", "no_link no_part_here nobody_to_wake outside_git server_unapproved stale_presence stale_registration stranger"),
  ...all(
    "note",
    "launch_left newer_host office_untrusted program_missing runner_lost setup_differs tool_file tools_asked tools_changed turned_off",
  ),
  ...all("note", "two_pagers worktree_left"),
};

/** A code of the catalogue. */
export type FindingCode = keyof typeof FINDINGS;

/** A fault in the files of a home, or on this machine. */
export interface Finding {
  severity: Severity;
  /** One of `FINDINGS` for files; `doctor` has others for what only this machine knows. */
  code: FindingCode | keyof typeof MACHINE;
  /** Path in the home, or of this machine; a finding about a commit of the code has `commit` instead. */
  path?: string | undefined;
  /** Counted from 1, where it is known. */
  line?: number | undefined;
  commit?: string | undefined;
  /** In a sentence: of a file the catalogue's, with what is there and what was expected. */
  problem: string;
  found?: string | undefined;
  expected?: string | undefined;
  /** Of a finding that stands for others of its code: how many they are. */
  more?: number | undefined;
  /** Whether it is told before others of its code, however many they are. */
  isFirst?: boolean | undefined;
  /** What a person can do. */
  remedy?: string | undefined;
  /** Repairs it, where that is safe. */
  fix?: (() => void | Promise<void>) | undefined;
}

/** Where something is wrong: a path with the line where it is known, or a commit. */
type FindingPlace = { path: string; line?: number | undefined } | { commit: string };

/** Makes a finding of the catalogue: what is there, what was expected. */
export function finding(code: FindingCode, place: FindingPlace, found: string, expected: string): Finding {
  const { severity, problem, remedy }: Kind = FINDINGS[code];
  return { severity, code, ...place, problem: `${problem}: ${found}; expected ${expected}`, found, expected, remedy };
}

/** Makes a finding of this machine, or of a file in words of its own. @param more what else there is to say of it, and its remedy: the one of the code is not taken */
export function found(code: Finding["code"], problem: string, more: Partial<Omit<Finding, "code" | "problem">> = {}): Finding {
  return {
    severity: code in MACHINE ? MACHINE[code as keyof typeof MACHINE] : FINDINGS[code as FindingCode].severity,
    code,
    problem,
    ...more,
  };
}

/** Stands for the findings of a code that are too many to report. @param first of those that are left out */
function moreFindings({ severity, code, path, line, commit }: Finding, more: number): Finding {
  const found = `and ${more} more, of which this is the first`;
  return { severity, code, path, line, commit, problem: `${code}: ${found}`, found, expected: "none", more };
}

/** Without a path, as of a commit, it comes last; findings of one path keep their order. */
function byPath(a: Finding, b: Finding): number {
  if (a.path === undefined || b.path === undefined) return Number(a.path === undefined) - Number(b.path === undefined);
  return a.path === b.path ? 0 : a.path < b.path ? -1 : 1;
}

/** Order of a report: by path, then line, then code; commits last, as they came. */
export const compareFindings = (a: Finding, b: Finding): number =>
  byPath(a, b) || (a.path === undefined ? 0 : (a.line ?? 0) - (b.line ?? 0) || (a.code < b.code ? -1 : a.code > b.code ? 1 : 0));

/** So many findings of one code are reported one by one. */
export const TOLD_OF_CODE = 1_000;

/** Findings that are reported, and those beyond the bound of their code. Both are in the order given. */
interface Parted {
  told: Finding[];
  /** Code → what is left out of it, by path; codes within the bound have no entry. */
  rest: Map<string, Finding[]>;
}

/** Parts findings into the first of each code, those that are told first and then by path, and the rest. */
export function firstFindings(findings: readonly Finding[]): Parted {
  const codes = new Map<string, Finding[]>();
  for (const each of findings) {
    const known = codes.get(each.code);
    if (known === undefined) codes.set(each.code, [each]);
    else known.push(each);
  }
  const rest = new Map<string, Finding[]>();
  const left = new Set<Finding>();
  for (const [code, all] of codes) {
    if (all.length <= TOLD_OF_CODE) continue;
    const beyond = [...all].sort((a, b) => Number(b.isFirst === true) - Number(a.isFirst === true) || byPath(a, b)).slice(TOLD_OF_CODE);
    rest.set(code, beyond);
    for (const each of beyond) left.add(each);
  }
  return { told: rest.size === 0 ? [...findings] : findings.filter((each) => !left.has(each)), rest };
}

/** The findings as they are reported: after the last of a code that has more comes one that counts the others. */
export function toldFindings(findings: readonly Finding[]): Finding[] {
  const { told, rest } = firstFindings(findings);
  if (rest.size === 0) return told;
  const last = new Map(told.map((each) => [each.code, each]));
  return told.flatMap((each) => {
    const beyond = last.get(each.code) === each ? rest.get(each.code) : undefined;
    return beyond === undefined ? [each] : [each, moreFindings(beyond[0] as Finding, beyond.length)];
  });
}
