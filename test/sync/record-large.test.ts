/** Recording a home of many messages by what changed since: what a hand did in any folder is found as where every file is looked at. */
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { expect, test, vi } from "vitest";
import { flushObjects } from "../../protocol/git/git-flush.ts";
import { recordedBelow } from "../../protocol/git/git-folders.ts";
import { storeAt } from "../../protocol/store/root.ts";
import { readNote } from "../../protocol/store/sealed-note.ts";
import { changedFiles, foldersOf } from "../../protocol/sync/sync/changed-files.ts";
import { keepSeen } from "../../protocol/sync/sync/seen-home.ts";
import { act } from "../rig/clones.ts";
import { messageOf, putThreads, threadNumbered } from "../rig/many-threads.ts";
import { git, put, repository, scratch, until } from "../rig/scratch.ts";

/** So many that the index is large. */
const THREADS = 3_200;

test("a folder's name that a push chose bends no answer of git about others", async () => {
  const files = ["threads/day/evil\nHEAD^{tree}/x.md", "threads/day/one/1.md", "threads/day/return\r/3.md", "threads/day/two/2.md"];
  const code = repository(Object.fromEntries([...files, "relay.yml"].map((file) => [file, file])));
  const at = { gitDir: path.join(code, ".git"), workTree: code };
  expect((await recordedBelow(at, git(code, "rev-parse", "HEAD").trim(), ["threads"], new Map())).sort()).toEqual(files);
});

test("objects that a fetch wrote just before a branch is moved are flushed with the next move", () => {
  const code = repository();
  const at = { gitDir: path.join(code, ".git"), workTree: code };
  const ref = git(code, "symbolic-ref", "HEAD").trim();
  const objects = path.join(at.gitDir, "objects");
  const movedS = fs.statSync(path.join(at.gitDir, ref)).mtimeMs / 1_000;
  const [late, old] = [path.join(objects, "fe"), path.join(objects, "ff")];
  for (const [folder, ageS] of [[late, 30] as const, [old, 3_600] as const]) {
    fs.mkdirSync(folder, { recursive: true });
    fs.utimesSync(folder, movedS - ageS, movedS - ageS);
  }
  const opened = vi.spyOn(fs, "openSync");
  flushObjects(at, ref);
  const flushed = opened.mock.calls.map(([file]) => file);
  opened.mockRestore();
  expect([flushed.includes(late), flushed.includes(old)]).toEqual([true, false]);
});

test("the note of a record counts with its own index alone, whichever process put one in place meanwhile", () => {
  const store = storeAt(scratch());
  const index = path.join(store.root, "index");
  for (const file of [index, `${index}.own`]) fs.writeFileSync(file, Buffer.alloc(300_000));
  keepSeen(store, `${index}.own`, { seenMs: 1, startMs: 1, wholeMs: 1, commit: "0".repeat(40), folders: {}, loud: [] });
  const note = readNote(store, "run/recorded", 1_048_576) as { index: string };
  expect(note.index.split(" ")[0]).toBe(`${fs.statSync(`${index}.own`).ino}`);
});

test("a folder that goes while a record looks for what changed stops no record", async () => {
  const code = repository(Object.fromEntries(["threads/day/one/1.md", "threads/day/two/2.md"].map((file) => [file, file])));
  const [at, store] = [{ gitDir: path.join(code, ".git"), workTree: code }, storeAt(code)];
  const ahead = { seenMs: Date.now() + 1_000_000, startMs: 1, wholeMs: 1 };
  const seen = { ...ahead, version: 1 as const, run: "", index: "", commit: git(code, "rev-parse", "HEAD").trim(), loud: [] };
  // Its folders are met before git is asked for the first time, and the files of those that changed last are looked at afterwards.
  const looking = changedFiles(store, at, { ...seen, folders: foldersOf(store) });
  fs.rmSync(path.join(code, "threads/day/two"), { recursive: true });
  expect(await looking).toMatchObject({ paths: [] });
});

test("edits by hand in a large home are found by the folders that changed, and the rest once a day", async () => {
  const code = repository({ "a.txt": "a" });
  const home = path.join(code, ".relay");
  await act(code, undefined, "init", { parts: ["web", "api"] });
  putThreads(home, THREADS);
  // What is moved into the home later is as old as the rest of it.
  const [others, elsewhere] = [scratch(), "threads/2030-01-31/t-20300131-aaaaaaaa"];
  put(path.join(others, "day/t-20300130-bbbbbbbb/thread.md"), "of another day\n");
  put(path.join(others, "thread/thread.md"), "of another thread\n");

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
  for (const at of added) put(path.join(home, at), laid.text);
  fs.renameSync(path.join(others, "day"), path.join(home, "threads/2030-01-30"));
  fs.mkdirSync(path.dirname(path.join(home, elsewhere)), { recursive: true });
  fs.renameSync(path.join(others, "thread"), path.join(home, elsewhere));
  put(path.join(home, `${folderOf(99)}/stranger.txt`), "outside of the layout\n");

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
});
