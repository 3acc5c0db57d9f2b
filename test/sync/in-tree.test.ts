/** Homes that are files of the code: what git does with them, and what Relay says of it. */
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { mergeFile } from "../../protocol/sync/sync/in-tree.ts";
import { act } from "../rig/clones.ts";
import { relay, relayFile } from "../rig/processes.ts";
import { commitAll, git, put, putAll, repository, scratch } from "../rig/scratch.ts";

/** A repository whose home, with the parts `web` and `api`, is committed. */
async function inTree(): Promise<string> {
  const code = repository();
  await act(code, undefined, "init", { parts: ["web", "api"], inTree: true });
  commitAll(code, "home");
  byRelay(code);
  return code;
}

const home = (code: string, ...names: string[]): string => path.join(code, ".relay", ...names);

/** Has git merge by the built command, as `relay init` does. */
const byRelay = (code: string): string => git(code, "config", "merge.relay.driver", `node ${relayFile()} merge-file %O %A %B %P`);

function cloneOf(code: string): string {
  const clone = path.join(path.dirname(code), "clone");
  git(path.dirname(code), "clone", "--quiet", code, clone);
  byRelay(clone);
  return clone;
}

describe("two branches that both wrote", () => {
  test("tasks, memory, threads, settings and claims: git merges them without a conflict, and both are there", async () => {
    const one = await inTree();
    const { session_id } = await act(one, "main", "start_session");
    const task = async (title: string): Promise<string> => (await act(one, "main", "create_task", { session_id, title })).task_id;
    const [edited, contested] = [await task("edited"), await task("contested")];
    const { threadId } = await act(one, "web", "send", { to: ["api"], subject: "s", body: "b" });
    await act(one, "main", "write_memory", { key: "base", content: "of both" });
    putAll(one, { ".gitattributes": "* merge=relay\n", "--help": "a\nb\nc\nd\n" });
    commitAll(one, "base");
    const two = cloneOf(one);
    await act(one, "main", "update_task", { session_id, task_id: edited, title: "renamed" });
    await act(two, "main", "update_task", { session_id, task_id: edited, priority: "high" });
    await act(one, "web", "claim_task", { session_id, task_id: contested });
    await act(one, "web", "release_task", { session_id, task_id: contested });
    await act(two, "api", "claim_task", { session_id, task_id: contested });
    await act(one, "main", "write_memory", { key: "one", content: "from one" });
    await act(two, "main", "write_memory", { key: "two", content: "from two" });
    await act(one, "web", "close", { threadId, status: "holding" });
    await act(two, "web", "close", { threadId });
    await act(one, undefined, "part_add", { part: "docs" });
    await act(two, undefined, "part_add", { part: "ops" });
    putAll(one, { "--help": "one\nb\nc\nd\n" });
    putAll(two, { "--help": "a\nb\nc\ntwo\n" });
    commitAll(one, "one");
    commitAll(two, "two");
    git(two, "pull", "--quiet", "--no-rebase", "--no-edit");
    expect(fs.readFileSync(path.join(two, "--help"), "utf8")).toBe("one\nb\nc\ntwo\n");
    const { task: merged } = await act(two, "main", "show_task", { session_id, task_id: edited });
    expect(merged).toMatchObject({ title: "renamed", priority: "high" });
    expect((await act(two, "main", "show_task", { session_id, task_id: contested })).task).toMatchObject({ status: "todo" });
    expect(await act(two, "main", "claim_task", { session_id, task_id: contested })).toMatchObject({ claimed: true });
    const memory = fs.readFileSync(home(two, "memory/project.md"), "utf8");
    for (const words of ["of both", "from one", "from two"]) expect(memory).toContain(words);
    expect((await act(two, "main", "show", { threadId })).thread).toMatchObject({ status: "closed" });
    expect(fs.readFileSync(home(two, "relay.yml"), "utf8")).toMatch(/docs: \{\}\n {2}ops: \{\}|ops: \{\}\n {2}docs: \{\}/);
    expect(await act(two, undefined, "check")).toMatchObject({ findings: [] });
  });

  test("a clone whose git merges line by line is named, and doctor --fix has Relay merge", async () => {
    const one = await inTree();
    const two = cloneOf(one);
    git(two, "config", "--unset", "merge.relay.driver");
    expect((await act(two, undefined, "doctor")).findings.map(({ code }: { code: string }) => code)).toEqual(["no_merge_driver"]);
    expect(await act(two, undefined, "doctor", { fix: true })).toMatchObject({ ok: true, findings: [] });
    expect(git(two, "config", "merge.relay.driver")).toContain("merge-file -- %O %A %B %P");
  });
});

test("a merge of a file below another folder of that name, or a link, writes nothing beside it", async () => {
  const [code, outside] = [await inTree(), scratch()];
  put(path.join(code, "docs/a"), "");
  fs.symlinkSync(outside, path.join(code, "docs/.relay"));
  const [base, ours, theirs] = ["base", "ours", "theirs"].map((name) => path.join(outside, name)) as [string, string, string];
  for (const file of [base, ours, theirs]) fs.writeFileSync(file, `${"same\n".repeat(20)}${path.basename(file)}\n`);
  await mergeFile(code, { base, ours, theirs }, "docs/.relay/sessions/2026-01-31-001-K3F9/summary.md");
  expect(fs.readdirSync(outside).sort()).toEqual(["base", "ours", "theirs"]);
});

test("ignored places of a home are named by init, doctor and check, with the rule", async () => {
  const code = repository();
  fs.writeFileSync(path.join(code, ".gitignore"), ".relay/session-agents*.yml\n.relay/sessions/\n");
  commitAll(code, "rules");
  const { warning } = await act(code, undefined, "init", { parts: ["web"], inTree: true });
  for (const words of ["sessions/", ".gitignore:2", "session-agents-*.yml"]) expect(warning).toContain(words);
  const codes = async (name: "doctor" | "check"): Promise<string[]> =>
    (await act(code, undefined, name)).findings.map((each: { code: string; path: string }) => `${each.code} ${each.path}`);
  const expected = ["ignored_by_git session-agents-*.yml", "ignored_by_git sessions/"];
  for (const name of ["doctor", "check"] as const) expect((await codes(name)).sort()).toEqual(expected);
  commitAll(code, "home");
  expect((await act(code, undefined, "check", { ref: "HEAD" })).ok).toBe(false);
  fs.rmSync(path.join(code, ".gitignore"));
  for (const name of ["doctor", "check"] as const) expect(await codes(name)).toEqual([]);
});

describe("a pull", () => {
  test("acked on one side, written on the other: the new mail is unread", async () => {
    const one = await inTree();
    const { messageId } = await act(one, "web", "send", { to: ["api"], subject: "s", body: "b" });
    commitAll(one, "sent");
    const two = cloneOf(one);
    await act(two, "api", "ack", { messageId });
    commitAll(two, "acked");
    const again = await act(one, "web", "send", { to: ["api"], subject: "again", body: "b" });
    commitAll(one, "sent again");
    git(two, "pull", "--quiet", "--no-rebase", "--no-edit");
    expect((await act(two, "api", "inbox")).messages.map((message: { messageId: string }) => message.messageId)).toEqual([again.messageId]);
    expect(await act(two, undefined, "check")).toMatchObject({ findings: [] });
    expect(await act(two, undefined, "doctor")).toMatchObject({ findings: [] });
  });

  test("settings that change line ends leave messages as they are", async () => {
    const one = await inTree();
    const { messageId } = await act(one, "web", "send", { to: ["api"], subject: "s", body: "b" });
    commitAll(one, "sent");
    const two = path.join(path.dirname(one), "windows");
    git(path.dirname(one), "clone", "--quiet", "--config", "core.autocrlf=true", one, two);
    byRelay(two);
    expect(fs.readFileSync(path.join(two, "README.md"), "utf8")).toContain("\r\n");
    expect(await act(two, "api", "inbox")).toMatchObject({ messages: [{ messageId }] });
    expect(await act(two, undefined, "doctor")).toMatchObject({ findings: [] });
    expect(await act(two, undefined, "check")).toMatchObject({ findings: [] });
  });

  test("the file that keeps new/ there is made with each inbox, and counts nowhere", async () => {
    const code = await inTree();
    await act(code, undefined, "part_add", { part: "docs" });
    await act(code, undefined, "send", { agent_id: "guest-1", to: ["web"], subject: "s", body: "b" });
    await act(code, undefined, "part_rename", { from: "docs", to: "guide/text" });
    for (const part of ["main", "web", "api", "human", "guide/text", "guest-1"])
      expect(fs.readFileSync(home(code, "inbox", part, "new/.gitkeep"), "utf8"), part).toBe("");
    expect(fs.existsSync(home(code, "inbox/docs"))).toBe(false);
    expect(await act(code, "web", "inbox")).toMatchObject({ unread: 1 });
    expect(await act(code, "api", "inbox")).toMatchObject({ unread: 0, messages: [] });
    expect(await act(code, undefined, "part_remove", { part: "api" })).toEqual({ part: "api", unread: 0 });
    // What is left of a removed part is no mail, so another may have its name.
    expect(await act(code, undefined, "part_rename", { from: "guide/text", to: "api" })).toMatchObject({ part: "api" });
    expect(await act(code, undefined, "check")).toMatchObject({ findings: [] });
  });

  test("a home made before has it by `doctor --fix`; one with its own repository needs none", async () => {
    const code = await inTree();
    for (const part of ["main", "web", "api", "human"]) fs.rmSync(home(code, "inbox", part, "new/.gitkeep"));
    const { ok, findings } = await act(code, undefined, "doctor");
    expect([ok, findings.length, findings[0].code, findings[0].fixable]).toEqual([false, 4, "no_gitkeep", true]);
    expect(await act(code, undefined, "doctor", { fix: true })).toMatchObject({ ok: true, findings: [] });
    expect(git(code, "status", "--porcelain")).toBe("");
    const own = repository();
    await act(own, undefined, "init", { parts: ["web"] });
    expect(fs.readdirSync(home(own, "inbox/web/new"))).toEqual([]);
    expect(await act(own, undefined, "doctor")).toMatchObject({ findings: [] });
  });
});

describe("the folder deleted by hand", () => {
  test("every answer says how git brings it back, and no new home is made over it", async () => {
    const code = await inTree();
    const before = git(code, "rev-parse", "HEAD:.relay");
    fs.rmSync(home(code), { recursive: true });
    fs.mkdirSync(path.join(code, "deep"));
    for (const [cwd, args] of [
      [code, ["status"]],
      [path.join(code, "deep"), ["inbox", "--part", "web"]],
      [code, ["doctor"]],
      [code, ["check"]],
      [code, ["init"]],
      [code, ["init", "--in-tree", "web"]],
    ] as const) {
      const { json } = await relay(cwd, [...args, "--json"]);
      expect(json, args.join(" ")).toMatchObject({ code: "no_home", tracked: ".relay", top: code });
      expect(json.error).toContain(`Restore them in ${code}: \`git checkout -- .relay\`.`);
      expect(fs.existsSync(home(code)), args.join(" ")).toBe(false);
    }
    git(code, "checkout", "--", ".relay");
    expect(await act(code, undefined, "status")).toMatchObject({ project: { name: expect.any(String) } });
    expect([git(code, "rev-parse", "HEAD:.relay"), git(code, "status", "--porcelain")]).toEqual([before, ""]);
  });

  test("a file that was changed in it is not named for a checkout", async () => {
    const code = await inTree();
    fs.rmSync(home(code, "relay.yml"));
    fs.appendFileSync(home(code, "RELAY.md"), "Ours.\n");
    expect((await relay(code, ["status", "--json"])).json).toMatchObject({ tracked: ".relay/relay.yml" });
  });

  test("a refusal on a branch without a home names no files to restore", async () => {
    const code = await inTree();
    git(code, "checkout", "--quiet", "-b", "before", "HEAD~1");
    const { json } = await relay(code, ["status", "--json"]);
    expect(json).toMatchObject({ code: "no_home" });
    expect(json).not.toHaveProperty("tracked");
    expect((await relay(scratch(), ["status", "--json"])).json).not.toHaveProperty("tracked");
  });
});

describe("conflicts that git left", () => {
  const marks = "<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> 1234567 (them)\n";

  test("a pull that conflicts: check, doctor and the reader of a memory say so, with the line", async () => {
    const one = await inTree();
    await act(one, "web", "write_memory", { key: "money", content: "Amounts." });
    const { task_id } = await act(one, "web", "create_task", { title: "Pay" });
    commitAll(one, "begin");
    const two = cloneOf(one);
    for (const [code, who] of [
      [one, "cents"],
      [two, "francs"],
    ] as const) {
      await act(code, "web", "write_memory", { key: "money", content: `In ${who}.` });
      await act(code, "web", "update_task", { task_id, assignee: who === "cents" ? "web" : "api" });
      commitAll(code, who);
    }
    git(two, "config", "--unset", "merge.relay.driver");
    expect(() => git(two, "pull", "--quiet", "--no-rebase", "--no-edit")).toThrow();
    const [session = ""] = fs.readdirSync(home(two, "sessions"));
    const task = `sessions/${session}/tasks/${task_id}.md`;
    const lineIn = (at: string): number =>
      fs
        .readFileSync(home(two, at), "utf8")
        .split("\n")
        .findIndex((row) => row.startsWith("<<<")) + 1;
    const expected = [
      ["conflict", "memory/project.md", lineIn("memory/project.md")],
      ["conflict", task, lineIn(task)],
    ];
    const places = ({ findings }: { findings: { code: string; path: string; line: number }[] }): unknown[] =>
      findings.map(({ code, path, line }) => [code, path, line]).sort();
    byRelay(two);
    expect(places(await act(two, undefined, "check"))).toEqual(expected);
    expect(places(await act(two, undefined, "doctor"))).toEqual(expected);
    const { warning, content } = await act(two, "web", "read_memory");
    expect(content).toContain("<<<<<<<");
    expect(warning).toContain(`<<<<<<< in line ${expected[0]?.[2]}`);
    expect(await act(one, "web", "read_memory")).not.toHaveProperty("warning");
    commitAll(two, "left as it is");
    expect(places(await act(two, undefined, "check", { ref: "HEAD" }))).toEqual(expected);
  });

  test("in relay.yml, and half of one; not in words about one, nor in a heading", async () => {
    const code = await inTree();
    const config = fs.readFileSync(home(code, "relay.yml"), "utf8");
    fs.writeFileSync(home(code, "relay.yml"), `${config}${marks}`);
    const line = config.split("\n").length;
    for (const name of ["check", "doctor"] as const)
      expect((await act(code, undefined, name)).findings).toMatchObject([{ code: "conflict", path: "relay.yml", line }]);
    fs.writeFileSync(home(code, "relay.yml"), config);
    put(home(code, "memory/project.md"), "## a\n\n>>>>>>> them\n");
    expect((await act(code, undefined, "check")).findings).toMatchObject([{ code: "conflict", line: 3 }]);
    fs.writeFileSync(home(code, "memory/project.md"), "Heading\n=======\n\n    <<<<<<< HEAD\n\n<<<<<<<<<< ten\n");
    await act(code, "web", "send", { to: ["api"], subject: "Look", body: marks });
    expect(await act(code, undefined, "check")).toMatchObject({ findings: [] });
    expect(await act(code, undefined, "doctor")).toMatchObject({ findings: [] });
  });
});
