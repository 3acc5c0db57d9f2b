import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { EXIT } from "../../protocol/index.ts";
import { homeWith } from "../rig/home.ts";
import { relay, relayFile } from "../rig/processes.ts";
import { cleanEnv } from "../rig/scratch.ts";

let folder: string;
beforeEach(async () => {
  folder = await homeWith("web", "api");
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
  expect(await as("web", "task", "claim", parser)).toMatch(new RegExp(`^Claimed ${parser}, fence 1; the lease ends in \\d+m`));
  expect(await as("api", "task", "list", "--ready")).toMatch(/^No task can be started now in session \S+\.\n$/);
  const shown = await as("api", "task", "show", parser);
  expect(shown).toMatch(new RegExp(`^Write the parser {2}${parser}\nstatus {7}in_progress\n`));
  expect(shown).toMatch(/\nheld by {6}web \(fence 1\), its lease ends in \d+m\n/);
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
