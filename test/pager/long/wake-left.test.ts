/** What waking finds on the disk that is stale, torn, another's or gone: it costs at most a nudge more, and nobody's mail. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { operations, perform, type World } from "../../../protocol/index.ts";
import { thisProcess } from "../../../protocol/store/process.ts";
import { machineStore } from "../../../protocol/trust/files/machine.ts";
import { ledgerFolder } from "../../../protocol/wake/files/wake-budget.ts";
import { homeWith, worldAt } from "../../rig/home.ts";
import { bellFor, heldRoom, setPolicy, startPager } from "../../rig/pagers.ts";
import { relay } from "../../rig/processes.ts";
import { put, until } from "../../rig/scratch.ts";

const leased = (more: object = {}): object => ({
  ...{ n: 1, at: "2026-01-31T09:30:00.000Z", kind: "leased", wakeId: "w-00000000", sinceMs: 1, rung: "exec", holder: "1-1-1-1" },
  ...{ leasedMs: 1, unread: 1, urgent: false, tried: [], fails: 0 },
  ...more,
});
const without = (name: string): object => Object.fromEntries(Object.entries(leased()).filter(([key]) => key !== name));

/** Bytes that may stand in the last step of a part. */
const TORN: Record<string, string> = {
  nothing: "",
  "no JSON": "\u0000\u0000\u0000",
  "a number": "7",
  "an unknown state": '{"n":1,"at":"x","kind":"asleep"}',
  "a lease without a holder": JSON.stringify(without("holder")),
  "a lease without its time": JSON.stringify(without("leasedMs")),
  "a lease whose tries are no list": JSON.stringify(leased({ tried: null })),
  "a number that is another step's": JSON.stringify(leased({ n: 900 })),
  "a lease of a process that ended": JSON.stringify(leased()),
  "very much": JSON.stringify(leased({ detail: "x".repeat(100_000) })),
};

test("a part whose last step is broken gets its mail, is rung once, and its chain goes on", async () => {
  const torn = Object.entries(TORN).map(([what, text], at) => ({ part: `p${at}`, what, text }));
  const { folder, home, bell, beat, send, at, told } = await heldRoom(...torn.map(({ part }) => part));
  setPolicy(folder, "{ budget: { per_hour: 1000 } }");
  const idsOf = (part: string): string[] => bell.nudges().flatMap((nudge) => (nudge.part === part ? [nudge.wakeId] : []));
  const sent = new Map<string, string>();
  for (const { part, text } of torn) {
    fs.mkdirSync(path.join(home, "run/wakes", part), { recursive: true });
    for (const n of [1, 2, 3]) fs.writeFileSync(path.join(home, `run/wakes/${part}/${n}.json`), text);
    const { messageId, recipients } = await send(part);
    expect(recipients).toMatchObject([{ part, state: "stored" }]);
    sent.set(part, messageId);
  }
  for (let count = 0; count < 3; count += 1) await beat();
  expect(told.filter(({ type }) => type === "fault")).toEqual([]);
  for (const { part, what } of torn) expect(idsOf(part), what).toHaveLength(1);
  await perform(at(), operations.roster, {});
  await perform(at(), operations.doctor, {});
  for (const { part } of torn) {
    await perform(at(part), operations.ack, { messageId: sent.get(part) as string });
    await send(part);
  }
  await beat();
  for (const { part, what } of torn) expect(new Set(idsOf(part)).size, what).toBe(2);
});

test("run/ is deleted under a pager that runs: it goes on, is known again, and what is unread is owed again", async () => {
  const folder = await homeWith("web");
  const bell = await bellFor(folder, ["web"]);
  const pager = await startPager(folder);
  const send = () => perform(worldAt(folder, { part: "main" }), operations.send, { to: ["web"], subject: "s", body: "b" });
  const { messageId } = await send();
  await until("the nudge", () => bell.nudges().length === 1);
  // Its pager has written down what became of it by then; in the new folder that would be known still.
  await pager.said("typed");
  fs.renameSync(path.join(folder, ".relay/run"), path.join(folder, "gone"));
  await until("it is owed again", () => bell.nudges().length === 2);
  await perform(worldAt(folder, { part: "web" }), operations.ack, { messageId: messageId as string });
  await until("it is known again", async () => (await relay(folder, ["pager", "status", "--json"])).json.running === true);
  expect(await send()).toMatchObject({ recipients: [{ part: "web", wake: "owed" }] });
  await until("another", () => bell.nudges().length === 3);
  expect(await pager.end()).toBe(0);
});

/** Files that waking reads, and what may lie in them. */
const PLACED: [name: string, text: string][] = [
  ["run/pagers/1-1-1-1-1.json", "{"],
  ["run/pagers/SELF-1.json", '{"process":"SELF"}'],
  ["run/pagers/SELF-1.json", '{"process":"SELF","parts":"PART","rungs":[7]}'],
  ["run/pagers/SELF-1.json", '{"process":7,"parts":null,"rungs":["exec"]}'],
  ["run/waiters/PART/SELF-1.json", '{"process":"SELF","rung":"bell"}'],
  ["run/waiters/PART/SELF-1.json", "[]"],
  ["deliver/PART.json", ""],
  ["deliver/PART.json", '{"deliver":"shout"}'],
  ["deliver/PART.json", '{"deliver":"exec","exec":{"argv":"rm -rf ."}}'],
  ["deliver/PART.json", '{"deliver":"tmux","tmux":{"socket":5,"argv":"x","cwd":7,"process":[]}}'],
  ["deliver/PART.json", '{"deliver":"exec","exec":{"argv":["true"],"timeout_s":"soon"}}'],
  ["deliver/PART.json", '{"deliver":"auto","tmux":[]}'],
];

test("whatever lies where waking reads: everybody else is served and rung, and it is said once", async () => {
  const parts = PLACED.map((_, at) => `p${at}`);
  const { folder, home, bell, beat, send, at, told } = await heldRoom("api", ...parts);
  setPolicy(folder, "{ budget: { per_hour: 1000 } }");
  const rungApi = (): number => bell.nudges().filter(({ part }) => part === "api").length;
  for (const [n, [name, text]] of PLACED.entries()) {
    const part = parts[n] as string;
    const filled = (word: string): string => word.replaceAll("SELF", thisProcess()).replaceAll("PART", part);
    const place = path.join(name.startsWith("run") ? home : machineStore(at()).root, filled(name));
    put(place, filled(text));
    const before = rungApi();
    told.length = 0;
    expect((await send(part)).recipients).toMatchObject([{ part, state: "stored" }]);
    const { messageId, recipients } = await send("api");
    expect(recipients).toMatchObject([{ part: "api", state: "stored" }]);
    for (let count = 0; count < 4; count += 1) await beat();
    expect(rungApi(), `${name} ${text}`).toBe(before + 1);
    expect(told.filter(({ type, part: of }) => type === "fault" && of !== part)).toEqual([]);
    expect(told.filter(({ type }) => type === "fault").length).toBeLessThanOrEqual(1);
    const roster = (await perform(at(), operations.roster, {})) as { parts: object[] };
    expect(roster.parts).toHaveLength(PLACED.length + 3);
    expect(await perform(at(), operations.doctor, {})).toBeDefined();
    expect((await relay(folder, ["pager", "status", "--json"])).code).toBe(1);
    const up = await relay(folder, ["up", "--json"]);
    expect([up.code, up.json.code]).toEqual(name.startsWith("deliver") ? [7, "malformed_file"] : [2, "usage"]);
    // Put right, it is rung as before.
    await perform(at("api"), operations.ack, { messageId });
    if (name.startsWith("run")) fs.rmSync(place);
    else await perform(at(), operations.part_deliver, { part, deliver: "exec", argv: ["true"] });
    for (let count = 0; count < 40 && !(await wasRung(at(), part)); count += 1) await beat();
    expect(await wasRung(at(), part)).toBe(true);
  }
});

const wasRung = async (world: World, part: string): Promise<boolean> =>
  ((await perform(world, operations.wakes, { part }))["steps"] as { state: string }[]).some(({ state }) => state === "typed");

test("a record of the budget that is torn frees nothing of what others spent", async () => {
  const { home, bell, beat, send, at } = await heldRoom("a", "b", "c");
  setPolicy(path.dirname(home), "{ budget: { per_hour: 2, home_minimum: 0, part_minimum: 0, urgent: 0 } }");
  for (const part of ["a", "b"]) await send(part);
  await beat();
  expect(bell.nudges()).toHaveLength(2);
  const ledger = path.join(ledgerFolder(at()), "wakes");
  for (const [index, text] of ["", "7", "{}", '{"home":"x","part":"y","pot":"budget"}', '{"atMs":null,"pot":"budget"}', "[]"].entries())
    fs.writeFileSync(path.join(ledger, String(3 + index)), text);
  await send("c");
  await beat();
  expect(bell.nudges(), "the hour's two are gone").toHaveLength(2);
});

test.each(["before anybody looked", "while it is owed"])(
  "a part is renamed %s: one nudge, by its command, under the new name",
  async (when) => {
    const { home, bell, beat, send, at, clock } = await heldRoom("web", "api");
    setPolicy(path.dirname(home), "{ debounce_s: 5 }");
    await send("web");
    if (when === "while it is owed") await beat();
    await perform(at(), operations.part_rename, { from: "web", to: "storefront" });
    clock.advance(5_000);
    for (let count = 0; count < 2; count += 1) await beat();
    clock.advance(5_000);
    for (let count = 0; count < 2; count += 1) await beat();
    expect(bell.nudges()).toMatchObject([{ part: "storefront", unread: 1 }]);
    await perform(at(), operations.part_remove, { part: "storefront", force: true });
    clock.advance(20 * 60_000);
    await beat();
    expect(bell.nudges()).toHaveLength(1);
  },
);
