import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { thisProcess } from "../../protocol/store/process.ts";
import { act, codeState, commits, lastSubject, project, shared } from "../rig/clones.ts";
import { homeWith } from "../rig/home.ts";
import { relay, relayFile, relayProcess } from "../rig/processes.ts";
import { cleanEnv, git, pathWithGit, put, repository, scratch, until } from "../rig/scratch.ts";

let code: string;
let home: string;
beforeEach(async () => {
  code = await project("web", "api");
  home = path.join(code, ".relay");
});

const send = (part: string, to: string, subject = "s"): Promise<{ messageId: string; threadId: string }> =>
  act(code, part, "send", { to: [to], subject, body: "b" });
const record = (): Promise<{ commit: string | null; changes: Record<string, number>; parts: string[]; restored: string[] }> =>
  act(code, undefined, "record");
/** What the last record holds, with the bytes. */
const recorded = (): Record<string, string> =>
  Object.fromEntries(
    git(home, "ls-tree", "-r", "-z", "--name-only", "HEAD")
      .split("\0")
      .filter((name) => name !== "")
      .map((name) => [name, execFileSync("git", ["cat-file", "blob", `HEAD:${name}`], { cwd: home, encoding: "utf8", env: cleanEnv() })]),
  );

describe("a record", () => {
  test("one commit for all that changed, which says who did what; nothing changed is no commit", async () => {
    const before = codeState(code);
    for (let n = 0; n < 12; n += 1) await send("web", "main", `s${n}`);
    const { session_id } = await act(code, "main", "start_session");
    const { task_id } = await act(code, "main", "create_task", { session_id, title: "t", description: "d", agent_id: "main" });
    await act(code, "api", "claim_task", { session_id, task_id, agent_id: "api" });
    expect(await record()).toMatchObject({
      changes: { message: 12, claim: 1, task: 1, session: 1 },
      parts: ["api", "main", "web"],
      restored: [],
    });
    expect(lastSubject(code)).toBe("api: took 't'; main: began a session; web: 12 messages");
    expect(commits(code)).toBe(2);
    expect(recorded()).toEqual(shared(code));
    expect(git(home, "status", "--porcelain")).toBe("");
    expect((await record()).commit).toBeNull();
    expect(commits(code)).toBe(2);
    expect(codeState(code)).toEqual(before);
  });

  test("as whom git is configured, else as Relay", async () => {
    const env = cleanEnv({ HOME: scratch() });
    for (const name of Object.keys(env)) if (/^GIT_(AUTHOR|COMMITTER)/.test(name)) delete env[name];
    const recordedAs = async (): Promise<string> => {
      await send("web", "main");
      spawnSync(process.execPath, [relayFile(), "record"], { cwd: code, env });
      return git(home, "log", "-1", "--format=%an <%ae> %cn").trim();
    };
    expect(await recordedAs()).toBe("Relay <relay@localhost> Relay");
    git(code, "config", "user.name", "Of the code");
    git(code, "config", "user.email", "code@example.com");
    expect(await recordedAs()).toBe("Of the code <code@example.com> Of the code");
    git(home, "config", "user.name", "Ada");
    git(home, "config", "user.email", "ada@example.com");
    expect(await recordedAs()).toBe("Ada <ada@example.com> Ada");
  });

  test("an edit by hand is not attributed to the last writer", async () => {
    const { session_id } = await act(code, "main", "start_session");
    const { task_id } = await act(code, "main", "create_task", { session_id, title: "t" });
    await act(code, "api", "claim_task", { session_id, task_id });
    expect((await record()).parts).toEqual(["api", "main"]);
    const file = path.join(home, "sessions", session_id, "tasks", `${task_id}.md`);
    fs.writeFileSync(file, fs.readFileSync(file, "utf8").replace(/^title: .*$/m, 'title: "by hand"'));
    expect(await record()).toMatchObject({ changes: { task: 1 }, parts: [] });
    await act(code, "api", "update_task", { session_id, task_id, status: "done" });
    expect((await record()).parts).toEqual(["api"]);
  });

  test("edits by hand and files moved over others are found, with times that say nothing", async () => {
    const note = path.join(home, "memory/project.md");
    put(note, "one\n");
    await record();
    const { atime, mtime } = fs.statSync(note);
    fs.writeFileSync(path.join(home, "memory/new.md"), "two\n");
    fs.utimesSync(path.join(home, "memory/new.md"), atime, mtime);
    fs.renameSync(path.join(home, "memory/new.md"), note);
    expect((await record()).changes).toEqual({ memory: 1 });
    expect(recorded()["memory/project.md"]).toBe("two\n");
    // Git compares the times of changes by the second, as the disk's clock has it.
    const secondOf = (file: string): number => Math.floor(fs.statSync(file).ctimeMs / 1_000);
    const clock = path.join(scratch(), "clock");
    await until("another second", () => {
      fs.writeFileSync(clock, "");
      return secondOf(clock) > secondOf(note);
    });
    fs.writeFileSync(note, "six\n");
    fs.utimesSync(note, atime, mtime);
    await record();
    expect(recorded()["memory/project.md"]).toBe("six\n");
  });

  test("a missing file is restored and reported, and never recorded as deleted", async () => {
    const { messageId } = await send("web", "main");
    await act(code, "main", "ack", { messageId });
    await send("api", "main");
    await record();
    const before = shared(code);
    const there = commits(code);
    fs.rmSync(path.join(home, "threads"), { recursive: true });
    fs.rmSync(path.join(home, "inbox/main"), { recursive: true });
    const found = await act(code, undefined, "doctor");
    expect(found.findings.filter(({ code: kind }: { code: string }) => kind === "missing").length).toBe(4);
    const { restored, commit } = await record();
    expect(restored.sort()).toEqual(Object.keys(before).filter((name) => /^(threads|inbox)/.test(name)));
    expect(commit).toBeNull();
    expect(shared(code)).toEqual(before);
    expect(commits(code)).toBe(there);
    expect(git(home, "status", "--porcelain")).toBe("");
    const [unread] = fs.readdirSync(path.join(home, "inbox/main/new")) as [string];
    expect(fs.statSync(path.join(home, "inbox/main/new", unread)).nlink).toBe(2);
    fs.rmSync(path.join(home, "threads"), { recursive: true });
    expect(await act(code, undefined, "doctor", { fix: true })).toMatchObject({ ok: true });
    expect(shared(code)).toEqual(before);
  });

  test("mail that went along with a rename does not come back to whoever is given the old name", async () => {
    const { messageId } = await send("web", "api");
    await record();
    await act(code, undefined, "part_rename", { from: "api", to: "shop" });
    // `part add` refuses a former name; a hand does not.
    const config = path.join(home, "relay.yml");
    fs.writeFileSync(config, fs.readFileSync(config, "utf8").replace(/^parts:$/m, "parts:\n  api: {}"));
    expect(await record()).toMatchObject({ restored: [] });
    expect(await act(code, "api", "inbox")).toMatchObject({ unread: 0 });
    expect(await act(code, "shop", "inbox")).toMatchObject({ unread: 1, messages: [{ messageId }] });
  });

  test("links, repositories and what belongs to this machine are left out, also where .gitignore is gone", async () => {
    fs.rmSync(path.join(home, ".gitignore"));
    fs.symlinkSync("/etc", path.join(home, "threads-link"));
    git(home, "init", "--quiet", "vendor");
    git(path.join(home, "vendor"), "commit", "--quiet", "--allow-empty", "--message", "x");
    await send("web", "main");
    const answer = await act(code, undefined, "record");
    expect(answer.restored).toEqual([".gitignore"]);
    expect(answer.problems.map(({ path: at }: { path: string }) => at).sort()).toEqual(["threads-link", "vendor"]);
    expect(Object.keys(recorded()).filter((name) => /^(run|local|outbox|vendor|threads-link)/.test(name))).toEqual([]);
    expect((await record()).commit).toBeNull();
  });

  test("a file that a person leaves out is left out, whatever a .gitignore of the home takes back in", async () => {
    fs.appendFileSync(path.join(code, ".git/relay/info/exclude"), "/memory/project.md\n");
    await act(code, "web", "write_memory", { key: "a", content: "mine" });
    fs.writeFileSync(path.join(home, "memory/.gitignore"), "!project.md\n");
    await send("web", "main");
    expect(await record()).toMatchObject({ changes: { message: 1 } });
    expect(Object.keys(recorded())).not.toContain("memory/project.md");
  });

  test("a commit by hand during a record is not taken back by it", async () => {
    const memory = path.join(home, "memory/project.md");
    await act(code, "web", "write_memory", { key: "a", content: "first" });
    await record();
    await send("web", "main");
    // The git that is found notes that it was asked what differs, and then somebody edits and commits.
    const done = path.join(scratch(), "done");
    const edit = `cd "${home}" && echo later >> memory/project.md && "$real" -c user.name=H -c user.email=h@x commit -qm hand memory/project.md`;
    const meanwhile = `"$real" "$@" || exit; [ -e "${done}" ] && exit; : > "${done}"; unset GIT_INDEX_FILE; (${edit}) >&2; exit`;
    const env = { PATH: pathWithGit(`case "$*" in *" status "*) ${meanwhile};; esac`) };
    const ran = await relayProcess(code, ["record", "--json"], { env });
    expect(ran.json).toMatchObject({ success: true, changes: { message: 1 } });
    expect(fs.existsSync(done)).toBe(true);
    expect(fs.readFileSync(memory, "utf8")).toContain("later");
    expect(recorded()["memory/project.md"]).toContain("later");
    expect(recorded()).toEqual(shared(code));
  });

  test("an --in-tree home and one outside of git are not recorded, and say so", async () => {
    const other = repository();
    await act(other, undefined, "init", { inTree: true });
    await expect(act(other, undefined, "record")).rejects.toMatchObject({ code: "no_repository", exit: 4 });
    expect(git(other, "rev-list", "--count", "HEAD").trim()).toBe("1");
    await expect(act(await homeWith("web"), undefined, "record")).rejects.toMatchObject({ code: "no_repository" });
  });
});

describe("crashes and crowds", () => {
  test("locks and indexes of killed gits and recorders are no obstacle", async () => {
    await send("web", "main");
    const gitDir = path.join(code, ".git/relay");
    const old = new Date(Date.now() - 60_000);
    for (const name of ["index.lock", "refs/heads/relay.lock", "HEAD.lock"]) {
      fs.writeFileSync(path.join(gitDir, name), "");
      fs.utimesSync(path.join(gitDir, name), old, old);
    }
    const dead = thisProcess().replace(/^\d+-\w+/, "999999999-1");
    fs.writeFileSync(path.join(gitDir, `relay-index.${dead}-0.1`), "broken");
    expect(await record()).toMatchObject({ changes: { message: 1 } });
    expect(fs.readdirSync(gitDir).filter((name) => name.startsWith("relay-index"))).toEqual([]);
    expect(recorded()).toEqual(shared(code));
  });

  test("several recorders at once, while mail is written: all of it is recorded, once", async () => {
    const runs = Array.from({ length: 4 }, () => relay(code, ["record", "--json"]));
    for (let n = 0; n < 20; n += 1) await send("web", "main", `s${n}`);
    for (const ran of await Promise.all(runs)) expect(ran.json).toMatchObject({ success: true, restored: [] });
    await record();
    expect(recorded()).toEqual(shared(code));
  });
});

describe("a home whose folder was deleted", () => {
  test("doctor --fix and init bring the last record back", async () => {
    await send("web", "main");
    await record();
    const before = shared(code);
    git(code, "clean", "-ffdxq");
    expect(fs.existsSync(home)).toBe(false);
    const inbox = await relay(code, ["inbox", "--part", "main", "--json"]);
    expect(inbox.json).toMatchObject({ code: "no_home", error: expect.stringContaining("doctor --fix") });
    expect((await relay(code, ["doctor", "--json"])).json).toMatchObject({ ok: false, findings: [{ code: "home_gone", fixable: true }] });
    expect((await relay(code, ["doctor", "--fix", "--json"])).json).toMatchObject({ ok: true });
    expect(shared(code)).toEqual(before);
    expect(await act(code, "main", "inbox")).toMatchObject({ unread: 1 });
    expect(git(home, "status", "--porcelain")).toBe("");
    fs.rmSync(home, { recursive: true });
    expect(await act(code, undefined, "init")).toMatchObject({ created: false, restored: true });
    expect(shared(code)).toEqual(before);
  });

  test("a copied or moved project records into itself", async () => {
    await send("web", "main");
    const copy = path.join(path.dirname(code), "copy");
    fs.cpSync(code, copy, { recursive: true, verbatimSymlinks: true });
    expect(await act(copy, undefined, "record")).toMatchObject({ changes: { message: 1 } });
    expect([commits(copy), commits(code)]).toEqual([2, 1]);
    const moved = path.join(path.dirname(code), "moved");
    fs.renameSync(code, moved);
    await act(moved, "web", "send", { to: ["main"], subject: "s", body: "b" });
    expect(await act(moved, undefined, "record")).toMatchObject({ changes: { message: 2 } });
  });
});
