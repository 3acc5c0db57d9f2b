/** What an exported page can be asked: the answers of one moment, collected once, up to a size. */

import { call, offeredOperation } from "../calls.ts";
import type { Page } from "../page.ts";

/** An answer, with what was asked. */
export type Answered = [input: Record<string, unknown>, answer: Record<string, unknown>];
/** The answers by the names of operations. */
export type Answers = Record<string, Answered[]>;

/** What is collected. Threads are the ones written to last; of a list with pages so many entries, the newest. */
const MOST = {
  threads: 2_000,
  whole: 500,
  entries: 2_000,
  tasks: 1_000,
  artifacts: 200,
  versions: 20,
  conversations: 500,
  named: 8,
  bytes: 24_000_000,
};
/** With so few bytes left it is full. */
const ROOM = 100_000;
const PAGE = 200;

/**
 * Collects the answers for one moment.
 * @param at a commit, or an instant; null for now
 * @param most so many bytes
 * @returns the answers, and which were left out, in words
 */
export async function collectAnswers(
  page: Page,
  at: string | null,
  most: number = MOST.bytes,
): Promise<{ answers: Answers; leftOut: string[] }> {
  const answers: Answers = {};
  const leftOut: string[] = [];
  /** What did not fit, in words. */
  const unfit: string[] = [];
  let bytes = 0;
  const ask = async (name: string, input: Row = {}): Promise<Row | null> => {
    const operation = offeredOperation(name);
    if (operation === undefined) return null;
    const { status, body } = await call(page, operation, input, OF_ALL_TIMES.has(name) ? null : at);
    return status === 200 && body["success"] === true ? body : null;
  };
  /** Keeps an answer, if it fits in beside the others; the ones after it may be smaller. @param words what it is, where it is left out */
  const keep = (name: string, input: Row, answer: Row | null, words: string): void => {
    if (answer === null) return;
    const length = Buffer.byteLength(JSON.stringify(answer));
    if (bytes + length > most) {
      unfit.push(words);
      return;
    }
    bytes += length;
    answers[name] = [...(answers[name] ?? []), [input, answer]];
  };
  /** Whether there is room for nothing more that is worth a question. */
  const isFull = (words: string): boolean => bytes > most - ROOM && unfit.push(words) > 0;
  const take = async (name: string, words: string, input: Row = {}): Promise<Row | null> => {
    if (isFull(words)) return null;
    const answer = await ask(name, input);
    keep(name, input, answer, words);
    return answer;
  };
  /** Takes all pages of a list as one. @param key of the list in the answer @returns the list, and whether there is more of it */
  const takeAll = async (
    name: string,
    words: string,
    input: Row,
    key: string,
    entries: number,
  ): Promise<{ list: Row[]; isMore: boolean }> => {
    if (isFull(words)) return { list: [], isMore: false };
    const first = await ask(name, { ...input, limit: PAGE });
    let list = listIn(first, key);
    let cursor = first?.["cursor"];
    while (typeof cursor === "string" && list.length < entries) {
      const next = await ask(name, { ...input, limit: PAGE, cursor });
      // The pages of a thread begin with its newest messages, and each page with the oldest of its own.
      list = name === "show" ? [...listIn(next, key), ...list] : [...list, ...listIn(next, key)];
      cursor = next?.["cursor"];
    }
    keep(name, input, first === null ? null : { ...first, [key]: list, cursor: null }, words);
    return { list, isMore: typeof cursor === "string" };
  };
  // What people look for first comes first: of the rest as much as fits.
  await take("status", "the counts");
  const roster = listIn(await take("roster", "the roster"), "parts");
  const threads = await takeAll("threads", "the list of threads", { previews: true }, "threads", MOST.threads);
  if (threads.isMore) leftOut.push("the oldest threads");
  const tasks = listIn(await take("get_all_tasks", "the tasks", { claims: true }), "tasks");
  let cut = 0;
  for (const { id, subject } of threads.list.slice(0, MOST.whole))
    if ((await takeAll("show", `the thread "${subject}"`, { threadId: id }, "messages", MOST.entries)).isMore) cut += 1;
  if (cut > 0) leftOut.push(`the first messages of ${cut} ${cut === 1 ? "thread" : "threads"}`);
  if (threads.list.length > MOST.whole) leftOut.push(`the messages of all but the ${MOST.whole} threads that were written to last`);
  if (tasks.length > MOST.tasks) leftOut.push(`the details of ${tasks.length - MOST.tasks} tasks`);
  for (const { id, title } of tasks.slice(0, MOST.tasks)) await take("show_task", `the task "${title}"`, { task_id: id });
  if ((await takeAll("log", "the commits", {}, "entries", MOST.entries)).isMore) leftOut.push("the oldest commits");
  for (const { part } of roster) {
    const { isMore } = await takeAll("inbox", `the inbox of ${part}`, { agent_id: part }, "messages", MOST.entries);
    if (isMore) leftOut.push(`a part of the unread mail of ${part}`);
  }
  const office = await takeAll("office_tree", "the office", {}, "conversations", MOST.conversations);
  if (office.isMore) leftOut.push("the oldest conversations of the office");
  for (const { thread, subject } of office.list) await take("office_log", `the turns of "${subject}"`, { context: thread });
  await take("read_memory", "the memory");
  for (const { part } of roster) await take("read_memory", `the memory of ${part}`, { agent_id: part });
  for (const by of ["day", "part", "session", "task", "model"]) await take("usage", `the usage by ${by}`, { by });
  await take("list_reviews", "the reviews");
  for (const { id } of listIn(await take("list_sessions", "the sessions"), "details")) {
    await take("get_session_summary", `the summary of ${id}`, { session_id: id });
    await take("list_reviews", `the reviews of ${id}`, { session_id: id });
    const artifacts = listIn(await take("list_artifacts", `the artifacts of ${id}`, { session_id: id }), "artifacts");
    if (artifacts.length > MOST.artifacts) leftOut.push(`${artifacts.length - MOST.artifacts} artifacts of ${id}`);
    const isLong = artifacts.slice(0, MOST.artifacts).some(({ version }) => Number(version) > MOST.versions);
    if (isLong) leftOut.push(`the versions of artifacts of ${id} before the last ${MOST.versions}`);
    for (const { name, version } of artifacts.slice(0, MOST.artifacts))
      for (let each = Number(version); each > Math.max(0, Number(version) - MOST.versions); each -= 1)
        await take("get_artifact", `version ${each} of ${name}`, { session_id: id, name, version: each });
  }
  return { answers, leftOut: [...leftOut, ...inFewWords(unfit, most)] };
}

/** What did not fit, a few of them by name. */
function inFewWords(unfit: readonly string[], most: number): string[] {
  if (unfit.length === 0) return [];
  const others = unfit.length - MOST.named;
  const why = `(it would be larger than ${most / 1_000_000} MB)`;
  return [`${unfit.slice(0, MOST.named).join(", ")}${others > 0 ? ` and ${others} more like these` : ""} ${why}`];
}

/** Asked of every moment alike. */
const OF_ALL_TIMES = new Set(["log", "diff"]);

type Row = Record<string, unknown>;
const listIn = (answer: Row | null, key: string): Row[] => (Array.isArray(answer?.[key]) ? (answer[key] as Row[]) : []);
