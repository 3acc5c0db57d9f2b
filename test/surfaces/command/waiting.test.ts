/** The rules of a wake that hold for every rung, held against those that wait for one part themselves: hook and channel. */
import fs from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { operations, perform } from "../../../protocol/index.ts";
import { type DrivenClock, drivenClock, untilInTime } from "../../rig/clock/driven.ts";
import { homeWith, worldAt } from "../../rig/home.ts";
import { setPolicy } from "../../rig/pagers.ts";
import { onTerminal, type Worker, work } from "../../rig/processes.ts";
import { until } from "../../rig/scratch.ts";

const MINUTE = 60_000;
let folder: string;
let clock: DrivenClock;
beforeEach(async () => {
  folder = await homeWith("web", "api");
  clock = drivenClock();
});

const world = (part?: string) => worldAt(folder, { ...(part === undefined ? {} : { part }), now: clock.now });
const send = (more: object = {}) => perform(world("api"), operations.send, { to: ["web"], subject: "s", body: "b", ...more });
const steps = async () =>
  (await perform(world(), operations.wakes, { part: "web" }))["steps"] as { state: string; wakeId: string; reason?: string }[];
const states = async (): Promise<string[]> => (await steps()).map(({ state }) => state).reverse();
const waiters = (): string[] => {
  const at = path.join(folder, ".relay/run/waiters/web");
  return fs.existsSync(at) ? fs.readdirSync(at) : [];
};
const wait = async (rung: string): Promise<Worker> => {
  const worker = work("waiter", [folder, "web", rung], clock.env);
  await until("the waiter", () => waiters().some((name) => name.startsWith(`${worker.child.pid}-`)));
  return worker;
};
const rings = ({ lines }: Worker): string[] => lines.flatMap(({ line }) => (line === undefined ? [] : [line]));
const end = async ({ child, ended }: Worker): Promise<void> => {
  child.kill("SIGTERM");
  expect(await ended).toBe(0);
};
/** A hook's waiter ends with its ring; the next turn begins another. */
const next = async (rung: string, worker: Worker): Promise<Worker> => {
  if (rung === "channel") return worker;
  expect(await worker.ended).toBe(0);
  return wait(rung);
};

test.each([
  ["a person's look in a terminal takes no wake away", "web", {}, "stored"],
  ["an agent's command that has a terminal does", "web", { CLAUDECODE: "1" }, "fetched"],
  ["what a person reads as human, human has seen", "human", {}, "fetched"],
])("%s", async (_title, part, env, state) => {
  const { threadId } = await send({ to: [part] });
  // Last without an id, which looks for the unread thread by itself.
  for (const args of [["inbox"], ["show", threadId], ["show"]]) {
    expect(onTerminal(folder, [...args, "--part", part], env)).toContain("s");
    const { messages } = await perform(world(), operations.show, { threadId });
    expect(messages[0]?.receipts).toEqual([{ part, state }]);
  }
});

test("a person's answer acks what show printed for them: what came since stays unread, and is told", async () => {
  const { threadId } = await send();
  const say = (...args: string[]): string => onTerminal(folder, [...args, "--part", "web"]);
  expect(say("inbox")).toContain("s");
  // A list of mail is no reading of it, and neither is the look for the thread that an answer without an id means.
  expect(say("reply", "--ack", threadId, "too soon")).toMatch(
    /Acked 0\..* 1 message of this thread was not shown to you, and stays\s+unread/,
  );
  expect(say("show")).toContain("b");
  await perform(world("api"), operations.reply, { threadId, body: "ignore all that" });
  const answered = say("reply", "--ack", threadId, "done");
  expect(answered).toMatch(/Acked 1\..* 1 message/);
  const line = /relay show (\S+), then relay ack --thread (\S+)/.exec(answered.replace(/\s+/g, " "));
  expect((await perform(world("web"), operations.inbox, {})).messages).toMatchObject([{ body: "ignore all that" }]);
  expect(say("show", line?.[1] as string)).toContain("ignore all that");
  expect(say("ack", "--thread", line?.[2] as string)).toContain("Acked 1");
  // As human too, and where the thread is closed.
  const asked = await send({ to: ["human"] });
  const person = (...args: string[]): string => onTerminal(folder, [...args, "--part", "human"]);
  person("show", asked.threadId);
  await perform(world("api"), operations.reply, { threadId: asked.threadId, to: ["human"], body: "and more" });
  expect(person("close", asked.threadId, "holding", "--ack")).toMatch(/Acked 1\..* 1 message/);
});

describe.each(["hook", "channel"])("%s", (rung) => {
  test("acked before delivery: no wake", async () => {
    setPolicy(folder, "{ debounce_s: 1 }");
    const worker = await wait(rung);
    const { messageId } = await send();
    await until("it is owed", async () => (await states()).includes("owed"));
    await perform(world("web"), operations.ack, { messageId });
    await clock.pass(20_000);
    expect(rings(worker)).toEqual([]);
    expect(await states()).toEqual(["owed", "settled"]);
    // It was there all the time, and could have rung.
    await send();
    await untilInTime("the ring", clock, () => rings(worker).length > 0);
    await end(await next(rung, worker));
  });

  test("ten messages at once and four more, without an ack: one ring", async () => {
    setPolicy(folder, "{ again_s: 3600 }");
    const worker = await wait(rung);
    await Promise.all(Array.from({ length: 10 }, () => send()));
    await until("the ring", () => rings(worker).length > 0);
    const last = await next(rung, worker);
    for (let count = 0; count < 4; count += 1) await send();
    await clock.pass(20_000);
    expect(rings(worker)).toHaveLength(1);
    expect(last === worker ? [] : rings(last)).toEqual([]);
    await end(last);
  });

  test("unread after ten minutes: one more ring, under a new id; not before, and not twice", async () => {
    const first = await wait(rung);
    await send();
    await until("the ring", () => rings(first).length > 0);
    await until("noticed", async () => (await states()).at(-1) === "noticed");
    const worker = await next(rung, first);
    await clock.pass(9 * MINUTE);
    expect((await states()).filter((state) => state === "typed")).toHaveLength(1);
    await untilInTime("another ring", clock, () => rings(worker).length > (worker === first ? 1 : 0));
    const last = await next(rung, worker);
    await clock.pass(20_000);
    const ids = [...(worker === first ? [] : rings(first)), ...rings(worker), ...(last === worker ? [] : rings(last))].map((line) =>
      line.slice(-10),
    );
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(2);
    await end(last);
  });
});
