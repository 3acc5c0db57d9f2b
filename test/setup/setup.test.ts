import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { project } from "../rig/clones.ts";
import { connect, onTerminal, type Ran, relay, relayFile } from "../rig/processes.ts";
import { commitAll, git, put, repository, scratch, tree } from "../rig/scratch.ts";

let folder: string;
let user: string;
let bin: string;
beforeEach(async () => {
  folder = await project("web", "api");
  user = scratch();
  bin = path.join(user, "bin");
  fs.mkdirSync(bin);
  fs.symlinkSync(relayFile(), path.join(bin, "relay"));
});

const userEnv = (): Record<string, string> => ({ HOME: user, PATH: `${bin}${path.delimiter}${process.env["PATH"]}` });
const setup = (agent: string, args: string[] = [], cwd = folder): Promise<Ran> =>
  relay(cwd, ["setup", agent, ...args, "--yes"], { env: userEnv() });
/** Every file of the worktree and of the user's, but for the home, git and what is kept of earlier texts. */
const files = (): Record<string, string> => ({
  ...tree(folder, /^(\.git|\.relay)(\/|$)|\.relay-backup$/),
  ...tree(user, /^bin\/|\.relay-backup$/),
});
const read = (at: string): string => fs.readFileSync(path.join(folder, at), "utf8");

test("setup shows what to put where for a program that has no name here, and writes nothing", async () => {
  const before = files();
  const { stdout } = await relay(folder, ["setup", "--print", "--board"], { env: { HOME: user } });
  expect(JSON.parse(/\n(\{.*?\n\})\n/s.exec(stdout)?.[1] as string).mcpServers.relay.args.slice(-3)).toEqual([
    "mcp",
    "--tools",
    "room,board",
  ]);
  expect(stdout).toContain("## Relay: other agents work here too");
  expect(files()).toEqual(before);
});

/** The entry of Claude Code's server. */
const SERVER = { mcpServers: { relay: { command: "relay", args: ["mcp", "--tools", "room"], alwaysLoad: true } } };

test("Claude Code gets a server without a part, hooks, and a few lines", async () => {
  expect(await setup("claude", ["--part", "web"])).toMatchObject({ code: 0 });
  expect(JSON.parse(read(".mcp.json"))).toEqual(SERVER);
  const { hooks } = JSON.parse(read(".claude/settings.local.json"));
  expect(Object.keys(hooks)).toEqual(["SessionStart", "UserPromptSubmit", "PostToolUse", "Stop"]);
  expect(hooks.Stop[0].hooks).toEqual([
    { type: "command", command: expect.stringMatching(/ relay hook stop --agent claude$/), timeout: 10 },
    { type: "command", command: expect.stringMatching(/ relay hook idle --agent claude$/), asyncRewake: true, timeout: 604800 },
  ]);
  expect(read("AGENTS.md").trimEnd().split("\n").length).toBeLessThanOrEqual(10);
  expect((await relay(folder, ["whoami", "--json"])).json).toMatchObject({ part: "web", bound: false });
  await setup("claude", ["--channel"]);
  expect(JSON.parse(read(".mcp.json")).mcpServers.relay.args).toEqual(["mcp", "--tools", "room", "--channel"]);
  await setup("claude", ["--board"]);
  expect(JSON.parse(read(".mcp.json")).mcpServers.relay.args).toEqual(["mcp", "--tools", "room,board"]);
  expect((await relay(folder, ["whoami", "--json"])).json.part).toBe("web");
});

test.each([
  ["empty", "", "empty"],
  ["no JSON", "{ x: 1 }", "not JSON: "],
  ["nested for ever", `{"a":${"[".repeat(50_000)}`, "nested"],
  ["of another shape", '{"mcpServers":null}', "mcpServers: expected"],
  ["larger than any", `{"x":"${"y".repeat(17_000_000)}"}`, "at most"],
  ["in other characters", Buffer.from('{"x":"\u00e9"}', "latin1"), "UTF-8"],
])("a file that is %s is told as what it is, and left", async (_what, text, words) => {
  fs.writeFileSync(path.join(folder, ".mcp.json"), text);
  for (const more of [["--dry-run"], [], ["--remove"]]) {
    const ran = await setup("claude", [...more, "--json"]);
    expect(ran).toMatchObject({ code: 7, json: { code: "malformed_file", path: path.join(folder, ".mcp.json") } });
    expect(ran.stdout).toContain(words);
  }
  expect(fs.readFileSync(path.join(folder, ".mcp.json")).equals(Buffer.from(text))).toBe(true);
  expect(fs.readdirSync(folder).sort()).toEqual([".git", ".mcp.json", ".relay", "README.md"]);
});

test("a link stays a link, and a file keeps its mode", async () => {
  put(path.join(user, "dotfiles/config.toml"), 'model = "x"\n');
  fs.chmodSync(path.join(user, "dotfiles/config.toml"), 0o600);
  fs.mkdirSync(path.join(user, ".codex"));
  fs.symlinkSync("../dotfiles/config.toml", path.join(user, ".codex/config.toml"));
  await setup("codex");
  expect(fs.lstatSync(path.join(user, ".codex/config.toml")).isSymbolicLink()).toBe(true);
  expect(fs.statSync(path.join(user, "dotfiles/config.toml")).mode & 0o777).toBe(0o600);
  expect(fs.statSync(path.join(user, "dotfiles/config.toml.relay-backup")).mode & 0o777).toBe(0o600);
  expect(fs.readFileSync(path.join(user, "dotfiles/config.toml"), "utf8")).toMatch(/^model = "x"\n\n\[mcp_servers\.relay\]\n/);
  await setup("codex", ["--remove"]);
  expect(fs.readFileSync(path.join(user, "dotfiles/config.toml"), "utf8")).toBe('model = "x"\n');
});

test("doctor names entries that lead nowhere, are missing, doubled or turned off, and hooks that are missing or not trusted", async () => {
  const env = userEnv();
  const codes = async (more: Record<string, string> = {}): Promise<string[]> =>
    ((await relay(folder, ["doctor", "--json"], { env: { ...env, ...more } })).json.findings as { code: string }[])
      .map(({ code }) => code)
      .filter((code) => /^(setup|hooks|agent|channel|turned)_|^twice/.test(code));
  expect(await codes()).toEqual([]);
  for (const agent of ["claude", "codex", "gemini"]) await setup(agent);
  expect(await codes()).toEqual(["hooks_untrusted"]);
  const hooks = path.join(user, ".codex/hooks.json");
  const config = path.join(user, ".codex/config.toml");
  fs.appendFileSync(config, `[hooks.state."${hooks}:stop:0:0"]\ntrusted_hash = "sha256:1"\n`);
  expect(await codes()).toEqual([]);
  const kept = fs.readFileSync(config, "utf8");
  fs.appendFileSync(config, '[mcp_servers.again]\ncommand = "relay"\nargs = ["mcp"]\n[features]\nhooks = false\n');
  expect((await codes()).sort()).toEqual(["turned_off", "twice"]);
  fs.writeFileSync(config, kept.slice(kept.indexOf("[hooks")));
  expect(await codes()).toEqual(["setup_differs"]);
  fs.writeFileSync(config, kept);
  fs.rmSync(path.join(folder, ".claude/settings.local.json"));
  expect(await codes()).toEqual(["hooks_missing"]);
  expect(await codes({ PATH: process.env["PATH"] as string })).toContain("setup_leads_nowhere");
  put(path.join(folder, ".gemini/settings.json"), "{");
  expect(await codes()).toContain("agent_file");
});

test.each<[string, () => void]>([
  ["a file stands in the place of a folder", () => fs.writeFileSync(path.join(folder, ".claude"), "x")],
  ["links lead in a circle", () => fs.symlinkSync(".mcp.json", path.join(folder, ".mcp.json"))],
  ["a link leads nowhere", () => fs.symlinkSync("/nowhere", path.join(folder, ".mcp.json"))],
  ["it is nested for ever", () => fs.writeFileSync(path.join(folder, ".mcp.json"), `{"a":${"[".repeat(50_000)}`)],
  ["its hooks are odd", () => put(path.join(folder, ".claude/settings.json"), '{"hooks":{"Stop":[null,{"hooks":[null,7]}],"x":3}}')],
])("doctor goes on where %s", async (what, make) => {
  make();
  const doctor = await relay(folder, ["doctor", "--json"], { env: userEnv() });
  expect(doctor.json.success).toBe(true);
  const named = (doctor.json.findings as { code: string }[]).some(({ code }) => code === "agent_file");
  expect(named).toBe(what !== "its hooks are odd");
});

test("without a home it says what is missing, and sets up all the same", async () => {
  const bare = repository();
  const ran = await setup("gemini", [], bare);
  expect(ran.code).toBe(0);
  expect(ran.stdout).toContain("relay init");
});

test("files of this machine are hidden from git, files to commit are named; the backups are hidden too", async () => {
  put(path.join(folder, "CLAUDE.md"), "# Rules\n");
  commitAll(folder);
  expect((await setup("claude", ["--dry-run"])).stdout).toContain("Commit .mcp.json, CLAUDE.md, .claude/skills/relay/SKILL.md");
  expect(git(folder, "status", "--short")).toBe("");
  const { stdout } = await setup("claude");
  expect(stdout).toContain(".claude/settings.local.json stays on this machine");
  expect(git(folder, "status", "--short")).toBe(" M CLAUDE.md\n?? .claude/\n?? .mcp.json\n");
  // Another worktree, in which the first one's commit is merged.
  const other = path.join(scratch(), "other");
  git(folder, "worktree", "add", "--quiet", other);
  await setup("claude", [], other);
  expect(git(other, "status", "--short")).toBe(" M CLAUDE.md\n?? .claude/\n?? .mcp.json\n");
  for (const at of [folder, other]) commitAll(at, "agents");
  git(folder, "merge", "--quiet", "other");
  expect(git(folder, "status", "--short")).toBe("");
  expect(git(folder, "ls-files")).not.toContain("local");
});

test("a settings file that git tracks is left to it; entries that name a place on this machine are not for everybody", async () => {
  put(path.join(folder, ".claude/settings.local.json"), "{}\n");
  commitAll(folder, "settings", "--force");
  const exclude = path.join(folder, ".git/info/exclude");
  const { json } = await relay(folder, ["setup", "claude", "--json", "--yes"], { env: { HOME: user, PATH: "/usr/bin:/bin" } });
  expect(json.files.map(({ local }: { local: boolean }) => local)).toEqual([true, true, false, false]);
  expect(fs.readFileSync(exclude, "utf8")).toMatch(/^\/\.mcp\.json$/m);
  expect(fs.readFileSync(exclude, "utf8")).not.toContain("settings.local");
});

test("setup says which part the worktree would be, is, and stays when it is taken out", async () => {
  expect((await setup("claude", ["--part", "web", "--dry-run"])).stdout).toContain("This worktree would be web.");
  expect((await setup("claude", ["--part", "web"])).stdout).toContain("You are web in this worktree.");
  expect((await setup("claude", ["--remove", "--dry-run"])).stdout).toContain("Would remove");
  const taken = await setup("claude", ["--remove"]);
  expect(taken.stdout).toContain("This worktree is still web; `relay part here --unset` forgets that.");
  expect(fs.existsSync(path.join(folder, ".claude"))).toBe(false);
  const again = await setup("claude", ["--remove"]);
  expect(again.stdout).toContain("Relay is not set up for claude.");
  expect(again.stdout).not.toContain("Unchanged");
  const outside = path.join(scratch(), "plain");
  fs.mkdirSync(outside);
  await relay(outside, ["init", "web"]);
  expect((await setup("claude", ["--part", "web"], outside)).stdout).toContain("The entries name the part: --part web.");
});

test("a worktree that becomes a part that another is: both are named; the home is linked into it", async () => {
  const other = path.join(scratch(), "other");
  git(folder, "worktree", "add", "--quiet", other);
  expect((await setup("claude", ["--part", "web"])).stderr).toBe("");
  fs.rmSync(path.join(other, ".relay"), { force: true });
  const second = await setup("claude", ["--part", "web"], other);
  expect(second.stderr).toContain(`${folder} is web too`);
  expect(fs.lstatSync(path.join(other, ".relay")).isSymbolicLink()).toBe(true);
  await setup("claude", ["--remove"], other);
  const { checks } = (await relay(folder, ["setup", "--check", "claude", "--json"], { env: userEnv() })).json;
  expect(checks.at(-1)).toMatchObject({ worktree: other, what: "set up", state: "unknown" });
  const here = await relay(folder, ["part", "here", "web"]);
  expect(here).toMatchObject({ code: 0, stderr: expect.stringContaining(`${other} is web too`) });
  const shared = async () =>
    ((await relay(folder, ["doctor", "--json"])).json.findings as { code: string }[]).filter(({ code }) => code === "shared_part");
  expect(await shared()).toMatchObject([{ problem: expect.stringContaining(`${folder}, ${other}`) }]);
  const agents = [await connect(folder), await connect(folder)];
  for (const agent of agents) await agent.call("roster");
  expect(await agents[0]?.call("whoami")).toMatchObject({ part: "web", warning: expect.stringContaining("another session is web too") });
  expect(await shared()).toHaveLength(2);
  for (const words of [
    ["part", "here", "api"],
    ["setup", "claude", "--part", "api"],
  ])
    expect(onTerminal(folder, words, userEnv(), "n\n").replace(/\s+/g, " ")).toMatch(
      /stays web until it ends.*worktree api\? \[y\/N.*Nothing was/,
    );
  expect((await relay(folder, ["whoami", "--json"])).json.part).toBe("web");
  expect((await relay(folder, ["part", "here", "api"])).stderr).toContain("stays web until it ends");
  expect(await agents[1]?.call("whoami")).toMatchObject({ part: "web" });
  for (const agent of agents) await agent.close();
  expect(await shared()).toEqual([]);
  const one = { name: "claude-code", env: { CLAUDE_CODE_SESSION_ID: "0397d0f2" } };
  const servers = [await connect(other, one), await connect(other, one)];
  for (const server of servers) expect(await server.call("whoami")).not.toHaveProperty("warning");
  for (const server of servers) await server.close();
});

test("setup without a terminal shows what it would write, and needs the word", async () => {
  const env = userEnv();
  const unasked = await relay(folder, ["setup", "claude"], { env });
  expect(unasked).toMatchObject({ code: 2, stdout: expect.stringContaining("Would make"), stderr: expect.stringContaining("Add `--yes`") });
  expect(await relay(folder, ["setup", "claude", "--json"], { env })).toMatchObject({ code: 2, json: { success: false, code: "usage" } });
  expect(fs.existsSync(path.join(folder, ".mcp.json"))).toBe(false);
});

test("permissions of an agent are for this machine: none is in a file that git tracks", async () => {
  put(path.join(folder, ".claude/settings.local.json"), "{}\n");
  commitAll(folder, "settings", "--force");
  const before = files();
  const refused = await setup("claude", ["--allow", "--json"]);
  expect(refused).toMatchObject({ code: 4, json: { code: "tracked_settings", path: ".claude/settings.local.json" } });
  expect(files()).toEqual(before);
});

test.each([
  ["claude", ".claude/settings.local.json"],
  ["codex", ".codex/hooks.json"],
  ["gemini", ".gemini/settings.json"],
])("%s: where Relay or node is gone, its hooks do nothing and delay no session", async (agent, name) => {
  for (const found of [true, false]) {
    const env = { HOME: user, PATH: found ? `${bin}${path.delimiter}${process.env["PATH"]}` : "/usr/bin:/bin" };
    await relay(folder, ["setup", agent, "--yes"], { env });
    const { hooks } = JSON.parse(fs.readFileSync(path.join(agent === "claude" ? folder : user, name), "utf8")) as {
      hooks: Record<string, { hooks: { command: string }[] }[]>;
    };
    const commands = Object.values(hooks).flatMap((groups) => groups.flatMap((group) => group.hooks.map(({ command }) => command)));
    expect(commands).toHaveLength(agent === "claude" ? 6 : 4);
    for (const command of commands) {
      const gone = found ? command : command.replaceAll("relay.cjs", "moved-away.cjs");
      for (const PATH of ["/usr/bin:/bin", bin]) {
        const ran = spawnSync("/bin/sh", ["-c", gone], { cwd: folder, encoding: "utf8", input: "{}", env: { HOME: user, PATH } });
        expect(ran).toMatchObject({ status: 0, stdout: "", stderr: "" });
      }
    }
    const started = spawnSync("sh", ["-c", commands[0] as string], { cwd: folder, encoding: "utf8", input: "{}", env });
    expect(started.stdout).toContain("relay part here");
  }
});

test("a backup is never deleted, nor written over: each text of the user's has its own", async () => {
  const settings = path.join(folder, ".claude/settings.local.json");
  put(settings, '{"a": 1}');
  await setup("claude");
  put(settings, fs.readFileSync(settings, "utf8").replace('"a": 1', '"a": 2'));
  await setup("claude", ["--remove"]);
  expect(fs.readFileSync(settings, "utf8")).toBe('{"a": 2}');
  expect(fs.readFileSync(`${settings}.relay-backup`, "utf8")).toBe('{"a": 1}');
  expect(fs.readFileSync(`${settings}.2.relay-backup`, "utf8")).toContain('"a": 2');
  fs.rmSync(settings);
  // Made by Relay, and the user's by then: what is taken out of it is kept, and hidden, too.
  const other = repository();
  await setup("claude", [], other);
  put(
    path.join(other, ".claude/settings.local.json"),
    fs.readFileSync(path.join(other, ".claude/settings.local.json"), "utf8").replace("{", '{ "b": 1,'),
  );
  await setup("claude", ["--remove"], other);
  expect(fs.readdirSync(path.join(other, ".claude")).sort()).toEqual(["settings.local.json", "settings.local.json.relay-backup"]);
  expect(git(other, "status", "--short")).not.toContain("relay-backup");
});

test("settings for every folder cannot name a part of one folder", async () => {
  const outside = path.join(scratch(), "plain");
  fs.mkdirSync(outside);
  await relay(outside, ["init", "web"]);
  for (const agent of ["codex", "gemini"]) {
    const refused = await setup(agent, ["--part", "web"], outside);
    expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining("are for every folder") });
    await setup(agent, ["--part", "web"]);
  }
  expect(JSON.stringify(tree(user, /^bin\//))).not.toMatch(/--part|RELAY_PART/);
});

describe("whether what is set up works", () => {
  const env = (more: Record<string, string> = {}) => ({ ...userEnv(), ...more });
  const check = async (agent: string[] = [], more: Record<string, string> = {}) => {
    const ran = await relay(folder, ["setup", "--check", ...agent, "--json"], { env: env(more) });
    const states = Object.fromEntries((ran.json.checks as { what: string; state: string }[]).map(({ what, state }) => [what, state]));
    return { ...ran, states, checks: ran.json.checks as { what: string; remedy?: string; detail: string }[] };
  };

  test("an agent that is not set up is not a fault; a missing piece names the command that mends it", async () => {
    expect(await check(["codex"])).toMatchObject({ code: 0, states: { "set up": "unknown" } });
    await setup("codex");
    const wrong = await check(["codex"]);
    expect(wrong).toMatchObject({ code: 1, states: { "folder trusted": "unknown", "hooks trusted": "wrong", "tools allowed": "wrong" } });
    expect(wrong.checks.find(({ what }) => what === "tools allowed")?.remedy).toBe("relay setup codex --allow");
    await setup("codex", ["--allow", "--part", "web"]);
    const config = path.join(user, ".codex/config.toml");
    fs.appendFileSync(
      config,
      `\n[projects."${folder}"]\ntrust_level = "trusted"\n\n[hooks.state."${user}/.codex/hooks.json:stop:0:0"]\ntrusted_hash = "1"\n`,
    );
    expect(await check(["codex"])).toMatchObject({
      code: 0,
      states: { "folder trusted": "ok", "hooks trusted": "ok", "tools allowed": "ok", part: "ok" },
    });
    const torn = await check(["codex"], { RELAY_PART: "api" });
    expect(torn).toMatchObject({ code: 1, states: { part: "wrong" } });
    expect(torn.checks.find(({ what }) => what === "part")?.detail).toBe('RELAY_PART is "api", but this worktree is "web"');
    expect(await check(["codex"], { PATH: "/usr/bin:/bin" })).toMatchObject({ states: { program: "wrong" } });
    put(path.join(folder, ".codex/config.toml"), '[mcp_servers.relay.env]\nNODE_OPTIONS = "-r ./x.cjs"\n');
    const decided = (await check(["codex"])).checks.find(({ what }) => what === "server");
    expect(decided).toMatchObject({ state: "wrong", detail: expect.stringContaining(`decides it by ${folder}/.codex/config.toml`) });
  });

  test("Claude Code: folder, server, tools, and the plugin beside it", async () => {
    await setup("claude", ["--part", "web", "--allow"]);
    expect((await check(["claude"])).states).toMatchObject({
      "folder trusted": "unknown",
      "server approved": "unknown",
      "tools allowed": "ok",
    });
    put(
      path.join(user, ".claude.json"),
      JSON.stringify({ projects: { [folder]: { hasTrustDialogAccepted: true, enabledMcpjsonServers: ["relay"] } } }),
    );
    expect(await check(["claude"])).toMatchObject({ code: 0, states: { "folder trusted": "ok", "server approved": "ok" } });
    put(path.join(user, ".claude/settings.json"), JSON.stringify({ enabledPlugins: { "relay@git-relay": true } }));
    expect(await check(["claude"])).toMatchObject({ code: 1, states: { once: "wrong" } });
    expect((await relay(folder, ["setup", "--check"], { env: env() })).stdout).toContain("✗ once:");
    expect((await relay(folder, ["doctor", "--json"], { env: env() })).json.findings).toContainEqual(
      expect.objectContaining({ code: "twice" }),
    );
    expect((await setup("claude")).stdout).toContain("plugin");
    await setup("claude", ["--remove"]);
    expect((await check(["claude"])).states).toEqual({ plugin: "ok" });
  });

  test("an entry that came with the code is replaced whole, and nothing of it is called right before", async () => {
    const entry = (relay: object): void => put(path.join(folder, ".mcp.json"), JSON.stringify({ mcpServers: { relay } }));
    const allowed = { enableAllProjectMcpServers: true, permissions: { allow: ["mcp__relay"] }, enabledPlugins: { "relay@x": true } };
    put(path.join(folder, ".claude/settings.json"), JSON.stringify(allowed));
    git(folder, "add", "--force", ".claude");
    entry({ command: "relay", args: ["mcp"], env: { NODE_OPTIONS: "--require ./tools/evil.cjs" } });
    const before = await check(["claude"]);
    expect(before).toMatchObject({ code: 1, states: { entries: "wrong", server: "wrong" } });
    expect(before.states["server approved"]).toBeUndefined();
    expect(before.checks.find(({ what }) => what === "entries")?.detail).toContain("env");
    await setup("claude", ["--part", "web"]);
    expect(JSON.parse(read(".mcp.json"))).toEqual(SERVER);
    expect((await check(["claude"])).states).toMatchObject({
      server: "ok",
      "server approved": "unknown",
      "tools allowed": "wrong",
    });
    put(path.join(user, ".claude/settings.json"), JSON.stringify({ enabledMcpjsonServers: ["relay"] }));
    const mended = await check(["claude"]);
    expect(mended.states).toMatchObject({ "server approved": "ok" });
    expect(mended.states["entries"]).toBeUndefined();

    // What setup does not call Relay's, it neither changes nor lets an agent use.
    const kept = read(".claude/settings.local.json");
    for (const relay of [
      { command: "sh", args: ["-c", "touch PWN", "relay", "mcp"] },
      { command: "./tools/relay", args: ["mcp"] },
    ]) {
      entry(relay);
      expect(await setup("claude", ["--allow", "--json"])).toMatchObject({
        code: 7,
        json: { success: false, error: expect.stringContaining("does not start Relay") },
      });
      expect(read(".claude/settings.local.json")).toBe(kept);
      expect((await check(["claude"])).states).toMatchObject({ entries: "wrong", server: "wrong", "tools allowed": "wrong" });
    }
    put(path.join(folder, "tools/relay"), "#!/bin/sh\n");
    fs.chmodSync(path.join(folder, "tools/relay"), 0o755);
    entry({ command: path.join(folder, "tools/relay"), args: ["mcp"] });
    expect((await check(["claude"])).states).toMatchObject({ entries: "wrong", server: "wrong" });
    entry({ command: "relay", args: ["mcp"] });
    expect((await check(["claude"])).states).toMatchObject({ server: "ok", "tools at once": "wrong" });
    entry({ command: "relay", args: ["mcp", "--home", "evil"] });
    expect((await check(["claude"])).states).toMatchObject({ entries: "wrong", server: "wrong" });
  });

  test("Gemini CLI: its trusted folders", async () => {
    await setup("gemini", ["--part", "web", "--allow"]);
    expect((await check(["gemini"])).states["folder trusted"]).toBe("unknown");
    put(path.join(user, ".gemini/trustedFolders.json"), JSON.stringify({ [path.dirname(folder)]: "TRUST_FOLDER" }));
    expect(await check(["gemini"])).toMatchObject({ code: 0, states: { "folder trusted": "ok", "tools allowed": "ok" } });
  });
});
