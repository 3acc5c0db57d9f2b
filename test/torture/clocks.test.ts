/** Clocks that are wrong, or jump: ids stay unique, every reader sees one order, nothing is lost. */
import { expect, test } from "vitest";
import { operations, perform } from "../../protocol/index.ts";
import { skewed } from "../rig/clock/driven.ts";
import type { Answer } from "../rig/clones.ts";
import { count } from "../rig/counts.ts";
import { homeWith, worldAt } from "../rig/home.ts";
import { connect, relay, work } from "../rig/processes.ts";
import { until } from "../rig/scratch.ts";

const HOUR = 3_600_000;
const CLOCKS: [part: string, ahead: number][] = [
  ["a", HOUR],
  ["b", -HOUR],
  ["c", 400 * 24 * HOUR],
  ["d", 0],
  ["e", 0],
];

test("writers an hour and a year apart, and one with a clock that was set back, are read in one order", async () => {
  const folder = await homeWith(...CLOCKS.map(([part]) => part));
  const times = count(25, 400);
  const main = worldAt(folder, { part: "main" });
  const threadId = (await perform(main, operations.send, { to: ["*"], subject: "clocks", body: "0" })).threadId as string;
  const writes = async ([part, ahead]: [string, number]): Promise<string[]> => {
    const writer = work("sender", [folder, part, "reply", JSON.stringify({ threadId, body: "#" }), String(times)], skewed(ahead));
    expect(await writer.ended).toBe(0);
    return writer.lines.slice(1).map(({ messageId }) => messageId as string);
  };
  const answered = await Promise.all(CLOCKS.map(writes));
  answered.push(await writes(["d", -300_000]));

  const read = async (ahead: number): Promise<string[]> => {
    const all: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const asked = { threadId, limit: 200, cursor };
      const page: Answer = await perform(worldAt(folder, { now: () => Date.now() + ahead }), operations.show, asked);
      all.unshift(...page.messages.map(({ messageId }: Answer) => messageId));
      cursor = page.cursor;
    }
    return all;
  };
  const orders = await Promise.all(CLOCKS.map(([, ahead]) => read(ahead)));
  for (const order of orders) expect(order).toEqual(orders[0]);
  const [, ...seen] = orders[0] ?? [];
  expect(seen.toSorted()).toEqual(answered.flat().toSorted());
  // What one writer wrote stands in the order in which it wrote it, though its clock was set back.
  const own = [3, 5].flatMap((each) => answered[each] ?? []);
  expect(seen.filter((id) => own.includes(id))).toEqual(own);
  expect((await relay(folder, ["inbox", "--part", "main", "--json"])).json.unread).toBe(answered.flat().length);
});

const OFFSETS = [HOUR, -HOUR, 400 * 24 * HOUR, -300_000];

test.each(OFFSETS)("a clock that is %i ms off takes no task from its holder while its lease lasts", async (off) => {
  const folder = await homeWith("web", "api");
  const env = skewed(off);
  const create = async (): Promise<string> => (await relay(folder, ["task", "create", "Once", "--part", "main", "--json"])).json.task_id;
  const claim = (part: string, task: string, clock = {}) =>
    relay(folder, ["task", "claim", task, "--part", part, "--json"], { env: clock });

  const held = await create();
  const [holder, other] = [await connect(folder, { args: ["--part", "web"] }), await connect(folder, { args: ["--part", "api"], env })];
  expect(await holder.call("claim_task", { task_id: held })).toMatchObject({ claimed: true, fence: 1 });
  expect(await other.call("claim_task", { task_id: held })).toMatchObject({ claimed: false });
  expect((await claim("api", held, env)).json).toMatchObject({ claimed: false });
  expect(await holder.call("update_task", { task_id: held, status: "done", fence: 1 })).toMatchObject({ success: true });
  await holder.close();
  // The other way round: whose clock is wrong keeps what it claimed, against those whose clock is right.
  const theirs = await create();
  expect(await other.call("claim_task", { task_id: theirs })).toMatchObject({ claimed: true, fence: 1 });
  expect((await claim("web", theirs)).json).toMatchObject({ claimed: false });
  expect(await other.call("update_task", { task_id: theirs, status: "done", fence: 1 })).toMatchObject({ success: true });
  await other.close();
  // No process stands behind the claim of a command: its lease counts, and runs by no clock that is wrong.
  const lent = await create();
  expect((await claim("web", lent)).json).toMatchObject({ claimed: true, fence: 1 });
  expect((await claim("api", lent, env)).json).toMatchObject({ claimed: false });
  // Once it is over it is over for either clock.
  for (const [first, second] of [
    [{}, env],
    [env, {}],
  ]) {
    const short = await create();
    const claimShort = (part: string, clock = {}) =>
      relay(folder, ["task", "claim", short, "--part", part, "--lease", "1", "--json"], { env: clock });
    expect((await claimShort("web", first)).json).toMatchObject({ claimed: true, fence: 1 });
    await until("the lease is over", async () => (await claimShort("api", second)).json.claimed === true);
    const late = ["task", "update", short, "--status", "done", "--fence", "1", "--part", "web", "--json"];
    expect((await relay(folder, late, { env: first })).json).toMatchObject({ success: false });
  }
});
