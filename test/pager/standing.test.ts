/** Mail that nothing can deliver costs a pager little while it waits, and is delivered at the next look once something can. */
import fs from "node:fs";
import path from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { operations, perform, type World } from "../../protocol/index.ts";
import { homeWith, worldAt } from "../rig/home.ts";
import { bellFor, heldPager, setPolicy } from "../rig/pagers.ts";
import { scratch } from "../rig/scratch.ts";

/** The disk's clock has a grain; what changed within it is looked at again. */
const GRAIN_MS = 2_100;
const MINUTE = 60_000;

const realNow = Date.now;
let aheadMs = 0;
/** Lets the grain go by, as the machine's clock has it. */
function passGrain(): void {
  aheadMs += GRAIN_MS;
  vi.spyOn(Date, "now").mockImplementation(() => realNow() + aheadMs);
}
afterEach(() => {
  aheadMs = 0;
  vi.restoreAllMocks();
});

/** How often the disk was asked by a step. */
async function askedBy(step: () => Promise<unknown>): Promise<number> {
  const table = fs as unknown as Record<string, (...args: unknown[]) => unknown>;
  const names = ["lstatSync", "statSync", "openSync", "readdirSync", "readFileSync", "existsSync"].filter((name) => name in table);
  const real = names.map((name) => table[name] as (...args: unknown[]) => unknown);
  let asked = 0;
  for (const [at, name] of names.entries())
    table[name] = (...args) => {
      asked += 1;
      return (real[at] as (...args: unknown[]) => unknown).apply(fs, args);
    };
  await step();
  for (const [at, name] of names.entries()) table[name] = real[at] as (...args: unknown[]) => unknown;
  return asked;
}

/** A pager that looked at mail of web's for so long that nothing is to be expected of it by itself. */
async function settled(
  prepare: (folder: string, now: () => number) => Promise<void> = async () => {},
): Promise<{ folder: string; world: World; advance: (ms: number) => void; beat: () => Promise<void> }> {
  const folder = await homeWith("web", "api");
  let ms = Date.now();
  const now = (): number => ms;
  await prepare(folder, now);
  const world = worldAt(folder, { now });
  const { beat } = heldPager(world);
  await perform(worldAt(folder, { part: "main", now }), operations.send, { to: ["web"], subject: "s", body: "b" });
  await beat();
  passGrain();
  ms += MINUTE;
  await beat();
  passGrain();
  await beat();
  return {
    folder,
    world,
    beat,
    advance: (by) => {
      ms += by;
    },
  };
}

test("a look at mail that nothing delivers asks of its part a few times", async () => {
  const folder = await homeWith("web", "api");
  const { beat } = heldPager(worldAt(folder));
  await beat();
  passGrain();
  await beat();
  const without = await askedBy(beat);
  const waiting = await settled();
  expect((await askedBy(waiting.beat)) - without).toBeLessThan(20);
});

test("a look at parts that stand asks of each for two folders, and lists none of them", async () => {
  const folder = await homeWith("web", "api");
  const beforeMs = Date.now() / 1_000 - 60;
  const standing = async (count: number): Promise<number> => {
    for (let n = 0; n < count; n += 1) fs.mkdirSync(path.join(folder, `.relay/inbox/p${n}/new`), { recursive: true });
    const parts = Array.from({ length: count }, (_, n) => `  p${n}: {}\n`).join("");
    fs.writeFileSync(path.join(folder, ".relay/relay.yml"), `format: 2\nparts:\n  web: { about: w }\n${parts}`);
    for (const at of fs.readdirSync(path.join(folder, ".relay/inbox"), { recursive: true }))
      fs.utimesSync(path.join(folder, ".relay/inbox", String(at)), beforeMs, beforeMs);
    const { beat } = heldPager(worldAt(folder));
    await beat();
    passGrain();
    await beat();
    return askedBy(beat);
  };
  const few = await standing(10);
  expect(((await standing(40)) - few) / 30).toBeLessThanOrEqual(2);
});

/** A home as `settled` makes it, whose bell for web writes a line. @param before what is set beside that */
async function withBell(before: Parameters<typeof settled>[0] = () => Promise.resolve()) {
  const file = path.join(scratch(), "bell");
  fs.writeFileSync(file, "");
  const home = await settled(async (at, now) => {
    const argv = ["sh", "-c", `echo x >> '${file}'`];
    await perform(worldAt(at), operations.part_deliver, { part: "web", deliver: "exec", argv });
    await before(at, now);
  });
  return { ...home, rung: () => fs.readFileSync(file, "utf8") };
}

test("how it is rung is chosen: rung at the next look", async () => {
  const { folder, beat } = await settled();
  const bell = await bellFor(folder, ["web"]);
  await beat();
  expect(bell.nudges()).toHaveLength(1);
});

test("a limit is lifted: rung at the next look; so it is when its time is over", async () => {
  for (const isLifted of [true, false]) {
    const { folder, beat, advance, world, rung } = await withBell(async (at, now) => {
      const resetAt = new Date(now() + 30 * MINUTE).toISOString();
      await perform(worldAt(at, { part: "web", now }), operations.event, { type: "limited", resetAt });
    });
    expect(rung()).toBe("");
    if (isLifted) await perform(worldAt(folder, { part: "web", now: world.now }), operations.event, { type: "idle" });
    else advance(30 * MINUTE);
    await beat();
    expect(rung()).toBe("x\n");
  }
});

test("the policy allows more: rung at the next look", async () => {
  const none = "{ budget: { per_hour: 0, home_minimum: 0, part_minimum: 0, urgent: 0 } }";
  const { folder, beat, rung } = await withBell(async (at) => setPolicy(at, none));
  expect(rung()).toBe("");
  setPolicy(folder, "{ budget: { per_hour: 10 } }");
  await beat();
  expect(rung()).toBe("x\n");
});

test("more mail, and mail that is left for the time of a re-fire: rung at the next look", async () => {
  const { folder, beat, advance, world, rung } = await withBell();
  expect(rung()).toBe("x\n");
  await perform(worldAt(folder, { part: "web", now: world.now }), operations.inbox, {});
  await beat();
  await perform(worldAt(folder, { part: "api", now: world.now }), operations.send, { to: ["web"], subject: "s", body: "b" });
  advance(MINUTE);
  await beat();
  expect(rung()).toBe("x\nx\n");
  passGrain();
  await beat();
  advance(11 * MINUTE);
  await beat();
  expect(rung()).toBe("x\nx\nx\n");
});
