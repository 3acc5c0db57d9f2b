/** The process of git that one step asks about objects: where it dies, is too old or says nothing, the answers are the same. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { afterEach, expect, test } from "vitest";
import { readAll, sizesOf } from "../../protocol/store/git/git-blobs.ts";
import { resolveCommit } from "../../protocol/store/git/git-commits.ts";
import type { Repository } from "../../protocol/store/git/git-run.ts";
import { whileAsking } from "../../protocol/store/git/objects/object-process.ts";
import { commitAll, git, repository, scratch, until } from "../rig/scratch.ts";

const { PATH } = process.env;
afterEach(() => {
  process.env["PATH"] = PATH;
});

/** Has another program be asked with `--batch-command`. @returns where each start of it is noted */
function askedInstead(script: string): string {
  const [bin, real] = [scratch(), execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim()];
  const starts = path.join(bin, "starts");
  const ask = `echo $$ >> "${starts}"; real="${real}"; ${script}`;
  fs.writeFileSync(path.join(bin, "git"), `#!/bin/sh\ncase "$*" in *--batch-command*) ${ask};; esac\nexec "${real}" "$@"\n`, {
    mode: 0o755,
  });
  process.env["PATH"] = `${bin}:${PATH}`;
  return starts;
}
const startsIn = (file: string): string[] => fs.readFileSync(file, "utf8").trim().split("\n");

function someRepository(): Repository & { blobs: string[]; head: string } {
  const code = repository({ "a.txt": "a".repeat(1_234), "b.txt": "b" });
  commitAll(code);
  const blobs = ["a.txt", "b.txt"].map((name) => git(code, "rev-parse", `HEAD:${name}`).trim());
  return { gitDir: path.join(code, ".git"), workTree: code, blobs, head: git(code, "rev-parse", "HEAD").trim() };
}

test.each([
  ["is too old", "exit 129"],
  ["dies before it answers", "read line; kill -9 $$"],
  ["dies in the middle of a size", '"$real" "$@" | { dd bs=1 count=49 2> /dev/null; kill -9 -$$; }'],
  ["dies in the middle of a name", '"$real" "$@" | { dd bs=1 count=20 2> /dev/null; kill -9 -$$; }'],
  ["dies in the middle of a content", '"$real" "$@" | { dd bs=1 count=200 2> /dev/null; kill -9 -$$; }'],
])("a process that %s: another one is asked", async (_how, script) => {
  const home = someRepository();
  askedInstead(script);
  await whileAsking(home, async () => {
    expect(await resolveCommit(home, "HEAD")).toBe(home.head);
    expect([...(await sizesOf(home, home.blobs)).values()]).toEqual([1_234, 1]);
    expect([...(await readAll(home, home.blobs)).values()].map(String)).toEqual(["a".repeat(1_234), "b"]);
    expect(await resolveCommit(home, "refs/heads/gone")).toBeNull();
  });
});

test("a git that is too old is asked once in a step", async () => {
  const home = someRepository();
  const starts = askedInstead("exit 129");
  await whileAsking(home, async () => {
    for (let n = 0; n < 3; n += 1) await sizesOf(home, home.blobs);
  });
  expect(startsIn(starts)).toHaveLength(1);
});

test("a step that fails while it waits for an answer is over at once, and leaves no process", async () => {
  const home = someRepository();
  const starts = askedInstead("trap '' TERM; exec sleep 1000");
  const step = whileAsking(home, async () => {
    void sizesOf(home, home.blobs).catch(() => {});
    await until("git is asked", () => fs.existsSync(starts) && fs.readFileSync(starts, "utf8").endsWith("\n"));
    throw new Error("enough");
  });
  await expect(step).rejects.toThrow("enough");
  expect(fs.existsSync(`/proc/${startsIn(starts)[0]}`)).toBe(false);
});

test("without git it says so", async () => {
  const home = someRepository();
  process.env["PATH"] = scratch();
  await expect(whileAsking(home, () => sizesOf(home, home.blobs))).rejects.toMatchObject({ code: "git_failed" });
});
