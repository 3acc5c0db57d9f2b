/** Errors of the disk, by name and by number: each is told as the disk's, and never as a fault in Relay. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { Refusal } from "../../protocol/index.ts";
import { diskRefusal } from "../../protocol/store/disk-refusal.ts";
import { act, shop } from "../rig/clones.ts";
import { homeWith } from "../rig/rig.ts";
import { pointsOf, type Scene, whyNoStrace, withFault } from "../rig/strace.ts";

const ERRORS: `E${string}`[] = [
  ...([
    "EDQUOT",
    "ESTALE",
    "EFBIG",
    "EBUSY",
    "ENOMEM",
    "ETIMEDOUT",
    "EINVAL",
    "EXDEV",
    "ENODEV",
    "ENXIO",
    "EREMOTEIO",
    "EHOSTDOWN",
  ] as const),
  ...(["ENOSPC", "EIO", "EROFS"] as const),
];
const why = whyNoStrace();

test.skipIf(why !== null)(`a send whose disk fails says so, whatever the error${why === null ? "" : ` (skipped: ${why})`}`, async () => {
  const folder = await homeWith("web");
  const scene: Scene = {
    args: ["send", "web", "s", "b", "--part", "main", "--json"],
    cwd: folder,
    folder: `${folder}/.relay`,
    threads: true,
  };
  const point = (await pointsOf(scene)).find(({ call }) => call === "fsync");
  if (point === undefined) throw new Error("no call of fsync");
  for (const error of ERRORS) {
    const { code, stdout, stderr } = await withFault(scene, point, error);
    const told = JSON.parse(stdout);
    const expected = ["EDQUOT", "ENOSPC"].includes(error) ? "disk_full" : error === "EROFS" ? "not_writable" : "disk_error";
    expect({ error, code, told: told.code }).toEqual({ error, code: 6, told: expected });
    expect(stderr).not.toContain("fault in Relay");
  }
});

test("an error is the disk's when a call of the disk gave it, and only then", () => {
  const error = (fields: object): Error => Object.assign(new Error("x"), fields);
  const told = (fields: object): unknown => {
    const refusal = diskRefusal(error(fields), null);
    return refusal instanceof Refusal ? refusal.code : null;
  };
  expect(told({ code: "Unknown system error -122", errno: -122, syscall: "fsync" })).toBe(
    process.platform === "linux" ? "disk_full" : "disk_error",
  );
  expect(told({ code: "EWHATEVER", errno: -9_999, syscall: "open" })).toBe("disk_error");
  expect(told({ code: "EADDRINUSE", errno: -98, syscall: "listen" })).toBeNull();
  expect(told({ code: "ENOENT", errno: -2, syscall: "spawn git" })).toBeNull();
  expect(told({ code: "ERR_INVALID_ARG_TYPE" })).toBeNull();
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
