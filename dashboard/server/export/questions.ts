/** What an exported page can be asked: the answers of one moment, collected once, up to a size. */

import { call, offeredOperation } from "../calls.ts";
import type { Page } from "../page.ts";

/** An answer, with what was asked. */
export type Answered = [input: Record<string, unknown>, answer: Record<string, unknown>];
/** The answers by the names of operations. */
export type Answers = Record<string, Answered[]>;

/** What is collected. Threads are the ones written to last, and those beyond are counted. */
const MOST = { threads: 2_000, whole: 500, tasks: 1_000, artifacts: 200, versions: 20, bytes: 24_000_000 };
const PAGE = 200;

/** Collects the answers for one moment. @param at a commit, or an instant; null for now @returns the answers, and which were left out, in words */
export async function collectAnswers(page: Page, at: string | null): Promise<{ answers: Answers; leftOut: string[] }> {
  const answers: Answers = {};
  const leftOut: string[] = [];
  let bytes = 0;
  const ask = async (name: string, input: Record<string, unknown> = {}): Promise<Record<string, unknown> | null> => {
    const operation = offeredOperation(name);
    if (operation === undefined) return null;
    const { status, body } = await call(page, operation, input, OF_ALL_TIMES.has(name) ? null : at);
    return status === 200 && body["success"] === true ? body : null;
  };
  const keep = (name: string, input: Record<string, unknown>, answer: Record<string, unknown> | null): void => {
    if (answer === null) return;
    bytes += JSON.stringify(answer).length;
    if (bytes > MOST.bytes) return;
    answers[name] = [...(answers[name] ?? []), [input, answer]];
  };
  const take = async (name: string, input: Record<string, unknown> = {}): Promise<Record<string, unknown> | null> => {
    const answer = await ask(name, input);
    keep(name, input, answer);
    return answer;
  };
  for (const name of ["status", "office_tree", "list_reviews", "read_memory", "log"])
    await take(name, name === "log" ? { limit: PAGE } : {});
  for (const { thread } of listIn(await ask("office_tree"), "conversations")) await take("office_log", { context: thread });
  for (const by of ["day", "part", "session", "task", "model"]) await take("usage", { by });
  const roster = listIn(await take("roster"), "parts");
  for (const { part } of roster) {
    await take("inbox", { agent_id: part, limit: PAGE });
    await take("read_memory", { agent_id: part });
  }
  const tasks = listIn(await take("get_all_tasks"), "tasks");
  if (tasks.length > MOST.tasks) leftOut.push(`the details of ${tasks.length - MOST.tasks} tasks`);
  for (const { id } of tasks.slice(0, MOST.tasks)) await take("show_task", { task_id: id });
  for (const { id } of listIn(await take("list_sessions"), "details")) {
    await take("get_session_summary", { session_id: id });
    await take("list_reviews", { session_id: id });
    const artifacts = listIn(await take("list_artifacts", { session_id: id }), "artifacts");
    for (const { name, version } of artifacts.slice(0, MOST.artifacts))
      for (let each = Number(version); each > Math.max(0, Number(version) - MOST.versions); each -= 1)
        await take("get_artifact", { session_id: id, name, version: each });
  }
  const threads = await threadsOf(ask);
  keep("threads", {}, { success: true, threads: threads.slice(0, MOST.threads), cursor: null });
  if (threads.length > MOST.threads) leftOut.push("the oldest threads");
  for (const { id } of threads.slice(0, MOST.whole)) await take("show", { threadId: id, limit: PAGE });
  if (threads.length > MOST.whole) leftOut.push(`the messages of all but the ${MOST.whole} threads that were written to last`);
  if (bytes > MOST.bytes) leftOut.push(`what would make it larger than ${MOST.bytes / 1_000_000} MB`);
  return { answers, leftOut };
}

/** Asked of every moment alike. */
const OF_ALL_TIMES = new Set(["log", "diff"]);

type Row = Record<string, unknown>;
const listIn = (answer: Row | null, key: string): Row[] => (Array.isArray(answer?.[key]) ? (answer[key] as Row[]) : []);

/** One more than are shown, so that it is known whether there are more. */
async function threadsOf(ask: (name: string, input: Row) => Promise<Row | null>): Promise<Row[]> {
  const found: Row[] = [];
  let cursor: unknown;
  do {
    const answer: Row | null = await ask("threads", { limit: PAGE, ...(typeof cursor === "string" ? { cursor } : {}) });
    found.push(...listIn(answer, "threads"));
    cursor = answer?.["cursor"];
  } while (typeof cursor === "string" && found.length <= MOST.threads);
  return found;
}
