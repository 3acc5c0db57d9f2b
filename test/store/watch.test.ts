/** Which folders a process watches, by what the kernel says of it. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { Subscriptions } from "../../mcp/resources.ts";
import { watchFolders } from "../../protocol/store/watch.ts";
import { homeWith, worldAt } from "../rig/home.ts";
import { scratch, until } from "../rig/scratch.ts";

/** The inodes of the folders that this process watches now. */
function watched(): number[] {
  const files = fs.readdirSync("/proc/self/fdinfo").map((name) => {
    try {
      return fs.readFileSync(`/proc/self/fdinfo/${name}`, "utf8");
    } catch {
      return "";
    }
  });
  return files.flatMap((text) => [...text.matchAll(/^inotify .*?ino:([0-9a-f]+)/gm)].map(([, inode = ""]) => Number.parseInt(inode, 16)));
}
const isWatched = (folder: string): boolean => watched().includes(fs.statSync(folder).ino);
const never = 1_000_000;

test("a watch that is set to other folders hears these, and lets go of all the rest", async () => {
  const root = scratch();
  const [one, two, three] = ["one", "two", "three"].map((name) => path.join(root, name)) as [string, string, string];
  for (const folder of [one, two, three]) fs.mkdirSync(folder);
  let looks = 0;
  const watch = await watchFolders(
    [one, two],
    () => {
      looks += 1;
    },
    never,
  );
  await until("both are watched", () => isWatched(one) && isWatched(two));
  watch.rearm([two, three]);
  await until("the other two are watched", () => !isWatched(one) && isWatched(two) && isWatched(three));
  const before = looks;
  fs.writeFileSync(path.join(three, "new"), "");
  await until("a look for what is new", () => looks > before);
  watch.rearm([one]);
  await until("the first alone is watched", () => isWatched(one) && !isWatched(two) && !isWatched(three));
  await watch.close();
  expect([one, two, three].filter(isWatched)).toEqual([]);
});

test("a caller that knows the folders' inodes has each armed by them: one that was made again, and one that appears", async () => {
  const root = scratch();
  const [one, two] = [path.join(root, "one"), path.join(root, "two")];
  fs.mkdirSync(one);
  const seen = (): Map<string, number | undefined> =>
    new Map([one, two].map((folder) => [folder, fs.statSync(folder, { throwIfNoEntry: false })?.ino]));
  const watch = await watchFolders(seen(), () => {}, never);
  await until("one is watched", () => isWatched(one));
  fs.renameSync(one, path.join(root, "away"));
  for (const folder of [one, two]) fs.mkdirSync(folder);
  watch.rearm(seen());
  await until("both are watched", () => isWatched(one) && isWatched(two));
  await watch.close();
  expect([one, two].filter(isWatched)).toEqual([]);
});

test("many changes at once are looked at each in a turn of its own, so that no timer waits for them", async () => {
  const folder = scratch();
  let turn = 0;
  const turns: number[] = [];
  const watch = await watchFolders([folder], () => void turns.push(turn), never);
  await until("it is watched", () => isWatched(folder));
  let next = setImmediate(function count() {
    turn += 1;
    next = setImmediate(count);
  });
  for (let file = 0; file < 50; file += 1) fs.writeFileSync(path.join(folder, `${file}`), "");
  await until("a look", () => turns.length > 0);
  watch.ring();
  watch.ring();
  await until("a second look", () => turns.length > 1);
  clearImmediate(next);
  await watch.close();
  expect(new Set(turns).size).toBe(turns.length);
});

test("a folder that cannot be looked at keeps no watch from beginning, and is heard once it can be", async () => {
  const root = scratch();
  const folder = path.join(root, "loop");
  fs.symlinkSync("loop", folder);
  const watch = await watchFolders([root, folder], () => {}, 50);
  watch.rearm([root, folder]);
  fs.rmSync(folder);
  fs.mkdirSync(folder);
  await until("it is watched", () => isWatched(folder));
  await watch.close();
  expect([root, folder].filter(isWatched)).toEqual([]);
});

test("a resource that a client wants no more is not watched for it", async () => {
  const folder = await homeWith("web", "api");
  const world = worldAt(folder);
  const subscriptions = new Subscriptions(
    () => world,
    () => {},
  );
  const inbox = (part: string): string => path.join(folder, ".relay/inbox", part, "new");
  for (const part of ["web", "api"]) {
    fs.mkdirSync(inbox(part), { recursive: true });
    await subscriptions.add(`relay://inbox/${part}`);
  }
  await until("both are watched", () => isWatched(inbox("web")) && isWatched(inbox("api")));
  await subscriptions.remove("relay://inbox/web");
  await until("one is let go of", () => !isWatched(inbox("web")));
  expect(isWatched(inbox("api"))).toBe(true);
  await subscriptions.close();
  expect(isWatched(inbox("api"))).toBe(false);
});

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
