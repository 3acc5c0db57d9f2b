/** What people type and pipe, beyond the plain case; and what they have seen of the mail that a terminal shows them. */
import { spawn } from "node:child_process";
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
