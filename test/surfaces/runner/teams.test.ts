/** Teams at work: leads that give work to others over the real server of tools, and go on when all of it is in. */
import { expect, test } from "vitest";
import { count } from "../../rig/counts.ts";
import { hasEnded } from "../../rig/hurt.ts";
import { OfficeStage } from "../../rig/office-stage.ts";
import { until } from "../../rig/scratch.ts";

const does = (...steps: object[]): string => `Do this.\n\ndo: ${JSON.stringify(steps)}`;
const send = (member: string, message: string, more: object = {}): object => ({ member, message, ...more });

test("a Send waits for the reply, which comes once, and never by a second turn", async () => {
  const stage = await OfficeStage.open();
  stage.plan({ om: [[{ send: send("auditor", does({ say: "the exact text\n  grüße" })) }, { say: "done" }]] });
  const id = stage.give("om", "Ask the auditor.");
  const runner = stage.run();
  expect(await stage.reply(id)).toContain("done");
  const [answer] = stage.noted("answer");
  expect(answer?.["answer"]).toMatchObject({ status: "ok", agent: "auditor", result: "the exact text\n  grüße" });
  await until("the runner ended", () => runner.exitCode !== null);
  expect(stage.state(id).turns).toHaveLength(1);
});

test("three at once, of which one crashes and one says nothing: one turn follows, with all three", async () => {
  const stage = await OfficeStage.open();
  const texts = [does({ hold: "go" }, { say: "good" }), does({ crash: 3 }), does({ say: "" })];
  const members = ["auditor", "researcher", "strategist"];
  stage.plan({
    om: [
      members.map((member, n) => ({ send: send(member, texts[n] as string, { wait: false }) })),
      [{ capture: "second" }, { say: "all in" }],
    ],
  });
  const id = stage.give("om", "Ask all.");
  const runner = stage.run();
  await until("two ended", () => stage.noted("begin").length === 4 && stage.noted("end").length >= 2);
  expect(stage.state(id).turns).toHaveLength(1);
  stage.release("go");
  expect(await stage.reply(id)).toBe("all in");
  const { turns, ends } = stage.state(id);
  expect(turns.map(({ reason }) => reason)).toEqual(["start", "replies"]);
  expect(ends.map(({ outcome }) => outcome)).toEqual(["waiting", "ok"]);
  const { envelope } = stage.noted("begin").findLast(({ position }) => position === "om") as { envelope?: string };
  for (const words of ["Reply from auditor", "good", "outcome: failed", "something went wrong", "outcome: empty"])
    expect(envelope).toContain(words);
  await until("the runner ended", () => runner.exitCode !== null);
});

test("a child's crash is the answer of a Send that waits, and the lead goes on", async () => {
  const stage = await OfficeStage.open();
  stage.plan({ om: [[{ send: send("auditor", does({ kill: true })) }, { say: "I see" }]] });
  const id = stage.give("om", "Ask.");
  const runner = stage.run();
  expect(await stage.reply(id)).toContain("I see");
  expect(stage.noted("answer")[0]?.["answer"]).toMatchObject({ status: "failed", code: "recipient_failed" });
  await until("the runner ended", () => runner.exitCode !== null);
});

test("a lead that waits for its members is not silent, however long they take", async () => {
  const stage = await OfficeStage.open();
  stage.plan({ om: [[{ send: send("auditor", does({ tick: "go" })) }, { say: "done" }]] });
  const id = stage.give("om", "Ask.");
  const runner = stage.run();
  await until("the member is at work", () => stage.noted("ticked").length > 0);
  stage.limits({ silence_s: 2 });
  await until("far more than that went by", () => stage.noted("ticked").length > 8);
  // Once its member has answered, a busy machine may take its time.
  stage.limits({});
  stage.release("go");
  expect(await stage.reply(id)).toContain("done");
  await until("the runner ended", () => runner.exitCode !== null);
});

test("a child asks, its lead is told by the Send that waits, answers, and the child goes on in its session", async () => {
  const stage = await OfficeStage.open();
  const asks = [{ send: send("teaparty-lead", "Which one?") }];
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

test("three levels, each waiting for the one below", async () => {
  const stage = await OfficeStage.open();
  stage.plan({
    om: [[{ send: send("teaparty-lead", "Go.") }, { say: "top" }]],
    "teaparty/lead": [[{ send: send("coding-lead", "Go.") }, { say: "middle" }]],
    "teaparty/coding/lead": [
      ["developer", "reviewer", "architect"].map((member) => ({ send: send(member, does({ say: member }), { wait: false }) })),
      [{ say: "lowest" }],
    ],
  });
  stage.limits({ turns_at_once: 1 });
  const id = stage.give("om", "Go.");
  const runner = stage.run();
  expect(await stage.reply(id)).toContain("top");
  expect(stage.noted("begin")).toHaveLength(7);
  expect(stage.noted("answer").map(({ answer }) => answer.status)).toEqual(["queued", "queued", "queued", "ok", "ok"]);
  await until("the runner ended", () => runner.exitCode !== null);
});

test("everything is killed with one member done, one at work and one waiting: after a cold start each ends once", async () => {
  for (let round = 0; round < count(1, 10); round += 1) {
    const stage = await OfficeStage.open();
    stage.limits({ turns_at_once: 2 });
    const texts = [does({ say: "done" }), does({ hold: "never" }), does({ hold: "go" }, { say: "later" })];
    const members = ["auditor", "researcher", "strategist"];
    stage.plan({ om: [members.map((member, n) => ({ send: send(member, texts[n] as string, { wait: false }) })), [{ say: "all in" }]] });
    const id = stage.give("om", "Ask all.");
    const first = stage.run();
    const began = (position: string): boolean => stage.noted("begin").some((each) => each.position === position);
    await until(
      "one is done, and two are at work",
      () => began("om/researcher") && began("om/strategist") && stage.noted("end").some(({ position }) => position === "om/auditor"),
    );
    first.kill("SIGKILL");
    const { pid } = stage.noted("begin").find(({ position }) => position === "om/researcher") as { pid: number };
    process.kill(-stage.groupOf(pid), "SIGKILL");
    await until("both are gone", () => hasEnded(first.pid as number) && hasEnded(pid));
    const second = stage.run();
    stage.release("go");
    expect(await stage.reply(id)).toBe("all in");
    const { turns } = stage.state(id);
    expect(turns.map(({ reason }) => reason)).toEqual(["start", "replies"]);
    const { envelope } = stage.noted("begin").findLast(({ position }) => position === "om") as { envelope?: string };
    for (const words of ["done", "outcome: failed", "later"]) expect(envelope?.split(words)).toHaveLength(2);
    await until("the runner ended", () => second.exitCode !== null);
  }
});
