/** What waking finds on the disk that is stale, torn, another's or gone: it costs at most a nudge more, and nobody's mail. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { operations, perform } from "../../protocol/index.ts";
import { bellFor, heldPager, startPager } from "../pagers.ts";
import { held, homeWith, relay, until, worldAt } from "../rig.ts";

const roomWith = async (...parts: string[]) => {
  const folder = await homeWith(...parts);
  const bell = await bellFor(folder, parts);
  const clock = held();
  const at = (part?: string) => worldAt(folder, { ...(part === undefined ? {} : { part }), now: clock.now });
  const send = (to: string, more: object = {}) =>
    perform(at("main"), operations.send, { to: [to], subject: "s", body: "b", ...more }) as Promise<{
      messageId: string;
      recipients: object[];
    }>;
  return { folder, home: path.join(folder, ".relay"), bell, clock, at, send, ...heldPager(at()) };
};

const leased = (more: object = {}): object => ({
  ...{ n: 1, at: "2026-01-31T09:30:00.000Z", kind: "leased", wakeId: "w-00000000", sinceMs: 1, rung: "exec", holder: "1-1-1-1" },
  ...{ leasedMs: 1, unread: 1, urgent: false, tried: [], fails: 0 },
  ...more,
});
const without = (name: string): object => Object.fromEntries(Object.entries(leased()).filter(([key]) => key !== name));

test.each([
  ["nothing", ""],
  ["no JSON", "\u0000\u0000\u0000"],
  ["a number", "7"],
  ["a state that is none", '{"n":1,"at":"x","kind":"asleep"}'],
  ["a lease without a holder", JSON.stringify(without("holder"))],
  ["a lease without its time", JSON.stringify(without("leasedMs"))],
  ["a lease that tried nothing that is a list", JSON.stringify(leased({ tried: null }))],
  ["a number that is another step's", JSON.stringify(leased({ n: 900 }))],
  ["a lease of who is gone", JSON.stringify(leased())],
  ["very much", JSON.stringify(leased({ detail: "x".repeat(100_000) }))],
])("the last step holds %s: who sends is answered, the part is rung once, and on goes the chain", async (_what, text) => {
  const { home, bell, beat, send, at, told } = await roomWith("web");
  fs.mkdirSync(path.join(home, "run/wakes/web"), { recursive: true });
  for (const n of [1, 2, 3]) fs.writeFileSync(path.join(home, `run/wakes/web/${n}.json`), text);
  const { messageId, recipients } = await send("web");
  expect(recipients).toMatchObject([{ part: "web", state: "stored" }]);
  for (let count = 0; count < 3; count += 1) await beat();
  expect(told.filter(({ type }) => type === "fault")).toEqual([]);
  expect(bell.nudges()).toHaveLength(1);
  await perform(at(), operations.roster, {});
  await perform(at(), operations.doctor, {});
  await perform(at("web"), operations.ack, { messageId });
  await send("web");
  await beat();
  expect(bell.nudges()).toHaveLength(2);
  expect(new Set(bell.nudges().map(({ wakeId }) => wakeId)).size).toBe(2);
});

test("run/ is deleted under a pager that runs: it goes on, is known again, and what is unread is owed again", async () => {
  const folder = await homeWith("web");
  const bell = await bellFor(folder, ["web"]);
  const pager = await startPager(folder);
  const send = () => perform(worldAt(folder, { part: "main" }), operations.send, { to: ["web"], subject: "s", body: "b" });
  const { messageId } = await send();
  await until("the nudge", () => bell.nudges().length === 1);
  fs.renameSync(path.join(folder, ".relay/run"), path.join(folder, "gone"));
  await until("it is owed again", () => bell.nudges().length === 2);
  await perform(worldAt(folder, { part: "web" }), operations.ack, { messageId: messageId as string });
  await until("it is known again", async () => (await relay(folder, ["pager", "status", "--json"])).json.running === true);
  expect(await send()).toMatchObject({ recipients: [{ part: "web", wake: "owed" }] });
  await until("another", () => bell.nudges().length === 3);
  expect(await pager.end()).toBe(0);
});
