/** A pager and the office: work that nobody runs, and a runner that was killed. */

import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { officeFolder } from "../rig/home.ts";
import { OfficeStage } from "../rig/office-stage.ts";
import { startRelay } from "../rig/processes.ts";
import { until } from "../rig/scratch.ts";

test("a pager starts the runner for work without one, and again for work that a killed one left", async () => {
  const stage = await OfficeStage.open();
  stage.plan({ om: [[{ hold: "first" }, { say: "Done." }]] });
  const id = stage.give("om", "Do it.");
  const pager = startRelay(stage.folder, ["pager"]);
  await until("the turn runs", () => stage.noted("begin").length > 0);
  const holder = path.join(officeFolder(stage.folder), "runner");
  const first = fs.readFileSync(holder, "utf8");
  process.kill(Number(first.split("-")[0]), "SIGKILL");
  await until("another one took over", () => fs.existsSync(holder) && fs.readFileSync(holder, "utf8") !== first);
  stage.release("first");
  expect(await stage.reply(id)).toBe("Done.");
  expect(stage.noted("begin")).toHaveLength(1);
  pager.kill("SIGTERM");
  await until("both ended", () => pager.exitCode !== null && !fs.existsSync(holder));
});
