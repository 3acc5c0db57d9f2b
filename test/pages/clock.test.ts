/** Which clock is asked for what: protocol/store/disk-clock.ts says the rule, and these are the files that ask the system's clock. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

/** Each file that names `Date.now`, and why neither `world.now`, `ageMs` nor `performance.now` would do. */
const MAY: Readonly<Record<string, string>> = {
  "protocol/world.ts": "it is what `world.now` is where no test gives another",
  "protocol/store/read.ts": "it has `ageMs`",
  "protocol/home/part/presence.ts": "it stamps its file, which others compare with the system's clock",
  "protocol/home/wake/who-rings.ts": "it stamps its file, which others compare with the system's clock",
  "protocol/home/held-settings.ts": "it stamps its file, which others compare with the system's clock",
  "protocol/home/task/claim-task.ts": "a lease is renewed by the time that went by on this machine",
  "protocol/home/task/remote/decide-with-remote.ts": "its instant is the time of a file",
  "protocol/home/task/remote/prune-refs.ts": "its instant is the time of a file, also of one from the future",
  "protocol/home/task/list-tasks.ts": "it is compared with the time of a folder, within the grain of the disk's clock",
  "protocol/home/search/search-cache.ts": "it is compared with the times of folders, within the grain of the disk's clock",
  "protocol/home/wake/wake-chain.ts": "it is compared with the times of files, within the grain of the disk's clock",
  "protocol/store/git/git-index.ts": "it is compared with the time of git's index",
  "protocol/store/git/git-move-ref.ts": "it is compared with the time of git's lock",
  "protocol/store/git/remote/git-network.ts": "it is compared with the times of what git wrote",
  "runner/launch/launch-life.ts": "it is compared with the time of a file that another process wrote",
  "pager/tmux/doorbell.ts": "it is compared with the second that tmux says",
  "pager/tmux/tmux-typing.ts": "it is compared with the second that tmux says",
};
/** What people read is by their own clock. */
const PRINTS = /^cli\//;

test("the system's clock is asked in these files and no others", () => {
  const asks = ["protocol", "pager", "runner", "mcp", "cli"].flatMap((room) =>
    (fs.readdirSync(room, { recursive: true }) as string[])
      .map((name) => path.posix.join(room, name))
      .filter((name) => name.endsWith(".ts") && !PRINTS.test(name) && /\bDate\.now\b/.test(fs.readFileSync(name, "utf8"))),
  );
  expect(asks.sort()).toEqual(Object.keys(MAY).sort());
});

test("no file works out the age of a file of the home by itself", () => {
  const own = (fs.readdirSync("protocol", { recursive: true }) as string[])
    .filter((name) => name.endsWith(".ts") && name !== path.join("store", "read.ts"))
    .filter((name) => /Date\.now\(\) - \(?facts\(/.test(fs.readFileSync(path.join("protocol", name), "utf8")));
  expect(own).toEqual([]);
});
