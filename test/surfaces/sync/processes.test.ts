/** How many processes of git a sync starts: starting one costs more than most of what they do. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { act, cloneOf, shop } from "../../rig/clones.ts";
import { relay } from "../../rig/processes.ts";
import { scratch } from "../../rig/scratch.ts";

/** The commands of git that Relay itself starts for a sync, in their order; not what they start. */
async function commandsOf(code: string): Promise<string[]> {
  const trace = path.join(scratch(), "trace");
  const { code: exit, stderr } = await relay(code, ["sync"], { env: { GIT_TRACE2_EVENT: trace } });
  expect(exit, stderr).toBe(0);
  const events = fs.readFileSync(trace, "utf8").trim().split("\n");
  const started = events.map((line) => JSON.parse(line)).filter(({ event, sid }) => event === "start" && !sid.includes("/"));
  return started.map(({ argv }) => argv.slice(1).join(" "));
}

test("a sync with nothing to do starts few, and one that brings a message not many more", async () => {
  const { hub, code } = await shop("web", "api");
  const other = await cloneOf(hub);
  await commandsOf(code);
  const idle = await commandsOf(code);
  expect(idle.length, idle.join("\n")).toBeLessThanOrEqual(13);
  await act(other, "web", "send", { to: ["api"], subject: "News", body: "Of today." });
  await act(other, undefined, "sync");
  const news = await commandsOf(code);
  expect(news.length, news.join("\n")).toBeLessThanOrEqual(36);
});
