import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { act, cloneOf, commits, shared, shop } from "../rig/clones.ts";
import { count } from "../rig/counts.ts";
import { pause, randomInt } from "../rig/hurt.ts";
import { startRelay } from "../rig/processes.ts";
import { git, until } from "../rig/scratch.ts";

test("a record and a sync killed at random points are completed by the next one", async () => {
  const { hub, code: one } = await shop("web");
  const two = await cloneOf(hub);
  let sent = 0;
  for (let round = 0; round < count(4, 120); round += 1) {
    for (const clone of [one, two]) {
      for (let n = 0; n < 3; n += 1) await act(clone, "web", "send", { to: ["main"], subject: `${round}.${n}`, body: "b" });
      sent += 3;
    }
    const victim = randomInt(2) === 0 ? one : two;
    const child = startRelay(victim, [randomInt(3) === 0 ? "record" : "sync"]);
    const ended = new Promise((resolve) => child.once("exit", resolve));
    await pause(randomInt(900));
    child.kill("SIGKILL");
    await ended;
    await act(victim === one ? two : one, undefined, "sync");
  }
  for (let round = 0; round < 3; round += 1) for (const clone of [one, two]) await act(clone, undefined, "sync");
  await until("gits that outlived their parents", () =>
    fs.readdirSync(path.join(one, ".git/relay")).every((name) => !name.endsWith(".lock")),
  );
  expect(shared(two)).toEqual(shared(one));
  expect(Object.keys(shared(one)).filter((name) => name.startsWith("inbox/main/new/"))).toHaveLength(sent);
  expect(git(hub, "fsck", "--no-dangling")).toBe("");
  for (const clone of [one, two]) expect(git(path.join(clone, ".relay"), "fsck", "--no-dangling")).toBe("");
  expect(commits(one)).toBe(commits(two));
});
