/** A folder of the home that somebody replaced by a link: what is recorded below it is not deleted, and nothing behind the link is read. */
import fs from "node:fs";
import path from "node:path";
import { expect, test, vi } from "vitest";
import { act, shared, shop } from "../../rig/clones.ts";
import { git, scratch } from "../../rig/scratch.ts";

const recorded = (code: string): string => git(path.join(code, ".relay"), "ls-tree", "-r", "HEAD");

/** Moves a folder out of the home, and puts a link in its place; gives what takes the link away. */
function link(code: string, folder: string): () => void {
  const [here, outside] = [path.join(code, ".relay", folder), path.join(scratch(), "outside")];
  fs.renameSync(here, outside);
  fs.symlinkSync(outside, here);
  return () => fs.unlinkSync(here);
}

/** Calls that read, by what they were given below a path, while a step runs. */
async function readBelow(folder: string, step: () => Promise<unknown>): Promise<string[]> {
  const calls = (["openSync", "readFileSync", "readdirSync", "opendirSync"] as const).map((name) => vi.spyOn(fs, name));
  try {
    await step();
    const given = calls.flatMap(({ mock }) => mock.calls.map(([at]) => String(at)));
    return given.filter((at) => at === folder || at.startsWith(`${folder}/`));
  } finally {
    for (const call of calls) call.mockRestore();
  }
}

test("a folder is a link: record and sync go on, nothing is deleted, and it is named", async () => {
  const { code } = await shop("web", "api");
  const home = path.join(code, ".relay");
  const ids: string[] = [];
  for (let n = 0; n < 3; n += 1) ids.push((await act(code, "web", "send", { to: ["api"], subject: `${n}`, body: "b" })).messageId);
  await act(code, "api", "ack", { messageId: ids[0] });
  const { session_id } = await act(code, "main", "start_session");
  await act(code, "main", "create_task", { session_id, title: "t", description: "d" });
  await act(code, "web", "write_memory", { key: "a", content: "kept" });
  await act(code, undefined, "sync");
  const day = `threads/${fs.readdirSync(path.join(home, "threads"))[0]}`;
  const thread = `${day}/${fs.readdirSync(path.join(home, day))[0]}`;
  const [before, were] = [recorded(code), shared(code)];
  const inboxes = ["inbox/api/new", "inbox/api/read", "inbox/api", "inbox"];
  for (const folder of [thread, day, "threads", ...inboxes, "memory", `sessions/${session_id}`, "sessions"]) {
    const unlink = link(code, folder);
    let answer: { problems?: { path: string; problem: string }[] } = {};
    const read = await readBelow(path.join(home, folder), async () => {
      answer = await act(code, undefined, "record");
    });
    expect(read).toEqual([]);
    expect(answer.problems).toContainEqual({ path: folder, problem: expect.stringContaining("link") });
    if (folder === day) expect(await act(code, undefined, "sync")).toMatchObject({ sent: false });
    expect(recorded(code)).toBe(before);
    unlink();
    const again = await act(code, undefined, "record");
    expect(again.restored.length, folder).toBeGreaterThan(0);
    expect(shared(code)).toEqual(were);
    expect(recorded(code)).toBe(before);
  }
});
