/** What an exported page can be asked: the answers of one moment, collected once, up to a size. */

import { call, offeredOperation } from "../calls.ts";
import type { Page } from "../page.ts";

/** An answer, with what was asked. */
export type Answered = [input: Record<string, unknown>, answer: Record<string, unknown>];
/** The answers by the names of operations. */
export type Answers = Record<string, Answered[]>;

/** What is collected. Threads are the ones written to last; of a list with pages so many entries, the newest. */
const MOST = { threads: 2_000, whole: 500, entries: 2_000, tasks: 1_000, artifacts: 200, versions: 20, bytes: 24_000_000 };
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
  /** Takes all pages of a list as one. @param key of the list in the answer @returns the list, and whether there is more of it */
  const takeAll = async (name: string, input: Row, key: string, most: number): Promise<{ list: Row[]; isMore: boolean }> => {
    const first = await ask(name, { ...input, limit: PAGE });
    let list = listIn(first, key);
    let cursor = first?.["cursor"];
    while (typeof cursor === "string" && list.length < most) {
      const next = await ask(name, { ...input, limit: PAGE, cursor });
      // The pages of a thread begin with its newest messages, and each page with the oldest of its own.
      list = name === "show" ? [...listIn(next, key), ...list] : [...list, ...listIn(next, key)];
      cursor = next?.["cursor"];
    }
    keep(name, input, first === null ? null : { ...first, [key]: list, cursor: null });
    return { list, isMore: typeof cursor === "string" };
  };
  for (const name of ["status", "office_tree", "list_reviews", "read_memory"]) await take(name);
  if ((await takeAll("log", {}, "entries", MOST.entries)).isMore) leftOut.push("the oldest commits");
  for (const { thread } of listIn(await ask("office_tree"), "conversations")) await take("office_log", { context: thread });
  for (const by of ["day", "part", "session", "task", "model"]) await take("usage", { by });
  const roster = listIn(await take("roster"), "parts");
  for (const { part } of roster) {
    const { isMore } = await takeAll("inbox", { agent_id: part }, "messages", MOST.entries);
    if (isMore) leftOut.push(`a part of the unread mail of ${part}`);
    await take("read_memory", { agent_id: part });
  }
  const tasks = listIn(await take("get_all_tasks"), "tasks");
  if (tasks.length > MOST.tasks) leftOut.push(`the details of ${tasks.length - MOST.tasks} tasks`);
  for (const { id } of tasks.slice(0, MOST.tasks)) await take("show_task", { task_id: id });
  for (const { id } of listIn(await take("list_sessions"), "details")) {
    await take("get_session_summary", { session_id: id });
    await take("list_reviews", { session_id: id });
    const artifacts = listIn(await take("list_artifacts", { session_id: id }), "artifacts");
    if (artifacts.length > MOST.artifacts) leftOut.push(`${artifacts.length - MOST.artifacts} artifacts of ${id}`);
    const isLong = artifacts.slice(0, MOST.artifacts).some(({ version }) => Number(version) > MOST.versions);
    if (isLong) leftOut.push(`the versions of artifacts of ${id} before the last ${MOST.versions}`);
    for (const { name, version } of artifacts.slice(0, MOST.artifacts))
      for (let each = Number(version); each > Math.max(0, Number(version) - MOST.versions); each -= 1)
        await take("get_artifact", { session_id: id, name, version: each });
  }
  const threads = await takeAll("threads", {}, "threads", MOST.threads);
  if (threads.isMore) leftOut.push("the oldest threads");
  let cut = 0;
  for (const { id } of threads.list.slice(0, MOST.whole))
    if ((await takeAll("show", { threadId: id }, "messages", MOST.entries)).isMore) cut += 1;
  if (cut > 0) leftOut.push(`the first messages of ${cut} ${cut === 1 ? "thread" : "threads"}`);
  if (threads.list.length > MOST.whole) leftOut.push(`the messages of all but the ${MOST.whole} threads that were written to last`);
  if (bytes > MOST.bytes) leftOut.push(`what would make it larger than ${MOST.bytes / 1_000_000} MB`);
  return { answers, leftOut };
}

/** Asked of every moment alike. */
const OF_ALL_TIMES = new Set(["log", "diff"]);

type Row = Record<string, unknown>;
const listIn = (answer: Row | null, key: string): Row[] => (Array.isArray(answer?.[key]) ? (answer[key] as Row[]) : []);
