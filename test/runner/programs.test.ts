/** The programs that do the work of agents: their command lines, and what is read out of the lines that they print. */
import { expect, test } from "vitest";
import { claudeProgram as claude } from "../../protocol/agents/hosts/claude-program.ts";
import { codexProgram as codex } from "../../protocol/agents/hosts/codex-program.ts";
import { geminiProgram as gemini } from "../../protocol/agents/hosts/gemini-program.ts";
import type { Program, TurnStart } from "../../protocol/agents/hosts/program.ts";
import { type Reading, UNREAD } from "../../protocol/agents/hosts/reading.ts";
import { RUNNERS } from "../../protocol/office/nouns/agent-file.ts";
import { command } from "../../runner/programs/command.ts";
import { type Ended, outcomeOf } from "../../runner/programs/outcome.ts";
import { programOf } from "../../runner/programs/programs.ts";
import { turnUsage } from "../../runner/programs/turn-usage.ts";

const START: TurnStart = {
  folder: "/l",
  kept: "/k",
  program: ["/bin/agent"],
  cwd: "/work tree",
  envelope: "Do it — grüße.",
  prompt: 'You are "web".\nLine two.',
  model: "small",
  tools: ["Read", "Bash"],
  maxTurns: 7,
  resumes: null,
  newSession: "0397d0f2-0000-4000-8000-000000000001",
  server: { argv: ["node", "relay.cjs", "mcp"], env: { RELAY_OFFICE_TOKEN: "secret", RELAY_HOME: "/h" }, tools: ["Send"] },
  env: { PATH: "/bin" },
  commitsIn: [],
  position: "om/web",
  context: "agent:human:om/web:1",
};

/** The word after a flag. */
const after = (argv: readonly string[], flag: string): string | undefined => argv[argv.indexOf(flag) + 1];

const read = (program: Program, lines: readonly unknown[]): Reading =>
  lines.reduce<Reading>((reading, line) => program.read(reading, typeof line === "string" ? line : JSON.stringify(line)), UNREAD);

const ended = (reading: Reading, more: Partial<Ended> = {}): Ended => ({
  reading,
  exit: "0",
  stop: null,
  session: undefined,
  words: "",
  ...more,
});

test("Codex counts the whole thread, so of a turn counts what the turns before it did not use", () => {
  const usage = { inputTokens: 70, cachedInputTokens: 30, outputTokens: 12 };
  const end = (turn: number, agentSession: string, inputTokens: number) => ({
    ...{ turn, at: "2026-01-31T09:30:00.000Z", outcome: "ok" as const, text: "", agentSession },
    usage: { inputTokens, cachedInputTokens: 10, outputTokens: 4 },
  });
  const reading: Reading = { ...UNREAD, session: "s", usage };
  const ends = [end(1, "s", 20), end(2, "s", 25), end(3, "another", 999)];
  expect(turnUsage(codex, reading, ends)).toEqual({ inputTokens: 25, cachedInputTokens: 10, outputTokens: 4 });
  expect(turnUsage(codex, reading, [])).toEqual(usage);
  // Counted anew, as after a fork.
  expect(turnUsage(codex, reading, [end(1, "s", 71)])).toEqual(usage);
  // The others say what the turn used.
  for (const program of [claude, gemini]) expect(turnUsage(program, reading, ends)).toEqual(usage);
});

test("no secret and no text of the turn stands in a command line", () => {
  for (const program of RUNNERS.map(programOf)) {
    for (const resumes of [null, "5f0c"]) {
      const { argv } = program.prepare({ ...START, resumes });
      expect(argv.join("\n")).not.toContain("secret");
      expect(argv.join("\n")).not.toContain("grüße");
    }
  }
});

test("every program gets the envelope whole on its input", () => {
  for (const program of [claude, codex, gemini]) expect(program.prepare(START).files["stdin"]).toBe(START.envelope);
});

test("Claude Code begins with a session of ours, Relay's server alone, and no tool that is another channel", () => {
  const { argv, files, session } = claude.prepare(START);
  expect(argv.slice(0, 2)).toEqual(["/bin/agent", "-p"]);
  expect(after(argv, "--session-id")).toBe(START.newSession);
  expect(session).toBe(START.newSession);
  expect(after(argv, "--tools")).toBe("Read,Bash");
  expect(after(argv, "--allowedTools")).toBe("mcp__office__Send,Read,Bash");
  expect(after(argv, "--setting-sources")).toBe("");
  expect(after(argv, "--max-turns")).toBe("7");
  expect(argv).toContain("--strict-mcp-config");
  expect(argv.filter((word) => word.startsWith("--agents"))).toEqual([]);
  expect(files["prompt.md"]).toBe(START.prompt);
  expect(JSON.parse(files["mcp.json"] as string).mcpServers.office.env.RELAY_OFFICE_TOKEN).toBe("secret");
});

test("Claude Code goes on with its session by the same flags", () => {
  const first = claude.prepare(START).argv;
  const again = claude.prepare({ ...START, resumes: "5f0c" });
  expect(again.argv).toEqual(first.map((word) => (word === "--session-id" ? "--resume" : word === START.newSession ? "5f0c" : word)));
  expect(again.session).toBe("5f0c");
});

test("Codex gets the token by the name of a variable, and its instructions as one value", () => {
  const { argv, env } = codex.prepare(START);
  expect(argv.slice(0, 2)).toEqual(["/bin/agent", "exec"]);
  const server = argv.find((word) => word.startsWith("mcp_servers.office=")) as string;
  expect(server).toContain('env_vars=["RELAY_OFFICE_TOKEN"]');
  expect(server).toContain('"RELAY_HOME"="/h"');
  expect(server).toContain("required=true");
  expect(env["RELAY_OFFICE_TOKEN"]).toBe("secret");
  expect(argv).toContain('developer_instructions="You are \\"web\\".\\nLine two."');
  expect(argv.slice(-3)).toEqual(["-C", "/work tree", "-"]);
  expect(argv).not.toContain("shell_tool");
  expect(codex.prepare({ ...START, tools: [] }).argv).toContain("shell_tool");
  expect(argv.join(" ")).not.toContain("writable_roots");
  const roots = 'sandbox_workspace_write.writable_roots=["/code/.git","/code/.git/worktrees/a"]';
  expect(codex.prepare({ ...START, commitsIn: ["/code/.git", "/code/.git/worktrees/a"] }).argv).toContain(roots);
});

test("Codex goes on with a session by its id", () => {
  const { argv, session } = codex.prepare({ ...START, resumes: "01a2" });
  expect(argv.slice(1, 3)).toEqual(["exec", "resume"]);
  expect(argv.slice(-2)).toEqual(["01a2", "-"]);
  expect(session).toBe("01a2");
});

test("Gemini CLI has settings of its own, in a folder that stays for all turns", () => {
  const { argv, env, keptFiles } = gemini.prepare(START);
  expect(after(argv, "--session-id")).toBe(START.newSession);
  expect(env["GEMINI_CLI_HOME"]).toBe("/k/gemini");
  const settings = JSON.parse(keptFiles?.["gemini/.gemini/settings.json"] as string);
  expect(settings.mcpServers.office.trust).toBe(true);
  expect(settings.tools.core).toContain("mcp_office_Send");
  expect(after(gemini.prepare({ ...START, resumes: "d7a0" }).argv, "--resume")).toBe("d7a0");
});

test("a command knows its home, its position and whether it goes on", () => {
  const { argv, env } = command.prepare(START);
  expect(argv).toEqual(START.program);
  expect(env).toMatchObject({ RELAY_HOME: "/h", RELAY_PART: "om/web", RELAY_SESSION: START.newSession, RELAY_OFFICE_TOKEN: "secret" });
  expect(env["RELAY_RESUME"]).toBeUndefined();
  expect(command.prepare({ ...START, resumes: "s" }).env).toMatchObject({ RELAY_RESUME: "1", RELAY_SESSION: "s" });
  // Its prompt stands before the envelope, and is told once a session.
  const told = (more: Partial<TurnStart>) => command.prepare({ ...START, ...more }).files["stdin"];
  expect(told({})).toBe(`${START.prompt}\n\n${START.envelope}`);
  expect([told({ resumes: "s" }), told({ prompt: "\n" })]).toEqual([START.envelope, START.envelope]);
});

const INIT = { type: "system", subtype: "init", session_id: "0397", mcp_servers: [{ name: "office", status: "connected" }] };
const RESULT = {
  type: "result",
  subtype: "success",
  is_error: false,
  num_turns: 2,
  result: "FINAL grüße",
  session_id: "0397",
  total_cost_usd: 0.00035,
  usage: { input_tokens: 20, cache_read_input_tokens: 5, output_tokens: 10 },
  permission_denials: [],
  terminal_reason: "completed",
};

test("Claude Code: session, text, use, and a Send that it waits for", () => {
  const sends = { type: "assistant", message: { content: [{ type: "tool_use", id: "toolu_1", name: "mcp__office__Send", input: {} }] } };
  const waiting = read(claude, ["not json", INIT, sends]);
  expect([...waiting.calls]).toEqual(["toolu_1"]);
  const answered = { type: "user", message: { content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "{}" }] } };
  expect(claude.read(waiting, JSON.stringify(answered)).calls.size).toBe(0);
  const reading = read(claude, [INIT, sends, answered, RESULT]);
  expect(reading).toMatchObject({ session: "0397", text: "FINAL grüße", last: "ok", tools: "connected", steps: 1 });
  expect(reading.usage).toEqual({ inputTokens: 25, cachedInputTokens: 5, outputTokens: 10, costUsd: 0.00035 });
  expect(outcomeOf(ended(reading, { session: "0397" }))).toEqual({ outcome: "ok" });
});

test("Claude Code: an error of the provider that calls itself a success is an error", () => {
  const error = { ...RESULT, is_error: true, api_error_status: 429, result: "API Error: Request rejected (429) · stub 429" };
  const reading = read(claude, [INIT, error]);
  expect(reading).toMatchObject({ last: "error", isLimited: true, text: "" });
  expect(outcomeOf(ended(reading, { exit: "1" }))).toMatchObject({ outcome: "again", why: "limited" });
  const other = read(claude, [INIT, { ...RESULT, is_error: true, api_error_status: 400, result: "API Error: 400 no" }]);
  expect(outcomeOf(ended(other, { exit: "1" }))).toEqual({ outcome: "failed", problem: "API Error: 400 no" });
});

test("Claude Code: what it may not use is said with its reply; a retry is no silence", () => {
  const denied = read(claude, [INIT, { ...RESULT, permission_denials: [{ tool_name: "Bash" }, { tool_name: "Bash" }] }]);
  expect(outcomeOf(ended(denied))).toEqual({ outcome: "ok", problem: "it may not use: Bash" });
  const retry = { type: "system", subtype: "api_retry", attempt: 1, error_status: 429, error: "rate_limit" };
  expect(read(claude, [INIT, retry]).isRetrying).toBe(true);
  expect(read(claude, [INIT, retry, RESULT]).isRetrying).toBe(false);
});

test("Claude Code: without Relay's tools a turn counts for nothing", () => {
  const reading = read(claude, [{ ...INIT, mcp_servers: [{ name: "office", status: "pending" }] }, RESULT]);
  expect(outcomeOf(ended(reading))).toMatchObject({ outcome: "again", why: "no tools" });
});

test("Codex: session, the last message, use, and warnings that are no failure", () => {
  const lines = [
    { type: "thread.started", thread_id: "01a2" },
    { type: "item.completed", item: { id: "item_0", type: "error", message: "Model metadata for `scripted` not found" } },
    { type: "item.completed", item: { id: "item_1", type: "agent_message", text: "I ask them." } },
    { type: "item.started", item: { id: "item_2", type: "mcp_tool_call", server: "office", tool: "Send" } },
  ];
  expect([...read(codex, lines).calls]).toEqual(["item_2"]);
  const reading = read(codex, [
    ...lines,
    { type: "item.completed", item: { id: "item_2", type: "mcp_tool_call", status: "completed" } },
    { type: "item.completed", item: { id: "item_3", type: "agent_message", text: "FINAL grüße" } },
    { type: "turn.completed", usage: { input_tokens: 20, cached_input_tokens: 4, output_tokens: 10, reasoning_output_tokens: 0 } },
  ]);
  expect(reading).toMatchObject({ session: "01a2", text: "FINAL grüße", last: "ok", steps: 1 });
  expect(reading.usage).toEqual({ inputTokens: 20, cachedInputTokens: 4, outputTokens: 10 });
  expect(outcomeOf(ended(reading))).toEqual({ outcome: "ok" });
});

test("Codex: a limit, a session that is another, and tools that it requires", () => {
  const limited = read(codex, [{ type: "turn.failed", error: { message: "exceeded retry limit, last status: 429 Too Many Requests" } }]);
  expect(outcomeOf(ended(limited, { exit: "1" }))).toMatchObject({ outcome: "again", why: "limited" });
  const other = read(codex, [
    { type: "thread.started", thread_id: "new" },
    { type: "turn.completed", usage: {} },
  ]);
  expect(outcomeOf(ended(other, { session: "01a2" }))).toMatchObject({
    outcome: "failed",
    problem: expect.stringContaining("another session"),
  });
  const words = "required MCP servers failed to initialize: office: no such file";
  expect(outcomeOf(ended(UNREAD, { exit: "1", words }))).toMatchObject({ outcome: "again", why: "no tools" });
});

test("Gemini CLI: the pieces after the last answer of a tool are its text", () => {
  const reading = read(gemini, [
    { type: "init", session_id: "d7a0", model: "gemini-2.5-flash" },
    { type: "message", role: "user", content: "Do it" },
    { type: "message", role: "assistant", content: "I ask.", delta: true },
    { type: "tool_use", tool_name: "mcp_office_Send", tool_id: "1" },
    { type: "tool_result", tool_id: "1", status: "success" },
    { type: "message", role: "assistant", content: "FINAL ", delta: true },
    { type: "message", role: "assistant", content: "grüße", delta: true },
    { type: "result", status: "success", stats: { input_tokens: 20, output_tokens: 10, tool_calls: 1 } },
  ]);
  expect(reading).toMatchObject({ session: "d7a0", text: "FINAL grüße", last: "ok" });
  expect(outcomeOf(ended(reading, { session: "d7a0" }))).toEqual({ outcome: "ok" });
  // It ends with 0 when it is told to end, and says nothing then.
  const stopped = read(gemini, [
    { type: "init", session_id: "d7a0" },
    { type: "message", role: "assistant", content: "half", delta: true },
  ]);
  expect(outcomeOf(ended(stopped))).toMatchObject({ outcome: "failed" });
});

test("how a turn ended: exit code, last event and stops together", () => {
  const ok: Reading = { ...UNREAD, last: "ok", text: "done" };
  expect(outcomeOf(ended(ok))).toEqual({ outcome: "ok" });
  expect(outcomeOf(ended({ ...ok, text: " \n" }))).toEqual({ outcome: "empty" });
  expect(outcomeOf(ended(ok, { exit: "143" }))).toEqual({ outcome: "failed", problem: "it ended with exit code 143" });
  expect(outcomeOf(ended(ok, { exit: "SIGTERM" }))).toEqual({ outcome: "failed", problem: "it was ended by SIGTERM" });
  expect(outcomeOf(ended(ok, { exit: null }))).toMatchObject({ outcome: "failed" });
  expect(outcomeOf(ended({ ...ok, last: "none" }))).toMatchObject({ outcome: "failed" });
  expect(outcomeOf(ended(ok, { stop: "closed" }))).toMatchObject({ outcome: "closed" });
  expect(outcomeOf(ended(ok, { stop: "too long" }))).toMatchObject({ outcome: "timeout" });
  expect(outcomeOf(ended(ok, { stop: "silent" }))).toMatchObject({ outcome: "timeout" });
});
