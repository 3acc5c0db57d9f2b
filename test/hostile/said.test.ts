/** What a push of odd files does, and what is said of it: no more and no less than happened. */
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { answer, createWorld } from "../../protocol/index.ts";
import { type Answer, act, shop } from "../rig/clones.ts";
import { connect, relay } from "../rig/processes.ts";
import { git } from "../rig/scratch.ts";
import { remoteAt } from "./rig/remote.ts";

test("an unreadable session is not the current one beside one that can be read", async () => {
  const { hub, code } = await shop("web");
  const { session_id: session } = await act(code, "main", "start_session");
  const { task_id: task } = await act(code, "main", "create_task", { title: "Parser" });
  await act(code, undefined, "sync");
  const evil = remoteAt(hub);
  evil.write("sessions/local/session.md", "id\n");
  evil.commit();
  await act(code, undefined, "sync");
  const { tasks } = await act(code, "web", "get_all_tasks");
  expect(tasks.map((each: Answer) => each.id ?? each.task_id)).toEqual([task]);
  expect(await act(code, "main", "create_task", { title: "Next" })).not.toHaveProperty("warning");
  expect(fs.readdirSync(path.join(code, ".relay/sessions", session, "tasks"))).toHaveLength(2);
});

test("a fault in ended.md is reported of ended.md, and the end is reported once", async () => {
  const { hub, code } = await shop("web");
  const { session_id: session } = await act(code, "main", "start_session");
  await act(code, undefined, "sync");
  const evil = remoteAt(hub);
  evil.write(`sessions/${session}/ended.md`, "id\n");
  evil.commit();
  const { stdout } = await relay(code, ["sync"]);
  expect(stdout.match(/as nobody named/g)).toHaveLength(1);
  const { problems } = await act(code, "main", "list_sessions");
  expect(problems).toMatchObject([{ path: `sessions/${session}/ended.md` }]);
});

test("JSON has as escapes what a terminal acts on, or shows as nothing, of a text and of a refusal", async () => {
  const { code } = await shop("web");
  const acts = "a\u009b31m\u202eb\u0085";
  await act(code, "main", "write_memory", { key: "k", content: acts });
  for (const words of [
    ["memory", "read"],
    ["show", acts],
  ]) {
    const { stdout } = await relay(code, [...words, "--json"]);
    expect([stdout, stdout.match(/[\u0080-\u009f\u202e]/)]).toEqual([expect.stringContaining("a\\u009b31m\\u202eb"), null]);
  }
});

test("a file kept beside is reported as kept beside, and not as something that came", async () => {
  const { hub, code } = await shop("web");
  await act(code, "main", "send", { to: ["web"], subject: "s", body: "As it was." });
  await act(code, undefined, "sync");
  const evil = remoteAt(hub);
  const [at = ""] = evil.paths(/^threads\/.*\/\d.*\.md$/);
  evil.write(at, evil.read(at).replace("As it was.", "Run this."));
  evil.write(`${at}.kept-0123456789ab`, "of nobody");
  evil.commit();
  const { stdout } = await relay(code, ["sync"]);
  expect(stdout).toContain("nothing came that counts; the repair was pushed");
  expect(stdout).not.toContain("gave way");
  expect(stdout.match(/kept beside/g)).toHaveLength(2);
});

test("a pushed .gitignore hides nothing from a record, is listed, and is taken back", async () => {
  const { hub, code } = await shop("web");
  const home = path.join(code, ".relay");
  const before = fs.readFileSync(path.join(home, ".gitignore"), "utf8");
  const evil = remoteAt(hub);
  for (const hostile of ["*\n", null]) {
    if (hostile === null) evil.remove(".gitignore");
    else evil.write(".gitignore", hostile);
    const commit = evil.commit();
    const { arrived } = await act(code, undefined, "sync");
    expect(arrived.did.join("\n")).toContain(`commit ${commit.slice(0, 8)} changed .gitignore`);
    await act(code, "main", "send", { to: ["web"], subject: "s", body: "b" });
    expect(await act(code, undefined, "record")).toMatchObject({ changes: { message: 1 } });
    expect((await act(code, undefined, "undo", { commit })).undone).toEqual(["restored the earlier text of .gitignore"]);
    expect(fs.readFileSync(path.join(home, ".gitignore"), "utf8")).toBe(before);
    await act(code, undefined, "sync");
    expect(git(home, "show", "HEAD:.gitignore")).toBe(before);
    expect(evil.read(".gitignore")).toBe(before);
  }
});

test("an agent whose part is its worktree's does not speak as a person", async () => {
  const { code } = await shop("web", "api");
  await act(code, undefined, "part_here", { part: "web" });
  const agent = await connect(code);
  const letter = { to: ["api"], subject: "s", body: "b" };
  expect(await agent.call("send", { ...letter, agent_id: "human" })).toMatchObject({ success: false, code: "bound_elsewhere" });
  expect(await agent.call("send", { ...letter, agent_id: "main" })).toMatchObject({ success: true });
  expect(await agent.call("send", letter)).toMatchObject({ success: true });
  await agent.close();
  expect((await relay(code, ["send", "api", "s", "of a person", "--part", "human"])).code).toBe(0);
});

describe("a program without types", () => {
  test.each([undefined, null, 5, "inbox", {}])("that gives %j for an operation is answered with what was expected", async (operation) => {
    const { code } = await shop("web");
    const told = await answer(createWorld({ cwd: code, part: "web" }), operation as never, {});
    expect(told).toMatchObject({ success: false, code: "usage", error: expect.stringContaining("an operation of Relay") });
  });

  test.each(["cwd", "home", "part"])("that gives a number for %s is answered with what was expected", (name) => {
    const made = (): unknown => createWorld({ [name]: 5 } as never);
    expect(made).toThrow(expect.objectContaining({ code: "usage", message: expect.stringContaining(`${name}: expected a text, given 5`) }));
  });
});
