/** Whoever gives work, sends more of it, asks, hears, begins, ends or closes is killed before each change of the disk: the next look completes it, once. */

import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { parseThreadId, type ThreadLocation } from "../../../protocol/core/format/id.ts";
import { post } from "../../../protocol/mail/files/post.ts";
import { goOnForKilled } from "../../../protocol/office/files/adopt-mail.ts";
import { askPeople, askRequestor } from "../../../protocol/office/files/ask-question.ts";
import { endTurn } from "../../../protocol/office/files/end-turn.ts";
import { localDispatches, lookAfter, nextTurn } from "../../../protocol/office/files/next-turn.ts";
import { count } from "../../rig/counts.ts";
import { officeFolder } from "../../rig/home.ts";
import { OfficeStage } from "../../rig/office-stage.ts";
import { work } from "../../rig/processes.ts";
import { begin as beginRound } from "../../rig/rounds.ts";
import { scratch } from "../../rig/scratch.ts";
import { numbersTo, severalAtOnce } from "../../rig/several.ts";
import type { Act } from "../../workers/turn-ender.ts";

const home = (stage: OfficeStage): string => path.join(stage.folder, ".relay");

/** A scene: what was there before the act, the act, and what must be so after the next look, however far the act came. */
interface Scene {
  act: Act;
  /** What follows before the next look, as a program does it that forgets the call that it was killed in. */
  again?(): void;
  /** @param done whether the act came to its end */
  expectDone(done: boolean): void;
}

/** Every thread with its messages: who wrote each, and what it says. */
function threads(stage: OfficeStage): string[][] {
  const folder = path.join(home(stage), "threads");
  const days = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
  const ids = days.flatMap((day) => fs.readdirSync(path.join(home(stage), "threads", day)).filter((name) => name.startsWith("t-")));
  return ids.map((id) => stage.messages(id).map(({ from, body }) => `${from}: ${body}`));
}

/** Nothing is left for anybody: no unread mail of a position that no turn took, and nothing that is due. */
function expectRest(stage: OfficeStage): void {
  expect(localDispatches(stage.world)).toEqual([]);
  const ids = fs.readdirSync(officeFolder(stage.folder)).filter((name) => name.startsWith("t-"));
  for (const id of ids) {
    if (!fs.existsSync(path.join(officeFolder(stage.folder), id, "own/dispatch.md"))) continue;
    const { dispatch, untaken, state } = stage.state(id);
    expect([dispatch.recipient, state === "closed" ? [] : untaken.map(({ message }) => message.body)]).toEqual([dispatch.recipient, []]);
    expect(["idle", "closed", "failed"]).toContain(state);
  }
}

/** A lead that waits for the work of another position, which is at it. */
function childAtWork(stage: OfficeStage, of = "om", to = "om/auditor"): { lead: string; child: string } {
  const lead = stage.give(of, "Go.");
  const { turn } = nextTurn(stage.world, lead) as { turn: number };
  const child = stage.give(to, "Go.", of, { dispatch: stage.state(lead).dispatch, turn });
  endTurn(stage.world, lead, 1, { outcome: "ok", text: "I wait." });
  nextTurn(stage.world, child);
  return { lead, child };
}

const SCENES: Record<string, (stage: OfficeStage) => Scene> = {
  "work of a position": (stage) => {
    const lead = stage.give("om", "Go.");
    nextTurn(stage.world, lead);
    return {
      act: { act: "give", id: lead, to: "om/auditor", text: "Audit." },
      expectDone(done) {
        const below = threads(stage).filter(([first]) => first?.startsWith("om: "));
        expect(below.length).toBeLessThanOrEqual(1);
        if (done) expect(below).toHaveLength(1);
        for (const [, ...answers] of below) expect(answers).toEqual(["om/auditor: done by om/auditor"]);
        expect(stage.messages(lead).map(({ body }) => body)).toEqual(["Go.", "done by om"]);
      },
    };
  },
  "more work for one that has answered": (stage) => {
    const id = stage.give("om", "Go.");
    nextTurn(stage.world, id);
    endTurn(stage.world, id, 1, { outcome: "ok", text: "first" });
    nextTurn(stage.world, id);
    return {
      act: { act: "more", id, to: "om", text: "Go on." },
      expectDone(done) {
        const [, , ...rest] = stage.messages(id).map(({ from }) => from);
        expect(done ? [["human", "om"]] : [["human", "om"], []]).toContainEqual(rest);
      },
    };
  },
  "mail to a position": (stage) => ({
    act: { act: "send", id: "", to: "om", text: "Go." },
    expectDone(done) {
      const all = threads(stage).map((each) => each.map((line) => line.split(":")[0]));
      expect(done ? [[["web", "om"]]] : [[["web", "om"]], []]).toContainEqual(all);
    },
  }),
  "a question to whoever gave the work": (stage) => {
    const { lead, child } = childAtWork(stage, "teaparty/lead", "teaparty/coding/lead");
    return {
      act: { act: "ask", id: child, text: "Which one?" },
      again: () => void askRequestor(stage.world, stage.state(child).dispatch, "Which one?"),
      expectDone() {
        const said = stage.messages(child).map(({ body }) => body);
        expect(said.filter((body) => body === "Which one?")).toHaveLength(1);
        expect(said.at(-1)).toBe("done by teaparty/coding/lead");
        expect(stage.messages(lead).map(({ body }) => body)).toEqual(["Go.", "done by teaparty/lead"]);
      },
    };
  },
  "a question to people": (stage) => {
    const id = stage.give("om", "Go.");
    nextTurn(stage.world, id);
    return {
      act: { act: "ask", id, to: "human", text: "Which one?" },
      again() {
        const { thread } = askPeople(stage.world, stage.state(id).dispatch, "Which one?");
        post(stage.world, parseThreadId(thread) as ThreadLocation, { from: "human", to: ["om"], subject: "Which one?", body: "This one." });
      },
      expectDone() {
        expect(threads(stage).filter((lines) => lines.includes("om: Which one?"))).toEqual([["om: Which one?", "human: This one."]]);
        expect(stage.told("om").some((envelope) => envelope.includes("This one."))).toBe(true);
        expect(stage.messages(id).map(({ body }) => body)).toEqual(["Go.", "done by om"]);
      },
    };
  },
  "a reply that a Send takes": (stage) => {
    const lead = stage.give("om", "Go.");
    const { turn } = nextTurn(stage.world, lead) as { turn: number };
    const child = stage.give("om/auditor", "Audit.", "om", { dispatch: stage.state(lead).dispatch, turn });
    nextTurn(stage.world, child);
    endTurn(stage.world, child, 1, { outcome: "ok", text: "audited" });
    return {
      act: { act: "hear", id: lead, child },
      expectDone() {
        // Its turn was interrupted, so whatever it heard it is told again.
        expect(stage.told("om").map((envelope) => envelope.split("audited").length - 1)).toEqual([1]);
        expect(stage.messages(lead).map(({ body }) => body)).toEqual(["Go.", "done by om"]);
      },
    };
  },
  "a turn that begins": (stage) => {
    const id = stage.give("om", "Go.");
    return {
      act: { act: "begin", id },
      expectDone() {
        expect(stage.messages(id).map(({ from }) => from)).toEqual(["human", "om"]);
        expect(stage.told("om")).toHaveLength(1);
      },
    };
  },
  "a turn that ends": (stage) => {
    const { lead, child } = childAtWork(stage);
    return {
      act: { act: "end", id: child },
      expectDone(done) {
        // Nothing of its program is on the disk: where no reply was given, it was interrupted, and does its work again.
        const said = stage.messages(child).map(({ body }) => body);
        expect(said).toHaveLength(2);
        expect(done ? [`Done by ${child}.`] : [`Done by ${child}.`, "done by om/auditor"]).toContain(said[1]);
        expect(stage.told("om").map((envelope) => envelope.includes(said[1] as string))).toEqual([true]);
        expect(stage.messages(lead).map(({ body }) => body)).toEqual(["Go.", "done by om"]);
        expect(stage.state(lead).turns.map(({ reason }) => reason)).toEqual(["start", "replies"]);
      },
    };
  },
  "a close of one that is at work": (stage) => {
    const { lead, child } = childAtWork(stage);
    return {
      act: { act: "close", id: child },
      expectDone(done) {
        const said = stage.messages(child).map(({ body }) => body);
        expect(said).toHaveLength(2);
        const closed = "(closed)\nmain closed the conversation.";
        expect(done ? [closed] : [closed, "done by om/auditor"]).toContain(said[1]);
        expect(stage.state(lead).turns.map(({ reason }) => reason)).toEqual(["start", "replies"]);
        expect(stage.messages(lead).map(({ body }) => body)).toEqual(["Go.", "done by om"]);
      },
    };
  },
};

/** Acts up to a change of the disk, and lets a runner look. @returns how many changes it made; null where it was killed */
async function killedAt(setUp: (stage: OfficeStage) => Scene, change: number): Promise<number | null> {
  const stage = await OfficeStage.open();
  await stage.quick();
  const { act, again, expectDone } = setUp(stage);
  const rounds = scratch();
  beginRound(rounds, 0, JSON.stringify([{ ...act, killedAtChange: change }]));
  beginRound(rounds, 1, "");
  const worker = work("turn-ender", [stage.folder, rounds, "0"]);
  await worker.ended;
  const done = worker.child.signalCode !== "SIGKILL";
  if (done) expect([worker.child.exitCode, worker.stderr()]).toEqual([0, ""]);
  again?.();
  // A look that had begun when it was killed saw its intents as those of a live process.
  if (change % 2 === 1) {
    goOnForKilled(stage.world);
    for (const id of localDispatches(stage.world)) lookAfter(stage.world, id);
  }
  // As whoever looks next does: a runner is started where something may be due, and only there.
  await stage.runHere();
  expectRest(stage);
  expectDone(done);
  return done ? (worker.lines.at(-1)?.changes as number) : null;
}

for (const [name, setUp] of Object.entries(SCENES))
  test(`${name}: killed between any two changes of the disk, it is completed by the next look, or was never begun`, async () => {
    const most = (await killedAt(setUp, 1_000)) as number;
    let kills = 0;
    const faults = await severalAtOnce(numbersTo(most, count(1, most)), 4, async (change) => {
      if ((await killedAt(setUp, change)) === null) kills += 1;
    });
    expect(faults).toEqual([]);
    expect(kills).toBeGreaterThan(count(0, most / 2));
  });
