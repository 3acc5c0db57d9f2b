/** What people are told to type does what the sentence says, whatever the names in it are: a shell takes every name as it stands. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { printAnswer } from "../../../cli/print/print-answer.ts";
import { plainStyleFor } from "../../../cli/print/style.ts";
import { placeWords } from "../../../protocol/core/format/shell-word.ts";
import { refuse, removeTracked } from "../../../protocol/core/refusal.ts";
import { operations, perform, type Refusal } from "../../../protocol/index.ts";
import { act } from "../../rig/clones.ts";
import { worldAt } from "../../rig/home.ts";
import { cleanEnv, commitAll, git, repository, scratch } from "../../rig/scratch.ts";

/** Names that a repository can have. */
const NAMES = ["two\nlines", ...`with space|it's|say "so"|$(touch ran)|\`touch ran\`|a;touch ran|-rf|--help|*|[a]|:x|~|=x|a&b`.split("|")];

/** What a shell makes of words. */
function shell(folder: string, command: string): string {
  return execFileSync("sh", ["-c", command], { cwd: folder, encoding: "utf8", env: cleanEnv(), stdio: ["ignore", "pipe", "pipe"] });
}

/** The words that a command has when a shell starts it. */
const wordsOf = (command: string): string[] =>
  shell(scratch(), `for word in ${command}; do printf '%s\\0' "$word"; done`).split("\0").slice(0, -1);

/** The command between the first and the last of a sentence's back quotes. */
const commandIn = (sentence: string, begin: string): string => {
  const from = sentence.indexOf(`\`${begin}`) + 1;
  expect(from, sentence).toBeGreaterThan(0);
  return sentence.slice(from, sentence.lastIndexOf("`"));
};

test.each(NAMES)("a link that came with the code is removed as the refusal says, in a folder that is called %j", async (name) => {
  const victim = repository();
  await perform(worldAt(victim), operations.init, {});
  const code = repository({ "README.md": "# code\n", "x/kept": "1\n", "a/kept": "2\n" });
  const folder = path.join(code, name);
  fs.mkdirSync(folder);
  fs.symlinkSync(path.join(victim, ".relay"), path.join(folder, ".relay"));
  // What a pattern would take along.
  fs.symlinkSync("nowhere", path.join(code, "a", ".relay"));
  fs.symlinkSync("nowhere", path.join(code, "x", ".relay"));
  commitAll(code, "links", "--force");
  const refusal: Refusal = await perform(worldAt(folder), operations.status, {}).then(
    () => expect.unreachable(),
    (error) => error,
  );
  expect(refusal.code).toBe("linked_home");
  // The sentence goes on with another way.
  shell(folder, commandIn(refusal.message.slice(0, refusal.message.lastIndexOf(", or name the home")), "rm"));
  expect(fs.existsSync(path.join(folder, ".relay"))).toBe(false);
  expect(git(code, "status", "--porcelain", "-z")).toBe(` D ${name}/.relay\0`);
});

test.each(NAMES)("every other printed command has %j as one word of its own", (name) => {
  const words = (begin: string, sentence: string): string[] => wordsOf(commandIn(sentence, begin).split("`")[0] as string);
  const style = plainStyleFor(process.stdout, { NO_COLOR: "1" }, Date.now());
  const lastOf = (text: string, begin: string): string[] => wordsOf(text.slice(text.lastIndexOf(begin)));
  // A name with a back quote ends the quotation for who splits at it, not for the shell.
  if (!name.includes("`")) {
    expect(words("relay part add", refuse("unknown_part", { given: [name], nearest: [] }).message).at(-1)).toBe(name);
    const changed = { remote: name, urls: [], other: "x", other_urls: [], by: "relay.yml" };
    expect(words("relay sync --remote", refuse("remote_changed", changed).message)).toEqual(["relay", "sync", "--remote", name]);
    expect(words("relay sync --remote", refuse("insecure_remote", { remote: name, url: "http://x" }).message).at(-1)).toBe(name);
    const gone = refuse("no_home", { looked: "/", tracked: name, top: "/" }).message;
    expect(words("git checkout", gone).slice(0, -1)).toEqual(["git", "checkout", "--"]);
  }
  expect(wordsOf(commandIn(refuse("bound_elsewhere", { boundTo: "web", given: name }).message, "relay mcp")).slice(2)).toEqual([
    "--part",
    name,
  ]);
  expect(wordsOf(removeTracked(name)).slice(0, 6)).toEqual(["git", "rm", "-r", "--force", "--ignore-unmatch", "--"]);
  expect(
    wordsOf(removeTracked(name))
      .slice(6)
      .map((word) => word.replace(":(literal)", "")),
  ).toEqual(["outbox", "local", "run"].map((each) => `${name}/${each}`));
  const agents = [{ id: name, name: "A", emoji: "a", reason: "r" }];
  expect(lastOf(printAnswer("team_suggest", { agents }, style, {}), "relay team write").at(-1)).toBe(name);
});

test("names that begin with a dash follow two dashes, so that a command does not take them for flags", () => {
  expect(placeWords(["a", "-b c"])).toBe("-- a '-b c'");
  expect(placeWords(["2026-01-31-001-K3F9"])).toBe("2026-01-31-001-K3F9");
});

test("the command that `forget --rewrite` prints runs git in the home, and nothing that the project's path spells", async () => {
  const folder = path.join(scratch(), "a $(touch ran) `touch ran` 'b\" c");
  fs.renameSync(repository(), folder);
  await act(folder, undefined, "init", { parts: ["web"] });
  const { messageId } = await act(folder, "main", "send", { to: ["web"], subject: "s", body: "a secret" });
  const { notes, branch } = await act(folder, "main", "forget", { messageId, rewrite: true });
  const push = notes.join("\n").match(/git -C .*$/m)[0];
  const hub = path.join(scratch(), "hub.git");
  git(scratch(), "init", "--quiet", "--bare", hub);
  const cwd = scratch();
  execFileSync("sh", ["-c", push.replace("REMOTE", hub)], { cwd, env: cleanEnv(), stdio: "pipe" });
  expect(fs.readdirSync(cwd)).toEqual([]);
  expect(git(hub, "rev-parse", "relay")).toBe(git(path.join(folder, ".relay"), "rev-parse", branch));
});
