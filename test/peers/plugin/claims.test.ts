/** Claims, and the hooks that gate them, as agents of the relay plugin meet them. */
import fs from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { crew, differs, play, type Scene } from "../stage.ts";

/** A task of an agent whose hooks are trusted, as a person would. */
const guarded = async ({ write, trust, task }: Scene, hooks: string): Promise<string> => {
  write("team", crew({ web: hooks }));
  await trust();
  return task({ assignee: "web" });
};
const printed = (home: string, name: string): string => fs.readFileSync(path.join(path.dirname(home), name), "utf8");

play({
  "an agent claims its own task, which is in progress then": async ({ task, ok, tasks }) => {
    expect(await ok("web", "claim_task", { task_id: await task({ assignee: "web" }) })).toMatchObject({ claimed: true, fence: 1 });
    expect(await tasks()).toMatchObject([{ status: "in_progress", assignee: "web" }]);
  },
  "a claim a second time is answered: not claimed, and why": async ({ task, ok }) => {
    const task_id = await task({ assignee: "web" });
    await ok("web", "claim_task", { task_id });
    expect(await ok("web", "claim_task", { task_id })).toMatchObject({ claimed: false, reason: expect.stringContaining("todo") });
  },
  "another's task is not claimed": async ({ task, ok, tasks }) => {
    const task_id = await task({ assignee: "api" });
    expect(await ok("web", "claim_task", { task_id })).toMatchObject({ claimed: false, reason: expect.stringContaining("api") });
    expect(await tasks()).toMatchObject([{ status: "todo", assignee: "api" }]);
  },
  "anybody claims a task that is nobody's, and has it then": async ({ task, ok, tasks }) => {
    expect(await ok("web", "claim_task", { task_id: await task() })).toMatchObject({ claimed: true });
    expect(await tasks()).toMatchObject([{ assignee: "web" }]);
  },
  "a task that depends on nothing is claimed": async ({ task, ok }) =>
    expect(await ok("web", "claim_task", { task_id: await task({ depends_on: [] }) })).toMatchObject({ claimed: true }),
  "a task is claimed when all it depends on is done": async ({ task, ok }) => {
    const first = await task({ assignee: "api" });
    await ok("api", "update_task", { task_id: first, status: "done" });
    expect(await ok("web", "claim_task", { task_id: await task({ depends_on: [first] }) })).toMatchObject({ claimed: true });
  },
  "a task waits for one that is todo, and says for which": async ({ task, ok }) => {
    const first = await task();
    const answer = await ok("web", "claim_task", { task_id: await task({ depends_on: [first] }) });
    expect(answer).toMatchObject({ claimed: false, reason: expect.stringContaining(first) });
  },
  "a task waits for one that is in progress": async ({ task, ok }) => {
    const first = await task({ assignee: "api" });
    await ok("api", "update_task", { task_id: first, status: "in_progress" });
    const answer = await ok("web", "claim_task", { task_id: await task({ depends_on: [first] }) });
    expect(answer).toMatchObject({ claimed: false, reason: expect.stringContaining(first) });
  },
  "a task waits for one that went from done back into review": async ({ task, ok }) => {
    const first = await task({ assignee: "api" });
    await ok("api", "update_task", { task_id: first, status: "done" });
    const task_id = await task({ depends_on: [first] });
    await ok("api", "update_task", { task_id: first, status: "in_review" });
    expect(await ok("web", "claim_task", { task_id })).toMatchObject({
      claimed: false,
      reason: expect.stringMatching(/^Unmet dependencies/),
    });
  },
  "a task that is not there cannot be claimed": async ({ no }) =>
    expect(await no("web", "claim_task", { task_id: "task-none" }, "unknown_task", "task not found")).toMatchObject({ claimed: false }),
  "a claim without a task is refused": ({ no }) => no("web", "claim_task", {}, "invalid_argument", "task_id"),
  "of two who claim at once one has it": async ({ task, ok }) => {
    const task_id = await task();
    const claims = await Promise.all(["web", "api"].map((agent) => ok(agent, "claim_task", { task_id })));
    expect(claims.filter(({ claimed }) => claimed)).toHaveLength(1);
  },
  "of twenty who claim at once one has it": async ({ task, ok }) => {
    const task_id = await task();
    const claims = await Promise.all(Array.from({ length: 20 }, (_, at) => ok(`walker-${at}`, "claim_task", { task_id })));
    expect(claims.filter(({ claimed }) => claimed)).toHaveLength(1);
  },
  "a claim here leaves the equal task of another session alone": async ({ task, ok, other }) => {
    const session_id = await other("b");
    const here = await task({ assignee: "web" });
    const there = await task({ assignee: "web", session_id });
    await ok("web", "claim_task", { task_id: here });
    expect(await ok("web", "claim_task", { task_id: there, session_id })).toMatchObject({ claimed: true });
    expect(await ok("web", "claim_task", { task_id: here })).toMatchObject({ claimed: false });
  },
  "a task that was let go can be claimed again, with a higher fence": async ({ task, ok }) => {
    const task_id = await task();
    const { fence } = await ok("web", "claim_task", { task_id });
    await ok("web", "release_task", { task_id });
    const again = await ok("api", "claim_task", { task_id });
    expect(again.claimed).toBe(true);
    expect(again.fence).toBeGreaterThan(fence);
  },
  "a fence that is over keeps its holder from changing the task": async ({ task, ok, no }) => {
    const task_id = await task();
    const { fence } = await ok("web", "claim_task", { task_id });
    await ok("web", "release_task", { task_id });
    await ok("web", "claim_task", { task_id });
    await no("web", "update_task", { task_id, status: "done", fence }, "stale_fence");
  },
  "a claim is there after a restart": async ({ task, ok, tasks, restart }) => {
    await ok("web", "claim_task", { task_id: await task(), lease_s: 600 });
    await restart();
    expect(await tasks()).toMatchObject([{ status: "in_progress", assignee: "web" }]);
  },

  "a before_task that fails keeps the task todo": async (scene) => {
    const task_id = await guarded(scene, '{ before_task: "exit 1" }');
    const answer = await scene.ok("web", "claim_task", { task_id });
    expect(answer).toMatchObject({ claimed: false, reason: expect.stringContaining("before_task hook failed") });
    expect(await scene.tasks()).toMatchObject([{ status: "todo" }]);
  },
  "a before_task that passes lets the task be claimed": async (scene) => {
    const task_id = await guarded(scene, '{ before_task: "true" }');
    expect(await scene.ok("web", "claim_task", { task_id })).toMatchObject({ claimed: true });
  },
  "an after_task that fails puts the task into review, and says so": async (scene) => {
    const task_id = await guarded(scene, '{ after_task: "exit 3" }');
    await scene.ok("web", "claim_task", { task_id });
    const answer = await scene.no("web", "update_task", { task_id, status: "done" }, "hook_failed", "after_task hook failed");
    expect(answer).toMatchObject({ hook_failed: true });
    expect(await scene.tasks()).toMatchObject([{ status: "in_review" }]);
  },
  "after an after_task that failed, done is tried again": async (scene) => {
    const task_id = await guarded(scene, '{ after_task: "test -e repaired" }');
    await scene.ok("web", "claim_task", { task_id });
    await scene.no("web", "update_task", { task_id, status: "done" }, "hook_failed");
    fs.writeFileSync(path.join(path.dirname(scene.home), "repaired"), "");
    await scene.ok("web", "update_task", { task_id, status: "done" });
    expect(await scene.tasks()).toMatchObject([{ status: "done" }]);
  },
  "an after_task that passes lets the task be done": async (scene) => {
    const task_id = await guarded(scene, '{ after_task: "true" }');
    await scene.ok("web", "claim_task", { task_id });
    await scene.ok("web", "update_task", { task_id, status: "done" });
    expect(await scene.tasks()).toMatchObject([{ status: "done" }]);
  },
  "an after_task runs for done alone": async (scene) => {
    const task_id = await guarded(scene, '{ after_task: "exit 1" }');
    await scene.ok("web", "update_task", { task_id, status: "in_progress" });
    await scene.ok("web", "update_task", { task_id, status: "in_review" });
  },
  "a task that waits runs no hook": async (scene) => {
    await guarded(scene, '{ before_task: "touch ran" }');
    const task_id = await scene.task({ assignee: "web", depends_on: [await scene.task()] });
    expect(await scene.ok("web", "claim_task", { task_id })).toMatchObject({ claimed: false });
    expect(fs.existsSync(path.join(path.dirname(scene.home), "ran"))).toBe(false);
  },
  "a hook that failed is told with its exit code and the end of what it said, on both streams": async (scene) => {
    const task_id = await guarded(scene, '{ before_task: "echo on the one; echo on the other >&2; exit 4" }');
    const { reason } = await scene.ok("web", "claim_task", { task_id });
    for (const word of ["4", "on the one", "on the other"]) expect(reason).toContain(word);
  },
  "what a hook said is told by its end where it is long": async (scene) => {
    const task_id = await guarded(scene, '{ before_task: "seq 1 4000; exit 1" }');
    const { reason } = await scene.ok("web", "claim_task", { task_id });
    expect(reason).toContain("4000");
    expect(reason.length).toBeLessThan(5_000);
  },
  "a hook is told the agent, the task and the session": async (scene) => {
    const said = 'echo \\"$RELAY_AGENT_ID $RELAY_TASK_ID $RELAY_SESSION_ID\\" > told';
    const task_id = await guarded(scene, `{ before_task: "${said}" }`);
    await scene.ok("web", "claim_task", { task_id });
    expect(printed(scene.home, "told")).toBe(`web ${task_id} ${scene.session}\n`);
  },
  "several hooks run one after the other": async (scene) => {
    const task_id = await guarded(scene, '{ before_task: ["echo one > order", "echo two >> order"] }');
    expect(await scene.ok("web", "claim_task", { task_id })).toMatchObject({ claimed: true });
    expect(printed(scene.home, "order")).toBe("one\ntwo\n");
  },
  "the first hook that fails ends the row": async (scene) => {
    const task_id = await guarded(scene, '{ before_task: ["exit 2", "touch second"] }');
    expect(await scene.ok("web", "claim_task", { task_id })).toMatchObject({ claimed: false });
    expect(fs.existsSync(path.join(path.dirname(scene.home), "second"))).toBe(false);
  },
  "an empty list of hooks is none": async (scene) => {
    const task_id = await guarded(scene, "{ before_task: [], after_task: [] }");
    expect(await scene.ok("web", "claim_task", { task_id })).toMatchObject({ claimed: true });
  },
  "an empty command is no hook, and hides no agent": async (scene) => {
    const task_id = await guarded(scene, '{ before_task: "" }');
    expect((await scene.ok("web", "list_agents")).agents).toHaveLength(6);
    expect(await scene.ok("web", "claim_task", { task_id })).toMatchObject({ claimed: true });
  },
  "a hook that nobody trusted does not run, and the claim says what to do": differs("a hook", async ({ write, task, no, tasks }) => {
    write("team", crew({ web: '{ before_task: "echo not trusted" }' }));
    const task_id = await task({ assignee: "web" });
    await no("web", "claim_task", { task_id }, "hook_untrusted", "relay trust");
    expect(await tasks()).toMatchObject([{ status: "todo" }]);
  }),
  "an agent made from another has its hooks": async ({ write, trust, task, ok }) => {
    write("team", `${crew({ web: '{ before_task: "exit 1" }' })}  web-2: { extends: web }\n`);
    await trust();
    expect(await ok("web-2", "claim_task", { task_id: await task() })).toMatchObject({ claimed: false });
  },
  "hooks: false takes the hooks of the other away, and leaves the other its own": async ({ write, trust, task, ok }) => {
    write("team", `${crew({ web: '{ before_task: "exit 1" }' })}  web-2: { extends: web, hooks: false }\n`);
    await trust();
    expect(await ok("web-2", "claim_task", { task_id: await task() })).toMatchObject({ claimed: true });
    expect(await ok("web", "claim_task", { task_id: await task() })).toMatchObject({ claimed: false });
  },
});
