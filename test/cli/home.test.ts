import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { operations, perform, type Refusal } from "../../protocol/index.ts";
import { type Answer, codeState } from "../rig/clones.ts";
import { worldAt } from "../rig/home.ts";
import { cleanEnv, git, repository, scratch, tree } from "../rig/scratch.ts";

const init = (cwd: string, input: Record<string, unknown> = {}): Promise<Answer> => perform(worldAt(cwd), operations.init, input);
const homeFrom = async (cwd: string): Promise<string> => ((await perform(worldAt(cwd), operations.whoami, {})) as Answer).home;
const refusalOf = async (promise: Promise<unknown>): Promise<Refusal> =>
  promise.then(
    () => expect.unreachable("it was not refused"),
    (error) => error as Refusal,
  );

describe("init in a repository", () => {
  test("makes the home, a branch relay with one commit, and leaves the code byte for byte", async () => {
    const code = repository({ "a.txt": "a" });
    const before = codeState(code);
    const made = await init(code, { parts: ["web"] });
    expect(made).toEqual({
      home: path.join(code, ".relay"),
      created: true,
      parts: ["main", "web", "human"],
      repository: "own",
      branch: "relay",
      links: [],
    });
    expect(codeState(code)).toEqual(before);
    expect(fs.readFileSync(path.join(code, ".git/info/exclude"), "utf8")).toMatch(/^\/\.relay$/m);
    const home = path.join(code, ".relay");
    expect(git(home, "rev-list", "--count", "--all").trim()).toBe("1");
    expect(git(home, "symbolic-ref", "HEAD").trim()).toBe("refs/heads/relay");
    expect(git(home, "status", "--porcelain")).toBe("");
    expect(fs.readFileSync(path.join(home, ".git"), "utf8")).toBe("gitdir: ../.git/relay\n");
    expect(git(home, "config", "core.worktree").trim()).toBe("../../.relay");
    expect(await perform(worldAt(code), operations.doctor, {})).toMatchObject({ ok: true, findings: [] });
  });

  test("again, it changes nothing, and completes what is missing", async () => {
    const code = repository();
    await init(code, { parts: ["web"], name: "shop" });
    const home = path.join(code, ".relay");
    const before = tree(home);
    expect(await init(code, { parts: ["other"], name: "x" })).toMatchObject({ created: false, parts: ["main", "web", "human"] });
    expect(tree(home)).toEqual(before);
    expect(git(home, "rev-list", "--count", "--all").trim()).toBe("1");
    fs.rmSync(path.join(home, "RELAY.md"));
    fs.rmSync(path.join(home, "inbox/web"), { recursive: true });
    git(code, "worktree", "add", "--quiet", "../linked");
    expect((await init(code)).links).toEqual([path.join(path.dirname(code), "linked/.relay")]);
    expect(fs.existsSync(path.join(home, "RELAY.md")) && fs.existsSync(path.join(home, "inbox/web/new"))).toBe(true);
  });

  test("a branch of another name; bad ids are refused before anything is made", async () => {
    const code = repository();
    expect(await refusalOf(init(code, { parts: ["../x"] }))).toMatchObject({ code: "bad_part" });
    expect(await refusalOf(init(code, { parts: ["web", "WEB"] }))).toMatchObject({ code: "part_exists" });
    expect(fs.existsSync(path.join(code, ".relay"))).toBe(false);
    await init(code, { branch: "mail" });
    expect(git(path.join(code, ".relay"), "symbolic-ref", "--short", "HEAD").trim()).toBe("mail");
  });

  test("where the code tracks .relay it is refused; --in-tree keeps it with the code", async () => {
    const code = repository({ ".relay/memory/project.md": "# theirs\n" });
    expect(await refusalOf(init(code))).toMatchObject({ code: "home_tracked", exit: 4 });
    expect(await init(code, { inTree: true })).toMatchObject({ repository: "in-tree", branch: null });
    expect(git(code, "rev-list", "--count", "--all").trim()).toBe("1");
    expect(git(code, "status", "--porcelain")).toContain(".relay/relay.yml");
    expect(await init(code)).toMatchObject({ repository: "in-tree", created: false });
    expect(await perform(worldAt(code), operations.doctor, {})).toMatchObject({ ok: true });
    expect(fs.readFileSync(path.join(code, ".relay/.gitignore"), "utf8")).toContain("/local/");
  });

  test("outside of git it is plain files", async () => {
    const folder = scratch();
    expect(await init(folder)).toMatchObject({ repository: "none", branch: null, home: path.join(folder, ".relay") });
    expect(fs.existsSync(path.join(folder, ".relay/.git"))).toBe(false);
    expect(await perform(worldAt(folder), operations.doctor, {})).toMatchObject({ ok: true });
  });
});

describe("one home, found and used", () => {
  test("from a subfolder, a linked worktree, a worktree within a worktree, a detached HEAD, a rebase in progress", async () => {
    const code = repository({ "deep/er/a.txt": "a" });
    git(code, "worktree", "add", "--quiet", "../linked");
    git(code, "worktree", "add", "--quiet", "inner/tree");
    git(code, "worktree", "add", "--quiet", "--detach", "../detached");
    const { home } = await init(code, { parts: ["web"] });
    const top = path.dirname(code);
    fs.writeFileSync(path.join(code, "deep/er/a.txt"), "b");
    git(code, "commit", "--quiet", "--all", "--message", "b");
    spawnSync("git", ["rebase", "--exec", "false", "HEAD~1"], { cwd: code, env: cleanEnv() });
    expect(git(code, "status")).toContain("rebase in progress");
    for (const cwd of [code, `${code}/deep/er`, `${top}/linked`, `${code}/inner/tree`, `${top}/detached`]) {
      expect(await homeFrom(cwd), cwd).toBe(home);
      await perform(worldAt(cwd, { part: "web" }), operations.send, { to: ["main"], subject: cwd, body: "b" });
    }
    fs.rmSync(`${top}/linked/.relay`);
    expect(await homeFrom(`${top}/linked`)).toBe(home);
    expect(await perform(worldAt(code, { part: "main" }), operations.inbox, {})).toMatchObject({ unread: 5 });
    expect(git(`${top}/detached`, "status", "--porcelain")).toBe("");
  });

  test("from worktrees of a bare repository, in a submodule, and in a repository with no commit yet", async () => {
    const code = repository();
    const bare = path.join(path.dirname(code), "bare.git");
    git(path.dirname(code), "clone", "--quiet", "--bare", code, bare);
    git(bare, "worktree", "add", "--quiet", "../tree");
    const made = await init(path.join(path.dirname(code), "tree"));
    expect(made.home).toBe(path.join(bare, "relay-home"));
    expect(await homeFrom(bare)).toBe(made.home);
    expect(await homeFrom(path.join(path.dirname(code), "tree"))).toBe(made.home);
    expect(git(made.home, "status", "--porcelain")).toBe("");

    const outer = repository();
    git(outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", code, "lib/sub");
    const { home } = await init(path.join(outer, "lib/sub"));
    expect(home).toBe(path.join(outer, ".relay"));
    expect(await homeFrom(path.join(outer, "lib/sub"))).toBe(home);
    git(outer, "commit", "--quiet", "--message", "with a submodule");
    git(outer, "worktree", "add", "--quiet", "../linked");
    const linked = path.join(path.dirname(outer), "linked");
    git(linked, "-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init");
    expect(await homeFrom(path.join(linked, "lib/sub"))).toBe(home);

    // A folder of somebody else that looks like git's own, around a repository that is no submodule.
    const around = scratch();
    const plain = path.join(around, "modules", "own");
    git(around, "init", "--quiet", "--bare", ".");
    git(around, "clone", "--quiet", code, plain);
    expect(await init(plain)).toMatchObject({ home: path.join(plain, ".relay"), repository: "own" });

    const empty = scratch();
    git(empty, "init", "--quiet");
    expect(await init(empty)).toMatchObject({ home: path.join(empty, ".relay"), repository: "own" });
    for (const cwd of [path.join(path.dirname(code), "tree"), path.join(outer, "lib/sub"), linked, empty]) {
      await perform(worldAt(cwd, { part: "main" }), operations.send, { to: ["human"], subject: "s", body: "b" });
      expect(await perform(worldAt(cwd), operations.record, {}), cwd).toMatchObject({ changes: { message: 1 }, restored: [] });
    }
  });

  test("a repository inside another is not the other's; --home and RELAY_HOME name one", async () => {
    const code = repository();
    const { home } = await init(code);
    const inner = path.join(code, "vendor");
    fs.mkdirSync(inner);
    git(inner, "init", "--quiet");
    expect(await refusalOf(homeFrom(inner))).toMatchObject({ code: "no_home", exit: 5 });
    const elsewhere = scratch();
    for (const options of [{ home }, { home: code }, { env: { RELAY_HOME: home } }, { home: path.relative(elsewhere, code) }]) {
      expect(await perform(worldAt(elsewhere, options), operations.whoami, {})).toMatchObject({ home });
    }
    expect(await refusalOf(perform(worldAt(code, { home: elsewhere }), operations.whoami, {}))).toMatchObject({ code: "no_home" });
  });

  test.each(["part_here", "init", "doctor"] as const)(
    "after the main worktree was moved, %s mends the links of the others",
    async (how) => {
      const code = repository();
      git(code, "worktree", "add", "--quiet", "../linked");
      await init(code, { parts: ["web"] });
      const [linked, moved] = ["linked", "elsewhere/code"].map((name) => path.join(path.dirname(code), name)) as [string, string];
      const link = path.join(linked, ".relay");
      fs.mkdirSync(path.dirname(moved));
      fs.renameSync(code, moved);
      git(moved, "worktree", "repair", linked);
      expect(fs.existsSync(link)).toBe(false);
      expect(await perform(worldAt(moved), operations.doctor, {})).toMatchObject({
        ok: false,
        findings: [{ code: "dangling_link", fixable: true }],
      });
      const input = { part_here: { part: "web" }, init: {}, doctor: { fix: true } }[how];
      await perform(worldAt(linked), operations[how], input);
      expect(fs.realpathSync(link)).toBe(path.join(moved, ".relay"));
      expect(await perform(worldAt(linked), operations.doctor, {})).toMatchObject({ ok: true, findings: [] });
      // What a person put there stays.
      for (const own of [scratch(), "/nowhere/own"]) {
        fs.rmSync(link);
        fs.symlinkSync(own, link);
        await perform(worldAt(moved), operations[how], input);
        expect(fs.readlinkSync(link)).toBe(own);
      }
    },
  );
});

test("git leaves the home alone when it changes the code: a checkout, a stash, a clean, a reset, its upkeep", async () => {
  const code = repository({ "a.txt": "a" });
  const { home } = await init(code, { parts: ["web"] });
  await perform(worldAt(code, { part: "web" }), operations.send, { to: ["main"], subject: "s", body: "b" });
  const before = tree(home, /^$/);
  for (const args of [
    ["checkout", "--quiet", "-b", "other"],
    ["stash", "push", "--include-untracked", "--quiet"],
    ["clean", "-fdxq"],
    ["reset", "--hard", "--quiet"],
    ["gc", "--quiet", "--prune=now"],
    ["worktree", "prune"],
  ]) {
    fs.writeFileSync(path.join(code, "a.txt"), `changed before ${args[0]}`);
    fs.writeFileSync(path.join(code, "untracked.txt"), "x");
    git(code, ...args);
    expect(tree(home, /^$/), args[0]).toEqual(before);
  }
  expect(git(home, "fsck", "--no-progress")).toBe("");
});
