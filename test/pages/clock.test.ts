/** Which clock is asked for what: protocol/store/disk-clock.ts says the rule, and these are the files that ask the system's clock. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

/** Each file that names `Date.now`, and why neither `world.now`, `ageMs` nor `performance.now` would do. */
const MAY: Readonly<Record<string, string>> = {
  "protocol/world.ts": "it is what `world.now` is where no test gives another",
  "protocol/objects/format/id.ts": "it says from when on the time of an id is to come, for sorting alone",
  "protocol/store/read/facts.ts": "it has `ageMs`",
  "protocol/home/part/presence.ts": "it stamps its file, which others compare with the system's clock",
  "protocol/home/wake/who-rings.ts": "it stamps its file, which others compare with the system's clock",
  "protocol/home/task/claim-task.ts": "a lease is renewed by the time that went by on this machine",
  "protocol/home/task/remote/decide-with-remote.ts": "its instant is the time of a file",
  "protocol/home/task/remote/prune-refs.ts": "its instant is the time of a file, also of one from the future",
  "protocol/home/task/list-tasks.ts": "it is compared with the time of a folder, within the grain of the disk's clock",
  "protocol/home/search/office-texts.ts": "it is compared with the times of folders, within the grain of the disk's clock",
  "protocol/home/search/session-texts.ts": "it is compared with the times of folders, within the grain of the disk's clock",
  "protocol/home/search/search-cache.ts": "it is compared with the times of folders, within the grain of the disk's clock",
  "protocol/home/search/search-messages.ts": "it is compared with the times of folders, within the grain of the disk's clock",
  "protocol/home/thread/changed-threads.ts": "it is compared with the times of folders, within the grain of the disk's clock",
  "protocol/home/thread/recent-state.ts": "it is compared with the times of folders, within the grain of the disk's clock",
  "protocol/home/thread/recent-threads.ts": "it is compared with the times of folders, within the grain of the disk's clock",
  "protocol/store/git/git-flush.ts": "it is compared with the time of a ref, which lies ahead where the clock was set back",
  "protocol/store/git/git-leftovers.ts": "it is compared with the times of what git wrote",
  "protocol/store/git/git-move-ref.ts": "it is compared with the time of git's lock",
  "protocol/store/git/remote/git-network.ts": "it is compared with the times of what git wrote",
  "runner/launch/launch-life.ts": "it is compared with the time of a file that another process wrote",
  "pager/tmux/doorbell.ts": "it is compared with the second that tmux says",
  "pager/tmux/tmux-typing.ts": "it is compared with the second that tmux says",
};
test("the system's clock is asked in these files and no others", () => {
  const asking = ["protocol", "pager", "runner", "mcp"].flatMap((room) =>
    (fs.readdirSync(room, { recursive: true }) as string[])
      .map((name) => path.posix.join(room, name))
      .filter((name) => name.endsWith(".ts") && /\bDate\.now\b/.test(fs.readFileSync(name, "utf8"))),
  );
  // What people read at the command line is by their own clock.
  expect(asking.sort()).toEqual(Object.keys(MAY).sort());
});
