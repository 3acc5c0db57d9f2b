/** Teams at work: leads that give work to one or several over the real server of tools, and go on when all of it is in. */
import path from "node:path";
import { expect, test } from "vitest";
import { builtWorker } from "../../rig/built.ts";
import { agentText } from "../../rig/office.ts";
import { OfficeStage } from "../../rig/office-stage.ts";
import { jsonLines, until } from "../../rig/scratch.ts";

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

const does = (...steps: object[]): string => `Do this.\n\ndo: ${JSON.stringify(steps)}`;
const MEMBERS = ["auditor", "researcher", "strategist"];

test("one crashes, one says nothing and one is closed by its lead: one turn follows, which is told how each ended, and whose it was", async () => {
  const stage = await OfficeStage.open();
  const texts = [does({ crash: 3 }), does({ say: "" }), does({ hold: "never" })];
  stage.plan({
    om: [
      [...MEMBERS.map((member, n) => ({ send: { member, message: texts[n], wait: false } })), { hold: "close" }, { close: true }],
      [{ capture: "second" }, { say: "all in" }],
    ],
  });
  const id = stage.give("om", "Ask all.");
  const runner = stage.run();
  await until(
    "all have begun, and two have ended",
    () => stage.noted("begin").length >= 4 && stage.childrenOf(id).filter(({ ends }) => ends.length > 0).length === 2,
  );
  stage.release("close");
  expect(await stage.reply(id)).toBe("all in");
  const { turns, ends, open } = stage.state(id);
  expect([turns.map(({ reason }) => reason), ends.map(({ outcome }) => outcome), open]).toEqual([
    ["start", "replies"],
    ["waiting", "ok"],
    [],
  ]);
  const { envelope } = stage.noted("begin").findLast(({ position }) => position === "om") as { envelope?: string };
  const sections = (envelope as string).split("## ").slice(1);
  expect(sections).toHaveLength(3);
  for (const [n, outcome] of ["failed", "empty", "closed"].entries()) {
    const child = stage.childrenOf(id)[n]?.dispatch.context as string;
    const section = sections.find((each) => each.startsWith(`Reply from ${MEMBERS[n]}\n`));
    expect(section, outcome).toContain(`context_id: ${child}\noutcome: ${outcome}\n`);
  }
  await until("the runner ended", () => runner.exitCode !== null);
});

test("a client that makes one call after the other has several at work: all but the last Send of an answer are queued", async () => {
  const stage = await OfficeStage.open({
    "org/agents/office-manager.md": `${agentText("office-manager").replace("---\n", "---\nrunner: claude\n")}`,
  });
  const notes = path.join(stage.notes, "answers.jsonl");
  await stage.program("claude", `exec '${process.execPath}' '${builtWorker("serial-client")}' '${notes}' "$@"`);
  const texts = [does({ hold: "go" }, { say: "one" }), does({ hold: "go" }, { say: "two" }), does({ say: "three" })];
  const id = stage.give("om", `Ask all.\n\nsends: ${JSON.stringify(MEMBERS.map((member, n) => ({ member, message: texts[n] })))}`);
  const runner = stage.run();
  await until("all three are at work", () => stage.noted("begin").length === 3);
  stage.release("go");
  expect(await stage.reply(id)).toContain("told: ");
  const answers = jsonLines(notes);
  expect(answers.map(({ status, agent, result }) => [status, agent, result])).toEqual([
    ["queued", "auditor", undefined],
    ["queued", "researcher", undefined],
    ["ok", "strategist", "three"],
  ]);
  const reply = await stage.reply(id);
  for (const words of ["Reply from auditor", "Reply from researcher", "one", "two"]) expect(reply).toContain(words);
  expect(reply).not.toContain("three");
  expect(stage.state(id).turns.map(({ reason }) => reason)).toEqual(["start", "replies"]);
  await until("the runner ended", () => runner.exitCode !== null);
});
