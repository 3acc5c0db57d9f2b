import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { canLookBack, worldAtRecord } from "../../protocol/core/perform.ts";
import { operations, perform } from "../../protocol/index.ts";
import { names } from "../../protocol/store/read/list-folder.ts";
import { publish } from "../../protocol/store/write/publish.ts";
import { type Answer, act, project, shared } from "../rig/clones.ts";
import { makeGoodHome, makeTheRest, recordAll } from "../rig/good-home.ts";
import { worldAt } from "../rig/home.ts";
import { relay } from "../rig/processes.ts";
import { commitAll, git, repository, tree, until } from "../rig/scratch.ts";

let code: string;
let home: string;
beforeEach(async () => {
  code = await project("web", "api");
  home = path.join(code, ".relay");
});
const send = (part: string, to: string, subject: string): Promise<Answer> => act(code, part, "send", { to: [to], subject, body: "b" });
const record = (): Promise<Answer> => act(code, undefined, "record");
const run = async (...args: string[]): Promise<Answer> => (await relay(code, [...args, "--json"])).json;

describe("log", () => {
  test("all of it, of a part, of a thread, of a task; in pages", async () => {
    const { threadId } = await send("web", "api", "one");
    await record();
    await send("main", "web", "two");
    await record();
    const { session_id } = await act(code, "main", "start_session");
    const { task_id } = await act(code, "main", "create_task", { session_id, title: "t", description: "d", agent_id: "main" });
    await record();
    await act(code, "api", "claim_task", { session_id, task_id, agent_id: "api" });
    await record();
    const subjects = async (...args: string[]): Promise<string[]> =>
      (await run("log", ...args)).entries.map(({ subject }: Answer) => subject);
    expect(await subjects()).toEqual([
      "api: took 't'",
      "main: began a session, created 't'",
      "main: 1 message",
      "web: 1 message",
      "make the home",
    ]);
    expect((await subjects("--with", "web")).sort()).toEqual(["main: 1 message", "web: 1 message"]);
    expect(await subjects("--thread", threadId)).toEqual(["web: 1 message"]);
    expect(await subjects("--task", task_id)).toEqual(["api: took 't'", "main: began a session, created 't'"]);
    const first = await run("log", "--limit", "2");
    const rest = await run("log", "--limit", "200", "--cursor", first.cursor);
    expect([...first.entries, ...rest.entries]).toEqual((await run("log")).entries);
    expect(rest.cursor).toBeNull();
    const parents = git(home, "log", "--format=%P").trimEnd().split("\n");
    expect([...first.entries, ...rest.entries].map(({ parent }: Answer) => parent ?? "")).toEqual([...parents.slice(0, 4), ""]);
    expect(first.entries[0]).toMatchObject({ parts: ["api"], commit: git(home, "rev-parse", "HEAD").trim() });
    expect(await subjects("--task", task_id.slice("task-".length, -3))).toEqual(await subjects("--task", task_id));
    expect((await relay(code, ["log", "--task", "x"])).code).toBe(3);
    const long = "l".repeat(3_000);
    git(home, "commit", `--author=${long} <a@b>`, "--allow-empty", "-qm", `${long}\n\nRelay-Part: web\nRelay-Part: ${long}`);
    const [{ by, subject, parts }] = (await run("log", "--limit", "1")).entries;
    expect([by.length, subject.length, parts]).toEqual([80, 256, ["web"]]);
  });
});

describe("--at", () => {
  test("reading commands show the home as it was; what is there now stays untouched", async () => {
    await send("web", "api", "one");
    const { commit } = await record();
    const [unread] = (await act(code, "api", "inbox")).messages as Answer[];
    await act(code, "api", "ack", { messageId: unread.messageId });
    await act(code, "main", "write_memory", { key: "k", content: "later" });
    await act(code, undefined, "part_add", { part: "docs" });
    await send("web", "api", "two");
    await record();
    const before = shared(code);
    expect(await run("inbox", "--part", "api", "--at", commit)).toMatchObject({ unread: 1, messages: [{ subject: "one" }] });
    expect((await run("threads", "--at", commit.slice(0, 10))).threads).toHaveLength(1);
    expect(await run("show", unread.threadId, "--at", commit)).toMatchObject({
      messages: [{ receipts: [{ part: "api", state: "stored" }] }],
    });
    expect((await run("search", "two", "--at", commit)).total).toBe(0);
    expect(await run("threads", "--at", commit.slice(0, 8))).toMatchObject({ success: true, at: commit });
    expect((await relay(code, ["threads", "--at", commit])).stderr).toContain(`the home at commit ${commit.slice(0, 10)}`);
    expect(await run("status", "--at", commit)).toMatchObject({ home: fs.realpathSync(home), at: commit });
    expect((await relay(code, ["status", "--at", commit])).stdout).toContain(`at commit ${commit.slice(0, 10)}`);
    expect((await run("roster", "--at", commit)).parts.map(({ part }: Answer) => part)).not.toContain("docs");
    expect((await relay(code, ["memory", "read", "--at", commit])).stdout).not.toContain("later");
    expect((await run("threads", "--at", "HEAD")).threads).toHaveLength(2);
    expect(shared(code)).toEqual(before);
    expect(fs.existsSync(path.join(home, "run/at"))).toBe(false);
  });

  test("a time without seconds is the whole minute, as the log prints it", async () => {
    const made = new Date(git(home, "log", "-1", "--format=%cI").trim()).toISOString();
    await send("web", "api", "one");
    const answer = await run("threads", "--at", `${made.slice(0, 16)}Z`);
    expect(answer).toMatchObject({ success: true, at: git(home, "rev-parse", "HEAD").trim(), threads: [] });
    const earlier = new Date(Date.parse(made) - 60_000).toISOString();
    expect((await relay(code, ["threads", "--at", `${earlier.slice(0, 16)}Z`])).code).toBe(3);
  });

  test("search finds each kind as it was, with the time of the record that changed them", async () => {
    const { session_id } = await act(code, "main", "start_session");
    const { task_id } = await act(code, "main", "create_task", { session_id, title: "needle", description: "first" });
    await act(code, "main", "save_session_summary", { session_id, summary: "needle, first" });
    const artifact = { session_id, name: "Design", type: "design" };
    await act(code, "main", "post_artifact", { ...artifact, content: "needle" });
    await act(code, "main", "write_memory", { key: "k", content: "needle" });
    const { commit } = await record();
    const recorded = new Date(git(home, "log", "-1", "--format=%cI").trim()).toISOString();
    await until("the next second", () => Date.now() > Date.parse(recorded) + 1_100);
    await send("web", "api", "needle");
    await record();
    await act(code, "main", "save_session_summary", { session_id, summary: "second" });
    await act(code, "main", "post_artifact", { ...artifact, content: "later" });
    await act(code, "main", "write_memory", { key: "k", content: "later" });
    fs.rmSync(path.join(home, "sessions", session_id, "tasks", `${task_id}.md`));
    commitAll(home, "as a person does");
    expect((await run("search", "needle")).hits.map(({ kind }: Answer) => kind)).toEqual(["message"]);
    for (const [at, kinds] of [
      [commit, ["artifact", "memory", "summary", "task"]],
      ["HEAD~1", ["artifact", "memory", "message", "summary", "task"]],
    ] as const) {
      const { hits } = await run("search", "needle", "--at", at);
      // A commit knows the second only.
      expect(hits.map(({ kind }: Answer) => kind).sort()).toEqual(kinds);
      expect(hits.find(({ kind }: Answer) => kind === "memory")).toMatchObject({ at: recorded });
      expect(hits.find(({ kind }: Answer) => kind === "summary")).toMatchObject({ session_id, at: recorded, snippet: "needle, first" });
      expect(hits.find(({ kind }: Answer) => kind === "task")).toMatchObject({ task_id, snippet: "first" });
    }
    const since = new Date(Date.parse(recorded) + 1_000).toISOString();
    expect((await run("search", "needle", "--at", "HEAD~1", "--since", since)).hits).toMatchObject([{ kind: "message" }]);
    expect((await run("search", "second", "--at", "HEAD")).hits).toMatchObject([{ kind: "summary" }]);
  });

  test("every command that takes --at answers as it does of the home itself, and writes nothing", async () => {
    const good = await makeGoodHome(repository());
    await makeTheRest(good);
    recordAll(good.at());
    const [, day = "", random = ""] = /^dispatches\/([^/]+)\/([^/]+)\/dispatch\.md$/m.exec(good.files().join("\n")) ?? [];
    const shown = (): Record<string, string> => tree(good.at(), /^\.git(\/|$)/);
    // What lies outside of the records: where the home is, what this machine numbers and has, and how much of it there is.
    const machines = new Set(["status", "whoami", "get_server_info", "stats", "show", "roster"]);
    const past = await worldAtRecord(worldAt(good.folder, { part: "web" }), "HEAD");
    const names = (Object.keys(operations) as (keyof typeof operations)[]).filter((name) => canLookBack(operations[name]));
    expect(names.length).toBeGreaterThan(20);
    const answers: [name: keyof typeof operations, input: Record<string, unknown>, live: object][] = [];
    for (const name of names) {
      const { example } = operations[name];
      const known: Record<string, unknown> = {
        session_id: good.session,
        task_id: good.done,
        review_id: /reviews\/(review-\w+)\.md$/m.exec(good.files().join("\n"))?.[1],
        threadId: (good.messages[0] as string).split("/")[2],
        context: `t-${day.replaceAll("-", "")}-${random}`,
      };
      const input = Object.fromEntries(Object.entries(example).map(([key, value]) => [key, known[key] ?? value]));
      const live = await perform(worldAt(good.folder, { part: "web" }), operations[name], input);
      answers.push([name, input, live]);
    }
    const before = shown();
    for (const [name, input, live] of answers) {
      const then = await perform(past, operations[name], input);
      if (machines.has(name)) expect(Object.keys(then), name).toEqual(Object.keys(live));
      else expect(then, name).toEqual(live);
    }
    expect(shown()).toEqual(before);
  });

  test("a record has no file that a home cannot have, and its store is only to be read", async () => {
    await send("web", "api", "one");
    git(home, "add", "--all");
    // A link, and names that the layout does not know, are no files of a record.
    const link = git(home, "hash-object", "-w", "--stdin").trim();
    git(
      home,
      "update-index",
      "--add",
      "--cacheinfo",
      `120000,${link},threads/link`,
      "--cacheinfo",
      `100644,${link},local/config/relay.yml`,
    );
    git(home, "commit", "--quiet", "--message", "as a person does");
    const past = await worldAtRecord(worldAt(code, { part: "api" }), "HEAD");
    const { store } = past.home();
    expect(names(store, "threads").filter((name) => name === "link")).toEqual([]);
    expect([names(store, "local/config"), names(store, "threads/../inbox/none")]).toEqual([[], []]);
    expect(names(store, "threads/../inbox")).toEqual(["api"]);
    expect(() => publish(store, "memory/x.md", "x")).toThrow("only to be read");
  });

  test("a thing in the place of a folder of a commit is reported, and nothing in it is read", async () => {
    const commit = git(home, "rev-parse", "HEAD").trim();
    const blob = git(home, "hash-object", "-w", "--stdin").trim();
    for (const [mode, id, path, said] of [
      ["120000", blob, "threads", "it is a symbolic link in this commit"],
      ["160000", commit, "threads", "it is a submodule in this commit"],
      ["100644", blob, "threads", "it is a file in this commit"],
      ["100644", blob, "threads/a/b/c.md", "no name in it is a day"],
    ] as const) {
      git(home, "read-tree", "--empty");
      git(home, "read-tree", commit);
      git(home, "update-index", "--add", "--cacheinfo", `${mode},${id},${path}`);
      const made = git(home, "commit-tree", git(home, "write-tree").trim(), "-p", commit, "-m", said).trim();
      const past = await worldAtRecord(worldAt(code, { part: "web" }), made);
      const { threads, problems } = await perform(past, operations.threads, {});
      expect([said, threads, problems]).toEqual([said, [], [{ path: "threads", problem: expect.stringContaining(said) }]]);
    }
  });

  test("a clone that lacks objects says so, and fetches nothing", async () => {
    await send("web", "api", "needle");
    const { commit } = await record();
    const hub = path.join(path.dirname(code), "hub.git");
    git(code, "clone", "--quiet", "--mirror", path.join(code, ".git/relay"), hub);
    for (const [name, value] of [
      ["uploadpack.allowFilter", "true"],
      ["uploadpack.allowAnySHA1InWant", "true"],
    ] as const)
      git(hub, "config", name, value);
    const [, id = ""] = /^\d+ blob (\w+)\t.*\/1-\w+\.md$/m.exec(git(home, "ls-tree", "-r", commit, "threads/")) ?? [];
    const object = path.join(git(home, "rev-parse", "--absolute-git-dir").trim(), "objects", id.slice(0, 2), id.slice(2));
    fs.rmSync(object);
    const lacks = { success: false, code: "missing_object", object: id };
    expect(await run("search", "needle", "--at", commit)).toMatchObject(lacks);
    // As a clone with a filter is set up: git would fetch it at the first look.
    for (const [name, value] of [
      ["remote.hub.url", `file://${hub}`],
      ["remote.hub.fetch", "+refs/heads/*:refs/remotes/hub/*"],
      ["remote.hub.promisor", "true"],
      ["core.repositoryFormatVersion", "1"],
      ["extensions.partialClone", "hub"],
    ] as const)
      git(home, "config", name, value);
    // Git may end over it before it has named the object.
    for (const args of [["search", "needle"], ["search", "need+le", "--regex"], ["threads"], ["inbox", "--part", "api"]])
      expect(await run(...args, "--at", commit)).toMatchObject({
        success: false,
        code: expect.stringMatching(/^(missing_object|git_failed)$/),
      });
    expect(fs.existsSync(object)).toBe(false);
    expect(await run("threads", "--at", "HEAD~1")).toMatchObject({ success: true, threads: [] });
    // The command that the refusal names helps.
    const { error } = await run("search", "needle", "--at", commit);
    git(home, ...(/`git --git-dir \S+ (.*?)`/.exec(error)?.[1]?.split(" ") ?? []));
    expect((await run("search", "needle", "--at", commit)).total).toBe(1);
  });

  test("at a time; unknown commits and writing are refused", async () => {
    await send("web", "api", "one");
    await record();
    const at = new Date().toISOString();
    await until("the next second", () => Date.now() > Date.parse(at) + 1_100);
    await send("web", "api", "two");
    await record();
    expect((await run("threads", "--at", at)).threads).toHaveLength(1);
    expect(await run("threads", "--at", "1999-01-01")).toMatchObject({
      code: "unknown_commit",
      error: expect.stringMatching(/the first is of \d{4}-/),
    });
    for (const wrong of ["nothing", "--upload-pack=x", "HEAD:relay.yml"]) {
      expect(await run("threads", `--at=${wrong}`)).toMatchObject({ success: false, code: "unknown_commit" });
    }
    expect((await relay(code, ["ack", "x", "--at", "HEAD", "--part", "web"])).code).toBe(2);
    expect((await relay(code, ["log", "--with", "human"])).stdout).toBe("No commit touched that.\n");
  });

  test("a commit that says another date than it came at hides no moment, and is at none before it came", async () => {
    const dated = (seconds: number): string => {
      const date = `@${seconds} +0000`;
      const env = { ...process.env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
      const args = ["-c", "user.name=web", "-c", "user.email=web@relay", "commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", `At ${seconds}`];
      const commit = execFileSync("git", args, { cwd: home, env, encoding: "utf8" }).trim();
      git(home, "update-ref", "refs/heads/relay", commit);
      return commit;
    };
    const moved = (commit: string, date: string): string => {
      const log = path.join(git(home, "rev-parse", "--absolute-git-dir").trim(), "logs/refs/heads/relay");
      const lines = fs.readFileSync(log, "utf8").split("\n");
      const at = lines.findIndex((line) => line.split(" ")[1] === commit);
      lines[at] = (lines[at] as string).replace(/> \d+ [+-]\d{4}/, `> ${Date.parse(date) / 1_000} +0000`);
      fs.writeFileSync(log, lines.join("\n"));
      return commit;
    };
    const first = moved(git(home, "rev-parse", "HEAD").trim(), "2026-01-01T10:00:00Z");
    moved(dated(Date.parse("2026-01-02T10:00:03Z") / 1_000), "2026-01-02T10:00:03Z");
    moved(dated(Date.parse("2020-01-01") / 1_000), "2026-01-02T10:00:06Z");
    const forged = moved(dated(Date.parse("2020-01-02") / 1_000), "2026-01-03T10:00:00Z");
    const last = moved(dated(Date.parse("9999-01-01") / 1_000), "2026-01-04T10:00:00Z");
    const at = async (time: string): Promise<string> => {
      const answer = await run("threads", "--at", time);
      return answer.success ? answer.at : answer.code;
    };
    // Git keeps a log for 90 days, unless it is told otherwise.
    git(home, "gc", "--quiet");
    expect(await at("2020-06-01")).toBe("unknown_commit");
    for (const time of ["2026-01-02", "2026-01-02T10:00:01Z"]) expect(await at(time)).toBe(first);
    expect(await at("2026-01-03T10:00")).toBe(forged);
    expect(await at("2026-01-05")).toBe(last);
    expect(await at("9999-12-31T23:59-01:00")).toBe(last);
    // A clone that came later noted none of them: there a commit is no older than the one before it.
    const log = path.join(git(home, "rev-parse", "--absolute-git-dir").trim(), "logs/refs/heads/relay");
    const [made] = git(home, "log", "-1", "--format=%cI", first).trim().split("\n") as [string];
    fs.rmSync(log);
    expect(await at("2020-06-01")).toBe("unknown_commit");
    expect(await at(new Date(Date.parse(made) + 3_600_000).toISOString())).toBe(forged);
  });
});

test("diff tells what came, changed and went between two records, and a text before and after", async () => {
  await act(code, "main", "append_memory", { content: "One." });
  await send("web", "api", "one");
  const { commit: first } = await record();
  const [unread] = (await act(code, "api", "inbox")).messages as Answer[];
  await act(code, "api", "ack", { messageId: unread.messageId });
  await act(code, "main", "append_memory", { content: "Two." });
  await send("api", "web", "two");
  await record();
  const found = await run("diff", first);
  expect(Object.fromEntries(found.counts.map(({ word, added, changed, removed }: Answer) => [word, [added, changed, removed]]))).toEqual({
    ack: [1, 0, 0],
    memory: [0, 1, 0],
    message: [1, 0, 0],
  });
  expect(found.things.find(({ word }: Answer) => word === "ack").name).toBe(`api acked ${unread.messageId}`);
  expect(found).toMatchObject({ from: first, to: git(home, "rev-parse", "HEAD").trim(), whole: true });
  const { path: at } = found.things.find(({ word }: Answer) => word === "memory");
  const texts = await run("diff", first, "--path", at);
  expect([texts.before, texts.after]).toEqual([expect.not.stringContaining("Two."), expect.stringContaining("Two.")]);
  expect(texts.things).toMatchObject([{ word: "memory", change: "changed" }]);
  expect((await run("diff", first, "--limit", "1")).whole).toBe(false);
  expect(await run("diff", "--", "--output=x")).toMatchObject({ success: false, code: "unknown_commit" });
  expect((await relay(code, ["diff", first, first])).stdout).toContain("Nothing changed");
  // What has an id for a name is told by its title, too, also where it went.
  const second = git(home, "rev-parse", "HEAD").trim();
  await act(code, "web", "start_session", { session_id: "titled" });
  const { task_id } = await act(code, "web", "create_task", { title: "Ship it" });
  await act(code, "web", "claim_task", { task_id });
  const { artifact_id } = await act(code, "web", "post_artifact", { name: "The report", type: "report", content: "Done." });
  await act(code, "web", "request_review", { artifact_id, reviewer: "api" });
  await record();
  const expected = { task: "Ship it", claim: "Ship it", artifact: "The report", review: "The report" };
  for (const [from, to, change] of [
    [second, "HEAD", "added"],
    ["HEAD", second, "removed"],
  ] as const) {
    const all = (await run("diff", from, to)).things.filter((thing: Answer) => thing.change === change);
    expect(Object.fromEntries(all.flatMap(({ word, title }: Answer) => (title === undefined ? [] : [[word, title]])))).toEqual(expected);
  }
  expect((await relay(code, ["diff", second])).stdout).toContain(`${task_id} Ship it`);
});

test("stats say how much of what there is, and how fast it grows", async () => {
  await send("web", "api", "one");
  await send("web", "api", "two");
  await record();
  const stats = await run("stats");
  expect(stats).toMatchObject({ git: { commits: 2 }, days: [{ messages: 2 }], perDay: { messages: 2 } });
  const kinds = Object.fromEntries(stats.kinds.map(({ kind, files }: Answer) => [kind, files]));
  expect(kinds).toMatchObject({ message: 2, delivery: 2, setting: 3 });
  expect(stats.git.bytes).toBeGreaterThan(1_000);
  expect((await relay(code, ["stats"])).stdout).toMatch(/message\s+2\s/);
});
