/** A runner that is killed, alone or with all that it started: the next one goes on, and nothing is done twice. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { machineStore } from "../../../protocol/trust/files/machine.ts";
import { makeLaunch } from "../../../runner/launch/launch-folder.ts";
import { begin } from "../../rig/dispatches.ts";
import { hasEnded } from "../../rig/hurt.ts";
import { OfficeStage } from "../../rig/office-stage.ts";
import { until } from "../../rig/scratch.ts";

const does = (...steps: object[]): string => `Do this.\n\ndo: ${JSON.stringify(steps)}`;

test("a program whose runner was killed works on, and the next runner has its reply", async () => {
  const stage = await OfficeStage.open();
  const id = stage.give("om", does({ hold: "go" }, { say: "kept" }));
  const first = stage.run();
  await until("it runs", () => stage.noted("begin").length === 1);
  first.kill("SIGKILL");
  await until("the runner is gone", () => hasEnded(first.pid as number));
  const second = stage.run();
  stage.release("go");
  expect(await stage.reply(id)).toBe("kept");
  expect(stage.noted("begin")).toHaveLength(1);
  expect(stage.state(id).ends).toHaveLength(1);
  await until("the runner ended", () => second.exitCode !== null);
});

test("a launch whose program never began is made anew, and is told its prompt once", async () => {
  const stage = await OfficeStage.open();
  const told = path.join(stage.notes, "told");
  await stage.program("command", `cat >"${told}"; printf done`);
  const id = stage.give("om", "Count it.");
  const { turn, envelope } = begin(stage.world, id);
  const [startedMs, name] = [stage.world.now(), { dispatch: id, turn, attempt: 1 }];
  const record = { ...name, position: "om", program: "command" as const, resumes: null, token: "0", startedMs };
  const store = machineStore(stage.world);
  makeLaunch(store, record, { stdin: `The prompt.\n\n${envelope}`, envelope });
  const runner = stage.run();
  expect(await stage.reply(id)).toBe("done");
  const text = fs.readFileSync(told, "utf8");
  for (const words of ["Count it.", `context_id: `]) expect(text.split(words)).toHaveLength(2);
  expect(text).not.toContain("The prompt.");
  await until("the runner ended", () => runner.exitCode !== null);
});

test("a program that was killed with its runner is a reply that says so, and what was queued is begun", async () => {
  const stage = await OfficeStage.open();
  const killed = stage.give("om", does({ hold: "never" }));
  const queued = stage.give("om", does({ say: "queued" }));
  const other = stage.give("pybayes/lead", does({ say: "done" }));
  const first = stage.run();
  expect(await stage.reply(other)).toBe("done");
  const { pid } = await until("it runs", () => stage.noted("begin").find(({ position }) => position === "om"));
  first.kill("SIGKILL");
  process.kill(-stage.groupOf(pid), "SIGKILL");
  await until("all are gone", () => hasEnded(first.pid as number) && hasEnded(pid));
  const second = stage.run();
  const replies = [await stage.ends(killed), await stage.ends(queued), await stage.ends(other)];
  expect(replies.map(([end]) => end?.outcome).sort()).toEqual(["failed", "ok", "ok"]);
  await until("the runner ended", () => second.exitCode !== null);
  for (const id of [killed, queued, other]) expect(stage.state(id).ends).toHaveLength(1);
});
