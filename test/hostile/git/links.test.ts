/** Links that a repository tracks lead nowhere: nothing is written through them, and no other project's home is taken for this one. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, test, vi } from "vitest";
import { findHome } from "../../../protocol/core/home/find-home.ts";
import { makePart, worktreeOfPart } from "../../../protocol/core/home/worktree-part.ts";
import { breakStale } from "../../../protocol/git/git-move-ref.ts";
import { writeHomeFiles } from "../../../protocol/git/home/create-home.ts";
import { makeWorktree } from "../../../protocol/git/home/worktrees.ts";
import { operations, perform } from "../../../protocol/index.ts";
import { ensureWorktree } from "../../../protocol/office/files/dispatch-worktree.ts";
import { createBeside, ensureLine } from "../../../protocol/store/beside/beside.ts";
import { readProjectFile, replaceUserFile } from "../../../protocol/store/beside/user-file.ts";
import { projectFolders } from "../../../protocol/store/linked-worktrees.ts";
import { act } from "../../rig/clones.ts";
import { homeWith, worldAt } from "../../rig/home.ts";
import { relay } from "../../rig/processes.ts";
import { commitAll, git, put, repository, scratch } from "../../rig/scratch.ts";

test.each([
  ["claude", "CLAUDE.md", "a file"],
  ["claude", ".claude", "a folder"],
  ["claude", ".claude/settings.local.json", "a file"],
  ["claude", ".mcp.json", "nowhere"],
  ["codex", "AGENTS.md", "a file"],
  ["gemini", ".gemini", "a folder"],
])("setup %s writes nothing through %s, a tracked link to %s", async (agent, name, what) => {
  const user = scratch();
  fs.writeFileSync(path.join(user, "profile"), "# mine\n");
  fs.mkdirSync(path.join(user, "folder"));
  const code = repository();
  fs.mkdirSync(path.dirname(path.join(code, name)), { recursive: true });
  fs.symlinkSync(path.join(user, what === "a file" ? "profile" : what === "a folder" ? "folder" : "made"), path.join(code, name));
  commitAll(code, "links", "--force");
  for (const more of [["--yes"], ["--dry-run"], ["--remove"]]) {
    const { code: exit, stderr } = await relay(code, ["setup", agent, ...more], { env: { HOME: user } });
    expect([exit, stderr]).toEqual([4, expect.stringContaining(`${name}`)]);
  }
  expect(fs.readFileSync(path.join(user, "profile"), "utf8")).toBe("# mine\n");
  expect(fs.readdirSync(user).sort()).toEqual(["folder", "profile"]);
  expect(fs.readdirSync(path.join(user, "folder"))).toEqual([]);
  expect(git(code, "status", "--short")).toBe("");
});

test("no text behind a link that came along goes into the home: office import and plan apply refuse it", async () => {
  const [folder, from, mine] = [await homeWith("web"), scratch(), path.join(scratch(), "mine")];
  fs.writeFileSync(mine, "KEY=secret\n");
  put(path.join(from, "teaparty.yaml"), "name: A\nlead: x\n");
  fs.mkdirSync(path.join(from, "agents/x"), { recursive: true });
  fs.symlinkSync(mine, path.join(from, "agents/x/agent.md"));
  fs.symlinkSync("/dev/null", path.join(folder, "plan.yml"));
  for (const words of [
    ["office", "import", from],
    ["plan", "apply", "plan.yml"],
  ])
    expect((await relay(folder, [...words, "--json"])).json.error).toMatch(/a link that leads out of the tree|expected a plain file/);
  expect(fs.existsSync(path.join(folder, ".relay/org"))).toBe(false);
});

test("a worktree is not made through links of the code's git directory, and upkeep follows none of the home's", async () => {
  const [folder, mine] = [repository(), scratch()];
  await act(folder, undefined, "init", { parts: ["web"] });
  fs.writeFileSync(path.join(mine, "profile"), "# mine\n");
  const common = path.join(folder, ".git");
  fs.mkdirSync(path.join(common, "logs/refs/heads"), { recursive: true });
  fs.symlinkSync(path.join(mine, "profile"), path.join(common, "logs/refs/heads/web"));
  const world = worldAt(folder, { part: "web" });
  await expect(makeWorktree(world, "web", "web")).rejects.toMatchObject({ code: "through_link" });
  fs.rmSync(path.join(common, "logs/refs/heads/web"));
  for (const beside of ["web", "office"]) fs.symlinkSync(scratch(), `${folder}-${beside}`);
  await expect(makeWorktree(world, "web", "web")).rejects.toMatchObject({ code: "through_link" });
  await expect(ensureWorktree(world, "d-0123456789", [])).rejects.toMatchObject({ code: "through_link" });
  fs.rmSync(`${folder}-office`);
  fs.mkdirSync(`${folder}-office`);
  const user = vi.spyOn(process, "getuid").mockReturnValue(fs.statSync(folder).uid + 1);
  await expect(ensureWorktree(world, "d-0123456789", [])).rejects.toThrow("belongs to another user");
  user.mockRestore();
  for (const at of ["worktrees/x", "rr-cache/x", "objects/info/commit-graph"]) {
    const link = path.join(common, "relay", at);
    fs.mkdirSync(path.dirname(link), { recursive: true });
    fs.symlinkSync(mine, link);
    await expect(perform(world, operations.record, {})).rejects.toMatchObject({ code: "no_repository" });
    fs.rmSync(link);
  }
  expect(fs.readFileSync(path.join(mine, "profile"), "utf8")).toBe("# mine\n");
});

test("a remote within the project is refused: the repository there came along", async () => {
  const folder = repository();
  await act(folder, undefined, "init", { parts: ["web"] });
  git(folder, "init", "--quiet", "--bare", ".git/hub.git");
  git(folder, "remote", "add", "origin", ".git/hub.git");
  git(folder, "worktree", "add", "--quiet", `${folder}-web`);
  const encoded = `file://${path.dirname(folder)}/%${path.basename(folder).charCodeAt(0).toString(16)}${path.basename(folder).slice(1)}/.git/hub.git`;
  for (const url of [
    ".git/hub.git",
    encoded,
    "/proc/self/cwd/.git/hub.git",
    `/proc/${process.pid}/cwd/../hub.git`,
    `${folder}-web/hub.git`,
  ]) {
    git(folder, "remote", "set-url", "origin", url);
    await expect(perform(worldAt(folder, { part: "web" }), operations.sync, {}), url).rejects.toMatchObject({ code: "bad_remote" });
  }
  // Git, which runs in the home, is given what Relay looked at, and no path that reads otherwise there.
  const hook = path.join(folder, ".git/hub.git/hooks/pre-receive");
  fs.writeFileSync(hook, `#!/bin/sh\necho ran > ${folder}/trace\n`, { mode: 0o755 });
  git(folder, "remote", "set-url", "origin", "/var/run/../proc/self/cwd/../.git/hub.git");
  expect([(await relay(folder, ["sync"])).code, fs.existsSync(`${folder}/trace`)]).toEqual([9, false]);
  expect(projectFolders("/a/.github/b/.git", null)).toEqual(["/a/.github/b/.git", "/a/.github/b"]);
});

test.each([".github", ".github/workflows"])("init --ci writes nothing through %s", async (name) => {
  const elsewhere = scratch();
  const code = repository();
  fs.mkdirSync(path.dirname(path.join(code, name)), { recursive: true });
  fs.symlinkSync(elsewhere, path.join(code, name));
  commitAll(code, "links", "--force");
  const ran = await relay(code, ["init", "--ci", "github", "--json"]);
  expect([ran.code, ran.json.code, fs.readdirSync(elsewhere)]).toEqual([4, "through_link", []]);
});

test.skipIf(process.platform !== "linux")("a link laid after the look at a project's folders leads no write out", () => {
  const [top, user] = [scratch(), scratch()];
  put(path.join(user, "settings.json"), "mine");
  fs.symlinkSync(user, path.join(top, ".gemini"));
  const at = (name: string): string => path.join(top, ".gemini", name);
  for (const write of [
    () => replaceUserFile(at("settings.json"), "mine", "theirs", () => false, top),
    () => replaceUserFile(at("settings.json"), "mine", null, null, top),
    () => createBeside(top, at("new/relay.yml"), "theirs"),
  ])
    expect(write).toThrow(expect.objectContaining({ code: "through_link" }));
  expect([fs.readdirSync(user), fs.readFileSync(at("settings.json"), "utf8")]).toEqual([["settings.json"], "mine"]);
});

test("a home that is a link to another project's is not used, tracked or not; the one that init laid is", async () => {
  const victim = repository();
  await perform(worldAt(victim), operations.init, { parts: ["web", "api"] });
  const evil = repository();
  const link = path.join(evil, ".relay");
  fs.symlinkSync(path.join(victim, ".relay"), link);
  const send = ["send", "web", "S", "B", "--part", "api", "--json"];
  // As it comes with an archive.
  expect((await relay(evil, send)).json.code).toBe("linked_home");
  commitAll(evil, "links", "--force");
  fs.mkdirSync(path.join(evil, "deep"));
  for (const args of [send, ["status", "--json"], ["init", "--json"]]) {
    for (const folder of [evil, path.join(evil, "deep")]) {
      const ran = await relay(folder, args);
      expect([ran.code, ran.json.code]).toEqual([4, "linked_home"]);
    }
  }
  expect((await relay(scratch(), [...send, "--home", evil])).json.code).toBe("linked_home");
  expect((await relay(evil, [...send, "--home", path.join(victim, ".relay")])).code).toBe(0);
  const tree = path.join(path.dirname(victim), "tree");
  git(victim, "worktree", "add", "--quiet", tree);
  await perform(worldAt(tree), operations.init, {});
  expect(fs.lstatSync(path.join(tree, ".relay")).isSymbolicLink()).toBe(true);
  expect((await relay(tree, send)).code).toBe(0);
});

test("init makes no home in the folder that a link called .relay leads to", async () => {
  for (const code of [repository(), scratch()]) {
    const victim = scratch();
    fs.symlinkSync(victim, path.join(code, ".relay"));
    const ran = await relay(code, ["init", "--json"]);
    expect([ran.json.code, fs.readdirSync(victim)]).toEqual(["linked_home", []]);
  }
});

test.runIf(process.platform === "linux")("a link that takes a name between the look and the step is not followed", async () => {
  const [code, other] = [await homeWith("web"), await homeWith("web")];
  const [home, elsewhere] = [path.join(code, ".relay"), path.join(other, ".relay")];
  /** Lays a link once the function of the disk has looked at the name. */
  const swapped = (owner: object, look: string, at: string, target: string, step: () => unknown): unknown => {
    const real = (owner as Record<string, (...given: never[]) => unknown>)[look] as (...given: unknown[]) => unknown;
    const spy = vi.spyOn(owner as Record<string, () => unknown>, look).mockImplementation((...given: unknown[]) => {
      const before = look === "native" ? null : real(...given);
      if (path.basename(`${given[0]}`) !== path.basename(at) || fs.existsSync(`${at}.old`)) return before ?? real(...given);
      fs.renameSync(at, `${at}.old`);
      fs.symlinkSync(target, at);
      return before ?? real(...given);
    });
    try {
      return step();
    } finally {
      spy.mockRestore();
      fs.rmSync(at, { recursive: true });
      if (fs.existsSync(`${at}.old`)) fs.renameSync(`${at}.old`, at);
    }
  };
  expect(() => swapped(fs.realpathSync, "native", home, elsewhere, () => findHome(code))).toThrow(
    expect.objectContaining({ code: "linked_home" }),
  );
  const [file, mine] = [path.join(home, ".gitattributes"), path.join(scratch(), "profile")];
  for (const at of [file, mine]) fs.writeFileSync(at, "mine\n");
  for (const step of [() => ensureLine(file, "line"), () => readProjectFile(home, ".gitattributes")])
    expect(() => swapped(fs, "lstatSync", file, mine, step)).toThrow("plain file");
  fs.rmSync(file);
  fs.symlinkSync(scratch(), `${code}/.other`);
  expect(() => writeHomeFiles({ home: `${code}/.other`, repository: null, inTree: true }, "text")).toThrow(
    expect.objectContaining({ code: "outside_home" }),
  );
  expect([fs.readFileSync(mine, "utf8"), fs.readdirSync(`${code}/.other`)]).toEqual(["mine\n", []]);
});

test("a file of git's that has another name, too, is changed under its own alone", async () => {
  const [code, copy] = [repository(), scratch()];
  await relay(code, ["init", "web"]);
  await relay(code, ["record"]);
  fs.writeFileSync(path.join(code, ".git/info/exclude"), "");
  const files = [".git/info/exclude", ".git/relay/logs/refs/heads/relay"].map((name) => path.join(code, name));
  for (const [at, file] of files.entries()) fs.linkSync(file, path.join(copy, `${at}`));
  const texts = (): string[] => files.map((_file, at) => fs.readFileSync(path.join(copy, `${at}`), "utf8"));
  const before = texts();
  for (const args of [["init"], ["send", "main", "s", "b", "--part", "web"], ["record"]]) await relay(code, args);
  expect(texts()).toEqual(before);
  expect(files.map((file, at) => fs.statSync(file).size > (before[at] as string).length)).toEqual([true, true]);
});

test.each([
  ["info", "link", ""],
  ["info/exclude", "link", "/f"],
  ["relay", "link", ""],
  ["relay/objects", "link", ""],
  ["relay/commondir", "text", ""],
  ["relay/objects/info/alternates", "text", ""],
  ["relay/remotes/git@host:shop.git", "text", ""],
  ["worktrees/x/gitdir", "text", "/.git"],
])("init, record and doctor write nothing elsewhere, where .git/%s of an archive leads there", async (name, kind, to) => {
  const [code, victim] = [repository(), scratch()];
  fs.writeFileSync(path.join(victim, "f"), "mine\n");
  if (name.startsWith("relay/")) git(code, "init", "--quiet", "--bare", "--initial-branch=relay", ".git/relay");
  const at = path.join(code, ".git", name);
  fs.rmSync(at, { recursive: true, force: true });
  fs.mkdirSync(path.dirname(at), { recursive: true });
  if (kind === "link") fs.symlinkSync(victim + to, at);
  else fs.writeFileSync(at, `${victim}${to}\n`);
  for (const args of [["init"], ["send", "main", "s", "b"], ["record"], ["sync"]]) await relay(code, args);
  if (name === "info") {
    fs.renameSync(path.join(code, ".git/config"), path.join(victim, "../config"));
    fs.symlinkSync(path.join(victim, "../config"), path.join(code, ".git/config"));
    expect((await relay(code, ["init", "--in-tree", "--json"])).json).toMatchObject({ code: "through_link" });
  }
  if (name.startsWith("worktrees")) {
    makePart(worldAt(code), path.join(path.dirname(at), "relay-part"), "main");
    // One that a person made a part, whose git directory names another folder by now, which leads back.
    git(code, "worktree", "add", "--quiet", path.join(scratch(), "w"));
    const [gitDir, other] = [path.join(code, ".git/worktrees/w"), scratch()];
    makePart(worldAt(code), path.join(gitDir, "relay-part"), "web");
    expect(worktreeOfPart(worldAt(code), code, "web")).not.toBeNull();
    fs.writeFileSync(path.join(other, ".git"), `gitdir: ${gitDir}\n`);
    fs.writeFileSync(path.join(gitDir, "gitdir"), `${other}/.git\n`);
    expect(worktreeOfPart(worldAt(code), code, "web")).toBeNull();
  }
  expect(worktreeOfPart(worldAt(code), code, "main")).toBeNull();
  expect((await relay(code, ["doctor", "--fix"])).stdout).not.toContain("Healthy");
  expect([fs.readdirSync(victim), fs.readFileSync(path.join(victim, "f"), "utf8")]).toEqual([["f"], "mine\n"]);
});

test.each([
  [".git/relay/HEAD", "record"],
  [".git/relay/config", "record"],
  [".git/relay/packed-refs", "check"],
  [".relay/.gitignore", "record"],
  [".relay/inbox/.gitignore", "record"],
  [".dockerignore", "doctor"],
  [".git/index", "status"],
  [".git/info/exclude", "init"],
])("a FIFO in the place of %s holds nothing up, and %s and doctor name it", async (name, command) => {
  const code = repository();
  await perform(worldAt(code), operations.init, { parts: ["web"] });
  fs.rmSync(path.join(code, name), { force: true });
  fs.writeFileSync(path.join(code, "Dockerfile"), "");
  execFileSync("mkfifo", [path.join(code, name)]);
  const { stdout, stderr } = await relay(code, [command]);
  expect(stdout + stderr).toContain(path.basename(name));
  const doctor = await relay(code, ["doctor", "--fix"]);
  expect(doctor.stdout + doctor.stderr).toMatch(/no plain file|expected a plain file|dockerignore does not/);
});

test("a lock of a ref that is dated in the future grows old from when it is seen; one of a setting is left", () => {
  const gitDir = scratch();
  const [lock, other] = [path.join(gitDir, "HEAD.lock"), path.join(gitDir, "config.lock")];
  for (const file of [lock, other]) fs.writeFileSync(file, "");
  fs.utimesSync(other, 0, 0);
  breakStale({ gitDir, workTree: gitDir }, other);
  expect(fs.existsSync(other)).toBe(true);
  fs.utimesSync(lock, new Date(), new Date(Date.now() + 86_400_000));
  breakStale({ gitDir, workTree: gitDir }, lock);
  expect(fs.statSync(lock).mtimeMs).toBeLessThanOrEqual(Date.now());
});
