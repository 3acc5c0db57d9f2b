/** Which clock is asked for what: protocol/store/disk-clock.ts says the rule, and these are the files that ask the system's clock. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

/** Each file that names `Date.now`, and why neither `world.now`, `ageMs` nor `performance.now` would do. */
const MAY: Readonly<Record<string, string>> = {
  "protocol/core/world.ts": "it is what `world.now` is where no test gives another",
  "protocol/core/format/id.ts": "it says from when on the time of an id is to come, for sorting alone",
  "protocol/store/read/facts.ts": "it has `ageMs`",
  "protocol/mail/files/presence.ts": "it stamps its file, which others compare with the system's clock",
  "protocol/wake/files/who-rings.ts": "it stamps its file, which others compare with the system's clock",
  "protocol/board/files/claim-task.ts": "a lease is renewed by the time that went by on this machine",
  "protocol/remote-claims/decide-with-remote.ts": "its instant is the time of a file",
  "protocol/remote-claims/prune-refs.ts": "its instant is the time of a file, also of one from the future",
  "protocol/board/files/list-tasks.ts": "it is compared with the time of a folder, within the grain of the disk's clock",
  "protocol/search/files/office-texts.ts": "it is compared with the times of folders, within the grain of the disk's clock",
  "protocol/search/files/session-texts.ts": "it is compared with the times of folders, within the grain of the disk's clock",
  "protocol/search/files/search-cache.ts": "it is compared with the times of folders, within the grain of the disk's clock",
  "protocol/search/files/search-messages.ts": "it is compared with the times of folders, within the grain of the disk's clock",
  "protocol/mail/files/changed-threads.ts": "it is compared with the times of folders, within the grain of the disk's clock",
  "protocol/mail/files/recent-state.ts": "it is compared with the times of folders, within the grain of the disk's clock",
  "protocol/mail/files/recent-threads.ts": "it is compared with the times of folders, within the grain of the disk's clock",
  "protocol/git/git-flush.ts": "it is compared with the time of a ref, which lies ahead where the clock was set back",
  "protocol/git/git-leftovers.ts": "it is compared with the times of what git wrote",
  "protocol/git/git-move-ref.ts": "it is compared with the time of git's lock",
  "protocol/git/remote/git-network.ts": "it is compared with the times of what git wrote",
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
