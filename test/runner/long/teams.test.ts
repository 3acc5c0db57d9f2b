/** Teams at work: leads that give work to others over the real server of tools, and go on when all of it is in. */
import { expect, test } from "vitest";
import { OfficeStage } from "../../rig/office-stage.ts";
import { until } from "../../rig/scratch.ts";

const send = (member: string, message: string, more: object = {}): object => ({ member, message, ...more });

test("a child asks, its lead is told by the Send that waits, answers, and the child goes on in its session", async () => {
  const stage = await OfficeStage.open();
  const asks = [{ send: send("teaparty-lead", "Which one?") }];
  // One that waits takes no place of those at work.
  stage.limits({ turns_at_once: 1 });
  stage.plan({
    "teaparty/lead": [
      [{ send: send("coding-lead", "Build it.") }, { answer: send("coding-lead", "The blue one.", { wait: true }) }, { say: "built" }],
    ],
    "teaparty/coding/lead": [asks, [{ echo: true }]],
  });
  const id = stage.give("teaparty/lead", "Build.");
  const runner = stage.run();
  expect(await stage.reply(id)).toContain("built");
  const statuses = stage.noted("answer").map(({ position, answer }) => `${position} ${answer.status}`);
  expect(statuses.sort()).toEqual(["teaparty/coding/lead queued", "teaparty/lead ok", "teaparty/lead question"]);
  const child = stage.noted("begin").filter(({ position }) => position === "teaparty/coding/lead");
  expect(new Set(child.map(({ session }) => session)).size).toBe(1);
  expect(child.at(-1)?.["envelope"]).toContain("The blue one.");
  expect(stage.noted("begin").filter(({ position }) => position === "teaparty/lead")).toHaveLength(1);
  await until("the runner ended", () => runner.exitCode !== null);
});
