/** Which record a home was at at an instant: by when this clone had it, never by what a pushed commit says. spec/git.md, "Looking back". */
import { gitResult, gitText, type Repository } from "../git-run.ts";
import { branchRef } from "./repository.ts";

/** Git takes a number from here on for an instant, and can count up to here. */
const [FIRST_S, LAST_S] = [100_000_000, 2_147_483_647];
/** A record has the time at which it was begun, and is the branch's when the disk has it. */
const WRITTEN_WITHIN_S = 10;

/** What this clone noted of an instant. */
interface Noted {
  /** The branch then; null where nothing is noted. */
  commit: string | null;
  /** Where the instant is before all that is noted: when that begins, in seconds. */
  begunS?: number;
}

async function notedAt(repository: Repository, seconds: number): Promise<Noted> {
  const name = `${branchRef(repository)}@{${Math.min(Math.max(seconds, FIRST_S), LAST_S)}}`;
  const { code, out, err } = await gitResult(repository, ["rev-parse", "--verify", name]);
  const commit = code === 0 ? out.toString("utf8").trim() : null;
  const begun = /only goes back to (.+)$/m.exec(err)?.[1];
  return begun === undefined ? { commit } : { commit, begunS: Math.floor(Date.parse(begun) / 1_000) };
}

/**
 * The last record that was here at an instant; null where there was none.
 * @param ms since 1970
 * @throws Refusal `no_repository` when somebody detached the branch
 */
export async function recordBefore(repository: Repository, ms: number): Promise<string | null> {
  const seconds = Math.floor(ms / 1_000);
  const { commit, begunS } = await notedAt(repository, seconds);
  if (commit === null || begunS !== undefined) return datedBefore(repository, [commit ?? "HEAD"], seconds, begunS ?? Number.NaN);
  const soon = (await notedAt(repository, seconds + WRITTEN_WITHIN_S)).commit;
  if (soon === null || soon === commit) return commit;
  return (await datedBefore(repository, [soon, `^${commit}`], seconds, Number.NaN)) || commit;
}

/**
 * The same of the records before all that this clone noted: by their dates. None is older than its first parent, so one that is dated back
 * hides none before it; and one that is dated after this clone had it says nothing.
 */
async function datedBefore(repository: Repository, range: readonly string[], seconds: number, begunS: number): Promise<string | null> {
  const line = await gitText(repository, ["rev-list", "--first-parent", "--timestamp", ...range]);
  let found: string | null = null;
  for (const record of line.split("\n").reverse()) {
    const [dated = "", commit = ""] = record.split(" ");
    const isLater = Number(dated) > seconds;
    if (isLater && !(Number(dated) > begunS)) break;
    if (!isLater || found !== null) found = commit;
  }
  return found;
}
