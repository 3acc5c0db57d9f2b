/** Two processes of one machine whose clocks disagree: who leased a wake and lives keeps it, and keeps what it committed. */
import { expect, test } from "vitest";
import { operations, perform } from "../../protocol/index.ts";
import { skewed } from "../rig/clock/driven.ts";
import { homeWith, worldAt } from "../rig/home.ts";
import { isStopped } from "../rig/hurt.ts";
import { setPolicy } from "../rig/pagers.ts";
import { relay, work } from "../rig/processes.ts";
import { until } from "../rig/scratch.ts";

const HOUR = 3_600_000;
const CLOCKS: [name: string, aheadMs: number][] = [
  ["right", 0],
  ["an hour ahead", HOUR],
  ["an hour behind", -HOUR],
  ["400 days ahead", 400 * 24 * HOUR],
  ["five minutes behind", -300_000],
];
const CASES = CLOCKS.flatMap(([name, aheadMs]) =>
  (["owner", "other"] as const).flatMap((whose) => (["leased", "committed"] as const).map((stop) => [name, whose, stop, aheadMs] as const)),
);

test.each(CASES)("the clock is %s, that of the %s: the owner %s a wake, and goes on", async (_name, whose, stop, aheadMs) => {
  const folder = await homeWith("web");
  setPolicy(folder, "{ budget: { per_hour: 100000 }, cooldown: { wakes: 100000 } }");
  await perform(worldAt(folder), operations.part_deliver, { part: "web", deliver: "exec", argv: ["true"] });
  await perform(worldAt(folder, { part: "main" }), operations.send, { to: ["web"], subject: "s", body: "b" });
  const wrong = skewed(aheadMs);
  const owner = work("leaser", [folder, "web", "exec", stop], whose === "owner" ? wrong : {});
  const told = (what: string) => owner.lines.find((line) => what in line)?.[what];
  await until("it has the wake, and said so", () => isStopped(owner.child) && told("lease") !== undefined);
  expect(told("lease")).toMatchObject({ leased: true });
  const other = await relay(folder, ["wake", "lease", "web", "--rung", "exec", "--json"], { env: whose === "other" ? wrong : {} });
  owner.child.kill("SIGCONT");
  expect(await owner.ended, owner.stderr()).toBe(0);
  expect.soft(other.json, "it is the owner's").toMatchObject({ leased: false });
  expect.soft(told("commit"), "the owner's commit").toMatchObject({ committed: true });
  expect.soft(told("report"), "the owner's report").toMatchObject({ accepted: true });
});
