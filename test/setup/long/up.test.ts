import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { processOf } from "../../../protocol/store/process.ts";
import { machineStore } from "../../../protocol/trust/files/machine.ts";
import { builtWorker } from "../../rig/built.ts";
import { drivenClock } from "../../rig/clock/driven.ts";
import { homeWith, worldAt } from "../../rig/home.ts";
import { startPager } from "../../rig/pagers.ts";
import { relay, relayFile } from "../../rig/processes.ts";
import { commitAll, git, jsonLines, put, repository, scratch, until } from "../../rig/scratch.ts";
import { endTerminals, hasTmux, Person, Terminal } from "../../rig/terminal.ts";

/** The stand-in of an agent. */
const agentFile = (): string => builtWorker("agent");

afterEach(endTerminals);

describe.skipIf(!hasTmux)("parts in tmux", () => {
  let folder: string;
  let terminal: Terminal;
  let env: Record<string, string>;
  /** Where the stub agent of a part listens and writes. */
  const stage: Record<string, string> = {};
  beforeEach(async () => {
    folder = await homeWith("web", "api");
    terminal = new Terminal();
    env = { RELAY_TMUX_SOCKET: terminal.socket };
    for (const part of ["web", "api"]) stage[part] = scratch();
  });
  const log = (part: string): Record<string, unknown>[] => {
    const file = path.join(stage[part] as string, "submitted");
    return fs.existsSync(file) ? jsonLines(file) : [];
  };
  const lines = (part: string): unknown[] => log(part).flatMap(({ line }) => (line === undefined ? [] : [line]));
  const run = (...args: string[]) => relay(folder, [...args, "--json"], { env });
  const up = async (part: string, ...more: string[]) => {
    const ran = await relay(folder, ["up", "--json", "--part", part, "--", process.execPath, agentFile(), stage[part] as string, ...more], {
      env,
    });
    await until("the agent", () => log(part).length > 0);
    return ran;
  };
  /** What `up` waits for, before it looks whether a program ended at once: on a slow machine that has not even begun so soon. */
  const end = () =>
    until("it ended", () => {
      const { stdout } = spawnSync("tmux", ["-L", terminal.socket, "list-panes", "-a", "-F", "#{window_name} #{pane_dead}"]);
      return !String(stdout).includes("web 0");
    });
  const option = (part: string, name: string) => terminal.tmux("display-message", "-p", "-t", `relay-project:${part}`, name);

  test("up starts a part as the pane's own process, once, and again from what is kept; down ends it gently", async () => {
    expect((await up("web")).json.parts).toEqual([{ part: "web", pane: "%0", session: "relay-project", started: true, agent: true }]);
    expect(log("web")[0]).toMatchObject({ part: "web" });
    expect(terminal.tmux("list-panes", "-a", "-F", "#{pane_pid}")).toBe(String(log("web")[0]?.["started"]));
    expect((await up("api")).json.parts[0]).toMatchObject({ session: "relay-project", started: true });
    expect((await run("up")).json.parts.map(({ started }: { started: boolean }) => started)).toEqual([false, false]);
    expect((await run("down", "web")).json.parts).toEqual([{ part: "web", how: "ended" }]);
    expect(log("web").at(-1)).toMatchObject({ ended: "SIGTERM" });
    expect((await run("up")).json.parts).toMatchObject([
      { part: "web", started: true },
      { part: "api", started: false },
    ]);
    expect((await run("down", "--force")).json.parts).toEqual([
      { part: "web", how: "killed" },
      { part: "api", how: "killed" },
    ]);
    expect((await run("down", "web")).json.parts).toEqual([{ part: "web", how: "not_up" }]);
  });

  test("up refuses what it cannot start, and says why", async () => {
    expect((await run("up")).json).toMatchObject({ success: false, code: "usage" });
    expect((await relay(folder, ["up", "--json", "--part", "wbe", "--", "cat"], { env })).json).toMatchObject({ code: "unknown_part" });
    expect((await relay(folder, ["up", "--json", "--part", "web", "--", "no-such-program"], { env })).json).toMatchObject({
      code: "invalid_argument",
    });
    expect((await relay(folder, ["up", "--json", "--part", "web", "--", "true"], { env, pause: end })).json).toMatchObject({
      code: "tmux_failed",
    });
    expect((await run("attach", "web")).json).toMatchObject({ code: "no_pane" });
    // What was refused is not started later either.
    expect((await run("up")).json).toMatchObject({ success: false, code: "usage" });
  });

  test("up starts a part whose named pane is gone, or is only a person's shell, and leaves no window of a start that failed", async () => {
    const windows = () => terminal.tmux("list-panes", "-a", "-F", "#{window_name} #{pane_dead}").split("\n").sort();
    const shell = terminal.window(["sh", "-c", "while :; do sleep 600; done"], ["-n", "mine"]);
    // What ends stays to be seen, as some people have it.
    terminal.tmux("set-option", "-g", "remain-on-exit", "on");
    for (const target of [
      "gone:1.0",
      terminal.tmux("display-message", "-p", "-t", shell, "#{session_name}:#{window_index}.#{pane_index}"),
    ]) {
      await run("part", "deliver", "web", "tmux", "--target", target);
      const failed = await relay(folder, ["up", "--part", "web", "--", "false"], { env, pause: end });
      expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining("false ended at once") });
      expect(windows()).toEqual(["mine 0"]);
      expect((await run("part", "deliver", "web")).json.tmux).toMatchObject({ target });
      const { json } = await up("web");
      expect(json.parts).toMatchObject([{ part: "web", started: true, forgotten: target }]);
      expect((await run("part", "deliver", "web")).json).toMatchObject({ deliver: "tmux" });
      expect((await run("part", "deliver", "web")).json.tmux).not.toHaveProperty("target");
      expect((await run("up", "--part", "web")).json.parts).toMatchObject([{ started: false, pane: json.parts[0].pane }]);
      await run("down", "web", "--force");
      expect(windows()).toEqual(["mine 0"]);
    }
  });

  test("up finds the agent that runs in the pane which a person named, and it is nudged there", async () => {
    const pane = terminal.window([process.execPath, agentFile(), stage["web"] as string], ["-n", "own"]);
    await until("the agent", () => log("web").length > 0);
    await run("part", "deliver", "web", "tmux", "--target", terminal.tmux("display-message", "-p", "-t", pane, "#{session_name}:own.0"));
    const again = await relay(folder, ["up", "--json", "--part", "web", "--", "cat"], { env });
    expect(again.json.parts).toMatchObject([{ part: "web", pane, started: false, agent: true }]);
    expect(terminal.tmux("list-panes", "-a", "-F", "#{window_name}")).toBe("own");
    await run("send", "web", "One", "Text.", "--part", "api");
    await run("pager", "--once");
    await until("the nudge", () => lines("web").length > 0);
    expect(terminal.tmux("display-message", "-p", "-t", pane, "#{@relay_part}")).toBe("web");
  });

  test("a mistyped command is corrected: a part for a program, a bare shell, a part that runs already, people", async () => {
    const told = (...args: string[]) => relay(folder, args, { env });
    expect((await told("up", "api")).stderr).toContain("relay up --part api -- claude");
    expect((await told("up", "nope")).stderr).toContain("relay up --part PART -- nope");
    expect((await told("attach", "human")).stderr).toContain(
      "human does not run in tmux. To read people's mail: `relay inbox --part human`",
    );
    expect((await told("attach", "api")).stderr).toContain("api does not run in tmux here. Start it");
    const script = path.join(scratch(), "loop");
    fs.writeFileSync(script, "#!/bin/sh\nwhile sleep 1; do :; done\n", { mode: 0o755 });
    const shell = await told("up", "--part", "web", "--", script);
    expect(shell).toMatchObject({ code: 0, stdout: expect.stringContaining("Relay never types into a shell") });
    expect((await up("api")).json.parts).toMatchObject([{ agent: true }]);
    const again = await told("up", "--part", "api", "--", "cat");
    expect(again.stdout).toContain("api is already running, so this command was not started. Stop it first: `relay down api`.");
    expect(again.stdout).not.toContain("never types");
  });

  test("a wake that waits for its next try is due at once when the part is up", async () => {
    await relay(folder, ["send", "web", "s", "b", "--part", "api"]);
    const lease = async () => (await run("wake", "lease", "web", "--rung", "tmux")).json;
    const { wakeId } = await lease();
    await run("wake", "report", "web", wakeId, "unreachable", "--reason", "no_pane");
    expect(await lease()).toMatchObject({ leased: false, reason: "tried" });
    await up("web");
    expect(await lease()).toMatchObject({ leased: true });
  });

  test("part deliver says what is there: a pane that is, one that is not, and forgets one", async () => {
    const deliver = (...args: string[]) => relay(folder, ["part", "deliver", "web", ...args], { env });
    const missing = await deliver("tmux", "--target", "work:1.0");
    expect(missing).toMatchObject({ code: 0, stderr: expect.stringContaining("there is no pane work:1.0") });
    expect(missing.stderr).toContain("RELAY_TMUX_SOCKET=NAME");
    const pane = terminal.window(["cat"]);
    const found = await deliver("tmux", "--target", pane);
    expect(found).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining(`pane ${pane}`) });
    expect(found.stdout).not.toContain("{");
    // Which server it is on is known from then on.
    expect((await relay(folder, ["part", "deliver", "web", "--json"])).json.rungs).toMatchObject([{ rung: "tmux", now: true }]);
    const forgotten = await deliver("--target", "");
    expect(forgotten.stdout).not.toContain(pane);
  });

  test("attach shows the part", async () => {
    await up("web");
    await up("api");
    const outer = new Terminal();
    const pane = outer.window(
      ["env", "-u", "TMUX", `RELAY_TMUX_SOCKET=${terminal.socket}`, process.execPath, relayFile(), "attach", "api"],
      ["-c", folder],
    );
    await until("the status line", () => /api: no mail/.test(outer.shows(pane)));
    expect(terminal.tmux("display-message", "-p", "-t", "relay-project", "#W")).toBe("api");
  });

  test("a pager nudges a part that is up, once for several messages; the status line follows what is unread", async () => {
    await up("web");
    const pager = await startPager(folder, [], env);
    for (const subject of ["One", "Two", "Three"]) await run("send", "web", subject, "Text.", "--part", "api");
    await until("the nudge", () => lines("web").length > 0);
    await until("the count", () => option("web", "#{@relay_unread}") === "3");
    expect(option("web", "#{T:status-right}")).toMatch(/^web: 3 unread /);
    expect(option("web", "#{E:window-status-format}")).toBe("0:web [3]");
    const { messages } = (await run("inbox", "--part", "web")).json;
    await run("ack", ...messages.map(({ messageId }: { messageId: string }) => messageId), "--part", "web");
    await until("no count", () => option("web", "#{@relay_unread}") === "0");
    expect(option("web", "#{T:status-right}")).toMatch(/^web: no mail /);
    expect(lines("web")).toHaveLength(1);
    expect(lines("web")[0]).toMatch(/^Relay: \d unread messages? for web\. /);
    await pager.end();
  });

  test("several who start one part at once start one pane; two parts at once share the session", async () => {
    const start = (part: string) =>
      relay(folder, ["up", "--json", "--part", part, "--", process.execPath, agentFile(), stage[part] as string], { env });
    const ran = await Promise.all(["web", "api", "web", "api"].map(start));
    expect(ran.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    const started = ran.flatMap(({ json }) => json.parts).filter((each: { started: boolean }) => each.started);
    expect(started.map(({ part }: { part: string }) => part).sort()).toEqual(["api", "web"]);
    expect(terminal.tmux("list-panes", "-a", "-F", "#{session_name} #{@relay_part}").split("\n").sort()).toEqual([
      "relay-project api",
      "relay-project web",
    ]);
  });

  test("a program's arguments and its folder are taken as they are, whatever tmux would read in them", async () => {
    const trap = path.join(scratch(), "trap");
    const cwd = path.join(scratch(), `a #(touch ${path.basename(trap)}) #{pane_id} #[bold] %H $HOME;`);
    fs.mkdirSync(cwd);
    const script = `require("fs").writeFileSync("${path.join(stage["web"] as string, "got")}", JSON.stringify([process.cwd(), ...process.argv.slice(1)]));setInterval(()=>{},1e6)`;
    const args = ["a;", ";", "b\\;", "#{pane_id}", "#(touch x)", "$HOME", "-x", ""];
    const ran = await relay(
      cwd,
      ["up", "--json", "--home", path.join(folder, ".relay"), "--part", "web", "--", process.execPath, "-e", script, ...args],
      { env },
    );
    expect(ran).toMatchObject({ code: 0 });
    const got = path.join(stage["web"] as string, "got");
    await until("the program", () => fs.existsSync(got) && fs.readFileSync(got, "utf8") !== "");
    expect(JSON.parse(fs.readFileSync(got, "utf8"))).toEqual([cwd, ...args]);
    expect(fs.readdirSync(cwd)).toEqual([]);
    await run("down", "--force");
    fs.rmSync(cwd, { recursive: true });
    expect(await relay(folder, ["up", "--part", "web"], { env })).toMatchObject({ code: 1, stderr: expect.stringContaining("folder") });
  });

  test("a part that is renamed keeps its pane, and how it is woken", async () => {
    await up("web");
    await run("part", "rename", "web", "storefront");
    await run("send", "storefront", "One", "Text.", "--part", "api");
    await relay(folder, ["pager", "--once", "--json"], { env });
    await until("the nudge", () => lines("web").length > 0);
    expect(lines("web")[0]).toMatch(/^Relay: 1 unread message for storefront\. /);
    expect((await run("up")).json.parts).toMatchObject([{ part: "storefront", started: false }]);
    expect(option("web", "#{@relay_part}")).toBe("storefront");
    expect((await run("down", "storefront")).json.parts).toEqual([{ part: "storefront", how: "ended" }]);
  });

  test("a part that is removed while its wake waits is not typed to any more", async () => {
    await up("web");
    const person = await new Person(terminal).attached();
    person.type("not yet");
    await until("the text", () => terminal.shows("relay-project:web").includes("> not yet"));
    const clock = drivenClock();
    const pager = await startPager(folder, [], { ...env, ...clock.env });
    await run("send", "web", "One", "Text.", "--part", "api");
    await until("it waits", () => option("web", "#{@relay_waiting}") === "half_typed");
    await run("part", "remove", "web", "--force");
    await pager.said("released");
    person.press("C-u");
    await until("it is gone", () => /^>$/m.test(terminal.shows("relay-project:web")));
    await clock.pass(20_000);
    expect(lines("web")).toEqual([]);
    await pager.end();
  });

  test("a window that a person opens beside a part is not that part", async () => {
    // The server begins with this call, and takes over where it was made.
    const first = ["up", "--json", "--", process.execPath, agentFile(), stage["web"] as string];
    expect((await relay(folder, first, { env: { ...env, RELAY_PART: "web", RELAY_HOME: path.join(folder, ".relay") } })).code).toBe(0);
    await up("api");
    expect(log("api")[0]).toMatchObject({ part: "api" });
    const file = path.join(scratch(), "env");
    terminal.tmux(
      "new-window",
      "-d",
      "-t",
      "=relay-project:",
      "--",
      "sh",
      "-c",
      `env > '${file}.new'; mv '${file}.new' '${file}'; sleep 1000`,
    );
    await until("its environment", () => fs.existsSync(file));
    expect(fs.readFileSync(file, "utf8")).not.toMatch(/^RELAY_(PART|HOME)=/m);
  });

  test("two homes with one name, and parts of one name, on one server: each is nudged in its own pane", async () => {
    const other = await homeWith("web", "api");
    const stages: string[] = [];
    for (const at of [folder, other]) {
      const own = scratch();
      stages.push(own);
      const ran = await relay(at, ["up", "--json", "--part", "web", "--", process.execPath, agentFile(), own], { env });
      expect(ran.json.parts).toMatchObject([{ part: "web", started: true }]);
      await until("the agent", () => fs.existsSync(path.join(own, "submitted")));
    }
    expect(new Set(terminal.tmux("list-sessions", "-F", "#{session_name}").split("\n")).size).toBe(2);
    await relay(other, ["send", "web", "One", "Text.", "--part", "api"], { env });
    for (const at of [folder, other]) await relay(at, ["pager", "--once", "--json"], { env });
    await until("the nudge", () => fs.readFileSync(path.join(stages[1] as string, "submitted"), "utf8").includes("Relay: 1 unread"));
    expect(fs.readFileSync(path.join(stages[0] as string, "submitted"), "utf8")).not.toContain("Relay:");

    // A heartbeat is a file: it makes neither a pane of another home this one's, nor one that no home marked, nor a server that lies in
    // the project one to ask.
    const own = path.join(other, "tmux");
    onTestFinished(() => void spawnSync("tmux", ["-S", own, "kill-server"]));
    spawnSync("tmux", ["-S", own, "new-session", "-d", process.execPath, agentFile(), stage["api"] as string]);
    await until("the agent", () => log("api").length > 0);
    const foreign = terminal
      .tmux("list-panes", "-a", "-F", "#{pane_pid}|#{@relay_home}")
      .split("\n")
      .find((line) => line.includes(folder));
    const bank = terminal.tmux("new-session", "-dPF", "#{pane_pid}", "-s", "bank", "--", "sleep", "1000");
    const { root } = machineStore(worldAt(other));
    for (const pid of [log("api")[0]?.["started"], (foreign as string).split("|")[0], bank.trim()]) {
      const process = processOf(Number(pid)) as string;
      const presence = { part: "api", agent: { name: "claude-code" }, process, connectedAt: new Date().toISOString() };
      const files = { [path.join(other, ".relay/run/presence/api", `${pid}.json`)]: JSON.stringify(presence) };
      if (pid !== bank.trim()) files[path.join(root, "connections", process)] = "";
      for (const [file, text] of Object.entries(files)) {
        fs.mkdirSync(path.dirname(file), { recursive: true });
        fs.writeFileSync(file, text);
      }
    }
    await relay(other, ["send", "api", "Two", "Text.", "--part", "web"], { env });
    await relay(other, ["pager", "--once", "--json"], { env });
    expect((await relay(other, ["down", "api", "--json"], { env })).json.parts).toEqual([{ part: "api", how: "not_up" }]);
    expect(terminal.tmux("list-panes", "-a", "-F", "#{@relay_part}|#{@relay_home}")).toContain(`web|${path.join(folder, ".relay")}`);
    expect(terminal.tmux("list-panes", "-t", "=bank:", "-F", "[#{@relay_part}]").trim()).toBe("[]");
    expect(String(spawnSync("tmux", ["-S", own, "list-panes", "-a", "-F", "[#{@relay_part}]"]).stdout).trim()).toBe("[]");
  });

  test("a part gets a worktree of its own, which goes again only when nothing would be lost", async () => {
    const code = repository();
    await relay(code, ["init", "web", "api"], { env });
    const there = (...args: string[]) => relay(code, [...args, "--json"], { env });
    const at = `${code}-web`;
    const start = () =>
      relay(code, ["up", "--json", "--part", "web", "--worktree", "feature", "--", process.execPath, agentFile(), stage["web"] as string], {
        env,
      });
    expect((await start()).json.parts).toMatchObject([{ part: "web", started: true }]);
    expect(git(at, "branch", "--show-current")).toBe("feature\n");
    expect((await relay(at, ["whoami", "--json"])).json).toMatchObject({ part: "web", home: path.join(code, ".relay") });
    await until("the agent", () => log("web").length > 0);
    // The folder says who it is, so no variable has to.
    expect(log("web")[0]).toMatchObject({ part: "" });
    expect((await start()).json.parts).toMatchObject([{ part: "web", started: false }]);
    // What runs in a worktree is the part of that worktree.
    const other = await relay(at, ["up", "--part", "api", "--", "cat"], { env });
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining("is web, so what runs in it is web and not api") });

    fs.writeFileSync(path.join(at, "new"), "x");
    expect((await there("down", "web", "--remove")).json.worktrees).toEqual([
      { part: "web", folder: at, left: "it has changes that are not committed: new" },
    ]);
    // Who has git show no untracked files loses none either, nor what git ignores.
    git(at, "config", "status.showUntrackedFiles", "no");
    expect((await there("down", "web", "--remove")).json.worktrees).toMatchObject([{ left: "it has changes that are not committed: new" }]);
    fs.appendFileSync(path.join(code, ".git/info/exclude"), "/keys.env\n/data/\n");
    fs.writeFileSync(path.join(at, "keys.env"), "x");
    put(path.join(at, "data/rows"), "x");
    commitAll(at);
    expect((await there("down", "web", "--remove")).json.worktrees).toMatchObject([
      { left: expect.stringMatching(/^it has files that git ignores: .*keys\.env/) },
    ]);
    expect(fs.existsSync(path.join(at, "data/rows"))).toBe(true);
    fs.rmSync(path.join(at, "keys.env"));
    fs.rmSync(path.join(at, "data"), { recursive: true });
    expect((await there("down", "web", "--remove")).json.worktrees).toMatchObject([
      { left: "1 of its commits is on no remote and no other branch" },
    ]);
    expect(fs.existsSync(at)).toBe(true);
    git(code, "merge", "--quiet", "feature");
    // The index may say that nothing changed.
    fs.writeFileSync(path.join(at, "new"), "y");
    for (const flag of ["--assume-unchanged", "--skip-worktree"]) {
      git(at, "update-index", flag, "new");
      expect((await there("down", "web", "--remove")).json.worktrees).toMatchObject([{ left: "git was told to pass files by: new" }]);
      git(at, "update-index", flag.replace("--", "--no-"), "new");
    }
    fs.writeFileSync(path.join(at, "new"), "x");
    const [, branch = ""] = /git (branch -d \S+)/.exec((await relay(code, ["down", "web", "--remove"], { env })).stdout) ?? [];
    git(code, ...branch.split(" "));
    expect(git(code, "branch", "--list", "feature")).toBe("");
    expect(fs.existsSync(at)).toBe(false);
    expect(fs.existsSync(path.join(code, ".relay/relay.yml"))).toBe(true);
    await relay(code, ["part", "here", "api"], { env });
    expect((await there("down", "api", "--remove")).json.worktrees).toMatchObject([{ left: "it is the main worktree" }]);
    for (const branch of ["--force", "a b", ".."]) {
      const refused = await relay(code, ["up", "--json", "--part", "web", `--worktree=${branch}`, "--", "cat"], { env });
      expect(refused.json).toMatchObject({ success: false });
      expect(fs.existsSync(at)).toBe(false);
    }
  });

  test("an agent that wakes itself needs no pager", async () => {
    const code = repository();
    const bin = scratch();
    fs.symlinkSync(process.execPath, path.join(bin, "claude"));
    await relay(code, ["init", "web", "api"], { env });
    const start = (part: string) =>
      relay(code, ["up", "--part", part, "--", path.join(bin, "claude"), agentFile(), stage[part] as string], {
        env: { ...env, HOME: bin },
      });
    expect((await start("api")).stdout).toContain("nobody wakes api. To start one: relay pager start");
    await relay(code, ["setup", "claude", "--yes"], { env: { ...env, HOME: bin } });
    expect((await start("web")).stdout).not.toContain("pager");
  });

  test("doctor names a pane that is gone", async () => {
    await up("web");
    terminal.kill();
    await run("send", "web", "One", "Text.", "--part", "api");
    const gone = () => run("doctor").then(({ json }) => json.findings.find(({ code }: { code: string }) => code === "pane_gone"));
    await until("the process to end", async () => (await gone()) !== undefined);
    expect(await gone()).toMatchObject({ severity: "warning", path: "deliver/web.json" });
    await run("down", "web");
    expect(await gone()).toBeUndefined();
  });
});
