import { expect, test } from "vitest";
import { commonEnds, diffLines } from "../../dashboard/web/part/diff.ts";
import { plain } from "../../dashboard/web/part/plain.ts";
import type { ProgramName } from "../../protocol/office/nouns/agent-file.ts";
import { programOf } from "../../runner/programs/programs.ts";
import { saidIn } from "../../runner/programs/said.ts";

/** Texts of few different lines, so that many are the same; the same ones each time. */
function texts(): string[] {
  let seed = 7;
  const random = (most: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed % most;
  };
  return Array.from({ length: 40 }, () => Array.from({ length: random(12) }, () => "abcd"[random(4)]).join("\n"));
}

const linesOf = (text: string): string[] => (text === "" ? [] : text.split("\n"));

/** How many lines two texts have in common, in order. */
function common(a: readonly string[], b: readonly string[]): number {
  const row = new Array<number>(b.length + 1).fill(0);
  for (const line of a) {
    let diagonal = 0;
    for (let at = 1; at <= b.length; at += 1) {
      const above = row[at] as number;
      row[at] = line === b[at - 1] ? diagonal + 1 : Math.max(above, row[at - 1] as number);
      diagonal = above;
    }
  }
  return row.at(-1) as number;
}

test("a difference gives both texts again, with their numbers, and keeps every line that it can", () => {
  const all = texts();
  for (const [at, before] of all.entries()) {
    const after = all[(at * 7 + 1) % all.length] as string;
    const lines = diffLines(before, after);
    const of = (key: "before" | "after"): string[] => lines.filter((line) => line[key] !== null).map(({ text }) => text);
    expect([of("before").join("\n"), of("after").join("\n")]).toEqual([before, after]);
    for (const key of ["before", "after"] as const) expect(lines.flatMap((line) => line[key] ?? [])).toEqual(of(key).map((_, n) => n + 1));
    expect(lines.filter(({ kind }) => kind === "same").length).toBe(common(linesOf(before), linesOf(after)));
  }
});

test("texts that have nothing in common are one block that goes and one that comes", () => {
  const text = (name: string): string => Array.from({ length: 5_000 }, (_, n) => `${name} ${n}`).join("\n");
  const kinds = diffLines(text("a"), text("b")).map(({ kind }) => kind);
  expect(kinds.slice(0, 5_000).every((kind) => kind === "gone") && kinds.slice(5_000).every((kind) => kind === "new")).toBe(true);
});

test.each([
  ["**Bold** and `code`, [a link](https://example.com) and ![a picture](x.png)", "Bold and code, a link and a picture"],
  ["> quoted\n\n- one\n- two\n\n```sh\nnpm test\n```", "quoted one two npm test"],
  ["| a | b |\n|---|---|\n| 1 | 2 |", "a b 1 2"],
  ["Please review A, version 2\nThen: relay review submit x approved, or y - <<'END'\nSo.", "Please review A, version 2 So."],
  ["# Title\n3 * 4 is 12, and snake_case stays", "Title 3 * 4 is 12, and snake_case stays"],
])("%j reads as %j in a row", (text, words) => {
  expect(plain(text)).toBe(words);
});

test.each([
  ["claude", { type: "assistant", message: { content: [{ type: "text", text: "I read it." }] } }, "I read it."],
  [
    "claude",
    { type: "assistant", message: { content: [{ type: "tool_use", name: "Bash", input: { command: "npm  test" } }] } },
    "> Bash npm test",
  ],
  ["codex", { type: "item.completed", item: { type: "agent_message", text: "Done." } }, "Done."],
  ["codex", { type: "item.started", item: { type: "command_execution", command: "ls" } }, "> command_execution ls"],
  ["gemini", { type: "message", role: "assistant", content: "Hello." }, "Hello."],
  ["gemini", { type: "tool_use", tool_name: "read_file", parameters: { path: "a.ts" } }, "> read_file a.ts"],
  ["claude", { type: "result", result: "Done.", usage: {} }, ""],
  ["claude", { type: "assistant", message: { content: [null, { type: "text", text: 7 }] } }, ""],
] as [ProgramName, object, string][])("%s says of the line %j to people %j", (name, line, words) => {
  expect(saidIn(programOf(name), JSON.stringify(line))).toBe(words);
});

test.each([
  ["one call for each payment", "one call for each part that was not shipped", "payment", "part that was not shipped"],
  ["the amount", "the amounts", "amount", "amounts"],
  ["a b", "a  b", "", " "],
  ["Größe 3", "Größen 3", "Größe", "Größen"],
  ["same", "same", "", ""],
])("of %j and %j whole words are marked", (before, after, gone, came) => {
  const { head, tail } = commonEnds(before, after);
  expect([before.slice(head, before.length - tail), after.slice(head, after.length - tail)]).toEqual([gone, came]);
});
