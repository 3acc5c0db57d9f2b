import fs from "node:fs";
import { expect, test } from "vitest";
import { isTerminalGone } from "../../protocol/agents/hosts/host.ts";
import { HOSTS, hostOf, isNewer } from "../../protocol/agents/hosts/index.ts";
import { commitFolders, commitIdentity } from "../../protocol/git/home/commit-identity.ts";
import versions from "../agents/versions.json" with { type: "json" };
import { git, repository } from "../rig/scratch.ts";

test.each<[string[], string[][] | null, boolean]>([
  [["/x/codex", "app-server", "--listen"], [["/x/codex", "app-server"], ["bash"]], true],
  [["/x/codex", "app-server"], [["node", "/usr/bin/codex", "Good morning."]], false],
  [["/x/codex", "app-server"], null, false],
  [["/x/codex", "exec", "-"], [], false],
])("a server started by %j, in a folder of %j: the terminal is gone: %s", (starter, working, expected) => {
  expect(isTerminalGone(hostOf("codex"), starter, working)).toBe(expected);
  expect(isTerminalGone(hostOf("claude"), starter, working)).toBe(false);
});

test("the pages have each host, its files, and the version that the tests of real programs install", () => {
  const [spec, docs] = ["spec/agents.md", "docs/hosts.md"].map((page) => fs.readFileSync(page, "utf8").split("\n")) as [string[], string[]];
  for (const { name, title, tested, server, folder, screen } of HOSTS) {
    const row = spec.find((line) => line.startsWith(`| \`${name}\` |`));
    expect(row, name).toContain(server.base === "worktree" ? server.path : `~/${folder}/${server.path}`);
    const said = docs.find((line) => line.startsWith(`| ${title} |`));
    expect(said, name).toContain(
      tested !== null ? `${tested}, by the tests` : screen !== undefined ? "its screens" : "by the documentation",
    );
    expect((versions as Record<string, { version: string }>)[name]?.version ?? null, name).toBe(tested);
    if (tested === null) continue;
    expect(fs.readFileSync(`docs/${name}.md`, "utf8")).toMatch(/\n## What it does\n[\s\S]+\n## What it cannot\n[\s\S]+\n## By hand/);
  }
});

test.each([
  ["2.1.332", "2.1.332", false],
  ["2.1.1000", "2.1.332", true],
  ["2.0.999", "2.1.332", false],
  ["3", "2.1.332", true],
  ["0.172.0-alpha.1", "0.171.0", true],
  ["", "0.171.0", false],
  ["dev", "0.171.0", false],
])("%s is newer than %s: %s", (version, than, expected) => {
  expect(isNewer(version, than)).toBe(expected);
});

test("the author, and the folders that a commit in a worktree writes, are said to a program that cannot see them", async () => {
  const code = repository();
  const worktree = `${code}-beside`;
  git(code, "worktree", "add", "--quiet", worktree);
  expect(commitFolders(worktree)).toEqual([`${code}/.git`, `${code}/.git/worktrees/${worktree.split("/").at(-1)}`]);
  git(code, "config", "user.name", "Ada");
  git(code, "config", "user.email", "ada@example.org");
  expect(await commitIdentity(worktree)).toEqual({
    GIT_AUTHOR_NAME: "Ada",
    GIT_AUTHOR_EMAIL: "ada@example.org",
    GIT_COMMITTER_NAME: "Ada",
    GIT_COMMITTER_EMAIL: "ada@example.org",
  });
});
