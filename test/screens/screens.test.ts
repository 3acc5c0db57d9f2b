import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { judge } from "../../pager/tmux/doorbell.ts";
import type { PaneView } from "../../pager/tmux/pane.ts";
import { type Profile, profileOf } from "../../pager/tmux/profiles.ts";
import { asksSomething, readInput, readScreen, type Screen, saysBusy } from "../../pager/tmux/screen.ts";
import { doorbellLine } from "../../protocol/wake/nouns/wake.ts";

const FOLDER = "test/screens";
const DOORBELL = "[relay] 3 unread: run relay inbox (wake w-20261121-k3f9x2ab)";
const LONG_DOORBELL = "Relay: 3 unread messages for web. Read now: relay inbox, or the inbox tool. Wake w-k3f9x2ab0123";
const isDoorbell = (text: string): boolean => [DOORBELL, LONG_DOORBELL].some((line) => text.replace(/\s/g, "") === line.replace(/\s/g, ""));

/** Number of rows of the terminals. */
const ROWS = 30;

/** A recording: where the cursor was, then what `capture-pane -p -e` printed, without the empty rows above and below. */
function recorded(name: string): Screen {
  const text = fs.readFileSync(path.join(FOLDER, `${name.replace("-", "/")}.txt`), "utf8");
  const [head = "", x, y, above] = /^cursor (\d+),(\d+), (\d+) empty rows above\n/.exec(text) ?? [];
  const rows = [...Array<string>(Number(above)).fill(""), ...text.slice(head.length, -1).split("\n")];
  const below = Array<string>(Math.max(0, ROWS - rows.length)).fill("");
  return readScreen(`${[...rows, ...below].join("\n")}\n`, { x: Number(x), y: Number(y) });
}

/** The recordings, as `<agent>-<what it shows>`. */
const RECORDINGS = (fs.readdirSync(FOLDER, { recursive: true }) as string[])
  .filter((file) => file.endsWith(".txt"))
  .map((file) => file.slice(0, -".txt".length).replace("/", "-"));

/** What each recording must be read as, by the end of its name. */
const EXPECTED: [RegExp, { input: string; asks: boolean; busy?: boolean }][] = [
  [/-(empty|after|idle|answered)(-\w+)?$/, { input: "empty", asks: false, busy: false }],
  [/-(half|half-typed|paste)$/, { input: "text", asks: false, busy: false }],
  [/-doorbell(-\w+)?$/, { input: "line", asks: false, busy: false }],
  [/-busy$/, { input: "empty", asks: false, busy: true }],
  [/-(dialog|trust|approval|mcp-server|start|exit)(-\w+)?$/, { input: "none", asks: true }],
];

test.each(RECORDINGS)("the screen %s is read as what it is", (name) => {
  const profile = profileOf(name.split("-")[0]) as Profile;
  const screen = recorded(name);
  const expected = EXPECTED.find(([rule]) => rule.test(name))?.[1];
  const found = readInput(screen, profile, isDoorbell);
  const input = found.kind;
  expect({ asks: asksSomething(screen, profile, found) }).toEqual({ asks: expected?.asks });
  if (expected?.busy !== undefined) expect(saysBusy(screen, profile)).toBe(expected.busy);
  // Under a question no input line is to be found, or one that is not empty.
  if (expected?.input === "none") expect(["none", "text"]).toContain(input);
  else expect(input).toBe(expected?.input);
});

test.each(["claude", "codex", "gemini"] as const)("a list above the empty input of %s is no question", (agent) => {
  const profile = profileOf(agent) as Profile;
  const { rows, cursor } = recorded(`${agent}-empty`);
  const row = [..."● 1. First this."].map((text) => ({ text, faint: false, colour: "" }));
  const screen = { rows: rows.map((each, at) => (at === cursor.y - 3 ? row : each)), cursor };
  const input = readInput(screen, profile, isDoorbell);
  expect(input.kind).toBe("empty");
  expect(asksSomething(screen, profile, input)).toBe(false);
  // Any other agent may ask above its input line.
  expect(asksSomething(screen, profileOf("generic") as Profile, input)).toBe(true);
});

const TYPED = RECORDINGS.filter((name) => name.endsWith("-half")).map((name) => name.slice(0, -"-half".length));

test.each(TYPED)("a half-typed line of %s is seen wherever its cursor is", (agent) => {
  const screen = recorded(`${agent}-half`);
  for (let x = 0; x <= screen.cursor.x; x += 1) {
    const moved = { rows: screen.rows, cursor: { x, y: screen.cursor.y } };
    expect(readInput(moved, profileOf(agent) as Profile, isDoorbell).kind).toBe("text");
  }
});

test.each(["claude", "codex", "gemini"] as const)(
  "the doorbell of %s with a word before, behind or below it is a person's text",
  (agent) => {
    const { rows, cursor } = recorded(`${agent}-doorbell`);
    const plain = (text: string) => [...text].map((each) => ({ text: each, faint: false, colour: "" }));
    const row = rows[cursor.y] ?? [];
    const start = cursor.x - DOORBELL.length;
    const seen = (y: number, changed: typeof row, x: number) =>
      readInput({ rows: rows.with(y, changed), cursor: { x, y: cursor.y } }, profileOf(agent) as Profile, isDoorbell).kind;
    expect(seen(cursor.y, row, cursor.x)).toBe("line");
    expect(seen(cursor.y, [...row.slice(0, start), ...plain("no "), ...row.slice(start)], cursor.x + 3)).toBe("text");
    expect(seen(cursor.y, [...row.slice(0, cursor.x), ...plain(" no")], cursor.x + 3)).toBe("text");
    expect(seen(cursor.y, [...row.slice(0, cursor.x), ...plain(" no")], cursor.x)).toBe("text");
    expect(seen(cursor.y + 1, plain("  no"), cursor.x)).toBe("text");
  },
);

const RING = { line: doorbellLine("web", 2, "w-k3f9x2ab"), wakeId: "w-k3f9x2ab" };

/** The screens of a file. The first row that is nothing but a prompt has the cursor, else the last. */
const samples = (file: string): [name: string, rows: string[]][] =>
  fs
    .readFileSync(`test/screens/unknown/${file}.screens`, "utf8")
    .split(/^== /m)
    .slice(1)
    .map((sample) => sample.replace(/\n$/, "").split("\n"))
    .map(([name = "", ...rows]) => [name, rows]);

/** What Relay does with a screen, `typed` standing in its input. */
function judged(rows: readonly string[], typed = ""): string {
  const found = rows.findIndex((row) => /^(│ )?[>❯›] *│?$/.test(row));
  const y = found === -1 ? rows.length - 1 : found;
  const prompt = /^(│ )?[>❯›] /.exec(rows[y] ?? "")?.[0] ?? rows[y] ?? "";
  const row = `${prompt}${typed}${(rows[y] ?? "").slice(prompt.length + typed.length)}`;
  const screen = readScreen(rows.with(y, row).join("\n"), { x: prompt.length + typed.length, y });
  return judge({ screen, scrolling: false, keysElsewhere: false, persons: "" } as PaneView, profileOf("generic") as Profile, RING, 0).kind;
}

test.each(samples("asks"))("of a program without a profile, a screen that asks is not typed into: %s", (_, rows) => {
  expect([judged(rows), judged(rows, RING.line)]).toEqual(["wait", "wait"]);
});

test.each(samples("plain"))("of a program without a profile, a plain prompt is typed into: %s", (_, rows) => {
  expect([judged(rows), judged(rows, RING.line)]).toEqual(["free", "doorbell"]);
});
