/** Finds faults between the files of one session. spec/check.md, "Check". */
import type { Artifact } from "../../board/nouns/artifact.ts";
import { checkSummary, checkSummaryThere } from "../../board/nouns/check-summary.ts";
import type { ClaimRecord } from "../../board/nouns/claim.ts";
import type { Review, ReviewResult } from "../../board/nouns/review.ts";
import { sessionTurn } from "../../board/nouns/session.ts";
import type { Summary } from "../../board/nouns/summary.ts";
import { isTakenBack } from "../../board/nouns/task.ts";
import type { SummaryRules } from "../../core/config/config.ts";
import type { Finding } from "../../core/format/finding.ts";
import type { Place } from "../../core/tree/layout.ts";
import { checkHold, type HoldView, type KnownTask } from "./check-task.ts";

/** The files of one session, gathered until all of them were seen. */
export interface SessionFiles {
  session: string;
  /** Paths of its ends and openings. */
  turns: Set<string>;
  hasSummary: boolean;
  /** Null when there is none, or it could not be read. */
  summary: { summary: Summary; source: string } | null;
  /** Those that could be read, by their ids. */
  tasks: Map<string, KnownTask>;
  /** The highest number of each task's claims. */
  fences: Map<string, number>;
  /** The last claim of each task that could be read. */
  claims: Map<string, ClaimRecord>;
  reviews: Map<string, Review>;
  results: Map<string, ReviewResult>;
  artifacts: Map<string, Artifact>;
}

/** A session of which nothing was seen yet. */
export const newSession = (session: string): SessionFiles => ({
  session,
  turns: new Set(),
  hasSummary: false,
  summary: null,
  tasks: new Map(),
  fences: new Map(),
  claims: new Map(),
  reviews: new Map(),
  results: new Map(),
  artifacts: new Map(),
});

/** Notes what the name of a file of a session says, readable or not. */
export function noteInSession(files: SessionFiles, place: Place, path: string): void {
  if (place.kind === "ended" || place.kind === "reopened") files.turns.add(path);
  else if (place.kind === "summary") files.hasSummary = true;
  else if (place.kind === "claim") files.fences.set(place.task, Math.max(files.fences.get(place.task) ?? 0, place.fence));
}

/** Checks a session as a whole, once all of its files were seen. @param rules what is asked of its summary */
export function checkSession(files: SessionFiles, rules: SummaryRules, view: HoldView): Finding[] {
  const { session, turns, hasSummary, summary, tasks, fences, claims } = files;
  const holds = [...tasks].flatMap(([id, known]) => {
    const last = claims.get(id) ?? null;
    // No record of it can be read, which is a finding already.
    return last === null && fences.has(id) ? [] : checkHold(session, known, last, view);
  });
  const board = {
    session,
    isEnded: sessionTurn(session, (path) => turns.has(path)).ended,
    // Nobody did what was taken back, so no summary has to tell of it.
    tasks: new Map([...tasks].flatMap(([id, { task }]) => (isTakenBack(task) ? [] : [[id, task.status] as const]))),
  };
  const said = summary === null ? [] : checkSummary(board, summary.summary, summary.source, rules);
  return [...holds, ...checkSummaryThere(board, hasSummary), ...said];
}
