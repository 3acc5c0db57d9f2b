/** A pager rests while mail waits that nothing can deliver: only a change on the disk, or the beat, brings another look; and no budget is spent. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { createPager } from "../../pager/pager.ts";
import { operations, perform } from "../../protocol/index.ts";
import { spentWakes } from "../../protocol/wake/files/wake-budget.ts";
import { homeWith, worldAt } from "../rig/home.ts";
import { setPolicy } from "../rig/pagers.ts";

test("a part with mail and no way to be woken is due once, and not again and again", async () => {
  const folder = await homeWith("web", "api");
  let nowMs = Date.parse("2026-01-31T12:00:00Z");
  const world = worldAt(folder, { now: () => nowMs });
  await perform(worldAt(folder, { part: "web", now: () => nowMs }), operations.send, { to: ["api"], subject: "s", body: "b" });
  const pager = createPager({ world, rungs: [], parts: null, once: false, tell: () => {} });
  const waits: (number | null)[] = [];
  for (let look = 0; look < 6; look += 1) {
    const dueMs = await pager.scan();
    waits.push(dueMs);
    nowMs += (dueMs ?? 3_000) + 1;
  }
  // Whatever the first looks wait for, from some look on no clock is waited for.
  expect(waits.slice(-3)).toEqual([null, null, null]);
  expect(waits.filter((dueMs) => dueMs === 0).length).toBeLessThanOrEqual(1);
  await pager.close();
});

test.each([null, ["api"]])("the list of watched folders is kept while the parts stay the same (of %j)", async (parts) => {
  const folder = await homeWith("web", "api");
  // A folder that was made just now could change again without showing it.
  const inbox = path.join(folder, ".relay/inbox");
  for (const name of ["", ...fs.readdirSync(inbox, { recursive: true })]) fs.utimesSync(path.join(inbox, String(name)), 1, 1);
  const pager = createPager({ world: worldAt(folder), rungs: [], parts, once: false, tell: () => {} });
  await pager.scan();
  const folders = pager.folders() as Map<string, number>;
  const watched = [...folders.keys()];
  expect(watched.filter((at) => at.endsWith("/new"))).toHaveLength(parts?.length ?? fs.readdirSync(inbox).length);
  folders.set("mark", 1);
  await pager.scan();
  expect([...folders.keys()]).toEqual([...watched, "mark"]);
  await pager.close();
});

test("a wake that was committed counts, and no longer once its rung says that it was not delivered", async () => {
  const folder = await homeWith("web", "api");
  setPolicy(folder, "{ budget: { per_hour: 1, home_minimum: 0, part_minimum: 0, urgent: 0 } }");
  const world = worldAt(folder);
  await perform(world, operations.part_deliver, { part: "web", deliver: "exec", argv: ["true"] });
  await perform(worldAt(folder, { part: "api" }), operations.send, { to: ["web"], subject: "s", body: "b" });
  const { wakeId = "" } = await perform(world, operations.wake_lease, { part: "web", rung: "exec" });
  expect(await perform(world, operations.wake_commit, { part: "web", wakeId })).toMatchObject({ committed: true });
  expect(spentWakes(world)).toMatchObject([{ part: "web", pot: "budget" }]);
  await perform(world, operations.wake_report, { part: "web", wakeId, outcome: "unreachable" });
  expect(spentWakes(world)).toEqual([]);
});
