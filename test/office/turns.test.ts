/** Dispatches and their turns, by the steps that the runner and the tools are made of. */
import fs from "node:fs";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { type MessageLocation, parseThreadId, type ThreadLocation } from "../../protocol/core/format/id.ts";
import { operations, perform, type World } from "../../protocol/index.ts";
import { post } from "../../protocol/mail/files/post.ts";
import { readMessage } from "../../protocol/mail/files/read-message.ts";
import { messageKeys } from "../../protocol/mail/files/threads.ts";
import { type Message, messagePath } from "../../protocol/mail/nouns/message.ts";
import { askPeople, askRequestor } from "../../protocol/office/files/ask-question.ts";
import { noteAnswered, takeNow } from "../../protocol/office/files/await-reply.ts";
import { closeDispatch } from "../../protocol/office/files/close-dispatch.ts";
import { createDispatch } from "../../protocol/office/files/create-dispatch.ts";
import { ringDispatch } from "../../protocol/office/files/dispatch-acts.ts";
import { endTurn, type TurnResult } from "../../protocol/office/files/end-turn.ts";
import { ensureRunner } from "../../protocol/office/files/ensure-runner.ts";
import { type Frozen, readFrozen } from "../../protocol/office/files/launch-settings.ts";
import { envelopeAgain, localDispatches, lookAfter, nextTurn } from "../../protocol/office/files/next-turn.ts";
import { publishRecord } from "../../protocol/office/files/own-files.ts";
import { readDispatch } from "../../protocol/office/files/read-dispatch.ts";
import { isRunnerThere } from "../../protocol/office/files/runner-hold.ts";
import { digestOfToken, issueToken, turnCalling, withdrawToken } from "../../protocol/office/files/token.ts";
import { formatTurn, turnPath } from "../../protocol/office/nouns/turn.ts";
import { thisProcess } from "../../protocol/store/process.ts";
import { begin, officeHome, playTurn, stateAt } from "../rig/dispatches.ts";
import { officeFolder, worldAt } from "../rig/home.ts";
import { put } from "../rig/scratch.ts";

let folder: string;
let world: World;
beforeEach(async () => {
  folder = await officeHome("web");
  world = worldAt(folder);
});

/** The first message of a thread. */
function firstOf(world: World, thread: string): Message {
  const { store } = world.home();
  const [first] = messageKeys(store, parseThreadId(thread) as ThreadLocation) as [MessageLocation];
  return readMessage(store, first, messagePath(first), []) as Message;
}

const fromDana = (recipient: string, text = "Build it.") => ({ initiator: "web", recipient, text, parent: null });

test("work becomes a turn with its envelope, the end of the turn is the reply, and the dispatch rests", async () => {
  const { dispatch } = createDispatch(world, fromDana("om"));
  expect(dispatch.context).toMatch(/^agent:web:om:[0-9a-f-]{36}$/);
  expect(stateAt(folder, dispatch.id).state).toBe("queued");
  expect(localDispatches(world)).toEqual([dispatch.id]);
  const next = begin(world, dispatch.id);
  expect(next).toMatchObject({
    turn: 1,
    reason: "start",
    inputs: [{ body: "Build it." }],
    launch: { program: "claude", cwd: folder, name: "office-manager" },
  });
  for (const line of ["From: web", `context_id: ${dispatch.context}`, `Directory: ${folder}`, "Build it.", "teaparty-lead"])
    expect(next.envelope).toContain(line);
  expect(stateAt(folder, dispatch.id).state).toBe("running");
  expect(nextTurn(world, dispatch.id)).toBeNull();
  const result = { outcome: "ok" as const, exit: "0", text: "Done." };
  endTurn(world, dispatch.id, 1, result);
  endTurn(world, dispatch.id, 1, { ...result, text: "Otherwise." });
  const { state, ends } = stateAt(folder, dispatch.id);
  expect([state, ends.length, ends[0]?.outcome]).toEqual(["idle", 1, "ok"]);
  expect(nextTurn(world, dispatch.id)).toBeNull();
  expect(localDispatches(world)).toEqual([]);
  ringDispatch(world, dispatch.id);
  expect(localDispatches(world)).toEqual([dispatch.id]);
});

test("input that a process took for a turn that another began without it is given to the next turn", async () => {
  const { dispatch } = createDispatch(world, fromDana("om"));
  const key = parseThreadId(dispatch.id) as ThreadLocation;
  // The other process looks before the second message is there, and begins its turn after this one took both.
  const other = { turn: 1, at: new Date().toISOString(), reason: "start" as const, runner: "other" };
  const slow = {
    get runner(): string {
      publishRecord(world.home().store, turnPath(key, 1), formatTurn({ ...other, inputs: [firstOf(world, dispatch.id).id] }));
      return "slow";
    },
  };
  const more = post(world, key, { from: "web", to: ["om"], subject: "More", body: "And paint it." });
  expect(nextTurn(world, dispatch.id, slow)).toBeNull();
  endTurn(world, dispatch.id, 1, { outcome: "ok", exit: "0", text: "Built." });
  expect(nextTurn(world, dispatch.id)?.inputs).toMatchObject([{ id: more.id, body: "And paint it." }]);
});

test("input beyond what one turn takes is given to the next turn", async () => {
  const { dispatch } = createDispatch(world, fromDana("om"));
  const key = parseThreadId(dispatch.id) as ThreadLocation;
  const body = "x".repeat(60_000);
  for (let n = 0; n < 70; n += 1) post(world, key, { from: "web", to: ["om"], subject: "More", body });
  const counts = [1, 2].map((turn) => {
    const next = begin(world, dispatch.id);
    endTurn(world, dispatch.id, turn, { outcome: "ok", exit: "0", text: "Read." });
    return next.inputs.length;
  });
  expect(counts).toEqual([68, 3]);
  expect(nextTurn(world, dispatch.id)).toBeNull();
});

test("a look after a dispatch begins no turn: whoever begins one runs it", async () => {
  const { dispatch } = createDispatch(world, fromDana("om"));
  expect(lookAfter(world, dispatch.id)).toMatchObject({ reason: "start" });
  expect([stateAt(folder, dispatch.id).turns, localDispatches(world)]).toEqual([[], [dispatch.id]]);
  playTurn(world, dispatch.id, "Done.");
  expect([lookAfter(world, dispatch.id), localDispatches(world)]).toEqual([null, []]);
});

test("a lead waits for all whom it gave work to, and is given every reply at once", async () => {
  const { dispatch } = createDispatch(world, fromDana("om"));
  begin(world, dispatch.id);
  const parent = { dispatch, turn: 1 };
  const made = ["om/auditor", "om/researcher", "om/strategist"].map(
    (recipient) => createDispatch(world, { initiator: "om", recipient, text: `Do ${recipient}.`, parent }).dispatch,
  );
  expect(() => createDispatch(world, { initiator: "om", recipient: "teaparty/lead", text: "Too much.", parent })).toThrow(
    "at work already",
  );
  endTurn(world, dispatch.id, 1, { outcome: "ok", text: "I wait." });
  expect(stateAt(folder, dispatch.id)).toMatchObject({ state: "waiting", ends: [{ outcome: "waiting", text: "I wait." }] });
  for (const each of made) {
    expect(nextTurn(world, dispatch.id)).toBeNull();
    playTurn(world, each.id, each === made[1] ? "" : `${each.recipient} is done`, each === made[2] ? { outcome: "failed", exit: "1" } : {});
  }
  const next = begin(world, dispatch.id);
  expect(next.reason).toBe("replies");
  expect(next.inputs.map(({ from, tags }) => [from, tags])).toEqual([
    ["om/auditor", undefined],
    ["om/researcher", ["empty"]],
    ["om/strategist", ["failed"]],
  ]);
  endTurn(world, dispatch.id, 2, { outcome: "ok", text: "All done." });
  expect(stateAt(folder, dispatch.id).state).toBe("idle");
});

test("a close answers whoever waits, from below upward, and nothing is begun afterwards", async () => {
  const { dispatch } = createDispatch(world, fromDana("om"));
  begin(world, dispatch.id);
  const child = createDispatch(world, { initiator: "om", recipient: "om/auditor", text: "Look.", parent: { dispatch, turn: 1 } }).dispatch;
  endTurn(world, dispatch.id, 1, { outcome: "ok", text: "" });
  expect(closeDispatch(world, dispatch.id, "web")).toEqual([child.id, dispatch.id]);
  expect(closeDispatch(world, dispatch.id, "web")).toEqual([]);
  expect([readDispatch(world, child.id)?.state, readDispatch(world, dispatch.id)?.state]).toEqual(["closed", "closed"]);
  for (const { id } of [child, dispatch]) expect(nextTurn(world, id)).toBeNull();
  expect(localDispatches(world)).toEqual([]);
});

test("a token says which turn calls, and is invalid once it was taken back", async () => {
  const { dispatch } = createDispatch(world, fromDana("om"));
  begin(world, dispatch.id);
  const token = issueToken(world, dispatch.id, 1);
  const calling = (given: string) => turnCalling(worldAt(folder, { env: { RELAY_OFFICE_TOKEN: given } }));
  expect(calling(token)).toMatchObject({ turn: 1, dispatch: { id: dispatch.id }, frozen: { position: "om", isLeaf: false } });
  expect(calling("")).toBeNull();
  expect(() => calling(`${token}x`)).toThrow("is not one of a turn that runs");
  withdrawToken(world, digestOfToken(token));
  expect(() => calling(token)).toThrow("is not one of a turn that runs");
  const left = issueToken(world, dispatch.id, 1);
  expect(calling(left)).toMatchObject({ turn: 1 });
  endTurn(world, dispatch.id, 1, { outcome: "ok", text: "Done." });
  expect(() => calling(left)).toThrow("is not one of a turn that runs");
});

test("a runner counts as there while its process lives, and a program that is not Relay's own starts none", async () => {
  const { store } = world.home();
  createDispatch(world, fromDana("om"));
  expect([isRunnerThere(store), ensureRunner(world)]).toEqual([false, false]);
  const holder = path.join(officeFolder(folder), "runner");
  put(holder, `${thisProcess()}\n`);
  expect(isRunnerThere(store)).toBe(true);
  fs.writeFileSync(holder, `${thisProcess().replace(/-\d+-/, "-1-")}\n`);
  expect(isRunnerThere(store)).toBe(false);
});

test("a question to the giver of the work starts its turn, the answer goes on with the same dispatch, and a missing answer is reported", async () => {
  const { dispatch } = createDispatch(world, fromDana("teaparty/lead"));
  begin(world, dispatch.id);
  const parent = { dispatch, turn: 1 };
  const child = createDispatch(world, { initiator: "teaparty/lead", recipient: "teaparty/coding/lead", text: "Build.", parent }).dispatch;
  endTurn(world, dispatch.id, 1, { outcome: "ok", text: "" });
  begin(world, child.id);
  const question = askRequestor(world, child, "Which colour?");
  expect(askRequestor(world, child, "Which colour?").id).toBe(question.id);
  endTurn(world, child.id, 1, { outcome: "ok", text: "I asked." });
  expect(stateAt(folder, child.id)).toMatchObject({ state: "waiting", ends: [{ outcome: "waiting" }] });
  expect(begin(world, dispatch.id)).toMatchObject({ reason: "question", inputs: [{ id: question.id }] });
  // It ends without an answer: the child goes on, and is told so.
  endTurn(world, dispatch.id, 2, { outcome: "ok", text: "" });
  expect(stateAt(folder, dispatch.id).state).toBe("waiting");
  expect(begin(world, child.id)).toMatchObject({ reason: "message", inputs: [{ tags: ["no-answer"] }] });
  endTurn(world, child.id, 2, { outcome: "ok", text: "Blue." });
  expect(begin(world, dispatch.id)).toMatchObject({ reason: "replies", inputs: [{ body: "Blue." }] });
});

test("a question to people is asked once, and their answer is input", async () => {
  const { dispatch } = createDispatch(world, fromDana("om"));
  begin(world, dispatch.id);
  const question = askPeople(world, dispatch, "Ship on Friday?");
  expect(askPeople(world, dispatch, "Ship on Friday?").id).toBe(question.id);
  expect(question).toMatchObject({ to: ["human"], needsHuman: true });
  endTurn(world, dispatch.id, 1, { outcome: "ok", text: "" });
  expect([nextTurn(world, dispatch.id), stateAt(folder, dispatch.id).state]).toEqual([null, "waiting"]);
  await perform(world, operations.reply, { agent_id: "human", threadId: question.thread, body: "Yes." });
  const next = begin(world, dispatch.id);
  expect(next.inputs.map(({ from, body }) => [from, body])).toEqual([["human", "Yes."]]);
  expect(next.envelope).toContain("Answer from human");
  endTurn(world, dispatch.id, 2, { outcome: "ok", text: "Shipped." });
  expect(stateAt(folder, dispatch.id).state).toBe("idle");
  // What people say later in that thread is told to whoever asked, too; none of it is a second piece of work.
  await perform(world, operations.reply, { agent_id: "human", threadId: question.thread, body: "Rather on Monday." });
  expect(stateAt(folder, dispatch.id).state).toBe("queued");
  expect(begin(world, dispatch.id).inputs.map(({ body }) => body)).toEqual(["Rather on Monday."]);
  endTurn(world, dispatch.id, 3, { outcome: "ok", text: "Not shipped." });
  expect(stateAt(folder, dispatch.id).state).toBe("idle");
  expect(localDispatches(world).filter((id) => lookAfter(world, id) !== null)).toEqual([]);
  expect(stateAt(folder, dispatch.id).turns).toHaveLength(3);
  expect(readDispatch(world, question.thread)).toBeNull();
});

test("an answer of people that a killed call took is heard: by the same words asked again, else by the next turn, also one that was interrupted", async () => {
  const { dispatch } = createDispatch(world, fromDana("om"));
  begin(world, dispatch.id);
  const call = (turn: number) =>
    ({ by: "turn", dispatch, turn, attempt: 1, frozen: readFrozen(world.home().store, dispatch.id) as Frozen }) as const;
  /** Asks, is answered, and takes the answer in a call that is killed before it notes that it has it. */
  const takenByKilled = async (turn: number, text: string, body: string) => {
    const question = askPeople(world, dispatch, text);
    await perform(world, operations.reply, { agent_id: "human", threadId: question.thread, body });
    expect(takeNow(world, call(turn), question.thread)?.message.body).toBe(body);
    return question;
  };
  const first = await takenByKilled(1, "Proceed?", "No.");
  expect(askPeople(world, dispatch, "Proceed?").id).toBe(first.id);
  const again = takeNow(world, call(1), first.thread);
  expect(again?.message.body).toBe("No.");
  noteAnswered(world, call(1), first.id, (again as { message: Message }).message);
  expect(takeNow(world, call(1), first.thread)).toBeNull();
  expect(askPeople(world, dispatch, "Proceed?").id).not.toBe(first.id);
  await takenByKilled(1, "Which colour?", "Blue.");
  endTurn(world, dispatch.id, 1, { outcome: "ok", text: "I wait for an answer." });
  expect(stateAt(folder, dispatch.id).ends).toMatchObject([{ outcome: "waiting" }]);
  const bodies = () => begin(world, dispatch.id).inputs.map(({ body }) => body);
  expect(bodies()).toEqual(["Blue."]);
  // A turn that is begun anew is told the answers again that it was given, and each once.
  await takenByKilled(2, "Which size?", "Large.");
  expect(envelopeAgain(world, dispatch.id, 2)?.match(/Blue\.|Large\./g)).toEqual(["Blue.", "Large."]);
  endTurn(world, dispatch.id, 2, { outcome: "interrupted", text: "" });
  expect(bodies()).toEqual(["Blue.", "Large."]);
  await takenByKilled(3, "Which font?", "Any.");
  endTurn(world, dispatch.id, 3, { outcome: "failed", text: "" });
  expect(bodies()).toEqual(["Any."]);
  endTurn(world, dispatch.id, 4, { outcome: "ok", text: "Done." });
  expect(nextTurn(world, dispatch.id)).toBeNull();
});

test("an equal text of an earlier start of the program is the same work while that is open; of the same start it is more work", async () => {
  const { dispatch } = createDispatch(world, fromDana("om"));
  begin(world, dispatch.id);
  const give = (attempt: number, turn = 1) =>
    createDispatch(world, { initiator: "om", recipient: "om/auditor", text: "Look.", parent: { dispatch, turn, attempt } }).dispatch.id;
  const [one, two] = [give(1), give(1)];
  expect(one).not.toBe(two);
  expect(give(2)).toBe(one);
  playTurn(world, one, "Looked.");
  expect(give(2)).toBe(two);
  expect(give(1, 2)).toBe(two);
  playTurn(world, two, "Looked.");
  expect([one, two]).not.toContain(give(2));
  // What is refused for want of a slot, and what is no second one, leaves nothing behind.
  const kept = () => fs.readdirSync(officeFolder(folder)).filter((name) => name.startsWith("t-"));
  for (const attempt of [2, 2]) give(attempt);
  const before = kept();
  expect(before).toHaveLength(6);
  expect(() => give(2)).toThrow(expect.objectContaining({ code: "slot_limit" }));
  expect(before).toContain(give(3));
  expect(kept()).toEqual(before);
});

test("input that a call took is repeated by the next turn where the program failed before it can have heard it, and to a program that is started again", async () => {
  const { dispatch } = createDispatch(world, fromDana("om"));
  const taking = (turn: number, ...texts: string[]): void => {
    for (const text of texts) {
      const parent = { dispatch, turn };
      const child = createDispatch(world, { initiator: "om", recipient: "om/auditor", text, parent }).dispatch.id;
      playTurn(world, child, `${text} is done`);
      takeNow(world, { by: "turn", dispatch, turn, attempt: 1, frozen: readFrozen(world.home().store, dispatch.id) as Frozen }, child);
    }
  };
  const goOn = (turn: number, result: Partial<TurnResult>): string => {
    endTurn(world, dispatch.id, turn, { outcome: "failed", text: "", ...result });
    post(world, stateAt(folder, dispatch.id).key, { from: "web", to: ["om"], subject: "More", body: "Go on." });
    ringDispatch(world, dispatch.id);
    return begin(world, dispatch.id).envelope;
  };
  begin(world, dispatch.id);
  expect(envelopeAgain(world, dispatch.id, 1)).toBeNull();
  taking(1, "First", "Second");
  const again = envelopeAgain(world, dispatch.id, 1) ?? "";
  for (const text of ["Build it.", "First is done", "Second is done", "was interrupted"]) expect(again.split(text)).toHaveLength(2);
  const told = (envelope: string): boolean[] => ["First", "Second", "Third", "Go on."].map((text) => envelope.includes(text));
  // Its last call has no answer.
  expect(told(goOn(1, { openCalls: 1 }))).toEqual([false, true, false, true]);
  // It heard all that it asked for.
  taking(2, "Third");
  expect(told(goOn(2, { openCalls: 0 }))).toEqual([false, false, false, true]);
  // Nobody knows what it heard.
  taking(3, "Third");
  expect(told(goOn(3, {}))).toEqual([false, false, true, true]);
  expect(told(goOn(4, { outcome: "ok", text: "Done." }))).toEqual([false, false, false, true]);
});

test("input of a turn whose program heard nothing is repeated by the next one, however many such turns follow each other", async () => {
  const { dispatch } = createDispatch(world, fromDana("om"));
  begin(world, dispatch.id);
  const child = createDispatch(world, { initiator: "om", recipient: "om/auditor", text: "Audit.", parent: { dispatch, turn: 1 } });
  endTurn(world, dispatch.id, 1, { outcome: "ok", agentSession: "s", text: "I wait." });
  playTurn(world, child.dispatch.id, "Three faults.");
  const told = [begin(world, dispatch.id).envelope];
  for (const [turn, result] of [
    [2, { outcome: "failed", heard: false }],
    [3, { outcome: "failed", heard: false }],
    [4, { outcome: "failed", heard: true, openCalls: 0 }],
  ] as const) {
    endTurn(world, dispatch.id, turn, { text: "", problem: "the budget is spent", ...result });
    post(world, stateAt(folder, dispatch.id).key, { from: "web", to: ["om"], subject: "More", body: `Go on after ${turn}.` });
    ringDispatch(world, dispatch.id);
    told.push(begin(world, dispatch.id).envelope);
  }
  const texts = ["Three faults.", "Go on after 2.", "Go on after 3.", "Go on after 4."];
  expect(told.map((envelope) => texts.filter((text) => envelope.includes(text)))).toEqual([
    texts.slice(0, 1),
    texts.slice(0, 2),
    texts.slice(0, 3),
    texts.slice(3),
  ]);
});

test("a stop of all closes what is at work, also below one that failed", async () => {
  const { dispatch } = createDispatch(world, fromDana("om"));
  begin(world, dispatch.id);
  const child = createDispatch(world, { initiator: "om", recipient: "om/auditor", text: "Audit.", parent: { dispatch, turn: 1 } }).dispatch;
  begin(world, child.id);
  endTurn(world, dispatch.id, 1, { outcome: "timeout", text: "" });
  expect(stateAt(folder, dispatch.id).state).toBe("failed");
  expect(await perform(world, operations.office_stop, {})).toEqual({ closed: [child.context] });
  expect(stateAt(folder, child.id).state).toBe("closed");
});
