/** Many new contents are stored as packs: that is a shortcut, and whatever ends it, or was left of it, is in nobody's way. */
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test, vi } from "vitest";
import { packFiles, writeBlobs } from "../../../protocol/git/git-blobs.ts";
import { clearLeftovers } from "../../../protocol/git/git-leftovers.ts";
import { tidy } from "../../../protocol/git/git-move-ref.ts";
import type { Repository } from "../../../protocol/git/git-run.ts";
import { thisProcess } from "../../../protocol/store/process.ts";
import { act, shop } from "../../rig/clones.ts";
import { messageOf } from "../../rig/many-threads.ts";
import { relayProcess } from "../../rig/processes.ts";
import { git, put, repository, scratch } from "../../rig/scratch.ts";

import { whyNoStrace } from "../../rig/strace.ts";

/** More contents than git stores one by one. */
const MANY = 120;

/** Writes messages of one thread. @param from the first number */
function putMessages(code: string, from: number, count: number): void {
  for (let n = from; n < from + count; n += 1) {
    const { path: at, text } = messageOf(1, n, n, `Words of ${n}.`);
    put(path.join(code, ".relay", at), text);
  }
}

const gitDirOf = (code: string): string => path.join(code, ".git/relay");
const packsOf = (gitDir: string): string[] => fs.readdirSync(path.join(gitDir, "objects/pack"));
/** What only a run that did not end leaves. */
const leftIn = (gitDir: string): string[] =>
  [...fs.readdirSync(gitDir), ...packsOf(gitDir)].filter((name) => /^(relay-|fast_import|tmp_)|\.keep$/.test(name));

/** A search path on which git's fast-import is killed as it enters a system call. */
function killedAt(call: string, when: number): { PATH: string } {
  const bin = scratch();
  const real = git(bin, "--exec-path").trim();
  const killing = `strace -f -qq -o /dev/null -e trace=${call} -e inject=${call}:signal=KILL:when=${when}`;
  const text = `#!/bin/sh\ncase " $* " in *" fast-import "*) exec ${killing} ${real}/git "$@";; esac\nexec ${real}/git "$@"\n`;
  fs.writeFileSync(path.join(bin, "git"), text, { mode: 0o755 });
  return { PATH: `${bin}:${process.env["PATH"]}` };
}

/** A repository as a home has it. */
function bare(): Repository {
  const code = repository();
  return { gitDir: path.join(code, ".git"), workTree: code };
}

describe.skipIf(whyNoStrace() !== null)("git's fast-import is killed", () => {
  const points = {
    "before the pack has its name": ["link", 1],
    "before its index has its name": ["link", 2],
    "at its last step": ["unlink", 3],
  };
  for (const [when, [call, nth]] of Object.entries(points) as [string, [string, number]][]) {
    test(`${when}: the record is made, and nothing is left`, async () => {
      const { code } = await shop("web", "api");
      putMessages(code, 1, MANY);
      const killed = await relayProcess(code, ["record", "--json"], { env: killedAt(call, nth) });
      expect(killed.json, killed.stdout).toMatchObject({ success: true, commit: expect.any(String) });
      expect(leftIn(gitDirOf(code))).toEqual([]);
      putMessages(code, MANY + 1, MANY);
      expect((await relayProcess(code, ["record", "--json"])).json).toMatchObject({ success: true, commit: expect.any(String) });
      expect(leftIn(gitDirOf(code))).toEqual([]);
      expect(git(path.join(code, ".relay"), "fsck", "--no-dangling")).toBe("");
    });
  }
});

test("a `.keep` that a killed fast-import left keeps the same contents from nothing", async () => {
  const at = bare();
  const contents = Array.from({ length: MANY }, (_, n) => Buffer.from(`text ${n}`));
  const ids = await writeBlobs(at, contents);
  const folder = path.join(at.gitDir, "objects/pack");
  const [pack] = fs.readdirSync(folder).filter((name) => name.endsWith(".pack")) as [string];
  for (const name of fs.readdirSync(folder)) fs.rmSync(path.join(folder, name));
  fs.writeFileSync(path.join(folder, pack.replace(/pack$/, "keep")), "fast-import");
  expect(await writeBlobs(at, contents)).toEqual(ids);
  expect(git(at.workTree, "cat-file", "blob", ids[3] as string)).toBe("text 3");
});

test("leftovers of an ended process are cleared, but nothing that a person made or a process uses", () => {
  const at = bare();
  const gone = thisProcess().replace(/^\d+/, "4194305");
  const file = (name: string, text = "", isOld = false): void => {
    put(path.join(at.gitDir, name), text);
    if (isOld) fs.utimesSync(path.join(at.gitDir, name), 1_000_000_000, 1_000_000_000);
  };
  const packs = "objects/pack";
  file(`relay-objects.${gone}-0.1/pack/tmp_pack_a`);
  // The pack was moved, and its index was not.
  file(`relay-objects.${gone}-0.2/pack/pack-1.idx`);
  file(`${packs}/pack-1.pack`);
  // All of it was moved.
  file(`relay-objects.${gone}-0.3/pack/pack-2.keep`);
  file(`${packs}/pack-2.pack`);
  file(`${packs}/pack-2.idx`);
  file(`relay-objects.${thisProcess()}-0.4/pack/tmp_pack_b`);
  file(`relay-index.${gone}-0.1`);
  file("fast_import_crash_77", "report");
  file(`${packs}/tmp_pack_old`, "", true);
  file(`${packs}/tmp_idx_old`, "", true);
  file(`${packs}/tmp_pack_new`);
  file(`${packs}/pack-3.keep`, "fast-import", true);
  file(`${packs}/pack-4.keep`, "fast-import");
  file(`${packs}/pack-5.keep`, "by a person", true);
  file(`${packs}/pack-6.keep`, "", true);
  clearLeftovers(at);
  expect(packsOf(at.gitDir).sort()).toEqual(["pack-2.idx", "pack-2.pack", "pack-4.keep", "pack-5.keep", "pack-6.keep", "tmp_pack_new"]);
  expect(fs.readdirSync(at.gitDir).filter((name) => /^(relay-|fast_)/.test(name))).toEqual([`relay-objects.${thisProcess()}-0.4`]);
});

test("many packs are joined, as many objects are; those that a person keeps do not count", async () => {
  const at = bare();
  for (const [name, value] of [
    ["gc.auto", "6700"],
    ["gc.autoDetach", "false"],
  ] as const)
    git(at.workTree, "config", name, value);
  const paths = Array.from({ length: 65 }, (_, n) => `${n}`);
  for (let n = 0; n < 51; n += 1) await packFiles(at, paths, (name) => Buffer.from(`${name} of ${n}`));
  const packs = (): string[] => packsOf(at.gitDir).filter((name) => name.endsWith(".pack"));
  const keep = path.join(at.gitDir, "objects/pack", packs()[0]?.replace(/pack$/, "keep") as string);
  fs.writeFileSync(keep, "");
  await tidy(at);
  expect(packs().length).toBe(51);
  fs.rmSync(keep);
  await tidy(at);
  expect(packs().length).toBeLessThan(5);
});

test("two messages in a folder of thousands make no pack, and no other file is opened; nor is one where it becomes a link", async () => {
  const { code } = await shop("web", "api");
  // So many that the index is large, and a record looks at what changed.
  const [here, packs] = [4_000, () => packsOf(gitDirOf(code)).filter((name) => name.endsWith(".pack"))];
  putMessages(code, 1, here);
  await act(code, undefined, "record");
  await act(code, undefined, "record");
  expect(fs.existsSync(path.join(code, ".relay/run/recorded"))).toBe(true);
  const before = packs();
  expect(before.length).toBeGreaterThan(0);
  putMessages(code, here + 1, 2);
  const opened = vi.spyOn(fs, "openSync");
  await act(code, undefined, "record");
  const files = opened.mock.calls.map(([file]) => String(file)).filter((file) => file.includes("/threads/") && file.endsWith(".md"));
  opened.mockRestore();
  expect(new Set(files).size).toBeLessThanOrEqual(2);
  expect(packs()).toEqual(before);

  const home = path.join(code, ".relay");
  const recorded = (): string => git(home, "rev-parse", "HEAD^{tree}");
  const [folder, were, outside] = [path.dirname(messageOf(1, 1, 1, "").path), recorded(), path.join(scratch(), "outside")];
  fs.renameSync(path.join(home, folder), outside);
  fs.symlinkSync(outside, path.join(home, folder));
  // The second one is told by what the first one kept.
  for (let n = 0; n < 2; n += 1)
    expect((await act(code, undefined, "record")).problems).toEqual([{ path: folder, problem: expect.stringContaining("link") }]);
  expect(recorded()).toBe(were);
});
