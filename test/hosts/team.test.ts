import fs from "node:fs";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { agentsSchema } from "../../cli/published-schemas.ts";
import { allowedTools, findAgent } from "../../protocol/agents/files/agents.ts";
import { runHooks } from "../../protocol/agents/files/hooks.ts";
import type { HookFailure } from "../../protocol/board/asks.ts";
import { operationList, operations, perform, type World } from "../../protocol/index.ts";
import { machineStore } from "../../protocol/trust/files/machine.ts";
import type { Answer } from "../rig/clones.ts";
import { homeWith, worldAt } from "../rig/home.ts";
import { goesOn } from "../rig/hurt.ts";
import { connect, relay } from "../rig/processes.ts";
import { repository, until } from "../rig/scratch.ts";

let folder: string;
beforeEach(async () => {
  folder = await homeWith("web", "api");
});
const home = (...names: string[]): string => path.join(folder, ".relay", ...names);
const as = (part?: string, session?: string): World =>
  worldAt(folder, { part, env: session === undefined ? {} : { RELAY_SESSION_ID: session } });
const run = (name: keyof typeof operations, input: Record<string, unknown> = {}, world = as()): Promise<Answer> =>
  perform(world, operations[name], input);
const agent = (id: string, more = ""): string =>
  `  ${id}: { name: ${id}, emoji: x, tools: [inbox, whoami], systemPrompt: "You are {agent_id}"${more} }\n`;
const writePool = (...agents: string[]): void => fs.writeFileSync(home("agents.pool.yml"), `agents:\n${agents.join("")}`);
const writeTeam = (session: string, text: string): void => fs.writeFileSync(home(`session-agents-${session}.yml`), text);

test("list_agents: the named team, else that of the current session, else an empty list", async () => {
  expect(await run("list_agents")).toEqual({ agents: [] });
  writePool(agent("web", ', hooks: { before_task: "true" }, language: de, tags: [t]'));
  writeTeam("s-1", "agents:\n  web: {}\n  web-2: { extends: web, review_checklist: all }\n");
  expect(await run("list_agents")).toEqual({ agents: [] });
  const web = {
    id: "web",
    name: "web",
    emoji: "x",
    description: "",
    tools: ["inbox", "whoami"],
    language: "de",
    systemPrompt: "## Language\nYou MUST respond in de.\n\nYou are web",
  };
  const clone = {
    ...web,
    id: "web-2",
    basePersonaId: "web",
    review_checklist: "all",
    systemPrompt: web.systemPrompt.replace("You are web", "You are web-2"),
  };
  expect(await run("list_agents", { session_id: "s-1" })).toEqual({ agents: [web, clone] });
  expect(await run("list_agents", {}, as(undefined, "s-1"))).toEqual({ agents: [web, clone] });
  const { session_id: newest } = await run("team_write", { agents: ["web"] });
  expect((await run("list_agents")).agents).toEqual([web]);
  expect(newest).toMatch(/^\d{4}-\d\d-\d\d-001-/);
});

test("list_agents: a missing file names the path, and an edit is seen by the next call", async () => {
  const world = as();
  await expect(run("list_agents", { session_id: "s-1" }, world)).rejects.toMatchObject({
    code: "no_team",
    message: expect.stringContaining("session-agents-s-1.yml"),
  });
  await expect(run("list_agents", { session_id: "../x" }, world)).rejects.toMatchObject({ code: "bad_session" });
  writeTeam("s-1", `agents:\n${agent("web")}`);
  expect((await run("list_agents", { session_id: "s-1" }, world)).agents).toMatchObject([{ id: "web" }]);
  writeTeam("s-1", `agents:\n${agent("web")}${agent("api").replace("You", "Now you")}`);
  expect((await run("list_agents", { session_id: "s-1" }, world)).agents).toMatchObject([
    { id: "web" },
    { systemPrompt: "Now you are api" },
  ]);
  // The pool's edit is seen by a team that takes from it.
  writeTeam("s-1", "agents:\n  web: {}\n");
  writePool(agent("web"));
  expect((await run("list_agents", { session_id: "s-1" }, world)).agents).toMatchObject([{ name: "web" }]);
  writePool(agent("web").replace("name: web", "name: Another"));
  expect((await run("list_agents", { session_id: "s-1" }, world)).agents).toMatchObject([{ name: "Another" }]);
});

test("list_agents: a pool that cannot be read hides none that needs no pool, and is named with its line", async () => {
  fs.writeFileSync(home("agents.pool.yml"), "agents:\n  web:\n    name: [oops\n");
  writeTeam("s-1", `agents:\n${agent("docs")}  web-2: { extends: web }\n`);
  const { agents, problems } = await run("list_agents", { session_id: "s-1" });
  expect(agents).toMatchObject([{ id: "docs" }]);
  expect(problems).toMatchObject([{ path: "agents.pool.yml", line: 3 }, { path: "session-agents-s-1.yml" }]);
  expect(findAgent(as("web-2", "s-1"), "web-2")).toBeNull();
});

test("list_pool_agents: no pool says how to make one; one bad agent hides no other", async () => {
  await expect(run("list_pool_agents")).rejects.toMatchObject({
    code: "no_pool",
    message: expect.stringContaining("relay team write --pool"),
  });
  fs.writeFileSync(path.join(folder, "agents.pool.yml"), `agents:\n${agent("beside")}`);
  expect((await run("list_pool_agents")).agents).toMatchObject([{ id: "beside", tags: [] }]);
  writePool(agent("web", ", tags: [ui]"), "  bad: { name: 3 }\n", agent("odd").replace("inbox", "inbxo"));
  const { agents, problems } = await run("list_pool_agents");
  expect(agents).toMatchObject([{ id: "web", tags: ["ui"] }, { id: "odd" }]);
  expect(agents[0]).not.toHaveProperty("systemPrompt");
  expect(problems).toMatchObject([
    { path: "agents.pool.yml", line: 3, problem: expect.stringContaining("name") },
    { line: 4, problem: expect.stringContaining("unknown tools: inbxo") },
  ]);
});

test("a team that was written is there, though the disk refused the last step of it", async () => {
  writePool(agent("web"), agent("api"));
  const renameSync = fs.renameSync;
  fs.renameSync = (from, to) => {
    if (String(to).endsWith("session-agents-s-1.yml"))
      throw Object.assign(new Error("EIO: i/o error, rename"), { code: "EIO", syscall: "rename" });
    renameSync(from, to);
  };
  try {
    expect(await run("team_write", { agents: ["web"] }, as("main", "s-1"))).toMatchObject({ agents: ["web"] });
  } finally {
    fs.renameSync = renameSync;
  }
  expect(fs.existsSync(home("session-agents-s-1.yml"))).toBe(false);
  expect((await run("list_agents", {}, as("main", "s-1"))).agents.map(({ id }: Answer) => id)).toEqual(["web"]);
});

test("team write makes the pool once, names agents of it, and replaces nothing without force", async () => {
  await expect(run("team_write", { agents: ["backend"] })).rejects.toMatchObject({ code: "no_pool" });
  expect(await run("team_write", { pool: true })).toEqual({ session_id: null, path: null, agents: [], pool: "agents.pool.yml" });
  expect(fs.readFileSync(home("agents.pool.yml"), "utf8")).toBe(fs.readFileSync("templates/agents.pool.yml", "utf8"));
  expect(await run("team_write", { pool: true })).toMatchObject({ pool: null });
  const world = as("main", "s-9");
  await expect(run("team_write", { agents: ["bakend"] }, world)).rejects.toMatchObject({
    code: "invalid_argument",
    data: { example: ["backend"] },
  });
  await expect(run("team_write", {}, world)).rejects.toMatchObject({ code: "invalid_argument" });
  expect(await run("team_write", { agents: ["backend", "reviewer", "backend"] }, world)).toMatchObject({
    session_id: "s-9",
    path: "session-agents-s-9.yml",
    agents: ["backend", "reviewer"],
  });
  const before = fs.readFileSync(home("session-agents-s-9.yml"), "utf8");
  await expect(run("team_write", { agents: ["tests"] }, world)).rejects.toMatchObject({
    code: "invalid_argument",
    data: { argument: "force" },
  });
  expect(fs.readFileSync(home("session-agents-s-9.yml"), "utf8")).toBe(before);
  await run("team_write", { agents: ["backend", "reviewer"] }, world);
  await run("team_write", { agents: ["tests"], force: true }, world);
  expect(findAgent(world, "tests")?.systemPrompt).toContain('You are "tests"');
  expect((await run("team_suggest", { task: "a REST endpoint" }, world)).agents.map(({ id }: Answer) => id)).toEqual([
    "backend",
    "reviewer",
  ]);
});

test("an untrusted hook does not run and is told, a trusted one runs with its environment, an edit needs trust again", async () => {
  const command = 'echo "$RELAY_AGENT_ID $RELAY_TASK_ID $RELAY_SESSION_ID" > out; pwd';
  writePool(agent("web", `, hooks: { before_task: '${command}' }`), agent("api"));
  const world = as("web");
  expect(await runHooks(world, "api", "before_task", "t-1", "s-1")).toBe("none");
  expect(await runHooks(world, "nobody", "before_task", "t-1", "s-1")).toBe("none");
  expect(await runHooks(world, "web", "after_task", "t-1", "s-1")).toBe("none");
  expect(await runHooks(world, "web", "before_task", "t-1", "s-1")).toBe("none");
  expect([...world.home().store.notes.values()]).toEqual([
    expect.stringMatching(/the before_task hook of web did not run.*RELAY_AGENT_ID.*relay trust/),
  ]);
  expect(fs.existsSync(path.join(folder, "out"))).toBe(false);
  const shown = await run("trust");
  expect(shown.commands).toEqual([
    {
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      agent: "web",
      hook: "before_task",
      command,
      trusted: false,
      notes: [],
    },
  ]);
  await expect(run("trust", { accept: ["zz"] })).rejects.toMatchObject({ code: "invalid_argument" });
  const { id } = shown.commands[0];
  // Of so few characters a push can make a second command with the same.
  for (const few of [4, 12, 31])
    await expect(run("trust", { accept: [id.slice(0, few)] })).rejects.toMatchObject({ code: "invalid_argument" });
  expect(await run("trust", { accept: [id] })).toMatchObject({ accepted: [id], commands: [{ trusted: true }] });
  expect((await run("trust", { all: true })).accepted).not.toContain(id);
  expect(fs.existsSync(home("local/trust"))).toBe(false);
  const { root } = machineStore(world);
  const [record] = fs.readdirSync(path.join(root, "grants"));
  expect(record?.startsWith(id)).toBe(true);
  expect(fs.readFileSync(path.join(root, "grants", record as string), "utf8")).toContain(JSON.stringify(["sh", "-c", command]));
  expect(await runHooks(world, "web", "before_task", "t-1", "s-1")).toBe("passed");
  expect(fs.readFileSync(path.join(folder, "out"), "utf8")).toBe("web t-1 s-1\n");
  // The same command of another agent or moment, and another command, are other things to trust.
  writePool(agent("web", `, hooks: { after_task: '${command}' }`), agent("api", `, hooks: { before_task: '${command}' }`));
  expect(await runHooks(world, "web", "after_task", "t-1", "s-1")).toBe("none");
  expect(await runHooks(world, "api", "before_task", "t-1", "s-1")).toBe("none");
  writePool(agent("web", `, hooks: { before_task: '${command} ' }`));
  expect(await runHooks(world, "web", "before_task", "t-1", "s-1")).toBe("none");
});

test("the team of the task's session says what the hooks are; what is broken in a team is told, and the pool counts", async () => {
  writePool(agent("web", ', hooks: { before_task: "exit 1" }'));
  await run("trust", { all: true });
  writeTeam("s-1", "agents:\n  web: { hooks: false }\n");
  expect(await runHooks(as(), "web", "before_task", "t", "s-1")).toBe("none");
  expect(await runHooks(as(), "web", "before_task", "t", "s-2")).toMatchObject({ exitCode: 1 });
  writeTeam("s-1", "agents:\n  web: { hooks: maybe }\n");
  const world = as();
  expect(await runHooks(world, "web", "before_task", "t", "s-1")).toMatchObject({ exitCode: 1 });
  expect([...world.home().store.notes.values()]).toEqual([expect.stringMatching(/^session-agents-s-1\.yml:2: /)]);
});

test("trust lists what any open session's team may run, and one broken file hides no other", async () => {
  writePool(agent("web", ', hooks: { before_task: "one" }'));
  writeTeam("s-1", `agents:\n${agent("api", ', hooks: { after_task: "two" }')}  web: {}\n`);
  writeTeam("s-2", "agents: [\n");
  const { commands, problems } = await run("trust", {}, as("main", "s-3"));
  expect(commands.map(({ command }: Answer) => command).sort()).toEqual(["one", "two"]);
  expect(problems).toMatchObject([
    { path: "session-agents-s-2.yml", line: expect.any(Number), problem: expect.stringContaining("Flow sequence") },
  ]);
  expect((await run("trust", { session_id: "s-1" })).commands).toHaveLength(2);
  await expect(run("trust", { session_id: "s-2" })).rejects.toMatchObject({ code: "malformed_file" });
  writePool("agents: [\n");
  expect((await run("trust", { session_id: "s-1" })).problems).toContainEqual(expect.objectContaining({ path: "agents.pool.yml" }));
});

test("a failed hook answers with its exit code and the end of its output; what follows does not run", async () => {
  const loud = "i=0; while [ $i -lt 900 ]; do echo line-$i; i=$((i+1)); done; echo last >&2; exit 7";
  writePool(agent("web", `, hooks: { after_task: ['true', '${loud}', 'touch never'] }`));
  await run("trust", { all: true });
  const failed = (await runHooks(as(), "web", "after_task", "t", "s")) as HookFailure;
  expect(failed).toMatchObject({
    hook: "after_task",
    exitCode: 7,
    output: expect.stringMatching(/line-899[\s\S]*last|last[\s\S]*line-899/),
  });
  expect(failed.output.length).toBeLessThanOrEqual(2_000);
  expect(failed.output).not.toContain("line-1\n");
  expect(fs.existsSync(path.join(folder, "never"))).toBe(false);
});

test("a hook that takes too long is killed with all that it started; so is one of a call that was cancelled", async () => {
  const slow = "echo begun; sh -c 'echo $$ > pid; sleep 600; touch never' & sh -c 'sleep 601'; wait";
  writePool(agent("web", `, hooks: { before_task: "${slow}" }`));
  await run("trust", { all: true });
  const gone = (): boolean => {
    const pid = Number(fs.readFileSync(path.join(folder, "pid"), "utf8"));
    try {
      return fs.readFileSync(`/proc/${pid}/stat`, "latin1").includes(") Z ");
    } catch {
      return true;
    }
  };
  expect(await runHooks(as(), "web", "before_task", "t", "s", 700)).toEqual({ hook: "before_task", exitCode: null, output: "begun" });
  await until("the group is gone", gone);
  fs.rmSync(path.join(folder, "pid"));
  const stop = new AbortController();
  const calling = runHooks(worldAt(folder, { signal: stop.signal }), "web", "before_task", "t", "s");
  await until("it has begun", () => fs.existsSync(path.join(folder, "pid")) && fs.readFileSync(path.join(folder, "pid"), "utf8") !== "");
  stop.abort();
  expect(await calling).toMatchObject({ exitCode: null });
  await until("the group is gone", gone);
});

test("a hook runs at the top of the worktree that the call comes from; what it leaves behind holds up nothing", async () => {
  folder = repository();
  await run("init", { parts: ["web"] });
  writePool(agent("web", ', hooks: { before_task: "{ until [ -e over ]; do sleep 0.05; done; } & echo $! > left; pwd > where; echo ok" }'));
  await run("trust", { all: true });
  fs.mkdirSync(path.join(folder, "deep"));
  expect(await runHooks(worldAt(path.join(folder, "deep")), "web", "before_task", "t", "s")).toBe("passed");
  const left = Number(fs.readFileSync(path.join(folder, "left"), "utf8"));
  expect(goesOn(left), "it ended first").toBe(true);
  fs.writeFileSync(path.join(folder, "over"), "");
  await until("it ends", () => !goesOn(left));
  expect(fs.readFileSync(path.join(folder, "where"), "utf8")).toBe(`${folder}\n`);
});

test("tools of the board: what a person accepted holds a connection that is bound to the agent, and no other; mail is never taken", async () => {
  expect(allowedTools(as("web"))).toBeNull();
  writePool(agent("web").replace("inbox, whoami", "claim_task"));
  expect(allowedTools(as("web"))).toBeNull();
  const web = await connect(folder, { args: ["--part", "web", "--tools", "room,board"] });
  const anybody = await connect(folder, { args: ["--tools", "room,board"] });
  expect(await web.call("create_task", { title: "one" })).toMatchObject({ success: true });
  const changed = await run("trust");
  expect(changed.agents).toMatchObject([{ agent: "web", before: null, now: ["claim_task"], trusted: false }]);
  expect((await run("doctor")).findings).toContainEqual(expect.objectContaining({ code: "tools_changed", severity: "note" }));
  expect(await run("trust", { accept: [changed.agents[0].id] })).toMatchObject({ accepted: [changed.agents[0].id] });
  expect(await run("trust")).not.toHaveProperty("agents");
  expect(allowedTools(as("web"))).toEqual(["claim_task"]);
  expect(allowedTools(as("api"))).toBeNull();
  expect(allowedTools(as())).toBeNull();
  const refused = { success: false, code: "tool_not_allowed", tool: "create_task", allowed: ["claim_task"] };
  expect(await web.call("create_task", { title: "two" })).toMatchObject({ ...refused, error: expect.stringContaining("relay trust") });
  expect(await web.call("inbox")).toMatchObject({ success: true });
  expect(await web.call("send", { to: ["api"], subject: "s", body: "b" })).toMatchObject({ success: true });
  expect(await anybody.call("create_task", { title: "three", agent_id: "web" })).toMatchObject({ success: true });
  // Whatever the file says since, narrower, wider, nothing or not readable: it counts once a person accepted it.
  for (const text of ["[]", "[claim_task, create_task]", "7"]) {
    writePool(agent("web").replace("[inbox, whoami]", text));
    expect(await web.call("create_task", { title: text }), text).toMatchObject(refused);
    expect(await web.call("claim_task", { task_id: "nope" }), text).not.toMatchObject({ code: "tool_not_allowed" });
  }
  writePool(agent("api"));
  expect((await run("trust", { all: true })).agents).toMatchObject([{ agent: "web", now: null }, { agent: "api" }]);
  expect(await web.call("create_task", { title: "four" })).toMatchObject({ success: true });
  await web.close();
  await anybody.close();
});

test("on the command line", async () => {
  const out = async (...args: string[]): Promise<string> => (await relay(folder, args)).stdout;
  expect(await out("team", "write", "--pool")).toContain("Made agents.pool.yml");
  expect(await out("team", "suggest", "tests for the API")).toContain("relay team write");
  writePool(agent("web", ', hooks: { before_task: [a, "b\\nc"] }'));
  expect(await out("team", "write", "web")).toContain("session-agents-");
  expect(await out("agents")).toMatch(/web\s+x web/);
  expect(await out("pool")).toMatch(/web\s+x web/);
  const listed = await out("trust");
  expect(listed).toMatch(/waiting {2}web before_task\n {4}b\n {4}c\n/);
  expect(await out("trust", (/^[0-9a-f]{32}/.exec(listed) as RegExpExecArray)[0])).toContain("2 changes waiting");
  expect(await out("trust", "--all")).toContain("All trusted");
  expect(JSON.parse(await out("schema", "agents"))).toEqual(agentsSchema());
});

test("the published schema of team files is that of the code", () => {
  expect(JSON.parse(fs.readFileSync("templates/agents.schema.json", "utf8"))).toEqual(agentsSchema());
});

test("the plugin is small, its files are JSON, and every tool that it names is one", () => {
  const root = "templates/claude-plugin";
  const files = (fs.readdirSync(root, { recursive: true }) as string[]).filter((name) => fs.statSync(path.join(root, name)).isFile());
  const read = (name: string): string => fs.readFileSync(path.join(root, name), "utf8");
  expect(files.sort()).toEqual([
    ".claude-plugin/plugin.json",
    ".mcp.json",
    "hooks/hooks.json",
    "skills/agent/SKILL.md",
    "skills/relay/SKILL.md",
  ]);
  expect(files.reduce((sum, name) => sum + Buffer.byteLength(read(name)), 0)).toBeLessThanOrEqual(12_000);
  for (const name of files.filter((each) => each.endsWith(".json"))) expect(JSON.parse(read(name)), name).toBeTypeOf("object");
  const commands = Object.values(JSON.parse(read("hooks/hooks.json")).hooks as Record<string, { hooks: Answer[] }[]>).flatMap((groups) =>
    groups.flatMap(({ hooks }) => hooks),
  );
  for (const { command } of commands)
    expect(command).toMatch(/ \|\| exit 0; relay hook (session-start|prompt|tool|stop|idle) --agent claude$/);
  const tools = new Set<string>(operationList.flatMap(({ tool }) => tool?.name ?? []));
  const words = new Set(
    "agent_id after_seq session_id task_id depends_on idempotency_key parent_task_id no_home stale_fence changes_requested".split(" "),
  );
  for (const name of files.filter((each) => each.endsWith(".md"))) {
    const named = [...read(name).matchAll(/`([a-z]+(?:_[a-z]+)+)`/g)].map((match) => match[1] as string).filter((word) => !words.has(word));
    expect(named.length).toBeGreaterThan(5);
    for (const tool of named) expect(tools, `${name}: ${tool}`).toContain(tool);
    for (const [, command] of read(name).matchAll(/`relay ((?:team )?[a-z]+)/g)) {
      expect(operationList.map((operation) => operation.command)).toContain(command);
    }
  }
});
