/** An office with a long history: what is over costs nothing, is listed by pages, and is told again to a program whose session is gone. */
import fs from "node:fs";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { operations, perform, type World } from "../../protocol/index.ts";
import { post } from "../../protocol/mail/files/post.ts";
import { createDispatch, requireDispatch } from "../../protocol/office/files/create-dispatch.ts";
import { ringDispatch } from "../../protocol/office/files/dispatch-acts.ts";
import { earlierTurns } from "../../protocol/office/files/earlier-turns.ts";
import { endTurn } from "../../protocol/office/files/end-turn.ts";
import { localDispatches } from "../../protocol/office/files/next-turn.ts";
import { begin, endedDispatches, officeHome, playTurn, stateAt } from "../rig/dispatches.ts";
import { officeFolder, worldAt } from "../rig/home.ts";
import { put } from "../rig/scratch.ts";

let folder: string;
let world: World;
beforeEach(async () => {
  folder = await officeHome("web");
  world = worldAt(folder);
});

const today = `t-${new Date().toISOString().slice(0, 10).replaceAll("-", "")}`;
const at = (id: string): string => path.join(folder, ".relay/dispatches", id.replace(/^t-(....)(..)(..)-/, "$1-$2-$3/"), "dispatch.md");
/** The newest conversation, and a way to lay the same under other ids. */
async function copied(): Promise<{ thread: string; lay: (id: string) => string }> {
  const [{ thread = "" } = {}] = (await perform(world, operations.office_tree, {})).conversations;
  const text = fs.readFileSync(at(thread), "utf8");
  const lay = (id: string): string => {
    put(at(id), text.replaceAll(thread, id));
    return id;
  };
  return { thread, lay };
}

test("pages go through every conversation once, those that were made last first, and what is at work is on the first", async () => {
  endedDispatches(folder, 25);
  expect(localDispatches(world)).toEqual([]);
  const { dispatch } = createDispatch(world, { initiator: "web", recipient: "om", text: "Now.", parent: null });
  const texts: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await perform(world, operations.office_tree, { limit: 10, ...(cursor === undefined ? {} : { cursor }) });
    texts.push(...page.conversations.map(({ subject }) => subject));
    cursor = page.cursor ?? undefined;
  } while (cursor !== undefined);
  expect(texts).toEqual(["Now.", ...Array.from({ length: 25 }, (_, n) => `Work ${24 - n}.`)]);
  const [, over] = (await perform(world, operations.office_tree, {})).conversations;
  const { turns } = await perform(world, operations.office_log, { context: over?.context_id as string });
  expect(turns).toMatchObject([{ turn: 1, outcome: "ok", text: "Reply 24." }]);
  // The oldest at work is on the first page, whatever was made since.
  endedDispatches(folder, 12);
  const { conversations } = await perform(world, operations.office_tree, { limit: 2 });
  expect(conversations.map(({ context_id: context }) => context)).toContain(dispatch.context);
});

test("conversations of others, whatever day they claim, come after this clone's own, and days to come are the last", async () => {
  endedDispatches(folder, 5);
  const { thread, lay } = await copied();
  const later = Array.from({ length: 25 }, (_, n) => lay(`t-99991231-zzzz${10 + n}zz`));
  const others = Array.from({ length: 25 }, (_, n) => lay(`${today}-zzzz${10 + n}zz`));
  const pages: string[][] = [];
  let cursor: string | undefined;
  do {
    const page = await perform(world, operations.office_tree, { limit: 10, ...(cursor === undefined ? {} : { cursor }) });
    pages.push(page.conversations.map((each) => each.thread));
    // A folder that goes meanwhile begins no day again.
    if (pages.length === 2) fs.rmSync(path.dirname(at(pages[1]?.at(-1) as string)), { recursive: true });
    cursor = page.cursor ?? undefined;
  } while (cursor !== undefined);
  const all = pages.flat();
  expect(all).toHaveLength(55);
  expect(new Set(all).size).toBe(55);
  expect(all[0]).toBe(thread);
  expect(all.slice(5, 30).sort()).toEqual(others.sort());
  expect(all.slice(30).sort()).toEqual(later.sort());
});

test("a list goes on in its order where its day grows past what is put in the order of time, or shrinks below it", async () => {
  endedDispatches(folder, 1);
  const { thread, lay: copy } = await copied();
  const lay = (name: string, seconds: number): string => {
    const id = copy(`${today}-${name}`);
    fs.utimesSync(at(id), seconds, seconds);
    return id;
  };
  const page = async (cursor: string | null) => {
    const answer = await perform(world, operations.office_tree, { limit: 5, ...(cursor === null ? {} : { cursor }) });
    // On a page they stand by what their files say, which is the same of all.
    return { threads: answer.conversations.map((each) => each.thread).sort(), cursor: answer.cursor };
  };
  // By their ids they would be the other way round.
  const known = Array.from({ length: 12 }, (_, n) => lay(`zzzz${99 - n}zz`, 1_000_000 + n)).reverse();
  const first = await page(null);
  expect(first.threads).toEqual([thread, ...known.slice(0, 4)].sort());
  const more = Array.from({ length: 1_000 }, (_, n) => lay(`aaaa${1_000 + n}`, 2_000_000 + n));
  const second = await page(first.cursor);
  expect(second.threads).toEqual(known.slice(4, 9).sort());
  expect((await page(second.cursor)).threads).toEqual(known.slice(9).sort());
  // A list that began in the order of ids goes on in that.
  const byId = await page(null);
  expect(byId.threads).toEqual([thread, ...more.slice(0, 4)].sort());
  for (const id of more.slice(10)) fs.rmSync(path.dirname(at(id)), { recursive: true });
  expect((await page(byId.cursor)).threads).toEqual(more.slice(4, 9).sort());
});

test("a context is found where nothing of it is kept here but the dispatch itself", async () => {
  endedDispatches(folder, 3);
  const { conversations } = await perform(world, operations.office_tree, {});
  fs.rmSync(path.join(officeFolder(folder), "contexts"), { recursive: true });
  for (const { context_id: context, thread } of conversations) expect(requireDispatch(world, context).dispatch.id).toBe(thread);
  expect(() => requireDispatch(world, `${conversations[0]?.context_id.slice(0, -1)}x`)).toThrow();
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
