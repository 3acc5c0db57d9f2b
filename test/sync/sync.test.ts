import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { remoteAt } from "../hostile/rig/remote.ts";
import { lawfulMail } from "../hostile/rig/stage.ts";
import { type Answer, act, cloneOf, codeState, commits, emptyHub, lastSubject, shared, shop } from "../rig/clones.ts";
import { homeWith, settle } from "../rig/home.ts";
import { relay, startRelay } from "../rig/processes.ts";
import { commitAll, git, repository, scratch, until } from "../rig/scratch.ts";

const send = (cwd: string, from: string, to: string, subject = "s", body = "b"): Promise<Answer> =>
  act(cwd, from, "send", { to: [to], subject, body });
const sync = (cwd: string, input: Record<string, unknown> = {}): Promise<Answer> => act(cwd, undefined, "sync", input);
/** Changes a line of a task by hand. */
function edit(cwd: string, session: string, task: string, line: RegExp, text: string): void {
  const at = path.join(cwd, ".relay/sessions", session, "tasks", `${task}.md`);
  fs.writeFileSync(at, fs.readFileSync(at, "utf8").replace(line, text));
}
/** Syncs in turn until all have all, at most three times each. */
async function converge(...clones: string[]): Promise<void> {
  for (let round = 0; round < 3; round += 1) for (const clone of clones) await sync(clone);
}

describe("two clones", () => {
  test("mail, acks, tasks and memory go both ways; both end with the same bytes, and the code is untouched", async () => {
    const { hub, code: one } = await shop("web", "api");
    const { session_id } = await act(one, "main", "start_session");
    const tasks: string[] = [];
    for (let n = 0; n < 2; n += 1)
      tasks.push((await act(one, "main", "create_task", { session_id, title: `t${n}`, description: "d" })).task_id);
    const early = await send(one, "web", "api", "early");
    await sync(one);
    const two = await cloneOf(hub);
    expect(shared(two)).toEqual(shared(one));
    const before = [codeState(one), codeState(two)];
    for (let n = 0; n < 2; n += 1) {
      await send(one, "web", "api", `one ${n}`);
      await send(two, "api", "web", `two ${n}`);
    }
    await act(two, "api", "ack", { messageId: early.messageId });
    for (const [n, task_id] of tasks.entries()) {
      edit(one, session_id, task_id, /^priority: .*$/m, 'priority: "high"');
      edit(two, session_id, task_id, /^title: .*$/m, `title: "renamed ${n}"`);
    }
    await act(one, "main", "write_memory", { key: "a", content: "from one" });
    await act(two, "main", "write_memory", { key: "b", content: "from two" });
    await converge(two, one);
    expect(shared(two)).toEqual(shared(one));
    expect(await act(one, "api", "inbox")).toMatchObject({ unread: 2 });
    expect(await act(two, "web", "inbox")).toMatchObject({ unread: 2 });
    // The ack that arrived took the name out of new/, and is another name of the message.
    const [day] = fs.readdirSync(path.join(one, ".relay/inbox/api/read")) as [string];
    expect(fs.statSync(path.join(one, ".relay/inbox/api/read", day, `${early.messageId}.md`)).nlink).toBe(2);
    for (const clone of [one, two]) {
      const all = (await act(clone, "main", "get_all_tasks", { session_id })).tasks as Answer[];
      expect(all.map(({ title, priority }) => `${title} ${priority}`).sort()).toEqual(["renamed 0 high", "renamed 1 high"]);
      const memory = fs.readFileSync(path.join(clone, ".relay/memory/project.md"), "utf8");
      expect(memory).toContain("from one");
      expect(memory).toContain("from two");
      expect((await act(clone, undefined, "doctor")).findings.filter(({ severity }: Answer) => severity !== "note")).toEqual([]);
      expect(git(path.join(clone, ".relay"), "status", "--porcelain")).toBe("");
    }
    for (const [at, clone] of [one, two].entries()) {
      const { refs: _now, ...now } = codeState(clone);
      const { refs: _then, ...then } = before[at] as Record<string, string>;
      expect(now).toEqual(then);
    }
    expect(await sync(one)).toMatchObject({ sent: false, arrived: { messages: 0, files: 0 }, rounds: 1 });
  });
});

describe("the report of a sync", () => {
  test("lists what came, and what gave way: a task's title, a section of the memory", async () => {
    const { hub, code: one } = await shop("web");
    const { session_id } = await act(one, "main", "start_session");
    const { task_id } = await act(one, "main", "create_task", { session_id, title: "t", description: "d" });
    await sync(one);
    const two = await cloneOf(hub);
    const file = (clone: string): string => path.join(clone, ".relay/sessions", session_id, "tasks", `${task_id}.md`);
    for (const [clone, title] of [
      [one, "short"],
      [two, "much longer"],
    ] as const) {
      fs.writeFileSync(file(clone), fs.readFileSync(file(clone), "utf8").replace(/^title: .*$/m, `title: "${title}"`));
      await act(clone, "web", "write_memory", { key: "k", content: `said by ${title}` });
    }
    await sync(one);
    const { arrived } = await sync(two);
    expect(arrived).toMatchObject({ messages: 0, changes: { task: 1, memory: 1 } });
    expect(arrived.gaveWay).toEqual([
      expect.stringMatching(/^memory\/project\.md: k \(kept [0-9a-f]{8}\)$/),
      `sessions/${session_id}/tasks/${task_id}.md: title "short" gave way to "much longer"`,
    ]);
    const printed = await relay(one, ["sync"]);
    expect(printed.stdout).toMatch(/1 task, 1 memory came/);
    expect(printed.stdout).toContain('title "short" gave way to "much longer"');
  });

  test("an agent whose claim gave way to another clone's has mail, once, in both clones, also of an unreadable task", async () => {
    const { hub, code: one } = await shop("web", "api");
    const { session_id } = await act(one, "main", "start_session");
    const { task_id } = await act(one, "main", "create_task", { session_id, title: "contested" });
    const { task_id: torn } = await act(one, "main", "create_task", { session_id, title: "torn" });
    await sync(one);
    const two = await cloneOf(hub);
    for (const task of [task_id, torn]) {
      await act(one, "web", "claim_task", { session_id, task_id: task });
      await act(two, "api", "claim_task", { session_id, task_id: task });
    }
    for (const clone of [one, two])
      fs.writeFileSync(path.join(clone, ".relay/sessions", session_id, "tasks", `${torn}.md`), "---\nid: [\n");
    await converge(one, two);
    expect(shared(one)).toEqual(shared(two));
    const mail = await Promise.all(["web", "api"].map((part) => act(one, part, "inbox")));
    const subjects = mail.flatMap(({ messages }) => messages.map(({ subject }: Answer) => subject));
    // What cannot be read does not replace what can.
    expect(subjects.sort()).toEqual(['Your claim of "contested" was lost', 'Your claim of "torn" was lost']);
    for (const clone of [one, two]) {
      const holder = (await act(clone, "main", "show_task", { session_id, task_id })).claim.agent;
      const loser = holder === "web" ? "api" : "web";
      expect((await act(clone, loser, "inbox")).messages).toContainEqual(
        expect.objectContaining({ subject: 'Your claim of "contested" was lost', from: holder }),
      );
      // Both had fence 1, and it is the holder's now.
      await expect(act(clone, loser, "update_task", { session_id, task_id, status: "done", fence: 1 })).rejects.toMatchObject({
        code: "not_your_task",
        data: { advice: `${holder} has it now, and main made it, and only they can change it. Ask ${holder} to do it.` },
      });
      const creator = act(clone, "main", "update_task", { session_id, task_id, status: "done", fence: 1 });
      await expect(creator).rejects.toMatchObject({ code: "stale_fence", message: expect.stringContaining("is not yours, held by") });
    }
  });
});

describe("arrivals are mail like any other", () => {
  test("hard links, in the order of arrival, announced to viewers, and a waiting part wakes", async () => {
    const { hub, code: one } = await shop("web");
    const two = await cloneOf(hub);
    const wait = relay(two, ["wait", "--part", "web", "--json"]);
    await until("it waits", () => fs.existsSync(path.join(two, ".relay/inbox/web/new")));
    const first = await send(one, "main", "web", "first");
    const second = await send(one, "main", "web", "second");
    await sync(one);
    const { arrived, sent } = await sync(two);
    expect([arrived.messages, arrived.mail, sent]).toEqual([
      2,
      [first, second].map(({ messageId, threadId }, at) => ({
        messageId,
        threadId,
        from: "main",
        to: ["web"],
        subject: ["first", "second"][at],
      })),
      false,
    ]);
    expect((await wait).json).toMatchObject({ timedOut: false });
    const home = path.join(two, ".relay");
    expect(fs.readFileSync(path.join(home, "local/arrivals"), "utf8").trim().split("\n")).toEqual([first.messageId, second.messageId]);
    expect(fs.statSync(path.join(home, "inbox/web/new", `${first.messageId}.md`)).nlink).toBe(2);
    const [feed] = fs.readdirSync(path.join(home, "run/feed")) as [string];
    const told = fs
      .readFileSync(path.join(home, "run/feed", feed), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Answer);
    expect(told.filter(({ type }) => type === "message:sent")).toMatchObject([
      { messageId: first.messageId, part: "main", to: ["web"], subject: "first", arrived: true },
      { messageId: second.messageId },
    ]);
  });
});

describe("joining", () => {
  test("init checks out what the code fetched last, though the remote is away, and overwrites nothing", async () => {
    const { hub, code: one } = await shop("web");
    await send(one, "main", "web");
    await sync(one);
    const two = path.join(scratch(), "code");
    git(path.dirname(two), "clone", "--quiet", hub, two);
    fs.renameSync(hub, `${hub}.away`);
    fs.mkdirSync(path.join(two, ".relay/memory"), { recursive: true });
    fs.writeFileSync(path.join(two, ".relay/RELAY.md"), "mine\n");
    expect(await act(two, undefined, "init")).toMatchObject({
      created: false,
      joined: "origin",
      parts: ["main", "web", "human"],
      branch: "relay",
    });
    expect(fs.readFileSync(path.join(two, ".relay/RELAY.md"), "utf8")).toBe("mine\n");
    expect(await act(two, "web", "inbox")).toMatchObject({ unread: 1 });
    expect(git(two, "status", "--porcelain")).toBe("");
  });

  test("init where the remote has a home that was not fetched joins it too", async () => {
    const { hub, code: one } = await shop("web");
    const two = path.join(scratch(), "code");
    git(path.dirname(two), "clone", "--quiet", "--single-branch", "--branch", "main", hub, two);
    const before = codeState(two);
    expect(await act(two, undefined, "init")).toMatchObject({ created: false, joined: "origin", parts: ["main", "web", "human"] });
    expect(codeState(two)).toEqual(before);
    expect(shared(two)).toEqual(shared(one));
    // What is found to be no home only once it was fetched leaves nothing behind.
    const three = path.join(scratch(), "code");
    git(path.dirname(three), "clone", "--quiet", "--single-branch", "--branch", "main", hub, three);
    git(hub, "branch", "mail", "main");
    const { json } = await relay(three, ["init", "--branch", "mail", "--json"]);
    expect(json).toMatchObject({ code: "foreign_branch" });
    expect([fs.existsSync(path.join(three, ".relay")), fs.existsSync(path.join(three, ".git/relay"))]).toEqual([false, false]);
  });

  test("a remote that does not answer is no failure, never asks, and is told", async () => {
    const code = repository();
    git(code, "remote", "add", "origin", path.join(scratch(), "away.git"));
    const made = await act(code, undefined, "init", { parts: ["web"] });
    expect(made).toMatchObject({ created: true, warning: expect.stringContaining("Relay could not ask origin whether it has a home") });
    const silent = repository();
    git(silent, "remote", "add", "origin", "ssh://git@example.invalid/r.git");
    const hang = path.join(scratch(), "ssh");
    fs.writeFileSync(hang, "#!/bin/sh\nexec sleep 600\n", { mode: 0o755 });
    const { json } = await relay(silent, ["init", "--json"], { env: { GIT_SSH: hang } });
    expect(json).toMatchObject({ created: true, warning: expect.stringContaining("did not answer within 2 seconds") });
    const empty = repository();
    git(empty, "init", "--quiet", "--bare", "../hub.git");
    git(empty, "remote", "add", "origin", "../hub.git");
    expect(await act(empty, undefined, "init")).not.toHaveProperty("warning");
  });

  test("a branch that the remote has not, while another of its branches has a home: told", async () => {
    const { hub } = await shop("web");
    const folder = path.join(scratch(), "code");
    const ran = await relay(path.dirname(folder), ["clone", hub, folder, "--branch", "rellay"]);
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining("there was no home yet, so one was made (branch rellay)") });
    expect(ran.stderr).toContain("origin has a home on its branch relay, and this is another one, on rellay");
    expect(ran.stderr).toContain("`relay init --branch relay`");
  });

  test("a clone of a project whose home is files of the code", async () => {
    const code = repository();
    await act(code, undefined, "init", { parts: ["web"], inTree: true });
    commitAll(code, "home");
    const ran = await relay(scratch(), ["clone", code, "shop"]);
    expect(ran.stdout).toMatch(/^Cloned into .*\/shop; its home came along, as files of the code\n/);
    expect(ran.stdout).not.toMatch(/null|was made/);
    const joined = await relay(scratch(), ["clone", (await shop("web")).hub, "shop"]);
    expect(joined.stdout).toContain("; joined the home of origin (branch relay)\n");
  });

  test("a project is named by its remote, else by its folder", async () => {
    const nameOf = async (cwd: string): Promise<string> => (await act(cwd, undefined, "whoami")).project.name;
    for (const [url, name] of [
      ["https://example.com/team/shop.git", "shop"],
      ["git@example.com:shop.git/", "shop"],
      ["ssh://example.com/deep/er/shop", "shop"],
      ["/srv/shop/.git", "shop"],
      ["/", "code"],
    ] as const) {
      const code = repository();
      git(code, "remote", "add", "origin", "x");
      git(code, "config", "remote.origin.url", url);
      // Nobody is to be asked here; the home is files of the code.
      await act(code, undefined, "init", { inTree: true });
      expect(await nameOf(code), url).toBe(name);
    }
    const plain = repository();
    await act(plain, undefined, "init");
    expect(await nameOf(plain)).toBe("code");
    const given = (await shop("web")).code;
    expect(await nameOf(given)).toBe("hub");
  });
});

describe("a remote that is not as it should be: its own exit code, never a prompt, local work goes on", () => {
  test("none, unknown, unreachable, asking who one is, silent, refusing", async () => {
    const bare = repository();
    await act(bare, undefined, "init", { parts: ["web"] });
    await send(bare, "web", "main");
    const run = (args: string[], env: Record<string, string> = {}): Promise<Answer> => relay(bare, ["sync", "--json", ...args], { env });
    expect(await run([])).toMatchObject({ code: 10, json: { code: "no_remote" } });
    expect(lastSubject(bare)).toBe("web: 1 message");
    expect(await run(["--remote", "upstream"])).toMatchObject({ code: 10, json: { code: "no_remote" } });
    expect(await run(["--remote", "/nowhere/hub.git"])).toMatchObject({ code: 9, json: { code: "remote_unreachable" } });
    expect(await run(["--remote", "http://127.0.0.1:9/x.git"])).toMatchObject({ code: 9 });
    const ssh = path.join(scratch(), "ssh");
    fs.writeFileSync(ssh, '#!/bin/sh\necho "git@host: Permission denied (publickey)." >&2\nexit 255\n', { mode: 0o755 });
    expect(await run(["--remote", "git@host:x.git"], { GIT_SSH_COMMAND: ssh })).toMatchObject({ code: 12, json: { code: "login_needed" } });
    fs.writeFileSync(ssh, "#!/bin/sh\nsleep 1000\n", { mode: 0o755 });
    const silent = await run(["--remote", "git@host:x.git", "--timeout", "1"], { GIT_SSH_COMMAND: ssh });
    expect(silent).toMatchObject({ code: 9, json: { code: "remote_unreachable", error: expect.stringContaining("within 1 second") } });
    const hub = emptyHub();
    fs.writeFileSync(path.join(hub, "hooks/pre-receive"), '#!/bin/sh\necho "no mail here" >&2\nexit 1\n', { mode: 0o755 });
    expect(await run(["--remote", hub])).toMatchObject({
      code: 11,
      json: { code: "remote_refused", error: expect.stringContaining("no mail here") },
    });
    expect(await act(bare, "main", "inbox")).toMatchObject({ unread: 1 });
    expect(git(path.join(bare, ".relay"), "status", "--porcelain")).toBe("");
    await expect(sync(await homeWith("web"))).rejects.toMatchObject({
      code: "no_repository",
      message: expect.stringContaining("git init"),
    });
  });

  test("a branch that was rewritten or deleted: refused, nothing dropped; --accept both sends all", async () => {
    const { hub, code: one } = await shop("web");
    await send(one, "web", "main", "kept");
    await sync(one);
    const before = shared(one);
    const head = git(hub, "rev-parse", "relay").trim();
    git(hub, "update-ref", "refs/heads/relay", `${head}~1`);
    await expect(sync(one)).rejects.toMatchObject({ code: "remote_rewritten", exit: 11, message: expect.stringContaining("rewrote") });
    git(hub, "update-ref", "-d", "refs/heads/relay");
    await expect(sync(one)).rejects.toMatchObject({ code: "remote_rewritten", message: expect.stringContaining("deleted") });
    expect(shared(one)).toEqual(before);
    expect(git(hub, "for-each-ref", "refs/heads/relay")).toBe("");
    await expect(sync(one, { accept: "theirs" })).rejects.toMatchObject({ code: "remote_rewritten" });
    expect(await sync(one, { accept: "both" })).toMatchObject({ sent: true });
    expect(git(hub, "rev-parse", "relay").trim()).toBe(head);
    expect(shared(one)).toEqual(before);
  });

  test("a file that a person deleted or changed with git comes back, here and in every clone, and is reported", async () => {
    const { hub, code: one } = await shop("web");
    await act(one, "web", "write_memory", { key: "k", content: "v" });
    const { messageId } = await send(one, "web", "main", "as it was");
    await sync(one);
    const home = path.join(one, ".relay");
    const [message = ""] = git(home, "ls-files", "threads")
      .split("\n")
      .filter((at) => /\/1-/.test(at));
    const text = fs.readFileSync(path.join(home, message), "utf8");
    const two = await cloneOf(hub);
    await send(two, "web", "main", "not synced yet");
    git(home, "rm", "--quiet", "memory/project.md");
    fs.writeFileSync(path.join(home, message), text.replace("as it was", "forged"));
    commitAll(home, "drop");
    const dropped = git(home, "rev-parse", "HEAD").trim();
    // The name in the inbox is the same file as the message.
    const unread = `inbox/main/new/${messageId}.md`;
    const told = { by: [dropped], deleted: 1, changed: 2, paths: ["memory/project.md", unread, message] };
    expect(await act(one, undefined, "record")).toMatchObject({ broughtBack: told });
    expect(await sync(one)).toMatchObject({ sent: true, restored: [], broughtBack: [] });
    expect(await sync(two)).toMatchObject({ broughtBack: [] });
    for (const clone of [one, two]) {
      expect(fs.readFileSync(path.join(clone, ".relay/memory/project.md"), "utf8")).toBe("## k\n\nv\n");
      expect(fs.readFileSync(path.join(clone, ".relay", message), "utf8")).toBe(text);
      expect((await act(clone, "main", "inbox")).messages.map(({ messageId: id }: Answer) => id)).toContain(messageId);
    }
  });

  test("a branch that was rewritten without a secret: --accept theirs keeps what is new here, and never sends the secret again", async () => {
    const { hub, code: one } = await shop("web");
    const two = await cloneOf(hub);
    const clean = git(hub, "rev-parse", "relay").trim();
    await send(one, "web", "main", "SECRET");
    await sync(one);
    await sync(two);
    const unread = (await act(two, "main", "inbox")).messages[0].messageId;
    // Its bytes lie under a new name too, which was never sent.
    await act(two, "main", "ack", { messageIds: [unread] });
    await send(two, "web", "main", "new here");
    const home = path.join(two, ".relay");
    git(hub, "update-ref", "refs/heads/relay", clean);
    lawfulMail(remoteAt(hub));
    // Whatever the remote is called: the branch is not what was seen of it.
    git(two, "remote", "rename", "origin", "other");
    await expect(sync(two, { remote: hub })).rejects.toMatchObject({ code: "remote_rewritten" });
    expect(await sync(two, { remote: hub, accept: "theirs" })).toMatchObject({ sent: true });
    expect(await sync(two, { remote: hub })).toMatchObject({ sent: false, restored: [] });
    const inBranch = (words: string): string => git(hub, "log", "--all", "--format=%H", `-S${words}`);
    expect(inBranch("SECRET")).toBe("");
    expect(inBranch("new here")).not.toBe("");
    const kept = execFileSync("grep", ["-rl", "SECRET", "local/forgotten"], { cwd: home, encoding: "utf8" });
    expect(kept).toContain(unread.split("-").at(-1));
    expect(() => execFileSync("grep", ["-rl", "SECRET", "threads", "inbox"], { cwd: home })).toThrow();
    expect((await act(two, "main", "inbox")).messages).toMatchObject([{ subject: "new here" }]);
    expect((await act(two, "web", "inbox")).unread).toBe(1);
  });

  test("doctor says that no remote is there to decide claims", async () => {
    const code = repository();
    await act(code, undefined, "init", { parts: ["web"] });
    settle(code, "claims: remote\n");
    expect((await act(code, undefined, "doctor")).findings).toMatchObject([{ code: "nobody_decides", path: "relay.yml" }]);
    const hub = emptyHub(code);
    // Only a sync, which a person asked for, chooses one.
    expect((await act(code, undefined, "doctor")).findings).toMatchObject([{ code: "nobody_decides" }]);
    await sync(code);
    fs.renameSync(hub, `${hub}.away`);
    expect((await act(code, undefined, "doctor")).findings).toEqual([]);
  });

  test("a branch of the remote that is no home, or is in the way, is left alone", async () => {
    const code = repository();
    await act(code, undefined, "init", { parts: ["web"] });
    const hub = emptyHub();
    git(code, "push", "--quiet", hub, "main:relay");
    await expect(sync(code, { remote: hub })).rejects.toMatchObject({ code: "foreign_branch" });
    git(hub, "update-ref", "-d", "refs/heads/relay");
    git(code, "push", "--quiet", hub, "main:relay/x");
    await expect(sync(code, { remote: hub })).rejects.toMatchObject({ code: "remote_refused" });
    expect(git(hub, "for-each-ref", "--format=%(refname)").trim()).toBe("refs/heads/relay/x");
  });
});

/** A `sync --watch` that runs, and what it says and prints. */
function watch(folder: string) {
  const child = startRelay(folder, ["sync", "--watch", "--every-seconds", "1", "--json"]);
  let said = "";
  let printed = "";
  child.stderr.on("data", (text) => (said += text));
  child.stdout.on("data", (text) => (printed += text));
  return { child, said: () => said, printed: () => printed, ended: new Promise((resolve) => child.once("exit", resolve)) };
}

describe("crashes", () => {
  test("--watch goes on past a remote that is away, and reports an interruption as one", async () => {
    const { hub, code: one } = await shop("web");
    const two = await cloneOf(hub);
    fs.renameSync(hub, `${hub}.away`);
    const [watching, none] = [watch(two), watch(one)];
    for (const { said } of [watching, none]) await until("it says that the remote is away", () => said().includes("cannot be reached"));
    none.child.kill("SIGINT");
    expect(await none.ended).toBe(130);
    expect(JSON.parse(none.printed())).toMatchObject({ success: false, code: "interrupted" });
    fs.renameSync(`${hub}.away`, hub);
    await send(one, "main", "web");
    await sync(one);
    await until("the message arrives", async () => (await act(two, "web", "inbox")).unread === 1);
    watching.child.kill("SIGINT");
    expect(await watching.ended).toBe(0);
    expect(JSON.parse(watching.printed())).toMatchObject({ success: true, arrived: { messages: 1 } });
    expect(commits(two)).toBe(commits(one));
  });
});
