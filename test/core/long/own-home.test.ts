/** Which folder is a home, and whose: a file of the code makes none, and one that somebody else may have laid is only read. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { codeRepository, homeOf } from "../../../protocol/core/home/find-home.ts";
import { act, shop } from "../../rig/clones.ts";
import { homeWith, worldAt } from "../../rig/home.ts";
import { connect, relayFile, relayProcess } from "../../rig/processes.ts";
import { cleanEnv, commitAll, git, put, repository, scratch } from "../../rig/scratch.ts";

test("a relay.yml of the code is the code's: the home is found, recorded and synced, and a new clone joins it", async () => {
  const { hub, code } = await shop("web");
  fs.writeFileSync(path.join(code, "relay.yml"), "service: relay\n");
  fs.mkdirSync(path.join(code, "sub"));
  commitAll(code);
  git(code, "push", "--quiet", "origin", "main");
  await act(code, "main", "send", { to: ["web"], subject: "s", body: "b" });
  expect(await act(path.join(code, "sub"), "main", "sync")).toMatchObject({ sent: true });
  const clone = path.join(scratch(), "clone");
  git(path.dirname(clone), "clone", "--quiet", hub, clone);
  expect(await act(clone, undefined, "init")).toMatchObject({ created: false, joined: "origin" });
});

test("a folder of the code may look like a bare repository: its files make no home", async () => {
  const code = repository({ "a/HEAD": "ref: refs/heads/x\n", "a/objects/x": "", "a/refs/x": "", "a/relay-home/relay.yml": "format: 2\n" });
  expect(homeOf(path.join(code, "a"))).toBeNull();
  await act(code, undefined, "init", { parts: ["web"] });
  expect(homeOf(path.join(code, "a"))).toBe(path.join(code, ".relay"));
});

test.each([" ref: refs/heads/x", "x"])("a .git with HEAD %j is no repository, as for git, which takes the one above", (head) => {
  const code = repository({ "a/f": "" });
  for (const name of ["objects/x", "refs/x"]) put(path.join(code, "a/.git", name), "");
  put(path.join(code, "a/.git/HEAD"), head);
  expect([codeRepository(path.join(code, "a"))?.top, git(path.join(code, "a"), "rev-parse", "--show-toplevel").trim()]).toEqual([
    code,
    code,
  ]);
});

test("a home that the code has as a submodule is only read, and what to type is said", async () => {
  const inner = repository();
  fs.cpSync(path.join(await homeWith("web"), ".relay"), path.join(inner, "home"), { recursive: true });
  const home = path.join(scratch(), "home");
  fs.renameSync(path.join(inner, "home"), home);
  fs.rmSync(path.join(home, ".gitignore"));
  git(home, "init", "--quiet");
  commitAll(home);
  const code = repository();
  git(code, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", home, ".relay");
  git(code, "commit", "--quiet", "--message", "submodule");
  expect((await act(code, "web", "inbox")).messages).toEqual([]);
  await expect(act(code, "web", "send", { to: ["main"], subject: "s", body: "b" })).rejects.toMatchObject({
    code: "tracked_state",
    message: expect.stringContaining("git rm -r --force -- .relay"),
  });
});

test("a home that is made where new files are everybody's is its maker's", async () => {
  const code = repository();
  execFileSync("sh", ["-c", 'umask 000; "$0" "$1" init web', process.execPath, relayFile()], { cwd: code, env: cleanEnv() });
  expect((await relayProcess(code, ["send", "web", "s", "b", "--part", "main"])).stderr).toBe("");
});

test("a home in a folder that everybody may write is read and never written, until git is told that it is safe", async () => {
  const folder = await homeWith("web");
  fs.chmodSync(folder, 0o777);
  const before = fs.readdirSync(path.join(folder, ".relay"), { recursive: true }).sort();
  const read = await relayProcess(folder, ["inbox", "--part", "web", "--json"]);
  expect([read.code, read.json.warnings]).toEqual([0, [expect.stringContaining("can be written by everybody")]]);
  const sent = await relayProcess(folder, ["send", "main", "s", "b", "--part", "web"]);
  expect([sent.code, sent.stderr]).toEqual([4, expect.stringContaining(`git config --global --add safe.directory ${folder}`)]);
  await relayProcess(folder, ["pager", "--once"]);
  expect(fs.readdirSync(path.join(folder, ".relay"), { recursive: true }).sort()).toEqual(before);
  const config = path.join(scratch(), "gitconfig");
  fs.writeFileSync(config, `[safe]\n\tdirectory = ${folder}\n`);
  const env = { GIT_CONFIG_GLOBAL: config };
  expect((await relayProcess(folder, ["send", "main", "s", "b", "--part", "web"], { env })).code).toBe(0);
  const agent = await connect(folder, { args: ["--part", "main"], env });
  expect((await agent.call("inbox")).messages).toHaveLength(1);
  await agent.close();
});

const asRoot = test.skipIf(process.getuid?.() !== 0);
asRoot.each([".relay", ".git"])(
  "a home above whose %s is another user's is read, and nothing is written or started in it",
  async (name) => {
    const folder = path.join(scratch(), "project");
    fs.renameSync(await homeWith("web"), folder);
    git(folder, "init", "--quiet");
    fs.chownSync(path.join(folder, name), 65_534, 65_534);
    const below = path.join(folder, "notes");
    fs.mkdirSync(below);
    expect(worldAt(below).home().store.foreign?.code).toBe("not_own_home");
    await expect(act(below, "web", "send", { to: ["main"], subject: "s", body: "b" })).rejects.toMatchObject({ code: "not_own_home" });
  },
);

asRoot.each([
  [0o2775, 12_345, "can be written by a group (12345)"],
  [0o1775, 12_345, undefined],
  [0o775, 0, undefined],
])("a home in a folder of mode %i and group %i", async (mode, group, problem) => {
  const folder = path.join(scratch(), "project");
  fs.renameSync(await homeWith("web"), folder);
  fs.chownSync(folder, 0, group);
  fs.chmodSync(folder, mode);
  expect(worldAt(folder).home().store.foreign?.message).toEqual(problem === undefined ? undefined : expect.stringContaining(problem));
});

test.each<[what: string, lay: (a: string, zip: string) => void]>([
  ["a file that names it", (_a, zip) => fs.writeFileSync(path.join(zip, ".git"), "gitdir: ../a/.git\n")],
  ["a file that names its worktree", (_a, zip) => fs.writeFileSync(path.join(zip, ".git"), "gitdir: ../a/.git/worktrees/linked\n")],
  ["a link", (_a, zip) => fs.symlinkSync("../a/.git", path.join(zip, ".git"))],
  [
    "a directory that shares with it",
    (a, zip) => {
      fs.cpSync(path.join(a, ".git/worktrees/linked"), path.join(zip, ".git"), { recursive: true });
      fs.writeFileSync(path.join(zip, ".git/commondir"), "../../a/.git\n");
      fs.writeFileSync(path.join(zip, ".git/gitdir"), `${zip}/.git\n`);
    },
  ],
])("a folder is no working tree of another project by %s", async (_what, lay) => {
  const { code } = await shop("web");
  const folder = path.dirname(code);
  const [a, zip] = [path.join(folder, "a"), path.join(folder, "zip")];
  fs.renameSync(code, a);
  git(a, "worktree", "add", "--quiet", "-b", "linked", "../linked");
  expect(homeOf(path.join(folder, "linked"))).toBe(path.join(a, ".relay"));
  fs.mkdirSync(zip);
  lay(a, zip);
  expect([homeOf(zip), codeRepository(zip)]).toEqual([null, null]);
});

test("a home that the code, a submodule or a branch has beside the repository's own is refused with both names, and doctor names it", async () => {
  const { code } = await shop("web");
  fs.mkdirSync(path.join(code, "pkg"));
  fs.cpSync(path.join(await homeWith("web"), ".relay"), path.join(code, "pkg/.relay"), { recursive: true });
  git(code, "add", "--force", "pkg/.relay/relay.yml");
  const sub = repository({ ".relay/relay.yml": fs.readFileSync(path.join(code, "pkg/.relay/relay.yml"), "utf8") });
  git(code, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", sub, "sub");
  // A branch that tracks one: git puts it in the place of the link, which it takes for rubbish that is ignored.
  git(code, "worktree", "add", "--quiet", "../linked");
  const linked = path.join(path.dirname(code), "linked");
  fs.cpSync(path.join(code, "pkg/.relay"), path.join(linked, ".relay"), { recursive: true });
  for (const inner of ["pkg/.relay", "sub/.relay", "../linked/.relay"]) {
    const both = new RegExp(`${path.resolve(code, inner)} is a second home in the repository of ${code}/.relay`);
    for (const from of [path.dirname(inner), inner]) expect(() => worldAt(path.join(code, from)).home()).toThrow(both);
  }
  const { findings } = await act(code, "main", "doctor");
  expect(findings).toContainEqual(expect.objectContaining({ code: "inner_home", problem: expect.stringContaining("pkg/.relay") }));
});
