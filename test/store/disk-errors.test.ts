/** Errors of the disk, by name and by number: each is told as the disk's, and never as a fault in Relay. */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, test, vi } from "vitest";
import { Refusal } from "../../protocol/index.ts";
import { diskRefusal } from "../../protocol/store/disk-refusal.ts";
import { builtFile } from "../rig/built.ts";
import { act, shop } from "../rig/clones.ts";
import { homeWith } from "../rig/home.ts";
import { cleanEnv, otherUser } from "../rig/scratch.ts";

/** Errors of a disk, and what each is told as. */
const ERRORS: Record<`E${string}`, string> = {
  ...{ EDQUOT: "disk_full", ENOSPC: "disk_full", EROFS: "not_writable", ESTALE: "disk_error", EFBIG: "disk_error", EBUSY: "disk_error" },
  ...{ ENOMEM: "disk_error", ETIMEDOUT: "disk_error", EINVAL: "disk_error", EXDEV: "disk_error", ENODEV: "disk_error", EIO: "disk_error" },
};

test("an error is the disk's when a call of the disk gave it, and only then", () => {
  const error = (fields: object): Error => Object.assign(new Error("x"), fields);
  const told = (fields: object): unknown => {
    const refusal = diskRefusal(error(fields), null);
    return refusal instanceof Refusal ? refusal.code : null;
  };
  for (const [code, as] of Object.entries(ERRORS)) expect([code, told({ code, errno: -1, syscall: "fsync" })]).toEqual([code, as]);
  expect(told({ code: "Unknown system error -122", errno: -122, syscall: "fsync" })).toBe(
    process.platform === "linux" ? "disk_full" : "disk_error",
  );
  expect(told({ code: "EWHATEVER", errno: -9_999, syscall: "open" })).toBe("disk_error");
  expect(told({ code: "EADDRINUSE", errno: -98, syscall: "listen" })).toBeNull();
  expect(told({ code: "ENOENT", errno: -2, syscall: "spawn git" })).toBeNull();
  expect(told({ code: "ERR_INVALID_ARG_TYPE" })).toBeNull();
});

test("a file that may not be read is named as such, though opening it says no more than one that may not be written", () => {
  const error = Object.assign(new Error("x"), { code: "EACCES", errno: -13, syscall: "open", path: path.resolve("package.json") });
  expect(diskRefusal(error, null)).toMatchObject({ code: "not_writable" });
  const access = vi.spyOn(fs, "accessSync").mockImplementation(() => {
    throw Object.assign(new Error("x"), { code: "EACCES" });
  });
  expect(diskRefusal(error, null)).toMatchObject({ code: "not_readable" });
  access.mockRestore();
});

/** Takes each path's permissions away in turn, asks, and gives them back; run as a user to whom they apply. */
const ASK = `
const { chmodSync } = require("node:fs");
const [library, home, paths] = JSON.parse(process.argv[1]);
import(require("node:url").pathToFileURL(library).href).then(async ({ createWorld, operations, perform }) => {
  const known = createWorld({ home });
  await perform(known, operations.roster, {});
  const told = {};
  for (const path of paths) {
    chmodSync(home + "/" + path, 0);
    const said = (told[path] = {});
    const world = createWorld({ home });
    const asked = { threads: {}, inbox: { agent_id: "web" }, status: {}, roster: {}, search: { query: "hello" }, check: {}, doctor: {}, send: { agent_id: "main", to: ["web"], subject: "s", body: "b" } };
    for (const [name, given] of Object.entries(asked)) said[name] = await perform(world, operations[name], given).catch(({ code, message }) => ({ code, message }));
    said.known = await perform(known, operations.doctor, {}).catch(({ code }) => ({ code }));
    chmodSync(home + "/" + path, 0o755);
    said.after = await perform(world, operations.threads, {});
  }
  process.stdout.write(JSON.stringify(told));
});`;

test("a file or a folder that may not be read hides nothing else, and is named", async () => {
  const folder = await homeWith("web");
  for (const subject of ["One", "Two"]) await act(folder, "main", "send", { to: ["web"], subject, body: "hello" });
  await act(folder, "web", "write_memory", { agent_id: "web", key: "k", content: "v" });
  const home = path.join(folder, ".relay");
  const [day] = fs.readdirSync(path.join(home, "threads")) as [string];
  const [thread] = fs.readdirSync(path.join(home, "threads", day)) as [string];
  const message = fs.readdirSync(path.join(home, "threads", day, thread)).find((name) => name.startsWith("1-"));
  const one = `threads/${day}/${thread}/${message}`;
  const paths = [one, `threads/${day}`, "inbox/web/new", "memory", "relay.yml", "local", "run", "../../state/relay"];
  const asked = [builtFile("index.js"), home, paths];
  const env = { ...cleanEnv(), HOME: folder, XDG_STATE_HOME: path.join(path.dirname(folder), "state") };
  const ran = spawnSync(process.execPath, ["-e", ASK, JSON.stringify(asked)], { cwd: folder, env, encoding: "utf8", ...otherUser(folder) });
  expect(ran.stderr).toBe("");
  const told = JSON.parse(ran.stdout);
  for (const [at, said] of Object.entries<Record<string, Record<string, unknown>>>(told)) {
    for (const name of ["threads", "inbox", "status", "roster", "search", "check", "doctor", "known"])
      expect({ at, name, code: said[name]?.["code"] }).toEqual({ at, name, code: undefined });
    expect(said["after"]?.["problems"]).toBeUndefined();
    expect(said["after"]?.["warnings"]).toBeUndefined();
  }
  const cannot = expect.objectContaining({ problem: expect.stringContaining("cannot be read (permission denied)") });
  expect(told[one].threads.threads).toHaveLength(2);
  expect(told[one].threads.problems).toEqual([expect.objectContaining({ path: one, ...cannot.sample })]);
  expect(told[one].inbox.messages).toHaveLength(1);
  expect(told[`threads/${day}`].threads.problems).toEqual([expect.objectContaining({ path: `threads/${day}`, ...cannot.sample })]);
  expect(told["inbox/web/new"].inbox.problems).toEqual([expect.objectContaining({ path: "inbox/web/new", ...cannot.sample })]);
  expect(told["memory"].check.findings).toEqual([expect.objectContaining({ code: "not_readable", path: "memory" })]);
  expect(told["relay.yml"].threads.warnings).toEqual([expect.stringContaining("the last readable version is in force")]);
  const state = told["../../state/relay"];
  expect(state.status.problems).toEqual([
    expect.objectContaining({ path: path.join(path.dirname(folder), "state/relay"), ...cannot.sample }),
  ]);
  expect(state.doctor.findings).toContainEqual(expect.objectContaining({ code: "state_folder", ...cannot.sample }));
  // A write that would need what it cannot see is refused, with the right word.
  expect(told["local"].send).toMatchObject({ code: "not_readable", message: expect.stringContaining("cannot be read") });
  expect(told[one].send["code"]).toBeUndefined();
});

test("a file in the place of a thread's folder is named, and once it is moved away the thread comes back", async () => {
  const { code: folder } = await shop("web");
  const { threadId } = await act(folder, "main", "send", { to: ["web"], subject: "s", body: "b" });
  await act(folder, "main", "record");
  const [day] = fs.readdirSync(path.join(folder, ".relay/threads")).sort().reverse();
  const thread = `threads/${day}/${threadId}`;
  const at = path.join(folder, ".relay", thread);
  const files = fs.readdirSync(at);
  fs.rmSync(at, { recursive: true });
  fs.writeFileSync(at, "oops");
  await expect(act(folder, "main", "record")).rejects.toMatchObject({ code: "not_a_folder", message: expect.stringContaining(thread) });
  fs.rmSync(at);
  await act(folder, "main", "record");
  expect(fs.readdirSync(at)).toEqual(files);
});
