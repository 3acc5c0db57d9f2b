/** Finds faults between the files of one session. spec/check.md, "Check". */
import { type Artifact, artifactId, parseArtifactId } from "../artifact/artifact.ts";
import type { Review } from "../artifact/review.ts";
import type { SummaryRules } from "../config/config.ts";
import { type Finding, finding } from "../format/finding.ts";
import { sessionTurn } from "../session/session.ts";
import { checkSummary, checkSummaryThere } from "../summary/check-summary.ts";
import type { Summary } from "../summary/summary.ts";
import { type ClaimRecord, claimPath } from "../task/claim.ts";
import { isTakenBack } from "../task/task.ts";
import { checkHold, checkTaskLinks, type HoldView, type KnownTask } from "./check-task.ts";

/** The files of one session, gathered until all of them were seen. */
export interface SessionFiles {
  session: string;
  /** Paths of its ends and openings. */
  turns: Set<string>;
  /** Null when there is none, or it could not be read. */
  summary: { summary: Summary; source: string } | null;
  hasSummary: boolean;
  tasks: Map<string, KnownTask>;
  /** The ids of all task files, readable or not. */
  taskFiles: Set<string>;
  /** The highest number of each task's claims. */
  fences: Map<string, number>;
  /** The claim of that number, where it could be read. */
  claims: Map<string, ClaimRecord>;
  artifacts: Map<string, { artifact: Artifact; path: string; folder: string }>;
  /** The ids of all artifact records, readable or not. */
  artifactFiles: Set<string>;
  reviews: { review: Review; path: string; line: number }[];
  reviewFiles: Set<string>;
  results: Map<string, string>;
}

/** A session of which nothing was seen yet. */
export function newSession(session: string): SessionFiles {
  return {
    session,
    turns: new Set(),
    summary: null,
    hasSummary: false,
    tasks: new Map(),
    taskFiles: new Set(),
    fences: new Map(),
    claims: new Map(),
    artifacts: new Map(),
    artifactFiles: new Set(),
    reviews: [],
    reviewFiles: new Set(),
    results: new Map(),
  };
}

/** Looks at a session as a whole. @param isThere whether a path of the home is there */
export const checkSession = (files: SessionFiles, rules: SummaryRules, view: HoldView, isThere: (path: string) => boolean): Finding[] => [
  ...checkTasks(files, view),
  ...checkArtifacts(files, isThere),
  ...checkReviews(files),
  ...checkWhatWasSaid(files, rules),
];

function checkTasks({ session, tasks, taskFiles, fences, claims }: SessionFiles, view: HoldView): Finding[] {
  const found: Finding[] = [];
  for (const [id, known] of tasks) {
    found.push(...checkTaskLinks(session, known, (other) => taskFiles.has(other)));
    const last = claims.get(id) ?? null;
    // The last record is there and cannot be read, which is a finding already: who holds the task is not known.
    if (last !== null || !fences.has(id)) found.push(...checkHold(session, known, last, view));
  }
  for (const [id, fence] of fences) {
    if (taskFiles.has(id)) continue;
    found.push(finding("dangling_claim", { path: claimPath(session, id, fence) }, id, `a task of session ${session}`));
  }
  return found;
}

function checkArtifacts({ session, artifacts, taskFiles }: SessionFiles, isThere: (path: string) => boolean): Finding[] {
  const found: Finding[] = [];
  for (const { artifact, path, folder } of artifacts.values()) {
    const { task, version, extension, staged } = artifact;
    if (task !== undefined && !taskFiles.has(task))
      found.push(finding("dangling_artifact", { path }, task, `a task of session ${session}`));
    const content = `${folder}/${version}.${extension}`;
    if (!isThere(content) && !isThere(`${folder}/${staged}`))
      found.push(finding("dangling_artifact", { path }, `version ${version} without its content`, content));
  }
  return found;
}

function checkReviews({ session, reviews, reviewFiles, results, artifactFiles }: SessionFiles): Finding[] {
  const found: Finding[] = [];
  for (const { review, path, line } of reviews) {
    const key = parseArtifactId(review.artifact);
    if (key === null || !artifactFiles.has(artifactId(key.hash, key.version)))
      found.push(finding("dangling_review", { path, line }, review.artifact, `an artifact of session ${session}`));
  }
  for (const [id, path] of results) {
    if (!reviewFiles.has(id)) found.push(finding("dangling_review", { path }, `the result of ${id}`, "the review that it answers"));
  }
  return found;
}

function checkWhatWasSaid({ session, turns, summary, hasSummary, tasks, taskFiles }: SessionFiles, rules: SummaryRules): Finding[] {
  const board = {
    session,
    isEnded: sessionTurn(session, (path) => turns.has(path)).ended,
    // Nobody did what was taken back, so no summary has to tell of it.
    tasks: new Map([...tasks].flatMap(([id, { task }]) => (isTakenBack(task) ? [] : [[id, task.status] as const]))),
    broken: new Set([...taskFiles].filter((id) => !tasks.has(id))),
  };
  const missing = checkSummaryThere(board, hasSummary);
  return summary === null ? missing : [...missing, ...checkSummary(board, summary.summary, summary.source, rules)];
}
