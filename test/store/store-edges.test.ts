/** The disk and the system at their edges: a disk without room, arguments that no system takes, files that grow while they are read. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test, vi } from "vitest";
import { gitIn } from "../../protocol/git/git-run.ts";
import { sha256 } from "../../protocol/store/digest.ts";
import { withLock } from "../../protocol/store/lock.ts";
import { lifeOf, processOf } from "../../protocol/store/process.ts";
import { ageMs } from "../../protocol/store/read/facts.ts";
import { bytesAt, readListed, readText } from "../../protocol/store/read/read-file.ts";
import { lastLines, readLines } from "../../protocol/store/read/read-lines.ts";
import { openStore } from "../../protocol/store/root.ts";
import { runProgram } from "../../protocol/store/run.ts";
import { readNote, writeNote } from "../../protocol/store/sealed-note.ts";
import { appendLine } from "../../protocol/store/write/append-line.ts";
import { makeFolder } from "../../protocol/store/write/make-folder.ts";
import { keepingOpen, moveFile, removeEmptyFolder, removeFile } from "../../protocol/store/write/move-file.ts";
import { linkFile, place, publish } from "../../protocol/store/write/publish.ts";
import { removeIf } from "../../protocol/store/write/remove-if.ts";
import { removeLater } from "../../protocol/store/write/remove-later.ts";
import { clearRevisions, clearRevisionsOfRemoved, finishReplacing, replaceFile } from "../../protocol/store/write/replace.ts";
import { freeReservations } from "../../protocol/store/write/reserve.ts";
import { touch } from "../../protocol/store/write/touch.ts";
import { stage } from "../../protocol/store/write/write-aside.ts";
import { builtWorker } from "../rig/built.ts";
import { put, scratch, until } from "../rig/scratch.ts";

test("a lock whose holder could not be written down for want of room is free again", async () => {
  const store = openStore(scratch());
  await withLock(store, "x.md", () => {});
  // A folder of that name keeps the holder from being written, as a full disk does.
  const holder = path.join(store.root, "run/locks/x.md.holder");
  expect(fs.readdirSync(path.dirname(holder))).toEqual([]);
  fs.mkdirSync(holder);
  await expect(withLock(store, "x.md", () => {})).rejects.toMatchObject({ code: "EEXIST" });
  fs.rmdirSync(holder);
  expect(fs.existsSync(path.join(store.root, "run/locks/x.md.lock"))).toBe(false);
  expect(await withLock(store, "x.md", () => "after")).toBe("after");
  // One of a time to come, which an archive may bring, is as one whose holder is gone.
  const lock = path.join(store.root, "run/locks/x.md.lock");
  fs.mkdirSync(lock);
  fs.utimesSync(lock, 2_000_000_000, 2_000_000_000);
  store.lockStaleMs = 2_000;
  expect([ageMs(store, "run/locks/x.md.lock"), await withLock(store, "x.md", () => "later")]).toEqual([Number.POSITIVE_INFINITY, "later"]);
});

test("a file whose fence goes up has its revisions cleared, and no number of before is used again", async () => {
  const store = openStore(scratch());
  const revisions = path.join(store.root, "local/revisions/task.md");
  const said = (fence: number, more = ""): string => `---\ntitle: "t"\nfence: ${fence}\n---\n${more}\n`;
  const numbers = (): string[] => (fs.existsSync(revisions) ? fs.readdirSync(revisions).sort() : []);
  const write = (content: string) => replaceFile(store, "task.md", 100, () => content);
  await write(said(0, "fence: 7 stands in the text"));
  clearRevisions(store, "task.md", said(0, "fence: 7 stands in the text"));
  expect(numbers()).toEqual(["1"]);
  await write(said(1));
  await write(said(2));
  expect(numbers()).toEqual(["1000001"]);
  // A writer that was overtaken has a staged content there, and would take the number that it was about to.
  fs.writeFileSync(path.join(revisions, "next-slow"), said(1, "slow"));
  clearRevisions(store, "task.md", said(2));
  expect(numbers()).toEqual(["1000001", "next-slow"]);
  fs.rmSync(path.join(revisions, "next-slow"));
  clearRevisions(store, "task.md", said(2));
  expect(numbers()).toEqual([]);
  expect(fs.existsSync(revisions)).toBe(false);
  // It slept through that, and takes its number all the same: it decides nothing, and its content is laid over nothing.
  put(path.join(revisions, "next-slow"), said(1, "slow"));
  fs.writeFileSync(path.join(revisions, "1000001"), `next-slow ${"0".repeat(24)}`);
  finishReplacing(store, "task.md");
  await write(said(2, "later"));
  expect(numbers()).toEqual(["2000001", "overtaken-next-slow"]);
  expect(fs.readFileSync(path.join(store.root, "task.md"), "utf8")).toBe(said(2, "later"));
});

test("a file that is gone has its revisions cleared, and a writer that slept through that begins again", async () => {
  const store = openStore(scratch());
  const [target, revisions] = ["threads/d/t/thread.md", path.join(store.root, "local/revisions/threads")];
  const at = path.join(store.root, target);
  const numbers = (): string[] => fs.readdirSync(path.join(revisions, "d/t/thread.md")).sort();
  const add = (word: string) => replaceFile(store, target, 100, (content) => `${content ?? ""}${word}`);
  await add("1");
  await add("2");
  clearRevisionsOfRemoved(store, target);
  expect(numbers()).toEqual(["1", "2"]);
  let asked = 0;
  const archiveAndBack = (content: string): void => {
    fs.rmSync(at);
    fs.writeFileSync(path.join(revisions, "d/t/thread.md/next-slow"), "x");
    clearRevisionsOfRemoved(store, target);
    expect(numbers()).toEqual(["1", "2", "next-slow"]);
    fs.rmSync(path.join(revisions, "d/t/thread.md/next-slow"));
    clearRevisionsOfRemoved(store, target);
    expect(fs.existsSync(revisions)).toBe(false);
    fs.writeFileSync(at, content);
  };
  await replaceFile(store, target, 100, (content) => {
    asked += 1;
    if (asked === 1) archiveAndBack(content as string);
    return `${content}3`;
  });
  expect([asked, fs.readFileSync(at, "utf8"), numbers()]).toEqual([2, "123", ["3", "4"]]);
});

describe("a program that cannot be started", () => {
  const ARGUMENTS = { "an argument with a byte 0": "a\0b", "an argument too long for the system": "x".repeat(3_000_000) };
  for (const [name, argument] of Object.entries(ARGUMENTS)) {
    test(`${name}: the result says so`, async () => {
      const result = await runProgram(["true", argument], { cwd: "/", env: process.env, timeoutMs: 10_000 });
      expect(result).toMatchObject({ exitCode: 127, output: expect.stringMatching(/E2BIG|null bytes/) });
    });
    test(`${name}: git is refused`, async () => {
      await expect(gitIn("/", ["version", argument], {})).rejects.toMatchObject({ code: "git_failed" });
    });
  }

  test("no git: nothing goes on listening for an end of the wait", async () => {
    const { signal } = new AbortController();
    const removed = vi.spyOn(signal, "removeEventListener");
    await expect(gitIn("/nowhere-at-all", ["version"], { signal })).rejects.toMatchObject({ code: "git_failed" });
    expect(removed).toHaveBeenCalledTimes(1);
  });

  test("no more files may be opened: both say so", () => {
    const worker = builtWorker("opener");
    const told = execFileSync("sh", ["-c", 'ulimit -n 64; exec "$0" "$1"', process.execPath, worker], { encoding: "utf8" });
    expect(JSON.parse(told)).toEqual([{ exitCode: 127, output: expect.stringContaining("EMFILE") }, "git_failed"]);
  });
});

describe("a file that is larger than it was a moment ago", () => {
  // Of these the system says that they are empty, as of a file that somebody fills between the look and the read.
  const system = openStore(`/proc/${process.pid}`);

  test("is refused by its limit, and its bytes are none", () => {
    expect(() => readText(system, "status", 100)).toThrow("expected at most 100 bytes");
    expect(() => readListed(system, "status", 0, 100)).toThrow("expected at most 100 bytes");
    expect(bytesAt(system, "status", 100)).toBeNull();
  });

  test("is read whole within its limit", () => {
    expect(readText(system, "status", 100_000)).toMatch(/^Name:[\s\S]*\n$/);
    expect(bytesAt(system, "cmdline", 100_000)).toEqual(fs.readFileSync("/proc/self/cmdline"));
  });
});

test("a file of lines is read in pieces: an endless line costs one line, and no memory", () => {
  const store = openStore(scratch());
  const file = path.join(store.root, "lines");
  fs.writeFileSync(file, "first\n");
  // Three gigabytes that take no room on the disk.
  fs.truncateSync(file, 3_000_000_000);
  let { lines, next } = readLines(store, "lines", 0);
  expect(lines).toEqual(["first"]);
  expect(next).toBeLessThan(200_000_000);
  fs.truncateSync(file, 5_000_000);
  fs.appendFileSync(file, "\nlast\ntorn");
  ({ lines, next } = readLines(store, "lines", 0));
  expect(lines).toEqual(["first", "", "last"]);
  expect(readLines(store, "lines", next)).toEqual({ lines: [], next });
  fs.writeFileSync(file, Array.from({ length: 300_000 }, (_, at) => `line ${at}\n`).join(""));
  expect(readLines(store, "lines", 0).lines).toHaveLength(300_000);
  // The end is found by the end alone, and where to go on is after its last whole line.
  fs.appendFileSync(file, "torn!");
  const size = fs.statSync(file).size - "torn!".length;
  expect(lastLines(store, "lines", 2)).toEqual({ lines: ["line 299998", "line 299999"], next: size });
  expect(lastLines(store, "lines", 0)).toEqual({ lines: [], next: size });
  // The first piece that is read begins within the first of so many.
  expect(lastLines(store, "lines", 5_461).lines.slice(0, 1)).toEqual(["line 294539"]);
  expect(lastLines(store, "lines", 20_000).lines.slice(0, 1)).toEqual(["line 280000"]);
  expect(lastLines(store, "lines", 1_000_000).lines).toHaveLength(300_000);
  expect(lastLines(store, "none", 2)).toEqual({ lines: [], next: 0 });
});

test("a long line counts where its reader says so, and is read once it is whole", () => {
  const store = openStore(scratch());
  const file = path.join(store.root, "lines");
  const long = "x".repeat(3_000_000);
  fs.writeFileSync(file, `first\n${long}`);
  const begun = readLines(store, "lines", 0, 4_000_000);
  expect(begun).toEqual({ lines: ["first"], next: 6 });
  expect(readLines(store, "lines", begun.next, 4_000_000)).toEqual({ lines: [], next: 6 });
  fs.appendFileSync(file, "\nlast\n");
  expect(readLines(store, "lines", begun.next, 4_000_000).lines).toEqual([long, "last"]);
  expect(readLines(store, "lines", begun.next, 2_000_000).lines).toEqual(["", "last"]);
});

test("a note that spares time is not believed where it is torn, changed, too large or a folder, and is written again", () => {
  const store = openStore(scratch());
  const at = path.join(store.root, "note");
  const said = { newest: ["b", "a"] };
  const note = (most = 1_000): unknown => readNote(store, "note", most);
  expect([note(), writeNote(store, "note", said), note(), note(20)]).toEqual([null, true, said, null]);
  const whole = fs.readFileSync(at, "utf8");
  for (const spoiled of [whole.slice(0, -1), whole.replace("b", "c"), whole.slice(1), "{}", "{}\n{}", ""]) {
    fs.writeFileSync(at, spoiled);
    expect(note(), spoiled).toBeNull();
  }
  fs.rmSync(at);
  fs.mkdirSync(at);
  expect([note(), writeNote(store, "note", said)]).toEqual([null, false]);
  fs.rmdirSync(at);
  expect([writeNote(store, "note", said), note()]).toEqual([true, said]);
});

test("a process that could not say when it started is not reported gone while its number is in use", () => {
  const [pid, , ...rest] = (processOf(process.ppid) as string).split("-");
  expect(lifeOf([pid, "0", ...rest].join("-"))).toBe("unknown");
  expect(lifeOf(["4194300", "0", ...rest].join("-"))).toBe("gone");
});

test("a home that was removed is not made again by what was about to write in it", () => {
  const root = path.join(scratch(), "home");
  fs.mkdirSync(root);
  const store = openStore(root);
  makeFolder(store, "local");
  fs.rmSync(root, { recursive: true });
  for (const folder of ["local/config", "local/config/deep/er", "."])
    expect(() => place(store, `${folder}/file`, "text")).toThrow("ENOENT");
  expect(fs.existsSync(root)).toBe(false);
});

describe("a file that is replaced is freed after the move", () => {
  const isLinux = process.platform === "linux";
  /** What this process has open of a folder, also what has no name there any more. */
  const openIn = (folder: string): string[] =>
    fs.readdirSync("/proc/self/fd").flatMap((descriptor) => {
      try {
        const at = fs.readlinkSync(`/proc/self/fd/${descriptor}`);
        return at.startsWith(folder) ? [at] : [];
      } catch {
        return [];
      }
    });

  test.runIf(isLinux)("it is open while it is replaced, and closed then, also where the move fails", async () => {
    const folder = scratch();
    const at = path.join(folder, "file");
    fs.writeFileSync(at, "before");
    fs.writeFileSync(`${at}.new`, "after");
    const open = keepingOpen(at, () => {
      fs.renameSync(`${at}.new`, at);
      return openIn(folder);
    });
    expect([open, fs.readFileSync(at, "utf8")]).toEqual([[`${at} (deleted)`], "after"]);
    expect(() => keepingOpen(at, () => fs.renameSync(`${at}.none`, at))).toThrow("ENOENT");
    await until("both are closed", () => openIn(folder).length === 0);
  });

  test.runIf(isLinux)("a link, a pipe, an unreadable or a missing file is replaced all the same, and nothing is waited for", () => {
    const store = openStore(scratch());
    const at = path.join(store.root, "file");
    const elsewhere = path.join(scratch(), "elsewhere");
    fs.writeFileSync(elsewhere, "theirs");
    const lay: Record<string, () => void> = {
      nothing: () => {},
      "a link": () => fs.symlinkSync(elsewhere, at),
      "a pipe": () => void execFileSync("mkfifo", [at]),
      "a secret": () => fs.writeFileSync(at, "before", { mode: 0o000 }),
    };
    for (const [what, make] of Object.entries(lay)) {
      fs.rmSync(at, { force: true });
      make();
      // Nobody follows the link: what it leads to is none of the home's.
      if (what === "a link") expect(keepingOpen(at, () => openIn(path.dirname(elsewhere)))).toEqual([]);
      place(store, "file", what);
      expect([fs.lstatSync(at).isFile(), fs.readFileSync(at, "utf8")]).toEqual([true, what]);
    }
    expect(fs.readFileSync(elsewhere, "utf8")).toBe("theirs");
  });
});

describe("a link of this machine's folders that leads out of the home", () => {
  /** A home, and beside it a folder with a file and an empty folder. */
  function beside() {
    const folder = scratch();
    const outside = path.join(folder, "outside");
    fs.mkdirSync(path.join(outside, "empty"), { recursive: true });
    for (const [name, text] of [
      ["a", "text"],
      ["b", ""],
    ] as const)
      fs.writeFileSync(path.join(outside, name), text);
    for (const name of ["a", "b"]) fs.utimesSync(path.join(outside, name), 1_000, 1_000);
    fs.mkdirSync(path.join(folder, "home/run"), { recursive: true });
    const store = openStore(path.join(folder, "home"));
    const seen = () =>
      ["a", "b", "empty", "new"].map((name) => fs.statSync(path.join(outside, name), { throwIfNoEntry: false })?.mtimeMs ?? null);
    return {
      store,
      outside,
      seen,
      at: (name: string) => path.join(store.root, name),
      text: () => fs.readFileSync(path.join(outside, "a"), "utf8"),
    };
  }
  type Store = ReturnType<typeof openStore>;

  test.each<[string, (store: Store, at: string) => unknown]>([
    ["touch", (store, at) => touch(store, `${at}/a`, Date.now())],
    ["place", (store, at) => place(store, `${at}/a`, "other")],
    ["publish", (store, at) => publish(store, `${at}/new`, "other")],
    ["publish of nothing", (store, at) => publish(store, `${at}/new`, "")],
    ["stage", (store, at) => stage(store, `${at}/new`, "other")],
    ["append", (store, at) => appendLine(store, `${at}/a`, "other", false)],
    ["move to it", (store, at) => moveFile(store, "here", `${at}/new`)],
    ["move from it", (store, at) => moveFile(store, `${at}/a`, "there")],
    ["link", (store, at) => linkFile(store, "here", `${at}/new`)],
    ["remove", (store, at) => removeFile(store, `${at}/a`)],
    ["remove if", (store, at) => removeIf(store, `${at}/a`, 100, () => true)],
    ["remove later", (store, at) => removeLater(store, `${at}/a`, () => {})],
    ["remove an empty folder", (store, at) => removeEmptyFolder(store, `${at}/empty`)],
    ["make a folder", (store, at) => makeFolder(store, `${at}/new`)],
    ["replace", (store, at) => replaceFile(store, `${at}/a`, 100, () => "other")],
  ])("%s changes nothing there", async (_what, act) => {
    const { store, outside, seen, at, text } = beside();
    fs.writeFileSync(at("here"), "here");
    fs.symlinkSync(outside, at("run/life"));
    const before = seen();
    const acted = () =>
      Promise.resolve()
        .then(() => act(store, "run/life"))
        .catch((error: unknown) => expect(error).toMatchObject({ code: "outside_home" }));
    await acted();
    expect([seen(), text()]).toEqual([before, "text"]);
    // Nor where the folder was seen to be one just before.
    fs.rmSync(at("run/life"));
    makeFolder(store, "run/life");
    fs.rmdirSync(at("run/life"));
    fs.symlinkSync(outside, at("run/life"));
    await acted();
    if (process.platform === "linux") expect([seen(), text()]).toEqual([before, "text"]);
  });

  test("a folder that became one while the home was open is looked at again", () => {
    const { store, outside, at, text } = beside();
    place(store, "run/life/a", "here");
    fs.rmSync(at("run/life"), { recursive: true });
    fs.symlinkSync(outside, at("run/life"));
    const later = performance.now() + 2_000;
    const clock = vi.spyOn(performance, "now").mockReturnValue(later);
    for (const write of [() => place(store, "run/life/a", "other"), () => appendLine(store, "run/life/a", "other", false)])
      expect(write).toThrow(expect.objectContaining({ code: "outside_home" }));
    clock.mockRestore();
    expect(text()).toBe("text");
  });

  test("a file that is one, also a hard one, is not followed: by a heartbeat, an append, or the holder of a lock; the lock can be had", async () => {
    const { store, outside, seen, at, text } = beside();
    for (const name of ["run/life", "run/locks"]) fs.mkdirSync(at(name), { recursive: true });
    for (const name of ["run/life/web", "run/locks/x.md.holder"]) fs.symlinkSync(path.join(outside, "a"), at(name));
    for (const name of ["run/life/api", "run/locks/y.md.holder"]) fs.linkSync(path.join(outside, "a"), at(name));
    const before = seen();
    touch(store, "run/life/web", Date.now());
    expect(() => appendLine(store, "run/life/web", "other", false)).toThrow();
    appendLine(store, "run/life/api", "other", false);
    for (const name of ["x.md", "y.md"]) expect(await withLock(store, name, () => "held")).toBe("held");
    expect([seen(), text()]).toEqual([before, "text"]);
  });

  test("a note of a reservation that names what is outside frees nothing there", () => {
    const { store, outside, seen, at } = beside();
    fs.mkdirSync(at("run/reserve"), { recursive: true });
    fs.mkdirSync(at("run/tmp"), { recursive: true });
    const before = seen();
    for (const wanted of [path.relative(store.root, path.join(outside, "b")), "run/life/b"]) {
      const note = at(`run/reserve/1-1-1-1-0.1.${sha256(wanted).slice(0, 24)}`);
      fs.writeFileSync(note, wanted);
      fs.utimesSync(note, 1_000, 1_000);
    }
    fs.symlinkSync(outside, at("run/life"));
    freeReservations(store);
    expect(seen()).toEqual(before);
  });
});
