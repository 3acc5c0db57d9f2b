/** How many processes of git a sync starts: starting one costs more than most of what they do. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { act, cloneOf, shop } from "../rig/clones.ts";
import { relayProcess } from "../rig/processes.ts";
import { pathWithGit, scratch } from "../rig/scratch.ts";

/** Expects that a command of Relay starts at most so many processes of git: the `git` that it finds notes how it was called, and then is git. */
async function expectAtMost(most: number, code: string, ...args: readonly string[]): Promise<void> {
  const notes = path.join(scratch(), "notes");
  fs.writeFileSync(notes, "");
  const { code: exit, stderr } = await relayProcess(code, args, { env: { PATH: pathWithGit(`echo "$*" >> "${notes}"`) } });
  expect(exit, stderr).toBe(0);
  const called = fs.readFileSync(notes, "utf8");
  expect(called.split("\n").length - 1, `${args.join(" ")}:\n${called}`).toBeLessThanOrEqual(most);
}

test("a message is sent without git, and a sync that pushes it, brings it, or finds nothing new starts few processes of git", async () => {
  const { hub, code } = await shop("web", "api");
  const other = await cloneOf(hub);
  await expectAtMost(0, code, "send", "api", "News", "Of today.", "--part", "web");
  await expectAtMost(12, code, "sync");
  await expectAtMost(3, code, "sync");
  await expectAtMost(12, other, "sync");
  await expectAtMost(3, other, "sync");
  // Once more, by a part that the other clone knows.
  await act(code, "web", "send", { to: ["api"], subject: "More", body: "Of today." });
  await expectAtMost(12, code, "sync");
  await expectAtMost(12, other, "sync");
});
