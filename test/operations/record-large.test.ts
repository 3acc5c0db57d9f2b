/** Recording a home of many messages by what changed since: what a hand did in any folder is found as where every file is looked at. */
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { act } from "../rig/clones.ts";
import { messageOf, putThreads, threadNumbered } from "../rig/many-threads.ts";
import { git, repository, scratch, until } from "../rig/rig.ts";
import { put } from "../rig/sealing.ts";

/** So many that the index is large. */
const THREADS = 3_200;

test("what a hand did to a large home is found by the folders that changed, and the rest once a day", async () => {
  const code = repository({ "a.txt": "a" });
  const home = path.join(code, ".relay");
  await act(code, undefined, "init", { parts: ["web", "api"] });
  putThreads(home, THREADS);
  // What is moved into the home later is as old as the rest of it.
  const [others, elsewhere] = [scratch(), "threads/2030-01-31/t-20300131-aaaaaaaa"];
  put(others, "day/t-20300130-bbbbbbbb/thread.md", "of another day\n");
  put(others, "thread/thread.md", "of another thread\n");

  const note = path.join(home, "run/recorded");
  const seen = () => JSON.parse(fs.readFileSync(note, "utf8").split("\n")[1] as string) as { seenMs: number; wholeMs: number };
  const record = async (): Promise<{ commit: string | null; restored: string[]; warnings?: { path: string }[] }> =>
    act(code, undefined, "record");
  const rewrite = (change: object): void => {
    const body = JSON.stringify({ ...seen(), ...change });
    fs.writeFileSync(note, `${createHash("sha256").update(body).digest("hex")}\n${body}`);
  };
  const recorded = (): string[] => git(home, "ls-tree", "-r", "--name-only", "HEAD").split("\n");
  /** Until no time of a change is one that the next record would look at again anyhow. */
  const later = async (): Promise<void> => {
    const clock = path.join(scratch(), "clock");
    await until("the disk's clock went on", () => {
      fs.writeFileSync(clock, "");
      return fs.statSync(clock).ctimeMs > seen().seenMs + 2_500;
    });
  };
  const folderOf = (number: number): string => path.dirname(messageOf(number, 1, number % 20).path);

  await record();
  await record();
  const { wholeMs } = seen();
  await later();
  expect((await record()).commit).toBeNull();

  const gone = [7, 40].flatMap((number) => fs.readdirSync(path.join(home, folderOf(number))).map((name) => `${folderOf(number)}/${name}`));
  fs.rmSync(path.join(home, gone[0] as string));
  fs.rmSync(path.join(home, folderOf(40)), { recursive: true });
  const [laid, fresh] = [messageOf(311, 2, 10 ** 6), messageOf(3, 1, 99, "In a new thread.")];
  const added = [
    laid.path,
    `inbox/api/new/${laid.id}.md`,
    fresh.path.replace(threadNumbered(3), "t-20260101-zzzzzzzz"),
    "memory/project.md",
  ];
  for (const at of added) put(home, at, laid.text);
  fs.renameSync(path.join(others, "day"), path.join(home, "threads/2030-01-30"));
  fs.mkdirSync(path.dirname(path.join(home, elsewhere)), { recursive: true });
  fs.renameSync(path.join(others, "thread"), path.join(home, elsewhere));
  put(home, `${folderOf(99)}/stranger.txt`, "outside of the layout\n");

  const { commit, restored } = await record();
  expect(commit).not.toBeNull();
  expect(restored.sort()).toEqual(gone.sort());
  const now = recorded();
  const wanted = [...added, `${elsewhere}/thread.md`, "threads/2030-01-30/t-20300130-bbbbbbbb/thread.md"];
  expect(wanted.filter((at) => !now.includes(at))).toEqual([]);
  expect(git(home, "--no-optional-locks", "status", "--porcelain").trim()).toBe(`?? ${folderOf(99)}/stranger.txt`);
  await later();
  // The stranger is told each time, and a text that a hand changed where no name changed is found the next day.
  const edited = path.join(home, messageOf(0, 1, 0, "Words of 0, as of all.").path);
  fs.appendFileSync(edited, "by hand\n");
  expect(await record()).toMatchObject({ commit: null, restored: [] });
  expect(JSON.stringify(await record())).toContain("stranger.txt");
  expect(seen().wholeMs).toBe(wholeMs);
  expect(fs.readFileSync(edited, "utf8")).toContain("by hand");
  rewrite({ wholeMs: wholeMs - 86_400_001 });
  await record();
  expect(fs.readFileSync(edited, "utf8")).not.toContain("by hand");
  expect(seen().wholeMs).toBeGreaterThan(wholeMs);

  // What is kept is not believed where it cannot be so: then every file is looked at.
  const blows: Record<string, () => void> = {
    "it is torn": () => fs.truncateSync(note, fs.statSync(note).size - 9),
    "somebody touched the index": () => void git(home, "rm", "--cached", "--quiet", laid.path),
    "the clock was set": () => rewrite({ startMs: 0 }),
  };
  for (const [blow, strike] of Object.entries(blows)) {
    fs.appendFileSync(edited, `${blow}\n`);
    strike();
    await record();
    expect(fs.readFileSync(edited, "utf8"), blow).not.toContain(blow);
  }
});
