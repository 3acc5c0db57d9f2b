/** The process of git that one step asks about objects: where it dies, is too old or says nothing, the answers are the same. */
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { readAll, sizesOf } from "../../protocol/git/git-blobs.ts";
import { resolveCommit } from "../../protocol/git/git-commits.ts";
import type { Repository } from "../../protocol/git/git-run.ts";
import { factsOf, objectsOf, whileAsking } from "../../protocol/git/objects/object-process.ts";
import { ObjectReader } from "../../protocol/git/objects/object-reader.ts";
import { cleanEnv, commitAll, git, pathWithGit, repository, scratch, until } from "../rig/scratch.ts";

let reader: ObjectReader | undefined;
afterEach(() => {
  reader?.end();
  vi.unstubAllEnvs();
});

/** Puts a script in the place of `git cat-file --batch-command`. @returns the file that has a line for each start */
function askedInstead(script: string): string {
  const starts = path.join(scratch(), "starts");
  vi.stubEnv("PATH", pathWithGit(`case "$*" in *--batch-command*) echo $$ >> "${starts}"; ${script};; esac`));
  return starts;
}
const startsIn = (file: string): string[] => fs.readFileSync(file, "utf8").trim().split("\n");

function someRepository(): Repository & { blobs: string[]; head: string } {
  const code = repository({ "a.txt": "a".repeat(1_234), "b.txt": "b" });
  commitAll(code);
  const blobs = ["a.txt", "b.txt"].map((name) => git(code, "rev-parse", `HEAD:${name}`).trim());
  return { gitDir: path.join(code, ".git"), workTree: code, blobs, head: git(code, "rev-parse", "HEAD").trim() };
}

/** The ways to die, each for the program that is asked. */
const DEATHS = [
  ["before it answers", "read line; kill -9 $$"],
  ["in the middle of a size", '"$real" "$@" | { dd bs=1 count=49 2> /dev/null; kill -9 -$$; }'],
  ["in the middle of a name", '"$real" "$@" | { dd bs=1 count=20 2> /dev/null; kill -9 -$$; }'],
  ["in the middle of a content", '"$real" "$@" | { dd bs=1 count=200 2> /dev/null; kill -9 -$$; }'],
] as const;

test.each([
  ["is too old", "exit 129"],
  ...DEATHS.map(([when, how]) => [`dies ${when}`, `[ -e "$0.died" ] && exec "$real" "$@"; : > "$0.died"; ${how}`]),
])("the answers of a git that %s come from another one", async (_how, script) => {
  const home = someRepository();
  askedInstead(script as string);
  await whileAsking(home, async () => {
    expect(await resolveCommit(home, "HEAD")).toBe(home.head);
    expect([...(await sizesOf(home, home.blobs)).values()]).toEqual([1_234, 1]);
    expect([...(await readAll(home, home.blobs)).values()].map(String)).toEqual(["a".repeat(1_234), "b"]);
    expect(await resolveCommit(home, "refs/heads/gone")).toBeNull();
  });
});

test.each(DEATHS)("a git that dies %s each time is named, and a commit is still found", async (_when, script) => {
  const home = someRepository();
  const starts = askedInstead(script);
  await expect(readAll(home, home.blobs)).rejects.toMatchObject({ code: "git_failed" });
  expect(startsIn(starts)).toHaveLength(2);
  expect(await resolveCommit(home, "HEAD")).toBe(home.head);
});

test("objects are given in the order of their names, without those that are too large, missing, or no name", async () => {
  const home = someRepository();
  const [large = "", small = ""] = home.blobs;
  const names = [small, "refs/heads/gone", large, "two\nlines", `${home.head}^{tree}`, small];
  const given: unknown[] = [];
  for await (const each of objectsOf(home, names, 100)) given.push(each && [each.kind, each.size, each.bytes?.length ?? null]);
  expect(given).toEqual([["blob", 1, 1], null, ["blob", 1_234, null], null, ["tree", 66, 66], ["blob", 1, 1]]);
  const many = Array.from({ length: 2_500 }, (_, n) => [large, "gone", small][n % 3] as string);
  const facts = await factsOf(home, many);
  let at = 0;
  for await (const each of objectsOf(home, many)) expect(each?.id).toBe(facts[at++]?.id);
  expect(at).toBe(2_500);
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
  expect(startsIn(starts).map((pid) => fs.existsSync(`/proc/${pid}`))).toEqual([false]);
});

test("without git it says so", async () => {
  const home = someRepository();
  vi.stubEnv("PATH", scratch());
  await expect(whileAsking(home, () => sizesOf(home, home.blobs))).rejects.toMatchObject({ code: "git_failed" });
});

const MOST = 65_536;

test.each(["this git", "an older git"])(
  "of %s each object is whole, or too large to be held and of known size; one that is missing is a refusal, and no end",
  (which) => {
    const starts = which === "this git" ? null : askedInstead('echo "error: unknown option" >&2; exit 129');
    const folder = repository();
    const objects = new ObjectReader({ gitDir: path.join(folder, ".git"), workTree: folder });
    reader = objects;
    const contents = [0, 1, 10, 5_000, 70_000, 300_000, MOST, MOST + 1].map((size) => randomBytes(size));
    const ids = contents.map((input) =>
      execFileSync("git", ["hash-object", "-w", "--stdin"], { cwd: folder, input, env: cleanEnv(), encoding: "utf8" }).trim(),
    );
    const many = Array.from({ length: 150 }, (_, n) => ids[n % ids.length]);
    for (const order of [ids, ids.toReversed(), [ids[5]], [ids[4], ids[0]], many] as string[][]) {
      const wanted = order.map((id) => contents[ids.indexOf(id)] as Buffer);
      const found = objects.read(order, MOST);
      expect(found.map(({ size }) => size)).toEqual(wanted.map(({ length }) => length));
      expect(found.map(({ bytes }) => bytes?.toString("hex") ?? null)).toEqual(
        wanted.map((content) => (content.length > MOST ? null : content.toString("hex"))),
      );
    }
    expect(() => objects.read(["0".repeat(40)], MOST)).toThrow("lacks 000000000000");
    expect(() => objects.read([...many, "0".repeat(40), ...many] as string[], MOST)).toThrow("lacks 000000000000");
    expect(objects.read([ids[1] as string], MOST)[0]?.size).toBe(1);
    expect(starts === null || fs.existsSync(starts)).toBe(true);
  },
);
