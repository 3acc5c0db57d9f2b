/**
 * A whole session as the orchestrator of the relay plugin leads it, in its agents' own words: pool, team, tasks, messages,
 * artifacts, reviews, memory, state, summary. Every agent is a process with a server of its own; nobody was made a part.
 */
import fs from "node:fs";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { type Agent, connect, relay } from "../rig/processes.ts";
import { repository } from "../rig/scratch.ts";

let folder: string;
beforeEach(async () => {
  folder = repository();
  await relay(folder, ["init"]);
  fs.writeFileSync(
    path.join(folder, ".relay/agents.pool.yml"),
    `language: Korean
agents:
  pm: { name: PM, emoji: p, tools: [], description: plans, systemPrompt: "You plan. Use \${{ github.sha }} and {{message}} in templates." }
  be: { name: Backend, emoji: b, tools: [], description: builds, systemPrompt: "You are {agent_id}.", language: "" }
  fe: { name: Frontend, emoji: f, tools: [], description: shows, systemPrompt: "You are {agent_id}.", language: English }
`,
  );
});

/** An agent with a server of its own: it says its id with every call, as it was told, and nothing may be refused. */
class Speaker {
  readonly id: string;
  readonly #agent: Agent;
  seq = 0;

  constructor(id: string, agent: Agent) {
    this.id = id;
    this.#agent = agent;
  }

  static async start(id: string): Promise<Speaker> {
    return new Speaker(id, await connect(folder, { args: ["--tools", "plugin"] }));
  }

  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever was answered.
  async says(tool: string, args: Record<string, unknown> = {}): Promise<any> {
    const answer = await this.#agent.call(tool, { agent_id: this.id, ...args });
    expect(answer, `${this.id}: ${tool} ${JSON.stringify(args)}`).toMatchObject({ success: true });
    return answer;
  }

  /** What arrived since it last asked. */
  async news(): Promise<string[]> {
    const { messages } = await this.says("get_messages", { after_seq: this.seq });
    this.seq = messages.at(-1)?.seq ?? this.seq;
    return messages.map(({ content }: { content: string }) => content);
  }

  end = (): Promise<void> => this.#agent.close();
  kill = (): Promise<void> => this.#agent.kill();
}

test("one session, from the first call to the summary: nothing is refused, and nothing is left unread", async () => {
  let orchestrator = await Speaker.start("orchestrator");
  const info = await orchestrator.says("get_server_info");
  // Its skill puts these into JSON with a shell.
  expect(JSON.parse(`{"dashboard_port":${info.port}}`)).toEqual({ dashboard_port: 0 });
  const { session_id } = await orchestrator.says("start_session");
  fs.writeFileSync(path.join(folder, `.relay/session-agents-${session_id}.yml`), "agents:\n  pm: {}\n  be: {}\n  fe: { extends: fe }\n");
  expect((await orchestrator.says("list_pool_agents")).agents).toHaveLength(3);
  const { agents, problems } = await orchestrator.says("list_agents");
  expect(problems).toBeUndefined();
  const prompts = Object.fromEntries(agents.map(({ id, systemPrompt }: { id: string; systemPrompt: string }) => [id, systemPrompt]));
  expect(prompts.pm).toMatch(/^## Language\n.*Korean.*\n\nYou plan\. Use \$\{\{ github\.sha \}\} and \{\{message\}\} in templates\.$/);
  expect(prompts.be).toMatch(/^## Language\n.*Korean/);
  expect(prompts.fe).toMatch(/^## Language\n.*English.*\n\nYou are fe\.$/);
  await orchestrator.says("save_orchestrator_state", { state: '{"step":"plan"}' });

  const pm = await Speaker.start("pm");
  const { task_id: api } = await pm.says("create_task", { title: "API", priority: "high", assignee: "be", idempotency_key: "api" });
  const { task_id: page } = await pm.says("create_task", { title: "Page", priority: "low", assignee: "fe", depends_on: [api] });
  await pm.says("send_message", { to: "orchestrator", content: "planned" });
  expect(await orchestrator.news()).toEqual(["planned"]);

  const [be, fe] = [await Speaker.start("be"), await Speaker.start("fe")];
  expect(await be.says("claim_task", { task_id: api })).toMatchObject({ claimed: true });
  expect(await fe.says("claim_task", { task_id: page })).toMatchObject({ claimed: false });
  await be.says("broadcast_thinking", { content: "the routes first" });
  const { artifact_id } = await be.says("post_artifact", { name: "api", type: "pr", content: "diff", task_id: api });
  await be.says("update_task", { task_id: api, status: "in_review" });
  // The reviewer is started for the review: it was not there when it was asked.
  const { review_id } = await be.says("request_review", { artifact_id, reviewer: "be2" });
  const reviewer = await Speaker.start("be2");
  expect(await reviewer.news()).toHaveLength(1);
  expect((await reviewer.says("get_artifact", { name: "api" })).artifact).toMatchObject({ content: "diff" });
  await reviewer.says("submit_review", { review_id, status: "approved", comments: "fine" });
  expect(await be.news()).toHaveLength(1);
  await be.says("update_task", { task_id: api, status: "done" });

  // Or it asks for its own review, before it wrote anything.
  expect(await fe.says("claim_task", { task_id: page })).toMatchObject({ claimed: true });
  const screen = await fe.says("post_artifact", { name: "page", type: "design", content: "html" });
  const late = await Speaker.start("fe2");
  const own = await late.says("request_review", { artifact_id: screen.artifact_id, reviewer: "fe2" });
  await late.says("submit_review", { review_id: own.review_id, status: "approved", comments: "" });
  // A task need not go through every column.
  const { task_id: extra } = await pm.says("create_task", { title: "Extra", priority: "medium" });
  for (const status of ["in_review", "done", "in_review", "done"]) await pm.says("update_task", { task_id: extra, status });
  await fe.says("update_task", { task_id: page, status: "done" });

  await orchestrator.kill();
  orchestrator = await Speaker.start("orchestrator");
  expect((await orchestrator.says("get_orchestrator_state")).state).toBe('{"step":"plan"}');
  await orchestrator.says("send_message", { content: "wrap up" });
  const team = [pm, be, fe, reviewer, late];
  for (const member of team) {
    expect(await member.news(), member.id).toContain("wrap up");
    await member.says("append_memory", { content: "what I learned" });
    await member.says("write_memory", { key: "role", content: "mine" });
  }
  expect((await orchestrator.says("get_all_tasks")).tasks.map(({ status }: { status: string }) => status)).toEqual([
    "done",
    "done",
    "done",
  ]);
  expect((await orchestrator.says("list_reviews")).reviews.map(({ status }: { status: string }) => status)).toEqual([
    "approved",
    "approved",
  ]);
  await orchestrator.news();
  await orchestrator.says("write_memory", { agent_id: undefined, key: "stack", content: "TypeScript" });
  await orchestrator.says("save_session_summary", { session_id, summary: "# Done\n" });
  for (const member of [...team, orchestrator]) await member.end();

  const { parts } = (await relay(folder, ["roster", "--json"])).json;
  const guests = parts.filter(({ session }: { session?: string }) => session !== undefined);
  expect(guests.map(({ part }: { part: string }) => part).sort()).toEqual(["be", "be2", "fe", "fe2", "orchestrator", "pm"]);
  expect(guests.map(({ unread }: { unread: number }) => unread)).toEqual([0, 0, 0, 0, 0, 0]);
  expect(
    (await relay(folder, ["doctor", "--json"])).json.findings.filter(({ severity }: { severity: string }) => severity === "error"),
  ).toEqual([]);
});
