/** What a program is told again whose session is gone. */
import { beforeEach, expect, test } from "vitest";
import type { World } from "../../protocol/index.ts";
import { post } from "../../protocol/mail/files/post.ts";
import { createDispatch } from "../../protocol/office/files/create-dispatch.ts";
import { ringDispatch } from "../../protocol/office/files/dispatch-acts.ts";
import { earlierTurns } from "../../protocol/office/files/earlier-turns.ts";
import { endTurn } from "../../protocol/office/files/end-turn.ts";
import { begin, officeHome, playTurn, stateAt } from "../rig/dispatches.ts";
import { worldAt } from "../rig/home.ts";

let folder: string;
let world: World;
beforeEach(async () => {
  folder = await officeHome("web");
  world = worldAt(folder);
});

/** What a program may be given at once, by the one that takes least. */
const INPUT_MOST = 1_048_576;

test("a program gets again what it was given, what it gave to others, what they answered, and what it replied", async () => {
  const { dispatch } = createDispatch(world, { initiator: "web", recipient: "om", text: "Build it.", parent: null });
  begin(world, dispatch.id);
  const child = createDispatch(world, {
    initiator: "om",
    recipient: "om/auditor",
    text: "Look at it.",
    parent: { dispatch, turn: 1 },
  }).dispatch;
  endTurn(world, dispatch.id, 1, { outcome: "ok", text: "" });
  playTurn(world, child.id, "It is good.");
  const whole = `The whole text. ${"grüße ".repeat(20_000)}The end.`;
  playTurn(world, dispatch.id, whole);
  const told = earlierTurns(world, dispatch.id, 3);
  const order = ["Build it.", "Look at it.", "It is good.", whole].map((text) => told.indexOf(text));
  expect(order).toEqual([...order].sort((a, b) => a - b));
  expect(order).not.toContain(-1);
  expect(earlierTurns(world, dispatch.id, 1)).toBe("");
});

test("a long conversation is repeated with its newest messages, and with the number of those left out", async () => {
  const { dispatch } = createDispatch(world, { initiator: "web", recipient: "om", text: "Work 1.", parent: null });
  for (let turn = 1; turn <= 12; turn += 1) {
    playTurn(world, dispatch.id, `Reply ${turn}. ${"x".repeat(100_000)}`);
    post(world, stateAt(folder, dispatch.id).key, { from: "web", to: ["om"], subject: "More", body: `Work ${turn + 1}.` });
    ringDispatch(world, dispatch.id);
  }
  const told = earlierTurns(world, dispatch.id, 13);
  expect(told.length).toBeLessThan(INPUT_MOST / 2);
  expect(told).toContain("The 18 oldest of 24 messages are left out.");
  for (const text of ["Reply 12.", "Work 12.", "Reply 10.", "Work 10."]) expect(told).toContain(text);
  for (const text of ["Reply 9.", "Work 9.", "Work 13."]) expect(told).not.toContain(text);
});

test("one text that is too long by itself is repeated in part", async () => {
  const { dispatch } = createDispatch(world, { initiator: "web", recipient: "om", text: "Work.", parent: null });
  playTurn(world, dispatch.id, `The beginning. ${"x".repeat(1_500_000)}`);
  const told = earlierTurns(world, dispatch.id, 2);
  expect(told.length).toBeLessThan(INPUT_MOST / 2);
  for (const text of ["The beginning.", "The rest of this message is left out.", "The 1 oldest of 2 messages"])
    expect(told).toContain(text);
});
