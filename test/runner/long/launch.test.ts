/** The start of a program for a turn: it outlives its runner, and another process finds out how it ended, and ends it. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { endOf } from "../../../protocol/store/beside/user-file.ts";
import { openStore } from "../../../protocol/store/root.ts";
import {
  allLaunches,
  type LaunchRecord,
  launchesOf,
  launchFolder,
  makeLaunch,
  removeLaunch,
} from "../../../runner/launch/launch-folder.ts";
import { killRest, type LaunchLife, lifeOfLaunch, makeVoid, stopLaunch } from "../../../runner/launch/launch-life.ts";
import { startProgram } from "../../../runner/launch/launcher.ts";
import { hasEnded } from "../../rig/hurt.ts";
import { scratch, until } from "../../rig/scratch.ts";

const RECORD: LaunchRecord = {
  dispatch: "t-20260131-abcd2345",
  turn: 1,
  attempt: 1,
  position: "om",
  program: "command",
  resumes: null,
  token: "0",
  startedMs: 0,
};
const ENV = { PATH: process.env["PATH"] as string };

/** A launch of a shell command in a home of its own. */
async function launched(script: string, stdin = ""): Promise<string> {
  const store = openStore(scratch());
  const folder = makeLaunch(store, RECORD, { stdin });
  const problem = await startProgram({ folder, argv: ["/bin/sh", "-c", script], cwd: store.root, env: ENV, ended: () => {} });
  expect(problem).toBeNull();
  return folder;
}
const textOf = (folder: string, name: string): string => fs.readFileSync(path.join(folder, name), "utf8");
const ended = async (folder: string): Promise<LaunchLife> => {
  await until("it ended", () => ["ended", "gone"].includes(lifeOfLaunch(folder).state));
  return lifeOfLaunch(folder);
};

test("a program reads a file, writes files, and its exit code is written down", async () => {
  const folder = await launched("cat; echo problem >&2; exit 7", "grüße\n");
  expect(await ended(folder)).toMatchObject({ state: "ended", exit: "7" });
  expect(textOf(folder, "stdout")).toBe("grüße\n");
  expect(textOf(folder, "stderr")).toBe("problem\n");
  expect(endOf(path.join(folder, "stderr"), 4)).toBe("lem\n");
  expect(endOf(path.join(folder, "nothing"), 4)).toBeNull();
});

test("a program that a signal ended is told by the signal's name", async () => {
  expect(await ended(await launched("kill -KILL $$"))).toMatchObject({ state: "ended", exit: "SIGKILL" });
});

test("the files that a program reads are this user's alone", async () => {
  const folder = await launched("true");
  await ended(folder);
  expect(fs.statSync(folder).mode & 0o777).toBe(0o700);
  for (const name of ["stdin", "launch.json"]) expect(fs.statSync(path.join(folder, name)).mode & 0o777).toBe(0o600);
});

test("a launch that was made void before it began runs nothing", async () => {
  const store = openStore(scratch());
  const folder = makeLaunch(store, RECORD, { stdin: "" });
  expect(lifeOfLaunch(folder)).toEqual({ state: "starting" });
  expect(makeVoid(folder)).toBe(true);
  expect(makeVoid(folder)).toBe(false);
  let isOver = false;
  const over = (): void => {
    isOver = true;
  };
  await startProgram({ folder, argv: ["/bin/sh", "-c", "echo ran"], cwd: store.root, env: ENV, ended: over });
  await until("the shell ended", () => isOver);
  expect(textOf(folder, "stdout")).toBe("");
  expect(lifeOfLaunch(folder)).toEqual({ state: "void" });
});

test("a program that heeds SIGTERM is given time, and its exit code is known", async () => {
  const folder = await launched("trap 'echo last; exit 4' TERM; echo ready; while :; do sleep 0.01; done");
  await until("it runs", () => textOf(folder, "stdout") !== "");
  expect(await stopLaunch(folder)).toMatchObject({ state: "ended", exit: "4" });
  expect(textOf(folder, "stdout")).toBe("ready\nlast\n");
});

test("a program that takes no notice of SIGTERM is killed, and what it started too", async () => {
  const folder = await launched("trap '' TERM; sleep 1000 & echo $!; wait; while :; do sleep 1; done");
  const child = Number(await until("it runs", () => textOf(folder, "stdout").trim()));
  expect(hasEnded(child)).toBe(false);
  expect((await stopLaunch(folder)).state).toBe("gone");
  await until("its child is gone", () => hasEnded(child));
});

test("a shell that was killed leaves its program, which ends with the next look", async () => {
  const folder = await launched("echo $$; exec sleep 1000");
  const child = Number(await until("it runs", () => textOf(folder, "stdout").trim()));
  const life = lifeOfLaunch(folder);
  if (life.state !== "running") throw new Error(life.state);
  process.kill(life.group, "SIGKILL");
  const gone = (await ended(folder)) as { state: "gone"; group: number };
  expect(gone.state).toBe("gone");
  expect(hasEnded(child)).toBe(false);
  killRest(gone.group, folder);
  await until("its program is gone", () => hasEnded(child));
});

test("a process that took over the number of an ended one is not ended", async () => {
  const folder = await launched("true");
  await ended(folder);
  fs.rmSync(path.join(folder, "exit"));
  fs.writeFileSync(path.join(folder, "pid"), String(process.pid));
  expect(lifeOfLaunch(folder)).toEqual({ state: "gone", group: process.pid });
  killRest(process.pid, folder);
  expect((await stopLaunch(folder)).state).toBe("gone");
});

test("a folder that cannot be the working directory, and arguments that no system takes, are told", async () => {
  const store = openStore(scratch());
  const folder = makeLaunch(store, RECORD, { stdin: "" });
  const start = { folder, cwd: path.join(store.root, "nowhere"), env: ENV, ended: () => {} };
  expect(await startProgram({ ...start, argv: ["/bin/true"] })).toContain("ENOENT");
  expect(await startProgram({ ...start, cwd: store.root, argv: ["/bin/true", "x".repeat(3_000_000)] })).toContain("E2BIG");
});

test("launches are found again by their turn, but for one that was not made whole", () => {
  const store = openStore(scratch());
  const second = { ...RECORD, attempt: 2 };
  makeLaunch(store, second, { stdin: "" });
  makeLaunch(store, RECORD, { stdin: "" });
  makeLaunch(store, { ...RECORD, turn: 2 }, { stdin: "" });
  expect(launchesOf(store, RECORD.dispatch, 1)).toEqual([RECORD, second]);
  fs.rmSync(path.join(launchFolder(store, second), "launch.json"));
  expect(allLaunches(store)).toHaveLength(2);
  removeLaunch(store, RECORD);
  expect(launchesOf(store, RECORD.dispatch, 1)).toEqual([]);
});
