/** Artifacts know the commit that they are about, and whether their branch went on. */
import fs from "node:fs";
import path from "node:path";
import { expect, test, vi } from "vitest";
import { answer, operations } from "../../protocol/index.ts";
import { act, project } from "../rig/clones.ts";
import { worldAt } from "../rig/home.ts";
import { git, put } from "../rig/scratch.ts";

test("an artifact's branch is its author's, and ahead counts what main lacks", async () => {
  const folder = await project("web", "api");
  const web = path.join(path.dirname(folder), "web");
  await act(folder, undefined, "part_here", { part: "main" });
  git(folder, "worktree", "add", "-q", "-b", "web", web);
  await act(web, undefined, "part_here", { part: "web" });
  const commit = (at: string, subject: string): string => {
    git(at, "commit", "-q", "--allow-empty", "-m", subject);
    return git(at, "rev-parse", "HEAD").trim();
  };
  const call = async (agent: string, name: keyof typeof operations, input: object = {}): Promise<Record<string, unknown>> =>
    (await answer(worldAt(folder), operations[name], { agent_id: agent, ...input })) as Record<string, unknown>;
  const shows = (from: string, to: string): string => `git diff ${from.slice(0, 7)} ${to.slice(0, 7)}`;
  const read = async (name: string): Promise<unknown> =>
    ((await call("main", "get_artifact", { name }))["artifact"] as { read?: string }).read;
  const one = commit(web, "one");
  const on = commit(folder, "main goes on");
  const { task_id } = await call("web", "create_task", { title: "Refund", assignee: "web" });
  // Whichever process takes a draft: the worktree is its author's.
  put(path.join(folder, ".relay/outbox/web/post.md"), "---\npost: Draft\ntype: code\n---\nMade.\n");
  expect(await call("main", "list_artifacts")).toMatchObject({ artifacts: [{ commit: one, branch: "web" }] });
  expect(await call("api", "post_artifact", { name: "By hash", type: "code", content: "", commit: one.slice(0, 9) })).toMatchObject({});
  expect(await call("main", "get_artifact", { name: "By hash" })).toMatchObject({ artifact: { commit: one, branch: "web" } });
  // api has no worktree, and this one is main's.
  expect(await call("api", "post_artifact", { name: "n", type: "code", content: "", commit: "HEAD" })).toMatchObject({
    argument: "commit",
  });
  expect(await call("web", "submit_task", { task_id, reviewer: "api", content: "Refunds." })).toMatchObject({ commit: one });
  const board = async () => ((await call("main", "get_all_tasks"))["tasks"] as object[])[0];
  expect(await board()).toMatchObject({ status: "in_review", review: expect.stringMatching(/^in review at api \(.{4}\)$/) });
  const comments = "Test a refund of 0.\nAnd one of -1.";
  await call("api", "submit_review", { review_id: "Refund", status: "changes_requested", comments });
  expect(await board()).toMatchObject({ status: "in_progress", review: "changes asked by api" });
  expect(await call("main", "show_review", { review_id: "Refund" })).toMatchObject({
    ...{ review: { comments, commit: one }, said: "Refunds.", read: shows(git(web, "merge-base", "main", "web"), one) },
  });
  git(web, "merge", "-q", "main");
  put(path.join(web, "refund.ts"), "");
  git(web, "add", ".");
  const two = commit(web, "two");
  expect(await call("web", "submit_task", { task_id, reviewer: "api" })).not.toHaveProperty("warning");
  const [thread, ...more] = (await call("api", "threads"))["threads"] as object[];
  expect(more).toEqual([]);
  expect(thread).toMatchObject({ messages: 3, status: "open" });
  const changed = `git log -p --cc ${one.slice(0, 7)}..${two.slice(0, 7)} ^${on.slice(0, 7)}`;
  // The board says it, and is told alone.
  expect(await call("api", "next", { all: true })).toMatchObject({ reviews: [{ changed }], messages: [] });
  const said = JSON.stringify(await call("api", "show", { threadId: (thread as { id: string }).id }));
  expect(said).toContain("> Test a refund of 0.\\n> And one of -1.");
  // What says more than the board is told.
  const { body } = JSON.parse(said).messages.at(-1);
  await call("main", "send", { to: ["api"], subject: "s", body: `${body}\n> And delete it.` });
  expect((await call("api", "next"))["messages"]).toHaveLength(1);
  await call("api", "submit_review", { review_id: "Refund", status: "approved", comments: "Good." });
  expect(await board()).toMatchObject({ review: `approved by api at ${two.slice(0, 7)}, not merged` });
  const fed = fs.readFileSync(
    path.join(folder, ".relay/run/feed", fs.readdirSync(path.join(folder, ".relay/run/feed"))[0] as string),
    "utf8",
  );
  expect(fed).toContain(`"name":"Refund","version":2,"commit":"${two}","comment":"Good."`);
  git(web, "merge", "-q", "main");
  expect((await call("api", "list_artifacts"))["artifacts"]).not.toMatchObject([{}, {}, { ahead: expect.anything() }]);
  commit(web, "three");
  expect((await call("api", "list_reviews"))["reviews"]).toContainEqual(expect.objectContaining({ commit: two, branch: "web", ahead: 1 }));
  const warning = `Refund: approved ${two.slice(0, 7)}, web is 1 ahead; where that belongs to it submit it again, else merge ${two.slice(0, 7)} alone`;
  expect(await answer(worldAt(folder), operations.check, {})).toMatchObject({ ok: true, warnings: [{ problem: warning }] });
  expect(await call("web", "update_task", { task_id, status: "done" })).toMatchObject({ warning });
  const before = await read("Refund");
  const unmerged = async () => [await call("main", "next"), await call("main", "next")][1]?.["unmerged"];
  const lacking = [`Refund v2 of web: \`git merge ${two.slice(0, 7)}\``];
  expect([await unmerged(), (await call("main", "status"))["unmerged"]]).toEqual([lacking, lacking]);
  const { task_id: after } = await call("main", "create_task", { title: "Page", assignee: "api", depends_on: [task_id] });
  expect((await call("api", "next", { all: true }))["tasks"]).toMatchObject([
    { id: after, state: "ready", merge: ["main", two.slice(0, 7)] },
  ]);
  await call("api", "update_task", { task_id: after, status: "done" });
  git(folder, "merge", "-q", "--squash", two);
  commit(folder, "refund");
  expect(await unmerged()).toBeUndefined();
  git(folder, "reset", "-q", "--hard", on);
  git(folder, "merge", "-q", "--no-ff", two);
  expect(await unmerged()).toBeUndefined();
  // What shows the code shows the same once it is merged, by a commit or by a move of the branch.
  const [root, merged] = [git(folder, "merge-base", on, two), git(folder, "rev-parse", "main")];
  git(web, "reset", "-q", "--hard", "main");
  commit(web, "four");
  const five = commit(web, "five");
  await call("web", "post_artifact", { name: "By move", type: "code", content: "", commit: five });
  // What who leads had made is done once it is merged.
  const { task_id: led } = (await call("main", "create_task", { title: "Move", assignee: "web" })) as { task_id: string };
  await call("web", "submit_task", { task_id: led, reviewer: "api", commit: five });
  expect(await call("api", "next")).toMatchObject({ reviews: [{ name: "Move", merges: "main" }] });
  await call("api", "submit_review", { review_id: "Move", status: "approved" });
  git(folder, "merge", "-q", "--ff-only", "web");
  const [isDone] = (await call("main", "next"))["happened"] as string[];
  expect(isDone).toBe(`${led.slice(5, 9)} 'Move' is merged, and done by that`);
  expect(await call("api", "show_task", { task_id: led })).toMatchObject({ task: { status: "done" } });
  expect(await read("By move")).toBe(shows(merged, five));
  git(folder, "reflog", "expire", "--expire=now", "--all");
  expect([before, await read("Refund")]).toEqual([shows(root, two), shows(root, two)]);
  // However many artifacts there are, git is asked as often.
  const log = path.join(path.dirname(folder), "asked");
  put(path.join(path.dirname(folder), "bin/git"), `#!/bin/sh\necho >>'${log}'\nPATH="$\{PATH#*:}" exec git "$@"\n`, 0o755);
  vi.stubEnv("PATH", `${path.dirname(folder)}/bin:${process.env["PATH"]}`);
  const asks = async (): Promise<number> => {
    fs.writeFileSync(log, "");
    for (const name of ["list_artifacts", "list_reviews", "get_all_tasks", "check"] as const) await call("main", name);
    return fs.statSync(log).size;
  };
  const few = await asks();
  for (const name of ["a", "b", "c"]) {
    const { artifact_id } = await call("web", "post_artifact", { name, type: "code", content: "", commit: one });
    const { review_id } = await call("web", "request_review", { artifact_id, reviewer: "api" });
    await call("api", "submit_review", { review_id, status: "approved" });
  }
  expect([few > 0, await asks()]).toEqual([true, few]);
  // What was merged from another's work is reviewed there, and told.
  git(web, "checkout", "-q", "-b", "api");
  const theirs = commit(web, "theirs");
  const { artifact_id } = await call("api", "post_artifact", { name: "Theirs", type: "code", content: "", commit: theirs });
  await call("api", "request_review", { artifact_id, reviewer: "web" });
  git(web, "checkout", "-q", "web");
  commit(web, "mine");
  git(web, "merge", "-q", "--no-ff", "api");
  const mine = git(web, "rev-parse", "HEAD").trim().slice(0, 7);
  const { task_id: last } = await call("web", "create_task", { title: "Mine", assignee: "web" });
  expect(await call("web", "submit_task", { task_id: last, reviewer: "api" })).toMatchObject({
    warning: expect.stringMatching(`^the commit has ${theirs.slice(0, 7)} of api, too: Theirs, not approved yet \\(\\w{4}\\)$`),
  });
  const only = `git log -p --cc ${five.slice(0, 7)}..${mine} ^${theirs.slice(0, 7)}`;
  expect([await read("Mine"), await call("main", "show_review", { review_id: "Mine" })]).toMatchObject([only, { read: only }]);
  expect(await call("api", "next", { all: true })).toMatchObject({ reviews: [{ read: only }] });
  await call("api", "submit_review", { review_id: String(last).slice(5, 9), status: "approved", done: true, comments: "No test\nof 0." });
  await call("web", "submit_review", { review_id: "Theirs", status: "approved" });
  git(folder, "merge", "-q", "web");
  const left = { tasks: "4 of 4 tasks done (web 3, api 1)", unread: ["web (7)", "api (2)"], next: "Nothing is left for you." };
  expect(await call("main", "end_session", { summary: "# Done\n\nAll." })).toMatchObject(left);
  const line = `\n- Mine (${last}, web); ${mine}, approved by api: No test of 0.\n`;
  expect(String((await call("main", "get_session_summary", {}))["summary"]).split(line)[0]).toMatch(/^# Done\n\nAll\.\n\n## Tasks\n/);
});

test("work that is not committed is not handed in unseen", async () => {
  const folder = await project("web", "api");
  put(path.join(folder, "price.ts"), "1\n");
  put(path.join(folder, "rate.ts"), "1\n");
  git(folder, "add", "price.ts", "rate.ts");
  git(folder, "commit", "-qm", "prices");
  const web = path.join(path.dirname(folder), "web");
  git(folder, "worktree", "add", "-q", "-b", "web", web);
  await act(web, undefined, "part_here", { part: "web" });
  const { task_id } = (await act(web, undefined, "create_task", { title: "Price", assignee: "web" })) as { task_id: string };
  await act(web, undefined, "claim_task", { task_id });
  const submit = (): Promise<object> => answer(worldAt(web), operations.submit_task, { task_id, reviewer: "api" });
  const at = (): string => git(web, "rev-parse", "--short=7", "HEAD").trim();
  put(path.join(web, "price.ts"), "2\n");
  put(path.join(web, "test/tax.ts"), "1\n");
  put(path.join(web, ".claude/settings.json"), "{}\n");
  expect(await submit()).toMatchObject({ warning: `${at()} lacks what you did not commit: price.ts, test/; main has ${at()} already` });
  await act(folder, "api", "submit_review", { review_id: "Price", status: "changes_requested", comments: "c" });
  git(web, "add", "test", "price.ts");
  git(web, "commit", "-qm", "two");
  // A new version answers what its author saw of the review, and nothing else.
  expect(await act(web, undefined, "next")).toMatchObject({ unread: 1 });
  expect(await act(web, undefined, "inbox")).toMatchObject({ unread: 1 });
  expect(await submit()).not.toHaveProperty("warning");
  expect(await act(web, undefined, "inbox")).toMatchObject({ unread: 0 });
  await act(folder, "api", "submit_review", { review_id: "Price", status: "changes_requested", comments: "c" });
  expect(await submit()).toMatchObject({ warning: `${at()} is the commit that api asked changes of` });
  // A reviewer that asks itself to answer anew is not the author of the version.
  await act(folder, "api", "submit_review", { review_id: "Price", status: "changes_requested", comments: "c" });
  await act(folder, "api", "request_review", { artifact_id: "Price", reviewer: "api" });
  git(web, "commit", "-q", "--allow-empty", "-m", "again");
  expect(await submit()).not.toHaveProperty("warning");
  put(path.join(folder, "price.ts"), "3\n");
  git(folder, "commit", "-qam", "three");
  expect(() => git(web, "merge", "-q", "main")).toThrow();
  put(path.join(web, "rate.ts"), "2\n");
  expect(await submit()).toMatchObject({ code: "unresolved_merge", files: ["price.ts"] });
  fs.mkdirSync(path.join(web, "sub"));
  const below = worldAt(path.join(web, "sub"));
  expect(await answer(below, operations.submit_task, { task_id, reviewer: "api" })).toMatchObject({ code: "unresolved_merge" });
  git(web, "merge", "--abort");
  put(path.join(web, "rate.ts"), "2\n");
  // What they left is told to whoever goes on.
  const former = "web had it before: 2 commits in `git log -p main..web`, not committed there: rate.ts";
  await act(web, undefined, "update_task", { task_id, assignee: "api" });
  expect(await act(folder, "api", "show_task", { task_id })).toMatchObject({ former });
  await act(folder, "api", "release_task", { task_id });
  expect(await act(folder, "main", "claim_task", { task_id })).toMatchObject({ former });
});
