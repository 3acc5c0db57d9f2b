/** The budget of wakes counts delivered wakes, and nothing else. */
import { expect, test } from "vitest";
import { operations, perform } from "../../protocol/index.ts";
import { spentWakes } from "../../protocol/wake/files/wake-budget.ts";
import { homeWith, worldAt } from "../rig/home.ts";
import { setPolicy } from "../rig/pagers.ts";

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
