/** The home records itself: whoever writes leaves one process that does, and waits for nothing. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { operations, perform } from "../../protocol/index.ts";
import { act, commits, lastSubject, project } from "../rig/clones.ts";
import { settle, worldAt } from "../rig/home.ts";
import { connect, relayFile, relayProcess } from "../rig/processes.ts";
import { recordersOf } from "../rig/recorders.ts";
import { cleanEnv, git, repository, stateHome, until } from "../rig/scratch.ts";

const ITSELF = { RELAY_NO_RECORDER: "" };

/** A project whose home records itself after a short quiet. */
async function quick(debounceS = 0.2): Promise<{ code: string; home: string }> {
  const code = await project("web", "api");
  settle(code, `record: { debounce_s: ${debounceS} }\n`);
  await act(code, undefined, "record");
  return { code, home: path.join(code, ".relay") };
}

/** Shortens the quiet, also for a recorder that waits. */
function hurry(code: string): void {
  const file = path.join(code, ".relay/relay.yml");
  fs.writeFileSync(file, fs.readFileSync(file, "utf8").replace("debounce_s: 40", "debounce_s: 0.2"));
  settle(code);
}

const send = (code: string, subject: string) => relayProcess(code, ["send", "api", subject, "b", "--part", "web"], { env: ITSELF });
const clean = (home: string): boolean => git(home, "status", "--porcelain") === "";
const gone = (code: string): Promise<unknown> => until("no recorder is left", () => recordersOf(code).length === 0);

test("commands leave one recorder, which commits all of a stretch of work and ends", async () => {
  const { code, home } = await quick(40);
  const before = commits(code);
  await Promise.all([send(code, "one"), send(code, "two"), send(code, "three")]);
  await send(code, "four");
  await until("one recorder waits", () => recordersOf(code).length === 1);
  hurry(code);
  await gone(code);
  expect(commits(code)).toBe(before + 1);
  expect(lastSubject(code)).toBe("web: 4 messages; 1 setting");
  expect(clean(home)).toBe(true);
  // What only reads leaves none.
  await relayProcess(code, ["inbox", "--part", "api"], { env: ITSELF });
  expect(recordersOf(code)).toEqual([]);
});

test("a recorder holds none of the caller's pipes, and one that is killed costs nothing: the next call leaves another", async () => {
  const { code } = await quick(40);
  const script = '"$0" "$1" send api one b --part web 3>&4';
  const stdio = ["ignore", "pipe", "pipe", "ignore", "pipe"] as const;
  const child = spawn("sh", ["-c", script, process.execPath, relayFile()], { cwd: code, env: cleanEnv(ITSELF), stdio: [...stdio] });
  // It comes once every holder of each pipe has closed it.
  await once(child, "close");
  const [first] = await until("a recorder waits", () => (recordersOf(code).length > 0 ? recordersOf(code) : null));
  process.kill(first as number, "SIGKILL");
  await gone(code);
  hurry(code);
  await send(code, "two");
  await gone(code);
  expect(lastSubject(code)).toMatch(/^web: 2 messages/);
});

test("a server records what its client did, and what a command could not record", async () => {
  const { code, home } = await quick();
  const agent = await connect(code, { args: ["--part", "web"], env: ITSELF });
  await agent.call("send", { to: ["api"], subject: "s", body: "b" });
  await until("it is recorded", () => lastSubject(code) === "web: 1 message");
  await gone(code);
  // A program that is not Relay's own starts nothing.
  const env = { XDG_STATE_HOME: stateHome(), ...ITSELF };
  await perform(worldAt(code, { part: "web", env }), operations.send, { to: ["api"], subject: "t", body: "b" });
  await until("the server saw to it", () => clean(home));
  await agent.close();
  await gone(code);
});

test("nothing is recorded by itself where the settings say no", async () => {
  const { code } = await quick();
  const file = path.join(code, ".relay/relay.yml");
  fs.writeFileSync(file, fs.readFileSync(file, "utf8").replace(/record: .*/, "record: { auto: false }"));
  settle(code);
  await send(code, "one");
  expect(recordersOf(code)).toEqual([]);
  expect(fs.existsSync(path.join(code, ".relay/run/recorder"))).toBe(false);
});

test("the end of a session is recorded before it is answered; where git's folder is read-only it succeeds and says so", async () => {
  const { code, home } = await quick(20);
  const run = (...args: string[]) => relayProcess(code, [...args, "--part", "main"], { env: ITSELF });
  await run("session", "start");
  await run("session", "end", "--summary", "# Done");
  expect(clean(home)).toBe(true);
  expect(lastSubject(code)).toMatch(/^main: .*ended a session/);
  for (const pid of recordersOf(code)) process.kill(pid, "SIGKILL");
  await gone(code);
  // A folder that is gone stands for one that cannot be written: permissions do not bind root.
  const refs = path.join(code, ".git/relay/refs/heads");
  fs.renameSync(refs, `${refs}.away`);
  const { session_id } = (await run("session", "start", "--json")).json;
  const saved = await run("session", "save", session_id, "# More", "--json");
  expect(saved.json).toMatchObject({ success: true, warning: expect.stringContaining("not recorded yet") });
  expect(fs.readFileSync(path.join(home, "run/recorder"), "utf8")).toBe("waiting\n");
  fs.renameSync(`${refs}.away`, refs);
  fs.utimesSync(path.join(home, "run/recorder"), 1, 1);
  const found = async (): Promise<string[]> =>
    (await act(code, undefined, "doctor")).findings.flatMap((each: { code: string }) => (each.code === "not_recorded" ? each.code : []));
  expect(await found()).toEqual(["not_recorded"]);
  await act(code, undefined, "record");
  expect(await found()).toEqual([]);
  expect(recordersOf(code)).toEqual([]);
});

test("of a home in the tree Relay commits nothing, and says what to type", async () => {
  const code = repository();
  await act(code, undefined, "init", { parts: ["web"], inTree: true });
  const run = (...args: string[]) => relayProcess(code, [...args, "--part", "main"], { env: ITSELF });
  const { session_id } = (await run("session", "start", "--json")).json;
  const { stderr } = await run("session", "end", session_id, "--summary", "# Done");
  const [, command] = /`(git .* commit .*?)`/.exec(stderr) as unknown as [string, string];
  expect(git(code, "status", "--porcelain")).not.toBe("");
  execFileSync("sh", ["-c", command], { env: cleanEnv(), stdio: "pipe" });
  expect(git(code, "status", "--porcelain")).toBe("");
  expect(recordersOf(code)).toEqual([]);
});
