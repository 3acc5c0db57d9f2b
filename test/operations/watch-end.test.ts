import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { watchFolders } from "../../protocol/internal.ts";
import { scratch } from "../rig/rig.ts";

test("a watch that is closed while the library reads a folder leaves no timer that keeps the process alive", async () => {
  const folder = scratch();
  const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const before = timers();
  for (let round = 0; round < 10; round += 1) {
    let looked = (): void => {};
    const look = (): Promise<void> =>
      new Promise((resolve) => {
        looked = resolve;
      });
    let next = look();
    const watch = await watchFolders([folder], () => looked(), 600_000);
    // The look once it hears, and the one that a file brings.
    await next;
    next = look();
    fs.writeFileSync(path.join(folder, `${round}`), "x");
    await next;
    await watch.close();
  }
  expect(timers()).toBeLessThanOrEqual(before);
});
