/** What a start costs: the code that it reads and evaluates, which is most of what a command takes. */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { openPack } from "../../../cli/start/pack.ts";
import { wordsAlone } from "../../../cli/words-alone.ts";
import { operationList } from "../../../protocol/list.ts";
import { operationsOfWord } from "../../../protocol/of-word.ts";
import { operations } from "../../../protocol/operations.ts";
import { distribution } from "../../rig/built.ts";
import { runCommand } from "../../rig/command.ts";
import { homeWith } from "../../rig/home.ts";
import { relay } from "../../rig/processes.ts";
import { cleanEnv, scratch } from "../../rig/scratch.ts";

/** The piece that each start reads, the one that most read after it, and so many bytes of them at the most. */
const FIRST = "look";
const USUAL = "usual";
const FIRST_BYTES = 249_000;
const USUAL_BYTES = 406_000;

/** Commands that are given all day: how many modules each evaluates at the most, and of which pieces. */
const USUAL_COMMANDS: readonly (readonly [most: number, pieces: string[], ...args: string[]])[] = [
  [100, [FIRST], "inbox", "--json"],
  [102, [FIRST], "inbox"],
  [130, [FIRST, USUAL], "inbox", "--limit", "3"],
  [175, [FIRST, USUAL], "send", "api", "Subject", "Text."],
  [160, [FIRST, USUAL], "status"],
  [140, [FIRST, USUAL], "task", "list"],
];

test("a usual command reads one piece or two, and evaluates few modules of them", async () => {
  distribution();
  const folder = await homeWith("web", "api");
  await relay(folder, ["send", "web", "Subject", "Text.", "--part", "api"]);
  await relay(folder, ["session", "start", "--part", "web"]);
  const env = cleanEnv({ RELAY_PART: "web" });
  const found: unknown[] = [];
  for (const [most, , ...args] of USUAL_COMMANDS) {
    const { code, pieces, modules } = await runCommand({ cwd: folder, args, env, input: "" });
    found.push({ args, code, pieces, isFew: modules <= most || modules });
  }
  expect(found).toEqual(USUAL_COMMANDS.map(([, pieces, ...args]) => ({ args, code: 0, pieces, isFew: true })));
});

test("the code that each start reads stays short", () => {
  const { pieces } = openPack(path.join(distribution(), "command.pack"));
  expect(pieces[0]?.name).toBe(FIRST);
  expect(pieces[0]?.length).toBeLessThan(FIRST_BYTES);
  expect(pieces.find(({ name }) => name === USUAL)?.length).toBeLessThan(USUAL_BYTES);
});

test("the operations of a word are those of the list, in its order", () => {
  const words = [...new Set(operationList.map(({ command }) => command.split(" ")[0] as string))];
  expect(words.flatMap((word) => operationsOfWord(word)).toSorted()).toEqual(Object.values(operations).toSorted());
  expect(operationsOfWord("constructor")).toEqual([]);
});

test("a line is of words alone only where commander would read it alike", () => {
  const alone: readonly (readonly [line: string, options: object])[] = [
    ["inbox", {}],
    ["inbox --json", { json: true }],
    ["inbox --part web --json --home /h", { part: "web", json: true, home: "/h" }],
    ["task list --part a/b", { part: "a/b" }],
  ];
  for (const [line, options] of alone) expect(wordsAlone(line.split(" "))).toEqual({ words: line.split(" --")[0], options });
  const others = [
    "--json inbox",
    "inbox --limit 3",
    "inbox --part",
    "inbox --part --json",
    "inbox --json --json",
    "inbox --part=web",
    "-h",
  ];
  for (const line of [...others, "inbox --json more", "inbox -json", "inbox --part web --part api", "inbox --home -"])
    expect(wordsAlone(line.split(" ")), line).toBeNull();
  expect(wordsAlone(["inbox", "--part", ""])).toBeNull();
  expect(wordsAlone([])).toBeNull();
});

test("compiled code that is spoiled, or cannot be kept, changes nothing", async () => {
  const folder = await homeWith("web");
  const dist = path.join(scratch(), "dist");
  fs.cpSync(distribution(), dist, { recursive: true, filter: (name) => !name.includes("compiled") });
  const compiled = path.join(dist, "compiled");
  const inbox = () => {
    const given = [path.join(dist, "relay.cjs"), "inbox", "--part", "web"];
    const { status, stdout, stderr } = spawnSync(process.execPath, given, { cwd: folder, encoding: "utf8", env: cleanEnv() });
    return { status, stdout, stderr };
  };
  const expected = { status: 0, stdout: "Nothing unread.\n", stderr: "" };
  expect(inbox()).toEqual(expected);
  // From the second run on what `relay.yml` says is kept, so that a piece less is read.
  fs.rmSync(compiled, { recursive: true });
  expect(inbox()).toEqual(expected);
  const files = fs.readdirSync(compiled).map((name) => path.join(compiled, name));
  expect(files.length).toBeGreaterThan(0);
  for (const text of ["", "not compiled code"]) {
    for (const file of files) fs.writeFileSync(file, text);
    expect(inbox()).toEqual(expected);
    expect(files.every((file) => fs.statSync(file).size > 50_000)).toBe(true);
  }
  fs.rmSync(compiled, { recursive: true });
  fs.writeFileSync(compiled, "in the way");
  expect(inbox()).toEqual(expected);
});

test("a running command has its own code also after its files are gone, as when another version replaces them", () => {
  const dist = path.join(scratch(), "dist");
  fs.cpSync(distribution(), dist, { recursive: true, filter: (name) => !name.includes("compiled") });
  const pack = openPack(path.join(dist, "command.pack"));
  const before = pack.pieces.map((piece) => pack.textOf(piece).length);
  fs.rmSync(dist, { recursive: true });
  expect(pack.pieces.map((piece) => pack.textOf(piece).length)).toEqual(before);
});
