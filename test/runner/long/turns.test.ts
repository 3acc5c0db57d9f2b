/** Turns of an office by real processes: from the work that somebody gave to the reply, and every way in which a program can end. */

import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { builtWorker } from "../../rig/built.ts";
import { officeFolder, settle } from "../../rig/home.ts";
import { hasEnded } from "../../rig/hurt.ts";
import { agentText } from "../../rig/office.ts";
import { OfficeStage } from "../../rig/office-stage.ts";
import { until } from "../../rig/scratch.ts";

/** An agent that is run by another program. */
const runBy = (name: string, program: string, more = ""): string => agentText(name).replace("---\n", `---\nrunner: ${program}\n${more}`);
const MANAGER = "org/agents/office-manager.md";
const does = (...steps: object[]): string => `Do this.\n\ndo: ${JSON.stringify(steps)}`;

test("work that is given becomes a reply, once, and the runner ends", async () => {
  const stage = await OfficeStage.open();
  const id = stage.give("om", "Say it back: grüße.");
  const runner = stage.run();
  expect(await stage.reply(id)).toContain("Say it back: grüße.");
  await until("the runner ended", () => runner.exitCode !== null);
  expect(runner.exitCode).toBe(0);
  const { ends, turns, state } = stage.state(id);
  expect(ends).toMatchObject([{ turn: 1, outcome: "ok", exit: "0" }]);
  expect(turns).toHaveLength(1);
  expect(state).toBe("idle");
  // Nothing of the launch is left: no token, and no text.
  const run = officeFolder(stage.folder);
  expect(["launches", "tokens"].flatMap((name) => fs.readdirSync(path.join(run, name)))).toEqual([]);
});

test("a program that prints nothing, fails, is killed, or ends by a signal is a reply", async () => {
  const stage = await OfficeStage.open();
  const cases: [string, string, object][] = [
    ["om", does({ say: " \n" }), { outcome: "empty", exit: "0" }],
    ["pybayes/lead", does({ say: "half" }, { crash: 1 }), { outcome: "failed", exit: "1", text: "half\nsomething went wrong" }],
    ["teaparty/lead", does({ say: "half" }, { kill: true }), { outcome: "failed", exit: "SIGKILL" }],
  ];
  const given = cases.map(([position, text, end]) => [stage.give(position, text), end] as const);
  const runner = stage.run();
  for (const [id, end] of given) expect((await stage.ends(id))[0]).toMatchObject(end);
  expect(await stage.reply(given[1]?.[0] as string)).toContain("something went wrong");
  await until("the runner ended", () => runner.exitCode !== null);
});

test("a dispatch whose files cannot be written holds up no other, and goes on when they can", async () => {
  const stage = await OfficeStage.open();
  const [stuck, other] = [stage.give("om", "Do it."), stage.give("pybayes/lead", "Do that.")];
  const taken = path.join(officeFolder(stage.folder), stuck, "taken");
  fs.rmSync(taken, { recursive: true });
  fs.writeFileSync(taken, "");
  const runner = stage.run();
  expect(await stage.reply(other)).toContain("Do that.");
  expect(fs.readdirSync(path.join(path.dirname(taken), "own/turns"))).toEqual([]);
  fs.rmSync(taken);
  expect(await stage.reply(stuck)).toContain("Do it.");
  await until("the runner ended", () => runner.exitCode !== null);
});

test("a program that is not there, or would run what the project names, fails the turn at once, and says what to type", async () => {
  const changes = { [MANAGER]: runBy("office-manager", "codex"), "org/agents/pybayes-lead.md": runBy("pybayes-lead", "opencode") };
  const stage = await OfficeStage.open(changes);
  await stage.program("opencode", `touch ${stage.folder}/ran`);
  fs.mkdirSync(path.join(stage.folder, ".opencode/plugin"), { recursive: true });
  const [one, other] = [stage.give("om", "Do it."), stage.give("pybayes/lead", "Do it.")];
  const runner = stage.run();
  const said = [(await stage.ends(one))[0]?.problem, (await stage.ends(other))[0]?.problem];
  expect(said[0]).toBe(
    "the program codex was not found on this machine. Install it, or say where it is: `relay office runner codex -- PATH`",
  );
  expect(said[1]).toContain(`opencode would do what ${fs.realpathSync(stage.folder)}/.opencode/plugin says`);
  expect(fs.existsSync(`${stage.folder}/ran`)).toBe(false);
  await until("the runner ended", () => runner.exitCode !== null);
});

/** A Claude Code that reaches its server and answers, and before that ends as many times as is said, in some way. */
const claude = (times: number, before: string): string => `
for word; do case $last in --session-id|--resume) session=$word;; --mcp-config) settings=$word;; esac; last=$word; done
count=$(cat "$0.count" 2>/dev/null || echo 0); echo $((count + 1)) >"$0.count"; echo "$@" >"$0.argv.$count"
init() { echo '{"type":"system","subtype":"init","session_id":"'$session'","mcp_servers":[{"name":"office","status":"'$1'"}]}'; }
answer() { echo '{"type":"result","subtype":"success","is_error":false,"result":"done '$count'","session_id":"'$session'","usage":{"output_tokens":3}}'; }
if [ $count -lt ${times} ]; then ${before}; fi
'${process.execPath}' '${builtWorker("tool-lister")}' "$settings"
init connected
answer`;

test("a turn that is over a model's limit goes on in its session, also with the next runner", async () => {
  const stage = await OfficeStage.open({ [MANAGER]: runBy("office-manager", "claude") });
  const over = `echo '{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"result":"API Error 429"}'; exit 1`;
  const step = `echo '{"type":"assistant","session_id":"'$session'","message":{"id":"m","content":[{"type":"text","text":"I looked."}]}}'`;
  await stage.program("claude", claude(2, `init connected; [ $count = 1 ] || ${step}; ${over}`));
  const argvOf = (start: number): string => fs.readFileSync(path.join(stage.notes, `claude.sh.argv.${start}`), "utf8");
  stage.limits({ retry_s: 0.5 });
  const id = stage.give("om", "Do it.");
  const first = stage.run();
  const ended = path.join(officeFolder(stage.folder), "launches", `${id}.1.2`, "exit");
  await until("the second start is over", () => fs.existsSync(ended));
  first.kill("SIGKILL");
  await until("its runner is gone", () => first.signalCode !== null);
  stage.limits({ retry_s: 0.01 });
  const second = stage.run();
  expect(await stage.reply(id)).toBe("done 2");
  const session = /--session-id (\S+)/.exec(argvOf(0))?.[1];
  expect([argvOf(1), argvOf(2)].map((argv) => /--resume (\S+)/.exec(argv)?.[1])).toEqual([session, session]);
  await until("the runner ended", () => second.exitCode !== null);
});

test("a turn's usage counts once for its position and dispatch, also of a failed start; the budget warns, then stops", async () => {
  const stage = await OfficeStage.open({ [MANAGER]: runBy("office-manager", "claude") });
  const records = `records="$CLAUDE_CONFIG_DIR/projects/$(pwd | sed 's/[^A-Za-z0-9]/-/g')"; mkdir -p "$records"
call() { echo '{"type":"assistant","timestamp":"'$(date -u +%Y-%m-%dT%H:%M:%S.000Z)'","sessionId":"'$session'","message":{"id":"call-'$1'","model":"small","usage":{"input_tokens":'$2',"output_tokens":1}}}' >>"$records/$session.jsonl"; }
`;
  const limited = `call $count 100; echo '{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"result":"API Error 429"}'; exit 1`;
  await stage.program(
    "claude",
    claude(1, limited)
      .replace("init() {", `${records}init() {`)
      .replace(/answer$/, "call 2 20; call 3 3; answer"),
  );
  stage.limits({ retry_s: 0.01 });
  // The start that failed costs $1, which warns; the other two calls spend the rest.
  const budget = "usage: { warn_usd: 1, stop_usd: 1.2, prices: [{ model: small, input: 10000, output: 0 }] }\n";
  settle(stage.folder, budget);
  const work = async (text: string): Promise<string> => {
    const given = stage.give("om", text);
    fs.rmSync(path.join(officeFolder(stage.folder), "environment.json"), { force: true });
    const runner = stage.run({ CLAUDE_CONFIG_DIR: path.join(stage.notes, "claude") });
    await stage.ends(given);
    await until("the runner ended", () => runner.exitCode !== null);
    return given;
  };
  const id = await work("Do it.");
  const at = (folder: string): string[] => fs.readdirSync(path.join(stage.folder, ".relay", folder));
  const month = `usage/${at("usage")[0]}`;
  const lines = at(month).flatMap((name) =>
    fs
      .readFileSync(path.join(stage.folder, ".relay", month, name), "utf8")
      .trim()
      .split("\n"),
  );
  expect(lines.map((line) => JSON.parse(line)).map(({ id: call, part, dispatch, input }) => [call, part, dispatch, input])).toEqual([
    ["claude:call-0", "om", id, 100],
    ["claude:call-2", "om", id, 20],
    ["claude:call-3", "om", id, 3],
  ]);
  expect(stage.state(id).ends).toMatchObject([{ outcome: "ok" }]);
  const events = path.join(stage.folder, ".relay/events");
  const warned = (): string[] =>
    fs
      .readdirSync(events, { recursive: true, encoding: "utf8" })
      .flatMap((each) => (each.endsWith(".jsonl") ? fs.readFileSync(path.join(events, each), "utf8").split("\n") : []))
      .filter((line) => line.includes('"type":"budget"'));
  expect(warned().map((line) => JSON.parse(line))).toMatchObject([{ part: "om", detail: { usd: 1, warn_usd: 1 } }]);
  const starts = fs.readFileSync(path.join(stage.notes, "claude.sh.count"), "utf8");
  const stopped = await work("Do more.");
  expect(stage.state(stopped).ends).toMatchObject([
    { outcome: "failed", problem: expect.stringMatching(/budget is spent: \$1\.23 of \$1\.20/) },
  ]);
  expect(fs.readFileSync(path.join(stage.notes, "claude.sh.count"), "utf8")).toBe(starts);
  expect(warned()).toHaveLength(1);
});

test("a program that cannot reach Relay's tools is started anew, and does no work without them", async () => {
  const stage = await OfficeStage.open({ [MANAGER]: runBy("office-manager", "claude") });
  await stage.program("claude", claude(1, "init failed; while :; do sleep 0.01; done"));
  const id = stage.give("om", "Do it.");
  const runner = stage.run();
  expect(await stage.reply(id)).toBe("done 1");
  await until("the runner ended", () => runner.exitCode !== null);
});

test("a program that says it reached Relay's tools, and by the server's own record did not, is started anew", async () => {
  const stage = await OfficeStage.open({ [MANAGER]: runBy("office-manager", "claude") });
  await stage.program("claude", claude(2, `init connected; cat >"$0.$count"; answer; exit 0`));
  const id = stage.give("om", "The work.");
  const runner = stage.run();
  expect(await stage.reply(id)).toBe("done 2");
  // Whatever a session did without tools, nobody goes on with it.
  expect(stage.state(id).ends).toMatchObject([{ turn: 1, outcome: "ok" }]);
  const [first, second] = ["0", "1"].map((count) => fs.readFileSync(path.join(stage.notes, `claude.sh.${count}`), "utf8"));
  expect(second).toBe(first);
  await until("the runner ended", () => runner.exitCode !== null);
});

test("a session that is gone is begun anew, with all that was said in it", async () => {
  const stage = await OfficeStage.open({ [MANAGER]: runBy("office-manager", "claude") });
  const lost = `[ $count = 1 ] && { echo "No conversation found with session ID: $session" >&2; exit 1; }; cat >"$0.$count"`;
  await stage.program("claude", claude(9, lost));
  const id = stage.give("om", "The first work.");
  const runner = stage.run();
  expect(await stage.reply(id)).toBe("done 0");
  stage.more(id, "The second work.");
  await stage.ends(id, 2);
  expect(stage.state(id).ends[1]).toMatchObject({ outcome: "ok" });
  expect(stage.state(id).ends[1]?.agentSession).not.toBe(stage.state(id).ends[0]?.agentSession);
  const told = fs.readFileSync(path.join(stage.notes, "claude.sh.2"), "utf8");
  for (const text of ["The first work.", "done 0", "The second work."]) expect(told.split(text)).toHaveLength(2);
  await until("the runner ended", () => runner.exitCode !== null);
});

test("a turn that takes too long, and one that is silent, are ended with all that they started", async () => {
  const stage = await OfficeStage.open();
  const long = stage.give("om", does({ deaf: true }, { child: true }, { hold: "never" }));
  const runner = stage.run();
  await until("it has started what it starts", () => stage.noted("child").length > 0);
  stage.limits({ turn_s: 0.1 });
  expect((await stage.ends(long))[0]).toMatchObject({ outcome: "timeout", problem: expect.stringContaining("longer") });
  const pids = [...stage.noted("begin").map(({ pid }) => pid), ...stage.noted("child").map(({ child }) => child as number)];
  expect(pids).toHaveLength(2);
  await until("all of it is gone", () => pids.every(hasEnded));
  await until("the runner ended", () => runner.exitCode !== null);
  stage.limits({});
  const silent = stage.give("pybayes/lead", does({ hold: "never" }));
  const second = stage.run();
  await until("it is at work", () => stage.noted("begin").some(({ position }) => position === "pybayes/lead"));
  stage.limits({ silence_s: 0.1 });
  expect((await stage.ends(silent))[0]).toMatchObject({ outcome: "timeout", problem: expect.stringContaining("silent") });
  await until("the runner ended", () => second.exitCode !== null);
});

test("a program that prints without end is killed at its limit, and the turn's end says so", async () => {
  const stage = await OfficeStage.open({ [MANAGER]: runBy("office-manager", "claude") });
  await stage.program("command", "trap '' TERM; yes");
  await stage.program("claude", `trap '' TERM; yes '{"type":"assistant"}' >&2`);
  stage.limits({ output_mib: 1 });
  const given = [stage.give("om", "Do it."), stage.give("pybayes/lead", "Do it.")];
  const runner = stage.run();
  for (const id of given)
    expect((await stage.ends(id))[0]).toMatchObject({ outcome: "failed", problem: "it printed more than a turn may print (output_mib)" });
  await until("the runner ended", () => runner.exitCode !== null);
});

test.runIf(process.platform === "linux")("a process that a program leaves in a session of its own is named by the turn's end", async () => {
  const stage = await OfficeStage.open();
  const began = path.join(stage.notes, "began");
  await stage.program(
    "command",
    `setsid sh -c 'echo $$ >"${began}.new"; mv "${began}.new" "${began}"; exec sleep 1000' & while [ ! -e "${began}" ]; do :; done; echo done`,
  );
  const id = stage.give("om", "Do it.");
  const runner = stage.run();
  const [end] = await stage.ends(id);
  const pid = Number(fs.readFileSync(began, "utf8"));
  process.kill(pid, "SIGKILL");
  expect(end).toMatchObject({ outcome: "ok", problem: expect.stringMatching(`^its program left running: ${pid} \\("sleep"\\)$`) });
  expect(await stage.reply(id)).toBe("done");
  await until("the runner ended", () => runner.exitCode !== null);
});

test("a program gets the envelope and the variables of the list, and nothing else", async () => {
  const stage = await OfficeStage.open();
  const id = stage.give("om", `Look at it.\n\ndo: ${JSON.stringify([{ capture: "seen" }])}`);
  const runner = stage.run({ SECRET_OF_MINE: "x", RELAY_PART: "web", CLAUDECODE: "1" });
  await stage.ends(id);
  const seen = JSON.parse(fs.readFileSync(path.join(stage.notes, "seen"), "utf8"));
  const { context } = stage.state(id).dispatch;
  expect(seen.envelope).toContain("Look at it.");
  expect(seen.envelope).toContain(context);
  expect(seen.cwd).toBe(stage.folder);
  const own = ["RELAY_OFFICE_TOKEN", "RELAY_HOME", "RELAY_PART", "RELAY_CONTEXT", "RELAY_SESSION", "RELAY_LAUNCH"];
  const shells = ["PWD", "OLDPWD", "SHLVL", "_"];
  const names = Object.keys(seen.env).filter((name) => ![...own, ...shells].includes(name));
  expect(names.filter((name) => !/^(HOME|PATH|LANG|TMPDIR|XDG_\w+|USER|SHELL|TERM|LC_\w+)$/.test(name))).toEqual([]);
  expect(seen.env).toMatchObject({ RELAY_PART: "om", RELAY_CONTEXT: context });
  expect(seen.argv.join("\n")).not.toContain(seen.env.RELAY_OFFICE_TOKEN);
  await until("the runner ended", () => runner.exitCode !== null);
});
