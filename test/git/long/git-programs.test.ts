/** No setting of git in a repository starts a program by a command of Relay, whichever of git's documented settings it is. */
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { askGit } from "../../../protocol/git/git.ts";
import { asVariables, silencing } from "../../../protocol/git/git-config.ts";
import { unrecorded } from "../../../protocol/git/home/worktrees.ts";
import { findProgram } from "../../../protocol/store/program.ts";
import { act, shop } from "../../rig/clones.ts";
import { relayProcess } from "../../rig/processes.ts";
import { cleanEnv, git, put, repository, scratch } from "../../rig/scratch.ts";

/** A command that leaves a trace. */
const trap = (trace: string): string => `sh -c 'echo ran >> ${trace}'`;

/** Every setting that git documents, those of a section of any name under the name `evil`. */
const documented = (): string[] =>
  execFileSync("git", ["help", "--config"], { encoding: "utf8", env: cleanEnv() })
    .split("\n")
    .filter((name) => /^[a-z][\w-]*\.\S+$/i.test(name))
    .map((name) => name.replace(/<[^>]*>|\*/g, "evil"));

/** Those of some settings that may have such a value and leave git at work. */
const bearable = (folder: string, names: readonly string[], value: string): string[] =>
  names.filter((name) => {
    const run = (...args: string[]) =>
      spawnSync("git", ["-c", `${name}=${value}`, ...args], { cwd: folder, env: cleanEnv(asVariables(silencing(folder))) });
    return run("status").status === 0 && run("for-each-ref").status === 0 && run("diff", "HEAD").status === 0;
  });

/** Lays a setting into a file of configuration, and attributes that ask for drivers. */
function layTraps(gitDir: string, names: readonly string[], value: string): void {
  const lines = names.map((name) => {
    const [section, ...rest] = name.split(".");
    const key = rest.pop();
    return `[${section}${rest.length === 0 ? "" : ` "${rest.join(".")}"`}]\n\t${key} = "${value}"\n`;
  });
  fs.appendFileSync(path.join(gitDir, "config"), lines.join(""));
  put(path.join(gitDir, "info/attributes"), "* filter=evil diff=evil merge=evil\n");
}

test("none of git's documented settings, hooks or attributes in the code's or the home's repository starts anything", async () => {
  const { code } = await shop("web");
  const trace = path.join(path.dirname(code), "trace");
  const names = bearable(code, documented(), trap(trace));
  expect(names).toContain("core.fsmonitor");
  for (const gitDir of [".git", ".git/relay"]) {
    layTraps(path.join(code, gitDir), names, trap(trace));
    for (const hook of ["post-checkout", "post-commit", "pre-auto-gc", "reference-transaction", "pre-push", "post-index-change"])
      put(path.join(code, gitDir, "hooks", hook), `#!/bin/sh\necho ${hook} >> ${trace}\n`, 0o755);
  }
  // The trap works: git by itself falls into it.
  const { stderr } = spawnSync("git", ["status"], { cwd: code, env: cleanEnv(), encoding: "utf8" });
  expect(fs.existsSync(trace), stderr).toBe(true);
  fs.rmSync(trace);
  fs.writeFileSync(path.join(code, "README.md"), "changed\n");
  await act(code, "web", "send", { to: ["main"], subject: "s", body: "b" });
  for (const name of ["status", "doctor", "check", "record", "sync", "log", "diff", "stats"] as const) {
    await act(code, "main", name).catch(() => {});
    expect([name, fs.existsSync(trace)]).toEqual([name, false]);
  }
});

test.each(["bin", "$PROJECT/bin", "$BESIDE/bin"])("no program of the project runs where the user's PATH has %s", async (folder) => {
  const { code } = await shop("web");
  const trace = path.join(scratch(), "trace");
  const beside = path.join(scratch(), "beside");
  git(code, "worktree", "add", "--quiet", beside);
  for (const at of [code, beside])
    for (const name of ["git", "tmux", "claude"]) put(path.join(at, "bin", name), `#!/bin/sh\necho ran >> ${trace}\n`, 0o755);
  const env = { PATH: `${folder.replace("$PROJECT", code).replace("$BESIDE", beside)}:${process.env["PATH"]}` };
  for (const words of [["doctor"], ["record"], ["setup", "--check"], ["down"]]) await relayProcess(code, words, { env });
  expect([fs.existsSync(trace), findProgram("claude", code, "bin")]).toEqual([false, null]);
});

test("settings of a file that is included, of a worktree and of a linked one are silenced, and git runs; those of the user are not", async () => {
  const folder = fs.mkdtempSync(path.join(process.cwd(), "dist-test/config-"));
  try {
    git(folder, "init", "--quiet");
    fs.writeFileSync(path.join(folder, "more"), '[filter "more"]\n\tclean = evil\n[CORE]\n\tSSHCommand = evil\n');
    fs.appendFileSync(
      path.join(folder, ".git/config"),
      '[include]\n\tpath = ../more\n[diff "a.b \\"c"]\n\ttextconv = evil\n[core] gitProxy = evil\n[lfs "customtransfer.x"]\n\tpath = evil\n',
    );
    fs.writeFileSync(path.join(folder, ".git/config.worktree"), '[merge "w"]\n\tdriver = evil\n[trailer "t"]\n\tcommand = evil\n');
    const settings = Object.fromEntries(silencing(folder));
    expect(settings).toMatchObject({
      "filter.more.clean": "",
      "core.sshcommand": "ssh",
      'diff.a.b "c.textconv': "cat",
      "core.gitproxy": "none",
      "lfs.customtransfer.x.path": "",
      "merge.w.driver": "false",
      "trailer.t.command": "",
    });
    await expect(askGit(folder, ["rev-parse", "--git-dir"])).resolves.toBe(".git\n");
    // In a home's own repository the file has no say over what it pins, or over what git waits for.
    const pinned = silencing(folder, path.join(folder, ".git"));
    expect(pinned).toEqual(
      expect.arrayContaining([
        ["core.attributesFile", "/dev/null"],
        ["core.filesRefLockTimeout", "100"],
      ]),
    );
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
});

test("a repository inside of a worktree, which has filters of its own, is not asked what changed in it", async () => {
  const folder = repository();
  const trace = path.join(scratch(), "trace");
  git(folder, "clone", "--quiet", folder, "sub");
  for (const args of [
    ["add", "sub"],
    ["commit", "--quiet", "--message", "sub"],
  ])
    git(folder, ...args);
  layTraps(path.join(folder, "sub/.git"), ["filter.evil.clean"], trap(trace));
  fs.utimesSync(path.join(folder, "sub/README.md"), 1, 1);
  expect([await unrecorded(folder, true), fs.existsSync(trace)]).toEqual([null, false]);
  // The same in the home: its index has been written, and its exclude file, as an archive may have them.
  await act(folder, undefined, "init");
  const [home, own] = [path.join(folder, ".relay"), path.join(folder, ".git/relay")];
  fs.cpSync(path.join(folder, "sub"), path.join(home, "threads/sub"), { recursive: true, preserveTimestamps: true });
  git(home, "--git-dir", own, "update-index", "--add", "--cacheinfo", `160000,${git(folder, "rev-parse", "HEAD:sub").trim()},threads/sub`);
  git(home, "--git-dir", own, "commit", "--quiet", "--message", "sub");
  fs.appendFileSync(path.join(own, "info/exclude"), "zzz\n");
  for (const name of ["check", "doctor", "record"] as const) await act(folder, "main", name).catch(() => {});
  expect(fs.existsSync(trace)).toBe(false);
});

const FILTER = '[filter "n"]\n\tsmudge = evil\n';
/** Ways to write a setting, or to include the file `x/more`, which has it. */
const WRITTEN: Record<string, string | Buffer> = {
  "two heads in one line": '[user] [filter "n"] smudge = evil\n',
  "a line that goes on": '[filter "n"]\n\tx = y \\\n[user]\n\tsmudge = evil\n',
  "a line that goes on in quotes": '[filter "n"]\n\tx = "y\\\n[user]"\n\tsmudge = evil\n',
  "a head with a dot": "[filter.N]\n\tsmudge = evil\n",
  "a byte order mark": `\ufeff${FILTER}`,
  "a lone carriage return": `[user]\r${FILTER}`,
  "a name that is not ASCII": FILTER.replace("n", "é"),
  "a path in quotes": '[include]\n\tpath = "x/more" # that\n',
  "a path through a link": "[include]\n\tpath = link/../more\n",
  "a path that is not ASCII": "[include]\n\tpath = x/é\n",
  "a chain of files": "[include]\n\tpath = x/1\n",
};

test.each(Object.entries(WRITTEN))("a setting that git reads is found, written with %s", (_how, text) => {
  const folder = scratch();
  git(folder, "init", "--quiet");
  const at = (...names: string[]): string => path.join(folder, ".git", ...names);
  fs.mkdirSync(at("x/y"), { recursive: true });
  fs.symlinkSync("x/y", at("link"));
  for (const name of ["more", "é", "9"]) fs.writeFileSync(at("x", name), FILTER);
  for (let n = 1; n < 9; n += 1) fs.writeFileSync(at("x", `${n}`), `[include]\n\tpath = ${n + 1}\n`);
  fs.appendFileSync(at("config"), _how === "a byte order mark" ? "[include]\n\tpath = x/bom\n" : text);
  fs.writeFileSync(at("x/bom"), text);
  const [name = ""] = git(folder, "config", "--list", "--name-only")
    .split("\n")
    .filter((each) => each.endsWith(".smudge"));
  expect(name).not.toBe("");
  expect(Object.keys(Object.fromEntries(silencing(folder)))).toContain(name);
});

test.each([
  ["a path of another user", "[include]\n\tpath = ~root/more\n"],
  ["a path behind empty quotes", '[include]\n\tpath = ""  x/more\n'],
  ["a path that begins in the next line", "[include]\n\tpath = \\\n   x/more\n"],
  ["a path with a tab in it", "[include]\n\tpath = x\t/more\n"],
  ["a path that is no file", "[include]\n\tpath = /dev/stdin\n"],
  ["bytes that are no UTF-8", Buffer.from([0x5b, 0x78, 0x20, 0x22, 0xff, 0x22, 0x5d, 0x0a])],
  ["a line that is none", "[user]\n\t= x\n"],
  ["more bytes than Relay reads", 300 * 1_024 ** 2],
])("no git is started where a configuration has %s", (_what, text) => {
  const folder = scratch();
  git(folder, "init", "--quiet");
  const config = path.join(folder, ".git/config");
  if (typeof text === "number") fs.truncateSync(config, text);
  else fs.appendFileSync(config, text);
  expect(() => silencing(folder)).toThrow(expect.objectContaining({ code: "git_failed" }));
});
