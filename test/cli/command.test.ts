import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { EXIT, operationList } from "../../protocol/index.ts";
import { homeWith } from "../rig/home.ts";
import { relay, startRelay } from "../rig/processes.ts";
import { put, scratch, until } from "../rig/scratch.ts";

let folder: string;
beforeEach(async () => {
  folder = await homeWith("web", "api");
});

test("a conversation, as people type it", async () => {
  const sent = await relay(folder, ["send", "web,main", "Price?", "Which field?", "--part", "api", "--urgent", "--tags", "cart,money"]);
  expect(sent).toMatchObject({ code: 0, stderr: "" });
  expect(sent.stdout).toMatch(/^Sent \w{8}-1 to web, main\.\n$/);
  const inbox = await relay(folder, ["inbox", "--part", "web"]);
  expect(inbox.stdout).toMatch(/^! {2}\w{8}-1 {2}\w{8} {2}api {2}now {2}Price\? — Which field\?/);
  const thread = /relay show (\w+)/.exec(inbox.stdout)?.[1] as string;
  const message = /relay ack ([\w-]+)/.exec(inbox.stdout)?.[1] as string;
  expect((await relay(folder, ["reply", thread, "-", "--part", "web", "--keep"], { input: "It is\n`amount`.\n" })).code).toBe(0);
  expect((await relay(folder, ["ack", message, "--part", "web"])).stdout).toBe("Acked api: Price?; 0 unread left.\n");
  const shown = await relay(folder, ["show", thread]);
  expect(shown.stdout).toContain("│ It is\n│ `amount`.\n");
  expect(shown.stdout).toContain("[web replied, main stored]");
  expect((await relay(folder, ["threads"])).stdout).toMatch(/answered .* 2 messages .* api, web, main {2}Price\?\n$/);
  expect((await relay(folder, ["search", "amount"])).stdout).toContain("1 hit");
  expect((await relay(folder, ["close", thread, "--part", "api", "--lesson", "cents"])).stdout).toContain("is closed");
  expect((await relay(folder, ["status"])).stdout).toContain("closed");
  expect((await relay(folder, ["doctor"])).stdout).toMatch(/^note .*No problems, 1 note: /ms);
});

test("search prints its hits for people", async () => {
  const session = "2026-01-31-001-K3F9";
  await relay(folder, ["send", "api", "Price?", "in cents", "--part", "web"]);
  const { json } = await relay(folder, ["task", "create", "The price", "in cents", "--session", session, "--part", "web", "--json"]);
  await relay(folder, ["session", "save", session, "The price is in cents.", "--part", "web"]);
  const { stdout, stderr } = await relay(folder, ["search", "CENTS", "--with", "web"]);
  const piece = json.task_id.slice("task-".length).slice(0, 4);
  expect(stdout).toMatch(new RegExp(`^${piece} +now {2}task {2}The price — in cents\\n\\w{8} +now +Price\\? — in cents\\n2 hits\\n$`));
  expect(stderr).toBe("");
  expect((await relay(folder, ["search", "price is"])).stdout).toBe(`K3F9  now  Summary of ${session} — The price is in cents.\n1 hit\n`);
  expect(await relay(folder, ["search", "cents", "--with", "wbe"])).toMatchObject({
    code: 0,
    stdout: "No hits.\n",
    stderr: 'warning: "wbe" is not a part or a guest of this project; did you mean "web"?\n',
  });
});

describe("--json is one documented object on stdout, failures too", () => {
  test("success", async () => {
    const { json, stderr, stdout } = await relay(folder, ["inbox", "--part", "web", "--json"]);
    expect(json).toEqual({ schema: 1, success: true, messages: [], unread: 0, cursor: null });
    expect(stdout.endsWith("}\n")).toBe(true);
    expect(stderr).toBe("");
  });

  const REFUSED: [args: string[], exit: number, code: string][] = [
    [["send", "wbe", "s", "b", "--part", "api"], EXIT.notFound, "unknown_part"],
    [["send", "api", "s", "b", "--part", "api"], EXIT.refused, "to_self"],
    [["send", "web", "s", "b"], EXIT.usage, "who_are_you"],
    [["send", "web", "s", "", "--part", "api"], EXIT.usage, "invalid_argument"],
    [["inbox", "--part", "web", "--limit", "many"], EXIT.usage, "invalid_argument"],
    [["inbox", "--part", "web", "--limt", "3"], EXIT.usage, "usage"],
    [["threads", "--status", "ended"], EXIT.usage, "usage"],
    [["inbx"], EXIT.usage, "usage"],
    [["show"], EXIT.usage, "who_are_you"],
    [["show", "--part", "web"], EXIT.usage, "usage"],
    [["show", "t-20260131-zzzzzzzz"], EXIT.notFound, "unknown_thread"],
    [["part", "add", "web"], EXIT.refused, "part_exists"],
    [["part", "add", "a.b"], EXIT.usage, "bad_part"],
    [["event", "x", "--usage", "{", "--part", "web"], EXIT.usage, "invalid_argument"],
    [["whoami", "--home", "/nowhere"], EXIT.noHome, "no_home"],
  ];
  test("failures", async () => {
    for (const [args, exit, code] of REFUSED) {
      const ran = await relay(folder, [...args, "--json"]);
      expect([ran.code, ran.stderr], args.join(" ")).toEqual([exit, ""]);
      expect(ran.json).toMatchObject({ schema: 1, success: false, code, error: expect.any(String) });
      const said = await relay(folder, args);
      expect(said, args.join(" ")).toMatchObject({ code: exit, stdout: "" });
      expect(said.stderr).toMatch(/^relay: /);
      expect(said.stderr).not.toMatch(/\n {4}at /);
    }
  });
});

test("a format of a version to come is refused where the home never could be read", async () => {
  fs.writeFileSync(path.join(folder, ".relay/relay.yml"), "format: 99\n");
  fs.rmSync(path.join(folder, ".relay/local"), { recursive: true });
  expect(await relay(folder, ["inbox", "--part", "web", "--json"])).toMatchObject({
    code: EXIT.format,
    json: { code: "unsupported_format", given: 99, supported: 2 },
  });
});

test("help teaches: every command has a summary, an example, and the examples run", async () => {
  const help = (await relay(folder, ["help", "--all"])).stdout;
  for (const operation of operationList) {
    expect(help, operation.name).toContain(operation.command.split(" ")[0]);
    const own = await relay(folder, [...operation.command.split(" "), "--help"]);
    expect(own.code, operation.name).toBe(0);
    expect(own.stdout.replace(/\s+/g, " "), operation.name).toContain(operation.summary);
    expect(own.stdout, operation.name).toContain("Example:");
    for (const common of ["--home", "--part", "--json"]) expect(own.stdout, operation.name).toContain(common);
  }
  expect(await relay(folder, [])).toMatchObject({ code: EXIT.usage });
  expect((await relay(folder, ["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+ \(.+\)\n$/);
});

test("times are shown in the reader's zone", async () => {
  const sent = await relay(folder, ["send", "web", "s", "b", "--part", "api", "--json"]);
  const [here, there] = await Promise.all(
    ["UTC", "Asia/Tokyo"].map((zone) => relay(folder, ["show", sent.json.threadId], { env: { TZ: zone } })),
  );
  const hour = (text: string): number => Number(/ (\d\d):\d\d\n/.exec(text)?.[1]);
  expect((hour(there?.stdout as string) - hour(here?.stdout as string) + 24) % 24).toBe(9);
});

test("watch follows what happens, as JSON lines, and ends on SIGTERM", async () => {
  await relay(folder, ["send", "web", "before", "b", "--part", "api"]);
  const child = startRelay(folder, ["watch", "--json", "--last", "1"]);
  let printed = "";
  child.stdout.on("data", (text) => (printed += String(text)));
  await until("the earlier line", () => printed.includes("before"));
  await relay(folder, ["send", "web", "after", "b", "--part", "api"]);
  const lines = await until("the new line", () => (printed.split("\n").length > 2 ? printed.trim().split("\n") : null));
  expect(lines.map((text) => JSON.parse(text))).toMatchObject([
    { type: "message:sent", part: "api", subject: "before" },
    { type: "message:sent", part: "api", subject: "after", to: ["web"] },
  ]);
  child.kill("SIGTERM");
  expect((await once(child, "exit"))[0]).toBe(0);
});

test("a reader that goes away is no fault", async () => {
  for (let round = 0; round < 3; round += 1) await relay(folder, ["send", "web", "s", "b".repeat(60_000), "--part", "api"]);
  const child = startRelay(folder, ["threads"]);
  (child.stdout as unknown as { destroy(): void }).destroy();
  expect((await once(child, "exit"))[0]).toBe(0);
});

test("git relay and completion know commands, flags, parts and threads", async () => {
  const complete = async (...words: string[]): Promise<string[]> =>
    (await relay(folder, ["__complete", "--", ...words])).stdout.trim().split("\n");
  expect(await complete("in")).toEqual(["init", "info", "inbox"]);
  expect(await complete("part", "")).toEqual(["add", "rename", "remove", "set-main", "here", "list", "deliver"]);
  expect(await complete("send", "w")).toEqual(["web"]);
  expect(await complete("inbox", "--part", "a")).toEqual(["api"]);
  expect(await complete("inbox", "--un")).toEqual([""]);
  expect(await complete("inbox", "--al")).toEqual(["--all"]);
  expect(await complete("threads", "--status", "ho")).toEqual(["holding"]);
  await relay(folder, ["send", "web", "s", "b", "--part", "api"]);
  expect((await complete("show", ""))[0]).toMatch(/^\w{8}$/);
  for (const shell of ["bash", "zsh", "fish"]) expect((await relay(folder, ["completion", shell])).stdout).toContain("relay __complete");
  expect((await relay(folder, ["completion", "tcsh"])).code).toBe(EXIT.usage);
});

test("the demonstration opens its page in a browser, and leaves nothing when asked to", async () => {
  // What is wrong with the agents of who demonstrates is no part of it.
  const user = scratch();
  put(path.join(user, ".codex/config.toml"), '[mcp_servers.relay]\ncommand = "/nowhere/relay.cjs"\nargs = ["mcp"]\n');
  // What stands for the browser notes the link.
  const opener = path.join(user, "xdg-open");
  fs.writeFileSync(opener, `#!/bin/sh\necho "$1" >> '${user}/opened'\n`, { mode: 0o755 });
  const env = { HOME: user, CODEX_HOME: path.join(user, ".codex"), PATH: `${user}:${process.env["PATH"]}` };
  const demo = startRelay(scratch(), ["demo", "--all", "--clean", "--dashboard"], env);
  const ran = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) demo[name].on("data", (text) => (ran[name] += text));
  const opened = path.join(user, "opened");
  await until("the page is opened", () => fs.existsSync(opened) && fs.readFileSync(opened, "utf8").endsWith("\n"));
  const link = fs.readFileSync(opened, "utf8").trim();
  expect(await (await fetch(link)).text()).toContain("Opening the page.");
  await until("all has played", () => ran.stdout.includes("The page is served until Ctrl-C.") || demo.exitCode !== null);
  // The command line of the browser has a link that counts once; the one that is printed has the token.
  expect(link).toMatch(/\?once=/);
  expect(ran.stdout).toMatch(new RegExp(`${new URL(link).origin}/\\w+/\\?token=`));
  demo.kill("SIGINT");
  await until("it ends", () => demo.exitCode !== null || demo.signalCode !== null);
  expect([demo.exitCode, ran.stderr]).toEqual([0, ""]);
  await expect(fetch(link)).rejects.toThrow();
  expect(ran.stdout).not.toContain("origin unknown");
  expect(ran.stdout).toContain("Healthy");
  // Of the processes that raced exactly one claimed the task; the other claim is said by the agent over MCP.
  expect(ran.stdout.match(/^ {2}Claimed \w{4}, fence 1/gm)).toHaveLength(1);
  expect(ran.stdout.match(/^ {2}Not claimed \w{4}: .*held by \w+ \(fence 1\)/gm)).toHaveLength(5);
  expect(ran.stdout).toMatch(/\n {2}Submitted \w{4}: approved\n/);
  expect(ran.stdout).toMatch(/\n {2}Ended \d{4}-\d\d-\d\d-001-\w{4}: .*\. Summary: /);
  // The lead heard of the crash, and answered all the same.
  expect(ran.stdout).toContain("shop-lead (ok): developer (ok): Every price has its tax.; tester (failed): (failed)");
  expect(ran.stdout).toMatch(/\n {2} +tester +shop\/tester +failed /);
  const made = /Made: (\S+)/.exec(ran.stdout)?.[1] as string;
  const stage = path.dirname(path.dirname(made));
  expect(fs.existsSync(stage)).toBe(false);
  // Whatever HOME says, this is where Relay keeps what belongs to nobody's demonstration.
  const places = path.join(os.userInfo().homedir, ".local/state/relay/places");
  const kept = fs.existsSync(places) ? fs.readdirSync(places).map((name) => path.join(places, name, "place.json")) : [];
  expect(kept.filter((file) => fs.existsSync(file) && fs.readFileSync(file, "utf8").includes(stage))).toEqual([]);
});
