import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { watchFolders } from "../../protocol/internal.ts";
import { scratch, until } from "../rig/scratch.ts";

test("a watch that is closed while the library reads a folder leaves no timer that keeps the process alive", async () => {
  const folder = scratch();
  const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const before = timers();
  for (let round = 0; round < 10; round += 1) {
    let looks = 0;
    const watch = await watchFolders(
      [folder],
      () => {
        looks += 1;
      },
      600_000,
    );
    await until("it looked", () => looks > 0);
    const before = looks;
    // On a busy machine the library hears a folder later than the first look: a file is written until one is heard.
    await until("it heard a file", () => {
      if (looks === before) fs.writeFileSync(path.join(folder, `${round}`), "x");
      return looks > before;
    });
    await watch.close();
  }
  expect(timers()).toBeLessThanOrEqual(before);
});
