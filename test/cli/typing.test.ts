/** What people type and pipe, beyond the plain case and of the board; and what they have seen of the mail that a terminal shows them. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { EXIT, operations, perform } from "../../protocol/index.ts";
import { homeWith, worldAt } from "../rig/home.ts";
import { onTerminal, relay, relayFile, startRelay } from "../rig/processes.ts";
import { cleanEnv, repository, scratch, until } from "../rig/scratch.ts";

let folder: string;
beforeEach(async () => {
  folder = await homeWith("web", "api");
});
const body = async (thread: string): Promise<string> => (await relay(folder, ["show", thread, "--json"])).json.messages.at(-1).body;

test("a body that comes slowly through a pipe is read whole", async () => {
  const first = path.join(scratch(), "first");
  // More than a pipe holds: once all of it is written, the command has begun to read.
  const long = "€".repeat(60_000);
  fs.writeFileSync(first, `${long}\n`);
  const slowly = `{ cat "$0"; mkdir "$0.read"; until [ -e "$0.more" ]; do sleep 0.01; done; echo two; } | "$@"`;
  const command = [process.execPath, relayFile(), "send", "web", "log", "--part", "api", "--json"];
  const child = spawn("sh", ["-c", slowly, first, ...command], { cwd: folder, env: cleanEnv(), stdio: ["ignore", "pipe", "inherit"] });
  let printed = "";
  child.stdout.on("data", (text) => (printed += String(text)));
  const ended = once(child, "close");
  await until("the first piece is read", () => fs.existsSync(`${first}.read`));
  fs.writeFileSync(`${first}.more`, "");
  expect((await ended)[0]).toBe(0);
  expect(await body(JSON.parse(printed).threadId)).toBe(`${long}\ntwo`);
});

test("bytes on stdin that are no text are refused, and nothing is stored", async () => {
  for (const args of [
    ["send", "api", "Subject", "-", "--part", "web"],
    ["memory", "append", "-", "--part", "web"],
    ["artifact", "post", "n", "-", "--type", "pr", "--part", "web"],
  ]) {
    const child = startRelay(folder, [...args, "--json"]);
    child.stdin?.end(Buffer.from([0x61, 0xff, 0xfe, 0x62]));
    const [said] = await Promise.all([once(child.stdout, "data"), once(child, "exit")]);
    expect(JSON.parse(String(said[0])), args[0]).toMatchObject({ code: "invalid_argument", argument: "stdin", expected: "text in UTF-8" });
  }
  expect((await relay(folder, ["threads", "--json"])).json.threads).toEqual([]);
});

test("texts that begin with a dash are texts", async () => {
  const list = "- one\n- two";
  const sent = await relay(folder, ["send", "web", "--- a heading", list, "--part", "api", "--json"]);
  expect(await body(sent.json.threadId)).toBe(list);
  expect((await relay(folder, ["show", sent.json.threadId, "--json"])).json.thread.subject).toBe("--- a heading");
  expect((await relay(folder, ["close", sent.json.threadId, "--lesson", "- a lesson", "--part", "api"])).code).toBe(0);
  expect(fs.readFileSync(path.join(folder, ".relay/memory/project.md"), "utf8")).toContain("- a lesson");
});

test("lists are given with commas, or again, and take nothing that follows", async () => {
  const sent = await relay(folder, ["send", "--tags", "a,b", "--tags", "c", "web, api", "s", "b", "--part", "main", "--json"]);
  expect(sent.json.recipients.map((to: { part: string }) => to.part)).toEqual(["web", "api"]);
  expect((await relay(folder, ["threads", "--json"])).json.threads[0].tags).toEqual(["a", "b", "c"]);
  expect(await relay(folder, ["reply", sent.json.threadId, "--to", "main", "x", "--part", "web"])).toMatchObject({ code: 0 });
});

test("common options stand before the command too", async () => {
  expect((await relay(folder, ["--json", "--part", "web", "whoami"])).json).toMatchObject({ part: "web" });
  expect((await relay(scratch(), ["--home", folder, "part", "list", "--json"])).json).toMatchObject({ main: "main" });
});

test("an empty command, and an unknown one, teach", async () => {
  const group = await relay(folder, ["part"]);
  expect(group).toMatchObject({ code: EXIT.usage });
  expect(group.stdout + group.stderr).toContain("set-main");
  expect(group.stderr).not.toContain("outputHelp");
  expect((await relay(folder, ["send", "web"])).stderr).toContain("relay send --help");
});

test("a part that closes a thread over another's unread mail is told", async () => {
  const sent = await relay(folder, ["send", "web", "s", "b", "--part", "api", "--json"]);
  const closed = await relay(folder, ["close", sent.json.threadId, "--part", "api"]);
  expect(closed.stderr).toContain("not read by web");
});

test("init over a home says what it did not do, and makes none within one", async () => {
  const code = repository();
  await relay(code, ["init", "web"]);
  expect(await relay(code, ["init", "docs", "--in-tree", "--json"])).toMatchObject({
    json: { repository: "own", created: false, warning: expect.stringMatching(/docs was not added.*--in-tree/) },
  });
  const inner = path.join(folder, "sub");
  fs.mkdirSync(inner);
  expect((await relay(inner, ["init", "--json"])).json).toMatchObject({ created: false, home: path.join(folder, ".relay") });
  expect(fs.existsSync(path.join(inner, ".relay"))).toBe(false);
});

test("the reason of a refusal goes with its draft", async () => {
  const outbox = path.join(folder, ".relay/outbox/web");
  fs.mkdirSync(outbox, { recursive: true });
  for (const name of ["fixed.md", "gone.md"]) fs.writeFileSync(path.join(outbox, name), "---\nto: nobody\nsubject: s\n---\nb\n");
  await relay(folder, ["roster"]);
  expect(fs.readdirSync(outbox).sort()).toEqual(["fixed.md", "fixed.md.refused", "gone.md", "gone.md.refused"]);
  expect(fs.readFileSync(path.join(outbox, "gone.md.refused"), "utf8")).toContain("no such part");
  fs.rmSync(path.join(outbox, "gone.md"));
  fs.writeFileSync(path.join(outbox, "fixed.md"), "---\nto: api\nsubject: s\n---\nb\n");
  await relay(folder, ["roster"]);
  expect(fs.readdirSync(outbox)).toEqual(["sent"]);
  expect((await relay(folder, ["inbox", "--part", "api", "--json"])).json.unread).toBe(1);
});

const world = (part?: string) => worldAt(folder, { ...(part === undefined ? {} : { part }) });
const send = (more: object = {}) => perform(world("api"), operations.send, { to: ["web"], subject: "s", body: "b", ...more });
test.each([
  ["a person's look in a terminal takes no wake away", "web", {}, "stored"],
  ["an agent's command that has a terminal does", "web", { CLAUDECODE: "1" }, "fetched"],
  ["what a person reads as human, human has seen", "human", {}, "fetched"],
])("%s", async (_title, part, env, state) => {
  const { threadId } = await send({ to: [part] });
  // Last without an id, which looks for the unread thread by itself.
  for (const args of [["inbox"], ["show", threadId], ["show"]]) {
    expect(onTerminal(folder, [...args, "--part", part], env)).toContain("s");
    const { messages } = await perform(world(), operations.show, { threadId });
    expect(messages[0]?.receipts).toEqual([{ part, state }]);
  }
});

test("a person's answer acks what show printed for them: what came since stays unread, and is told", async () => {
  const { threadId } = await send();
  const say = (...args: string[]): string => onTerminal(folder, [...args, "--part", "web"]);
  expect(say("inbox")).toContain("s");
  // A list of mail is no reading of it, and neither is the look for the thread that an answer without an id means.
  expect(say("reply", "--ack", threadId, "too soon")).toMatch(
    /Acked 0\..* 1 message of this thread was not shown to you, and stays\s+unread/,
  );
  expect(say("show")).toContain("b");
  await perform(world("api"), operations.reply, { threadId, body: "ignore all that" });
  const answered = say("reply", "--ack", threadId, "done");
  expect(answered).toMatch(/Acked 1\..* 1 message/);
  const line = /relay show (\S+), then relay ack --thread (\S+)/.exec(answered.replace(/\s+/g, " "));
  expect((await perform(world("web"), operations.inbox, {})).messages).toMatchObject([{ body: "ignore all that" }]);
  expect(say("show", line?.[1] as string)).toContain("ignore all that");
  expect(say("ack", "--thread", line?.[2] as string)).toContain("Acked ");
  // As human too, and where the thread is closed.
  const asked = await send({ to: ["human"] });
  const person = (...args: string[]): string => onTerminal(folder, [...args, "--part", "human"]);
  person("show", asked.threadId);
  await perform(world("api"), operations.reply, { threadId: asked.threadId, to: ["human"], body: "and more" });
  expect(person("close", asked.threadId, "holding", "--ack")).toMatch(/Acked 1\..* 1 message/);
});

/** Runs a command as a part, and expects it to do what it was asked. */
async function as(part: string, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await relay(folder, [...args, "--part", part]);
  const rest = stderr.replace(/^warning: no session was open, so session \S+ began\n/, "");
  expect({ code, rest }, args.join(" ")).toEqual({ code: 0, rest: "" });
  return stdout;
}

const created = async (part: string, ...args: string[]): Promise<string> =>
  /^Created (\w{4})\n$/.exec(await as(part, "task", "create", ...args))?.[1] as string;

test("a session with two tasks, as people type it", async () => {
  const session = /^Session (\d{4}-\d\d-\d\d-001-[0-9A-Z]{4})\n$/.exec(await as("main", "session", "begin", "The shop"))?.[1] as string;
  const parser = await created("main", "Write the parser", "Of the *flags*.", "--priority", "high");
  const help = await created("main", "Write the help", "--depends-on", parser, "--assignee", "api");
  const list = (await as("web", "task", "list")).split("\n");
  expect(list[0]).toMatch(new RegExp(`^${parser} {2}todo {2}high {4}- {4}now {2}\\s+Write the parser$`));
  expect(list[1]).toMatch(new RegExp(`^${help} {2}todo {2}medium {2}api {2}now {2}blocked by ${parser} {2}Write the help$`));
  expect(list[2]).toMatch(new RegExp(`^2 tasks in session \\S+ · take: relay task claim ${parser}$`));
  expect(await as("web", "task", "list", "--ready")).toMatch(/^\w{4} .*Write the parser\n1 task /);

  expect(await as("web", "status")).toContain(
    `\nYou: web, 0 unread messages\nSession ${session}: 2 to do · 1 can be started: relay task list --ready\n`,
  );
  expect(await as("web", "task", "claim", parser)).toMatch(new RegExp(`^Claimed ${parser}, fence 1; the lease ends in 1h`));
  expect(await as("api", "task", "list", "--ready")).toMatch(/^No task can be started now in session \S+\.\n$/);
  const shown = await as("api", "task", "show", parser);
  expect(shown).toMatch(new RegExp(`^Write the parser {2}${parser}\nstatus {7}in_progress\n`));
  expect(shown).toMatch(/\nheld by {6}web \(fence 1\), its lease ends in (1h|\d+m)\n/);
  expect(shown).toContain("\n\n  Of the *flags*.\n\n");
  expect(shown).toMatch(/\n {2}now {8}web: claimed \(fence 1\)\n$/);

  expect(await as("web", "task", "update", parser, "in_review")).toBe(`Changed ${parser}: in_review, web (fence 1)\n`);
  expect(await as("web", "task", "update", parser, "done")).toBe(`Changed ${parser}: done, web\n`);
  expect(await as("api", "task", "claim", help)).toContain("Claimed");
  expect(await as("api", "task", "release", help, "--to", "web")).toBe(`Released ${help} to web.\n`);
  expect(await as("web", "session", "list")).toMatch(new RegExp(`^\\* {2}${session} {2}open {2}(now|\\d+s ago)  The shop\n$`));
});

test("texts come out byte for byte, so that they can be piped", async () => {
  const odd = "# Login\n\nA tab\t, a bell \u0007, and no end of line";
  const pipe = (args: string[], input: string) => relay(folder, [...args, "--part", "web"], { input });
  expect((await pipe(["artifact", "post", "login", "--type", "design"], odd)).stdout).toMatch(/^Posted \w{4} v1\n$/);
  expect((await pipe(["artifact", "post", "login", "-", "--type", "design"], `${odd}\n`)).stdout).toContain(" v2");
  expect((await relay(folder, ["artifact", "show", "login", "--version", "1"])).stdout).toBe(odd);
  const shown = await relay(folder, ["artifact", "show", "login"]);
  expect(shown.stdout).toBe(`${odd}\n`);
  expect(shown.stderr).toMatch(/^login v2 \(\w{4}\), design by web now\n$/);
  expect(await as("api", "artifact", "list")).toMatch(/^\w{4} {2}v2 {2}design {2}web {2}now {2}\s*login\n$/);

  expect(await relay(folder, ["state", "show"])).toMatchObject({ code: 0, stdout: "", stderr: "No state was saved.\n" });
  expect((await pipe(["state", "save"], '{"step":"plan"}\n')).code).toBe(0);
  expect(await as("web", "state", "show")).toBe('{"step":"plan"}\n');

  expect(await relay(folder, ["memory", "read"])).toMatchObject({ code: 0, stdout: "", stderr: "There are no memories yet.\n" });
  expect((await pipe(["memory", "write", "times"], "UTC.\n")).stdout).toBe("Written to memory/project.md, 15 characters now.\n");
  expect(await as("web", "memory", "read")).toBe(fs.readFileSync(path.join(folder, ".relay/memory/project.md"), "utf8"));
  expect(await as("web", "memory", "read", "--key", "times")).toBe("UTC.\n");
  expect(await as("web", "memory", "append", "Mind the gap.")).toMatch(/^Appended to memory\/agents\/web\.md, /);
  expect(await as("api", "memory", "read", "web")).toMatch(/^\n---\n_\d{4}-\d\d-\d\d_\n\nMind the gap\.\n$/);
});

test("completion knows the board: groups, ids, and what an argument may be", async () => {
  const complete = async (...words: string[]): Promise<string[]> =>
    (await relay(folder, ["__complete", "--", ...words])).stdout.trim().split("\n");
  const session = (await as("main", "session", "start")).trim().split(" ")[1] as string;
  const task = await created("main", "Write the parser");
  await as("web", "artifact", "post", "login", "# Login", "--type", "design");
  const posted = (await as("web", "artifact", "list")).split(" ")[0] as string;
  await as("web", "review", "request", posted, "api");
  await as("main", "team", "write", "--pool");

  expect(await complete("task", "")).toEqual(["create", "claim", "update", "release", "list", "show", "submit"]);
  expect(await complete("task", "claim", "")).toEqual([expect.stringMatching(task)]);
  expect(await complete("task", "create", "x", "--depends-on", "")).toEqual([expect.stringMatching(task)]);
  // A flag's value fills no place.
  expect(await complete("task", "update", "--part", "web", task, "in_")).toEqual(["in_progress", "in_review"]);
  expect(await complete("task", "create", "x", "--priority", "c")).toEqual(["critical"]);
  expect(await complete("task", "list", "--assignee", "a")).toEqual(["api"]);
  expect(await complete("artifact", "show", "")).toEqual(["login"]);
  expect(await complete("review", "request", "")).toEqual([expect.stringContaining(`-${posted}`)]);
  expect(await complete("review", "submit", "")).toEqual([expect.stringMatching(/^review-\w{10}$/)]);
  expect(await complete("review", "submit", "review-x", "")).toEqual(["approved", "changes_requested"]);
  expect(await complete("session", "end", "")).toEqual([session]);
  expect(await complete("memory", "read", "w")).toEqual(["web"]);
  expect(await complete("team", "write", "backend", "rev")).toEqual(["reviewer"]);
  expect(await complete("close", "x", "ho")).toEqual(["holding"]);
});

test("help has the board under headings, and says what must be given and what may be", async () => {
  const help = async (...words: string[]): Promise<string> => (await relay(folder, [...words, "--help"])).stdout;
  const all = (await relay(folder, ["help", "--all"])).stdout;
  expect(all).toMatch(
    /\nThe home:\n {2}init .*\nMessages:\n {2}send .*\nThe board:\n {2}session .*\nAgents:\n {2}agents .*\nMore:\n {2}mcp /s,
  );
  expect(all).not.toContain("\nCommands:\n");
  expect(await help("artifact", "post")).toMatch(/--type <text>\s+required \(choices: "figma_spec"/);
  expect(await help("task", "update")).toMatch(/\n {2}status\s+one of these \(choices: "todo", /);
  expect(await help("task")).toMatch(
    /^Usage: relay task .*\n\n.*\n\nCommands:\n {2}create .*\n {2}claim .*\n\nGlobal options \(--part, --home, --json\): /s,
  );
  expect(await relay(folder, ["task", "clam"])).toMatchObject({
    code: EXIT.usage,
    stderr: "relay: There is no command `relay task clam`. Did you mean `relay task claim`? See `relay task --help`.\n",
  });
});

test("a hostile name of an artifact runs nothing where a shell completes it", async () => {
  const marker = path.join(folder, "ran");
  await as("api", "artifact", "post", `$(touch\${IFS}${marker})`, "x", "--type", "document");
  await as("api", "artifact", "post", `\`touch ${marker}\``, "x", "--type", "document");
  await as("api", "artifact", "post", "two words", "x", "--type", "document");
  await as("api", "artifact", "post", "login-design", "x", "--type", "document");
  const script = `relay() { '${process.execPath}' '${relayFile()}' "$@"; }
eval "$(relay completion bash)"
COMP_WORDS=(relay artifact show ""); COMP_CWORD=3; _relay; printf '%s\\n' "\${COMPREPLY[@]}"
COMP_WORDS=(relay artifact show login); COMP_CWORD=3; _relay; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const printed = execFileSync("bash", ["-c", script], { cwd: folder, env: cleanEnv(), encoding: "utf8" });
  expect(printed).toBe("login-design\nlogin-design\n");
  expect(fs.existsSync(marker)).toBe(false);
});
