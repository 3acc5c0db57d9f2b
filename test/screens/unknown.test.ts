import fs from "node:fs";
import { expect, test } from "vitest";
import { judge } from "../../pager/tmux/doorbell.ts";
import type { PaneView } from "../../pager/tmux/pane.ts";
import { type Profile, profileOf } from "../../pager/tmux/profiles.ts";
import { readScreen } from "../../pager/tmux/screen.ts";
import { doorbellLine } from "../../protocol/wake/nouns/wake.ts";

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
