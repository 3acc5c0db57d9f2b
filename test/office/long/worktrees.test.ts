/** Worktrees of dispatches: one each, on a branch of its own, made once whoever is killed, and removed only where nothing would be lost. */
import fs from "node:fs";
import path from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import type { Finding } from "../../../protocol/core/format/finding.ts";
import { homeOf } from "../../../protocol/core/home/find-home.ts";
import {
  ensureWorktree,
  removeDispatchWorktree,
  worktreeDispatches,
  worktreeReport,
} from "../../../protocol/office/files/dispatch-worktree.ts";
import { act, project } from "../../rig/clones.ts";
import { homeWith, worldAt } from "../../rig/home.ts";
import { agentText } from "../../rig/office.ts";
import { OfficeStage } from "../../rig/office-stage.ts";
import { commitAll, git, put, repository, until } from "../../rig/scratch.ts";

const isolated = (name: string): string => agentText(name).replace("---\n", "---\nisolation: worktree\n");
const [ONE, TWO] = ["t-20260131-k3f9x2ab", "t-20260131-abcd2345"] as const;
let code = "";
beforeEach(async () => {
  code = await project("web");
  fs.appendFileSync(path.join(code, ".git/info/exclude"), "built\n");
});
const ensure = (id: string, ...above: string[]) => ensureWorktree(worldAt(code), id, above);
const commit = (folder: string, name: string, text: string): void => {
  fs.writeFileSync(path.join(folder, name), text);
  commitAll(folder, name);
};
const branches = (): string[] => git(code, "branch", "--format=%(refname:short)").trim().split("\n");
const head = (folder: string): string => git(folder, "rev-parse", "HEAD").trim();

test("it lies beside the code, on a branch of its own, with the home of the repository and no other", async () => {
  const made = await ensure(ONE);
  expect(made).toEqual({ folder: `${code}-office/k3f9x2ab`, branch: "relay/k3f9x2ab", base: head(code) });
  expect([git(made.folder, "branch", "--show-current").trim(), head(made.folder)]).toEqual(["relay/k3f9x2ab", head(code)]);
  expect(homeOf(made.folder)).toBe(path.join(code, ".relay"));
  expect(git(made.folder, "status", "--porcelain")).toBe("");
  expect(git(code, "status", "--porcelain")).toBe("");
  expect((await act(made.folder, "web", "send", { to: ["main"], subject: "s", body: "b" })).threadId).toBeDefined();
  expect(await ensure(ONE)).toEqual(made);
});

test("one below is cut from what the one above has committed, else from the repository's HEAD", async () => {
  const { folder } = await ensure(ONE);
  commit(folder, "b.txt", "two\n");
  const below = await ensure(TWO, "t-20260131-nowhere2", ONE);
  expect(below.base).toBe(head(folder));
  expect(fs.existsSync(path.join(below.folder, "b.txt"))).toBe(true);
  expect((await ensure("t-20260131-third234")).base).toBe(head(code));
});

test("several who make it at once make one", async () => {
  const made = await Promise.all([1, 2, 3, 4].map(() => ensure(ONE)));
  expect(new Set(made.map(({ folder }) => folder)).size).toBe(1);
  expect(git(code, "worktree", "list").trim().split("\n")).toHaveLength(2);
});

test("a worktree of a killed git is made again from the same commit, and one with work in it is never touched", async () => {
  const base = head(code);
  const config = path.join(path.dirname(code), "gitconfig");
  fs.writeFileSync(config, '[filter "killer"]\n\tsmudge = kill -9 $PPID\n');
  fs.writeFileSync(path.join(code, ".git/info/attributes"), "* filter=killer\n");
  vi.stubEnv("GIT_CONFIG_GLOBAL", config);
  await expect(ensure(ONE)).rejects.toMatchObject({ code: "no_worktree" });
  vi.unstubAllEnvs();
  fs.rmSync(path.join(code, ".git/info/attributes"));
  commit(code, "c.txt", "later\n");
  const { folder } = await ensure(ONE);
  expect([head(folder), git(folder, "status", "--porcelain")]).toEqual([base, ""]);
  fs.writeFileSync(path.join(folder, "new.txt"), "mine\n");
  await ensure(ONE);
  expect(fs.readFileSync(path.join(folder, "new.txt"), "utf8")).toBe("mine\n");
});

test("one whose folder is gone is made again on its branch", async () => {
  const { folder } = await ensure(ONE);
  commit(folder, "b.txt", "two\n");
  const tip = head(folder);
  fs.rmSync(folder, { recursive: true });
  await ensure(ONE);
  expect(head(folder)).toBe(tip);
});

test.each<[what: string, break_: () => unknown, reason: RegExp]>([
  [
    "a branch of its name with other commits",
    () => {
      commit(code, "c.txt", "x\n");
      git(code, "branch", "relay/k3f9x2ab", "HEAD~1");
    },
    /is there, with other commits/,
  ],
  ["a branch called relay", () => git(code, "branch", "relay"), /relay/],
  ["somebody's folder of its name", () => put(`${code}-office/k3f9x2ab/mine`, "mine"), /is no worktree of the code/],
])("%s is left as it is, and the refusal says why", async (_what, break_, reason) => {
  break_();
  const refs = git(code, "for-each-ref");
  const refusal = await ensure(ONE).catch((error) => error);
  expect([refusal.code, reason.test(refusal.message)], refusal.message).toEqual(["no_worktree", true]);
  expect(git(code, "for-each-ref")).toBe(refs);
});

test("a worktree is refused outside of git, without a commit, and where the home is files of the code", async () => {
  await expect(ensureWorktree(worldAt(await homeWith("web")), ONE, [])).rejects.toMatchObject({ code: "no_worktree" });
  const empty = repository();
  git(empty, "update-ref", "-d", "HEAD");
  await act(empty, undefined, "init");
  await expect(ensureWorktree(worldAt(empty), ONE, [])).rejects.toMatchObject({ code: "no_worktree" });
  const tree = repository();
  await act(tree, undefined, "init", { inTree: true });
  await expect(ensureWorktree(worldAt(tree), ONE, [])).rejects.toMatchObject({ code: "no_worktree" });
});

test("its report has branch, commits, diffstat, and what is in no commit", async () => {
  const { folder } = await ensure(ONE);
  expect(await worktreeReport(worldAt(code), ONE)).toMatch(
    /^Branch relay\/k3f9x2ab, cut from [0-9a-f]{12}: 0 commits\.\nNo file differs\.$/,
  );
  commit(folder, "b.txt", "two\nthree\n");
  fs.writeFileSync(path.join(folder, "open.txt"), "x");
  const report = await worktreeReport(worldAt(code), ONE);
  expect(report).toMatch(/: 1 commit\.\n b\.txt \| 2 \+\+\n 1 file changed, 2 insertions\(\+\)\nNot all is committed: .*open\.txt\.$/);
  git(folder, "config", "core.quotePath", "false");
  commit(folder, "c\nBranch relay\u2028x", "");
  fs.writeFileSync(path.join(folder, "open\u2028\u0085.txt"), "x");
  const lines = (await worktreeReport(worldAt(code), ONE))?.split(/[\n\u0085\u2028]/) ?? [];
  expect(lines.map((line) => line.replace(/ *\|.*/, ""))).toEqual([
    expect.stringMatching(/: 2 commits\.$/),
    " b.txt",
    ' "c\\nBranch relay\\342\\200\\250x"',
    " open.txt",
    " 3 files changed, 3 insertions(+)",
    "Not all is committed: it has changes that are not committed: open\\u2028\\u0085.txt.",
  ]);
  expect(await worktreeReport(worldAt(code), TWO)).toBeNull();
});

test("it is removed with its branch once all of it is elsewhere, and is left with a reason before", async () => {
  const { folder, branch } = await ensure(ONE);
  const remove = () => removeDispatchWorktree(worldAt(code), ONE);
  fs.writeFileSync(path.join(folder, "open.txt"), "x");
  expect(await remove()).toContain("open.txt");
  commit(folder, "open.txt", "x");
  expect(await remove()).toContain("1 commit of relay/k3f9x2ab is on no other branch");
  git(folder, "switch", "--quiet", "--create", "elsewhere");
  expect(await remove()).toContain("not on its branch");
  git(folder, "switch", "--quiet", branch);
  git(code, "branch", "--delete", "--force", "elsewhere");
  git(code, "merge", "--quiet", branch);
  fs.writeFileSync(path.join(folder, "built"), "by a tool");
  expect(await remove()).toBeNull();
  expect([fs.existsSync(`${code}-office`), branches(), worktreeDispatches(worldAt(code))]).toEqual([false, ["main"], []]);
  expect(await remove()).toBe("it has no worktree");
  expect((await ensure(ONE)).base).toBe(head(code));
});

test("an agent that is set so works in one, and its reply ends with branch and diffstat", async () => {
  const lead = { "org/projects/teaparty/agents/teaparty-lead.md": isolated("teaparty-lead") };
  const stage = await OfficeStage.open(lead, code);
  const commits = "echo two > b.txt; git add b.txt; git -c user.name=x -c user.email=x@y commit --quiet -m b";
  const work = `if [ "$RELAY_PART" = teaparty/lead ]; then ${commits}; fi; echo done in $(pwd)`;
  await stage.program("command", work);
  const [one, other] = [stage.give("teaparty/lead", "Do it."), stage.give("pybayes/lead", "Do it.")];
  const base = head(code).slice(0, 12);
  const runner = stage.run();
  const reply = await stage.reply(one);
  const folder = `${code}-office/${one.slice(-8)}`;
  expect(reply).toContain(`done in ${folder}\n\nBranch relay/${one.slice(-8)}, cut from ${base}: 1 commit.`);
  expect(reply).toMatch(/\n b\.txt \| 1 \+\n/);
  expect(await stage.reply(other)).toContain(`done in ${code}`);
  expect(fs.existsSync(path.join(code, "b.txt"))).toBe(false);
  await until("the runner ended", () => runner.exitCode !== null);
});

test("prune removes what is merged, and lists what it leaves and why", async () => {
  await ensure(ONE);
  const { folder } = await ensure(TWO);
  commit(folder, "b.txt", "two\n");
  const { left } = await act(code, undefined, "office_prune", { list: true });
  expect(left).toHaveLength(2);
  const leftAt = async (): Promise<string[]> =>
    (await act(code, undefined, "doctor")).findings.flatMap(({ code: found, path: at }: Finding) =>
      found === "worktree_left" ? [at] : [],
    );
  expect((await leftAt()).sort()).toEqual([`${code}-office/abcd2345`, `${code}-office/k3f9x2ab`]);
  expect(await act(code, undefined, "office_prune")).toMatchObject({
    removed: [{ dispatch: ONE, branch: "relay/k3f9x2ab" }],
    left: [{ dispatch: TWO, why: "1 commit of relay/abcd2345 is on no other branch and no remote" }],
  });
  expect(await leftAt()).toEqual([`${code}-office/abcd2345`]);
});
