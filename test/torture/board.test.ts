/** The board with several processes: what they do at once all happens, once. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { operations, perform } from "../../protocol/index.ts";
import type { Answer } from "../rig/clones.ts";
import { count } from "../rig/counts.ts";
import { chatty, homeWith, worldAt } from "../rig/home.ts";
import { pause, randomInt } from "../rig/hurt.ts";
import { type Agent, connect, type Worker, work } from "../rig/processes.ts";
import { put, scratch } from "../rig/scratch.ts";

const SESSION = "s-1";

async function boardWith(...parts: string[]): Promise<string> {
  const folder = chatty(await homeWith(...parts));
  await perform(worldAt(folder), operations.start_session, { session_id: SESSION });
  return folder;
}

const ask = (folder: string, name: keyof typeof operations, input: Record<string, unknown> = {}): Promise<Answer> =>
  perform(worldAt(folder), operations[name], input);
const bound = (folder: string, ...parts: string[]): Promise<Agent[]> =>
  Promise.all(parts.map((part) => connect(folder, { args: ["--part", part, "--tools", "plugin"] })));
const repeat = (folder: string, part: string, name: string, input: object, times: number): Worker =>
  work("sender", [folder, part, name, JSON.stringify(input), String(times)]);

/** Waits for workers, and gives every answer but their first line. */
async function answersOf(workers: readonly Worker[]): Promise<Answer[]> {
  for (const worker of workers) expect(await worker.ended, worker.stderr()).toBe(0);
  const told = workers.flatMap(({ lines }) => lines.slice(1));
  expect(told.filter(({ success }) => success !== true)).toEqual([]);
  return told;
}

/** Suspends one of the workers now and then, until all have ended. */
async function disturb(workers: readonly Worker[]): Promise<void> {
  const running = (): Worker[] => workers.filter(({ child }) => child.exitCode === null);
  for (let left = running(); left.length > 0; left = running()) {
    const { child } = left[randomInt(left.length)] as Worker;
    child.kill("SIGSTOP");
    await pause(randomInt(60));
    child.kill("SIGCONT");
    await pause(randomInt(20));
  }
}

/** Reads a memory again and again until the workers have ended: it is never half a file. @returns how often */
async function readWhile(folder: string, workers: readonly Worker[]): Promise<number> {
  let looks = 0;
  for (; workers.some(({ child }) => child.exitCode === null); looks += 1) {
    const { content } = await ask(folder, "read_memory", { agent_id: "web" });
    expect(content).toMatch(/^# Ours\r\n\r\nkeep\r\n/);
    expect(content.endsWith("\r\n"), "whole to its end").toBe(true);
    const [headings, bodies] = [/^## p\d \d+\r$/gm, /^of p\d, \d+\r$/gm].map((line) => content.match(line)?.length ?? 0);
    expect(headings, "every section with its words").toBe(bodies);
    await pause(5);
  }
  return looks;
}

test("2 × 500 messages: each has its own number, and paging by them shows each once, though senders are suspended", async () => {
  const folder = await boardWith("web", "api", "db");
  const enough = path.join(scratch(), "enough");
  const times = count(150, 500);
  const readers = ["db", "late"].map((part, at) => work("reader", [folder, part, enough, String(at === 0 ? 7 : 10_000)]));
  const senders = ["web", "api"].map((part) => repeat(folder, part, "send_message", { content: `${part} #` }, times));
  await disturb(senders);
  const sent = await answersOf(senders);
  fs.writeFileSync(enough, "");
  const ids = new Map(sent.map(({ message }) => [message.seq, message.id]));
  expect(ids.size, "distinct").toBe(2 * times);
  for (const reader of readers) {
    expect(await reader.ended, reader.stderr()).toBe(0);
    const seen = reader.lines.slice(1);
    expect(seen.map(({ id }) => id).sort(), "each once").toEqual([...ids.values()].sort());
    expect(seen.map(({ seq }) => seq)).toEqual(seen.map(({ seq }) => seq).toSorted((a, b) => a - b));
    for (const { seq, id } of seen) if (ids.has(seq)) expect(ids.get(seq)).toBe(id);
  }
  const { messages } = await ask(folder, "inbox", { agent_id: "db", limit: 200, unreadOnly: false });
  expect(messages.length, "the same ones are in the inbox").toBe(Math.min(200, 2 * times));
});

test("20 tasks with one key are one; of 4 children at once 3 are made; both halves of parallel updates land", async () => {
  const folder = await boardWith("web", "api");
  const agents = (await bound(folder, "web", "api")) as [Agent, Agent];
  const parallel = (times: number, tool: string, input: (at: number) => Record<string, unknown>): Promise<Answer[]> =>
    Promise.all(Array.from({ length: times }, (_, at) => (agents[at % 2] as Agent).call(tool, input(at))));
  for (let round = 0; round < count(5, 100); round += 1) {
    const made = await parallel(20, "create_task", (at) => ({ title: `t${at}`, priority: "low", idempotency_key: `k${round}` }));
    expect(new Set(made.map(({ task_id }) => task_id)).size).toBe(1);
    const parent = made[0].task_id;
    const children = await parallel(4, "create_task", (at) => ({ title: `c${at}`, priority: "low", parent_task_id: parent }));
    expect(children.filter(({ success }) => success)).toHaveLength(3);
    expect(children.find(({ success }) => !success)).toMatchObject({ error: "max derived siblings exceeded (3)" });
    const { task_id } = await agents[0].call("create_task", { title: "both", priority: "low" });
    await agents[0].call("claim_task", { task_id });
    const updates = [{ status: "in_review" }, { assignee: "web" }];
    const told = await parallel(2, "update_task", (at) => ({ task_id, agent_id: at === 0 ? "web" : "api", ...updates[at] }));
    expect(told[0]).toMatchObject({ success: true, status: "in_review" });
    const released = await agents[0].call("create_task", { title: "assigned", priority: "low" });
    const both = await Promise.all([
      agents[0].call("update_task", { task_id: released.task_id, assignee: "web" }),
      agents[0].call("update_task", { task_id: released.task_id, status: "in_progress" }),
    ]);
    expect(both).toMatchObject([{ success: true }, { success: true }]);
    const { tasks } = await agents[1].call("get_all_tasks");
    expect(tasks.find(({ id }: Answer) => id === released.task_id)).toMatchObject({ status: "in_progress", assignee: "web" });
    expect(tasks).toHaveLength(6 * (round + 1));
  }
  for (const agent of agents) await agent.close();
});

test("4 processes write 40 sections and append 40 entries of one memory, and post 40 versions: nothing is lost", async () => {
  const parts = ["p0", "p1", "p2", "p3"];
  const folder = await boardWith("web", ...parts);
  const times = count(10, 100);
  const home = (...names: string[]): string => path.join(folder, ".relay", ...names);
  put(home("memory/agents/web.md"), "# Ours\r\n\r\nkeep\r\n");
  const shared = parts.flatMap((part) => [
    repeat(folder, part, "write_memory", { agent_id: "web", key: `${part} #`, content: `of ${part}, #` }, times),
    repeat(folder, part, "post_artifact", { name: "plan", type: "document", content: `of ${part}, #` }, times),
    work("sender", [folder, "web", "append_memory", JSON.stringify({ content: `noted ${part} #.` }), String(times)]),
  ]);
  const reading = readWhile(folder, shared);
  await disturb(shared);
  expect(await reading, "looks at it meanwhile").toBeGreaterThan(10);
  const told = await answersOf(shared);
  const memory = fs.readFileSync(home("memory/agents/web.md"), "utf8");
  expect(memory.startsWith("# Ours\r\n\r\nkeep\r\n")).toBe(true);
  expect(memory.replaceAll("\r\n", ""), "line breaks of one kind").not.toContain("\n");
  const lines = memory.split("\r\n");
  for (const part of parts) {
    for (let round = 0; round < times; round += 1) {
      for (const line of [`## ${part} ${round}`, `of ${part}, ${round}`, `noted ${part} ${round}.`]) {
        expect(
          lines.filter((each) => each === line),
          line,
        ).toHaveLength(1);
      }
    }
  }
  const versions = told.flatMap(({ version }) => (version === undefined ? [] : [version]));
  expect(versions.sort((a, b) => a - b)).toEqual(Array.from({ length: 4 * times }, (_, at) => at + 1));
  const contents = new Set<string>();
  for (const version of versions) contents.add((await ask(folder, "get_artifact", { name: "plan", version })).artifact.content);
  expect(contents.size, "each with its own content").toBe(4 * times);
});
