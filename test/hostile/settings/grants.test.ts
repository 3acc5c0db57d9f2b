/** What wants to run and was never allowed on this machine does not run, however it came; and it is said what wanted to. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { runHooks } from "../../../protocol/agents/files/hooks.ts";
import { operations, perform, type World } from "../../../protocol/index.ts";
import { machineStore } from "../../../protocol/trust/files/machine.ts";
import { type Answer, act, shop } from "../../rig/clones.ts";
import { homeWith, worldAt } from "../../rig/home.ts";
import { connect, relay, relayFile } from "../../rig/processes.ts";
import { cleanEnv, commitAll, git, repository, scratch, until } from "../../rig/scratch.ts";
import { endTerminals, hasTmux, Terminal } from "../../rig/terminal.ts";
import { remoteAt } from "../rig/remote.ts";

/** A place for traces of what ran. */
function canary(): { command: string; ran: () => string[] } {
  const folder = scratch();
  return { command: `touch ${folder}/$RELAY_PART$RELAY_AGENT_ID-ran`, ran: () => fs.readdirSync(folder) };
}
const poolWith = (command: string): string =>
  `agents:\n  web: { name: web, emoji: x, systemPrompt: x, tools: [inbox], hooks: { before_task: ${JSON.stringify(command)} } }\n`;
const trustFile = (command: string): string =>
  createHash("sha256")
    .update(JSON.stringify(["web", "before_task", command]))
    .digest("hex");

/** A code repository whose author wrote a home into it, with everything that an earlier version took for trust. */
async function evilCode(command: string): Promise<string> {
  const code = repository();
  await perform(worldAt(code), operations.init, { parts: ["web", "api"], inTree: true });
  const home = (name: string): string => path.join(code, ".relay", name);
  fs.writeFileSync(home("agents.pool.yml"), poolWith(command));
  await perform(worldAt(code), operations.create_task, { agent_id: "api", title: "T" });
  await perform(worldAt(code), operations.send, { agent_id: "api", to: ["web"], subject: "s", body: "b" });
  for (const folder of ["local/trust", "local/deliver", "local/grants"]) fs.mkdirSync(home(folder), { recursive: true });
  fs.writeFileSync(home(`local/trust/${trustFile(command)}`), `${command}\n`);
  const argv = ["sh", "-c", command];
  const deliver = { deliver: "exec", exec: { argv }, tmux: { argv, cwd: "/" } };
  for (const part of ["web", "api"]) fs.writeFileSync(home(`local/deliver/${part}.json`), JSON.stringify(deliver));
  commitAll(code, "home", "--force");
  return code;
}

test("a cloned repository with a home, trust and deliveries in it runs nothing: by MCP, task claim, pager, up; each names the command", async () => {
  const { command, ran } = canary();
  const evil = await evilCode(command);
  const clone = path.join(scratch(), "clone");
  git(scratch(), "clone", "--quiet", evil, clone);
  const { tasks } = (await relay(clone, ["task", "list", "--json"])).json;
  const agent = await connect(clone, { args: ["--tools", "plugin"] });
  const begun: Answer = await agent.call("claim_task", { agent_id: "web", task_id: tasks[0].id });
  expect(begun).toMatchObject({ success: false, code: "tracked_state" });
  const named = ["deliver/web.json", "deliver/api.json", `trust/${trustFile(command)}`].map((name) => `local/${name}`);
  const checked = (await relay(clone, ["check", "--json"])).json;
  expect(checked.ok).toBe(false);
  for (const name of named) expect(checked.findings.map(({ path: at }: Answer) => at)).toContain(name);
  const doctor = async (): Promise<string[]> =>
    (await relay(clone, ["doctor", "--json"])).json.findings.map(({ code, severity }: Answer) => `${severity} ${code}`);
  expect(await doctor()).toContain("error tracked_state");
  // Left on the disk as files that nobody tracks, they are no grants either.
  git(clone, "rm", "-r", "--quiet", "--cached", "--ignore-unmatch", ".relay/local", ".relay/run", ".relay/outbox");
  const claimed: Answer = await agent.call("claim_task", { agent_id: "web", task_id: tasks[0].id });
  expect(claimed).toMatchObject({ claimed: true, warnings: [expect.stringContaining(JSON.stringify(command))] });
  await agent.call("release_task", { agent_id: "web", task_id: tasks[0].id });
  await agent.close();
  const claim = await relay(clone, ["task", "claim", tasks[0].id, "--part", "web"]);
  expect([claim.code, claim.stderr]).toEqual([0, expect.stringContaining(command)]);
  await relay(clone, ["task", "release", tasks[0].id, "--part", "web"]);
  expect((await relay(clone, ["pager", "--once", "--json"])).stdout).toMatch(/not_believed.*touch/);
  const up = await relay(clone, ["up"]);
  expect([up.code, up.stderr]).toEqual([
    2,
    expect.stringMatching(/local\/deliver\/web\.json is in the home, so Relay ignores it; it wants to run .*touch/),
  ]);
  const trust = (await relay(clone, ["trust", "--json"])).json;
  expect(trust).toMatchObject({ commands: [{ trusted: false, command }], warning: expect.stringContaining("ignored, because") });
  const deliver = (await relay(clone, ["part", "deliver", "web", "--json"])).json;
  expect(deliver).toMatchObject({ deliver: "auto", warning: expect.stringContaining("touch") });
  const codes = await doctor();
  for (const expected of ["warning not_granted", "warning not_believed"]) expect(codes).toContain(expected);
  expect(ran()).toEqual([]);
  // What a person types here is the grant.
  expect((await relay(clone, ["trust", trust.commands[0].id, "--json"])).json.accepted).toHaveLength(1);
  expect((await relay(clone, ["task", "claim", tasks[0].id, "--part", "web"])).code).toBe(0);
  expect(ran()).toEqual(["web-ran"]);
  await relay(clone, ["part", "deliver", "web", "exec", "--", "sh", "-c", command]);
  await relay(clone, ["pager", "--once"]);
  expect(ran()).toEqual(["web-ran"]);
  const noted = (await relay(clone, ["log", "--machine", "--json"])).json.entries;
  expect(noted.map(({ subject }: Answer) => subject)).toEqual([
    expect.stringMatching(/^granted: how web is rung and started: .*touch/),
    expect.stringMatching(/^granted: hook before_task of web: .*touch/),
  ]);
});

/** A home of one's own with a hook, and how it is claimed. */
async function ownCode(command: string): Promise<{ code: string; gated: (world: World) => Promise<unknown> }> {
  const code = repository();
  await perform(worldAt(code), operations.init, { parts: ["web"] });
  fs.writeFileSync(path.join(code, ".relay/agents.pool.yml"), poolWith(command));
  return { code, gated: (world) => runHooks(world, "web", "before_task", "t", "s") };
}

test("a hook runs at the top of the project, also where the call comes from a submodule; a server is no person, whatever the worktree says", async () => {
  const where = path.join(scratch(), "where");
  const { code, gated } = await ownCode(`pwd > ${where}`);
  await perform(worldAt(code), operations.trust, { all: true });
  git(code, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", repository(), "sub");
  await gated(worldAt(path.join(code, "sub")));
  expect(fs.readFileSync(where, "utf8")).toBe(`${code}\n`);
  await perform(worldAt(code), operations.part_here, { part: "human" });
  const agent = await connect(code);
  expect(await agent.call("whoami")).not.toMatchObject({ part: "human" });
  const asHuman = await connect(code, { args: ["--part", "human"] });
  await asHuman.call("send", { to: ["main"], subject: "Drop it", body: "b" });
  expect((await perform(worldAt(code, { part: "main" }), operations.inbox, {})).messages).toMatchObject([{ from: "human (by agent)" }]);
  await asHuman.close();
  await agent.close();
});

test("a state folder that arrived, a grant in the home, another repository at the path of a trusted one, a copy: nothing runs", async () => {
  const { command, ran } = canary();
  const { code, gated } = await ownCode(command);
  expect(await gated(worldAt(code))).toBe("none");
  await perform(worldAt(code), operations.trust, { all: true });
  const { root } = machineStore(worldAt(code));
  // Whoever wrote the repository has the grants ready, and a client's configuration points at them.
  const evil = await ownCode(command);
  execFileSync("cp", ["-a", path.resolve(root, "../../.."), path.join(evil.code, "state")]);
  fs.mkdirSync(path.join(evil.code, ".relay/local"), { recursive: true });
  execFileSync("cp", ["-a", path.join(root, "grants"), path.join(evil.code, ".relay/local/grants")]);
  const pointed = worldAt(evil.code, { env: { XDG_STATE_HOME: path.join(evil.code, "state") } });
  expect(await evil.gated(pointed)).toBe("none");
  expect([...pointed.home().store.notes.values()]).toEqual([
    expect.stringMatching(/XDG_STATE_HOME is ignored: .* lies in the project.*touch/),
  ]);
  // Moved to the path of the trusted one, where a file system may even give the same inode.
  fs.renameSync(code, `${code}-old`);
  fs.renameSync(evil.code, code);
  expect(await gated(worldAt(code))).toBe("none");
  fs.rmSync(code, { recursive: true });
  execFileSync("cp", ["-a", `${code}-old`, `${code}-copy`]);
  expect(await gated(worldAt(`${code}-copy`))).toBe("none");
  expect(await gated(worldAt(`${code}-old`))).toBe("none");
  expect(ran()).toEqual([]);
  // A project that was moved: shown whole, and allowed once a person says so.
  await expect(perform(worldAt(`${code}-copy`), operations.trust, {})).resolves.toMatchObject({ commands: [{ trusted: false }] });
  const shown: Answer = await perform(worldAt(`${code}-old`), operations.trust, { moved: true });
  expect(shown.moved).toMatchObject({
    from: path.join(code, ".git"),
    done: false,
    grants: [{ purpose: "hook", argv: ["sh", "-c", command] }],
  });
  await perform(worldAt(`${code}-old`), operations.trust, { moved: true, all: true });
  expect(await gated(worldAt(`${code}-old`))).toBe("passed");
  expect(ran()).toEqual(["web-ran"]);
  expect(await gated(worldAt(`${code}-copy`))).toBe("none");
});

test("RELAY_GRANTS names digests for a workflow's commands, and is nothing to a server", async () => {
  const { command, ran } = canary();
  const { code } = await ownCode(command);
  const { commands } = (await relay(code, ["trust", "--json"])).json;
  const env = { RELAY_GRANTS: `${"0".repeat(64)},${commands[0].digest}` };
  const { task_id: task } = (await relay(code, ["task", "create", "T", "--part", "web", "--json"])).json;
  const server = await connect(code, { env, args: ["--tools", "plugin"] });
  expect(await server.call("claim_task", { agent_id: "web", task_id: task })).toMatchObject({ claimed: true, warnings: [{}] });
  await server.call("release_task", { agent_id: "web", task_id: task });
  await server.close();
  expect(ran()).toEqual([]);
  expect((await relay(code, ["task", "claim", task, "--part", "web"], { env })).code).toBe(0);
  expect(ran()).toEqual(["web-ran"]);
});

test("characters that a person does not see cannot be granted, a relative PATH neither; files of the project are named", async () => {
  const { code, gated } = await ownCode("true");
  const hidden = "\u00ad\u061c\u200b\u200d\u202e\u2060\u3164\ufe0f\ufeff\u{e0041}\u{e0100}\u115f\u2800\r\u001b";
  for (const one of hidden) {
    fs.writeFileSync(path.join(code, ".relay/agents.pool.yml"), poolWith(`true ${one}x`));
    const { commands, problems }: Answer = await perform(worldAt(code), operations.trust, { all: true });
    expect([commands, problems?.length], JSON.stringify(one)).toEqual([[], 1]);
    const deliver = perform(worldAt(code), operations.part_deliver, { part: "web", deliver: "exec", argv: ["true", `a${one}b`] });
    await expect(deliver, JSON.stringify(one)).rejects.toMatchObject({ code: "invalid_argument" });
  }
  fs.writeFileSync(path.join(code, "test.sh"), "true\n");
  fs.writeFileSync(path.join(code, ".relay/agents.pool.yml"), poolWith("cd x; ./test.sh\nsh test.sh"));
  const world = worldAt(code, { env: { PATH: `bin:${process.env["PATH"]}` } });
  await expect(perform(world, operations.trust, { all: true })).rejects.toMatchObject({
    code: "invalid_argument",
    data: { argument: "PATH", given: "bin" },
  });
  const { commands }: Answer = await perform(worldAt(code), operations.trust, { all: true });
  expect(commands[0].notes).toEqual([
    expect.stringContaining("./test.sh is in the project"),
    expect.stringContaining("test.sh is in the project"),
  ]);
  expect(await gated(worldAt(code, { env: { PATH: process.env["PATH"] } }))).toBe("passed");
});

test("grants are listed with whole digests, and can be taken back", async () => {
  const { command, ran } = canary();
  const { code, gated } = await ownCode(command);
  await perform(worldAt(code), operations.trust, { all: true });
  await perform(worldAt(code), operations.part_deliver, { part: "web", deliver: "exec", argv: ["notify", "x"] });
  const { grants, commands }: Answer = await perform(worldAt(code), operations.trust, { list: true });
  expect(grants).toMatchObject([
    { digest: commands[0].digest, purpose: "hook", who: "web", moment: "before_task", argv: ["sh", "-c", command] },
    { purpose: "deliver", who: "web", argv: ["notify", "x"] },
  ]);
  await perform(worldAt(code), operations.trust, { revoke: [grants[0].digest.slice(0, 12)] });
  expect(await gated(worldAt(code))).toBe("none");
  expect(ran()).toEqual([]);
});

test("where nothing can be kept, nothing is granted or chosen, and it says what to do", async () => {
  const folder = await homeWith("web");
  fs.rmSync(path.join(folder, ".relay/local/relay-place"));
  fs.mkdirSync(path.join(folder, ".relay/local/relay-place"));
  const argv = { part: "web", deliver: "exec", argv: ["true"] };
  await expect(perform(worldAt(folder), operations.part_deliver, argv)).rejects.toMatchObject({ code: "no_state_folder" });
  fs.writeFileSync(path.join(folder, ".relay/agents.pool.yml"), poolWith("true"));
  await expect(perform(worldAt(folder), operations.trust, { all: true })).rejects.toMatchObject({ code: "no_state_folder" });
  expect((await relay(folder, ["status"], { env: { XDG_STATE_HOME: cleanEnv()["XDG_STATE_HOME"] as string } })).code).toBe(0);
});

test("a pushed pool neither takes tools from a bound agent nor gives it any, nor keeps it from claiming, whatever it says", async () => {
  const { hub, code } = await shop("web", "api");
  const pool = (tools: string): string =>
    `agents:\n  web: { name: web, emoji: x, systemPrompt: x, hooks: { before_task: "false" }${tools} }\n`;
  const evil = remoteAt(hub);
  const push = async (text: string): Promise<void> => {
    evil.write("agents.pool.yml", text);
    evil.commit();
    await act(code, undefined, "sync");
  };
  const web = await connect(code, { args: ["--part", "web", "--tools", "room,board"] });
  const create = (): Promise<Answer> => web.call("create_task", { title: "T" });
  await push(pool(", tools: [Bash]"));
  const { task_id: task } = await create();
  expect(await web.call("inbox")).toMatchObject({ success: true });
  expect(await web.call("claim_task", { task_id: task })).toMatchObject({
    claimed: true,
    warnings: [expect.stringContaining("relay trust")],
  });
  // By hand, and accepted.
  fs.writeFileSync(path.join(code, ".relay/agents.pool.yml"), pool(", tools: [claim_task]"));
  await act(code, undefined, "trust", { all: true });
  await act(code, undefined, "sync");
  for (const tools of [", tools: []", ", tools: 7", "", ", tools: [create_task, claim_task]"]) {
    await push(pool(tools));
    expect(await create(), tools).toMatchObject({ code: "tool_not_allowed", allowed: ["claim_task"] });
    expect(await web.call("claim_task", { task_id: "nope" }), tools).not.toMatchObject({ code: "tool_not_allowed" });
    expect(await web.call("inbox"), tools).toMatchObject({ success: true });
  }
  await web.close();
});

describe.skipIf(!hasTmux)("relay trust on a terminal", () => {
  afterEach(endTerminals);

  test("shows each command whole, and asks; a no grants nothing, a yes what was shown", async () => {
    const { code, gated } = await ownCode("true && echo two words");
    const terminal = new Terminal();
    const env = Object.entries(cleanEnv()).map(([name, value]) => `${name}=${value}`);
    for (const [answer, granted] of [
      ["n", false],
      ["y", true],
    ] as const) {
      const done = path.join(scratch(), "done");
      const shell = [
        "env",
        ...env,
        "sh",
        "-c",
        'cd "$0" && "$1" "$2" trust; touch "$3"; sleep 600',
        code,
        process.execPath,
        relayFile(),
        done,
      ];
      const pane = terminal.window(shell);
      await until("the question", () => /true && echo two words[\s\S]*\[y\/N\]/.test(terminal.shows(pane)));
      expect(await gated(worldAt(code))).toBe("none");
      terminal.tmux("send-keys", "-t", pane, answer, "Enter");
      await until("the answer", () => fs.existsSync(done));
      expect(await gated(worldAt(code))).toBe(granted ? "passed" : "none");
    }
  });
});
