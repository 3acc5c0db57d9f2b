/** What SPEC.md asks of a participant: numbered requirements, and a column that says which fields a file must have. */
import fs from "node:fs";
import { expect, test } from "vitest";
import { nounAt } from "../../protocol/core/tree/layout.ts";
import { locateMessage, parseMessage } from "../../protocol/mail/nouns/message.ts";
import { sha256 } from "../../protocol/store/digest.ts";

const pages = ["SPEC.md", ...fs.readdirSync("spec").map((name) => `spec/${name}`)];
const read = (page: string): string => fs.readFileSync(page, "utf8");
/** A page without its fences, which hold examples and no requirements. */
const prose = (page: string): string => read(page).replace(/^```[\s\S]*?^```$/gm, "");

test("SPEC.md is the core, which is read in one sitting: at most 700 lines", () => {
  expect(read("SPEC.md").trimEnd().split("\n").length).toBeLessThanOrEqual(700);
});

test("each requirement has a number of its own, counted without a gap", () => {
  const numbers = pages.flatMap((page) => [...prose(page).matchAll(/\*\*(R-[A-Z]+)-(\d+)/g)]).map(([, group, n]) => [group, Number(n)]);
  const groups = new Map<string, number[]>();
  for (const [group, n] of numbers as [string, number][]) groups.set(group, [...(groups.get(group) ?? []), n]);
  const wrong = [...groups].filter(([, all]) => all.some((n, index) => n !== index + 1)).map(([group, all]) => `${group}: ${all}`);
  expect(wrong).toEqual([]);
  expect(numbers.length).toBeGreaterThan(60);
});

test("each requirement that a page names is there", () => {
  const all = new Set(pages.flatMap((page) => [...prose(page).matchAll(/\*\*(R-[A-Z]+-\d+)/g)].map((match) => match[1] as string)));
  const named = pages.flatMap((page) => [...prose(page).matchAll(/R-[A-Z]+-\d+/g)].map(([name]) => name));
  expect(named.filter((name) => !all.has(name))).toEqual([]);
});

test("every MUST has a number", () => {
  const bare = pages.flatMap((page) =>
    prose(page)
      // A paragraph or an item of a list, whole.
      .split(/\n\n|\n(?=\s*(?:[-*]|\d+\.) )/)
      .filter(
        (block) =>
          !block.trimStart().startsWith("|") && /\bMUST\b/.test(block.replace(/`[^`]*`/g, "")) && !/\*\*R-[A-Z]+-\d+|RFC 2119/.test(block),
      )
      .map((block) => `${page}: ${block.trim().slice(0, 90)}`),
  );
  expect(bare).toEqual([]);
});

/** A file without a field of its header: the line that begins with it, and what is indented below. */
const without = (text: string, field: string): string => text.replace(new RegExp(`^${field}:.*\\n(?: .*\\n)*`, "m"), "");

/** Returns whether the example at a path is read. A message is read without its hash, which every change would break. */
function isRead(at: string, text: string): boolean {
  const message = locateMessage(at);
  const found = nounAt(at);
  try {
    if (message !== null) parseMessage(text, message, null);
    else found?.noun.parse(text, found.place, sha256);
    return found !== null;
  } catch {
    return false;
  }
}

/** The sections of a page, each from its heading to the next. A line of a fence is no heading. */
function sectionsOf(page: string): string[] {
  const sections: string[] = [];
  let isFenced = false;
  for (const line of read(page).split("\n")) {
    if (line.startsWith("```")) isFenced = !isFenced;
    if (!isFenced && /^#{2,3} /.test(line)) sections.push("");
    if (sections.length > 0) sections[sections.length - 1] += `${line}\n`;
  }
  return sections;
}

/** The sections that have a table of fields with a column MUST or MAY, each with its examples. */
const tables = pages
  .flatMap(sectionsOf)
  .filter((text) => text.includes("\n| field | | meaning |\n"))
  .map((text) => ({
    title: (/^#+ (.+)$/m.exec(text) as RegExpExecArray)[1] as string,
    examples: [...text.matchAll(/^```\w+ path=(\S+)\n([\s\S]*?)^```$/gm)].map(([, at, example]) => ({
      at: at as string,
      text: example as string,
    })),
    fields: [...text.matchAll(/^\| (`[^|]+) \| (MUST|MAY) \|/gm)].flatMap(([, names, need]) =>
      [...(names as string).matchAll(/`(\w+)`/g)].map(([, name]) => ({ name: name as string, need: need as string })),
    ),
  }));

test("every object of the core and of the board has such a table", () => {
  expect(tables.map(({ title }) => title).sort()).toEqual(
    ["Artifact", "Claim", "Guest", "Message", "Review", "Session", "Task", "Thread", "relay.yml"].sort(),
  );
});

test.each(tables)("the fields of $title that MUST be there are asked for, and those that MAY are not", ({ examples, fields }) => {
  for (const { at, text } of examples) expect(isRead(at, text), at).toBe(true);
  for (const { name, need } of fields) {
    const having = examples.filter(({ text }) => without(text, name) !== text);
    if (need === "MUST") expect(having.length, `${name} in an example`).toBeGreaterThan(0);
    for (const { at, text } of having) expect(isRead(at, without(text, name)), `${at} without ${name}`).toBe(need === "MAY");
  }
});

test.each(tables)("every field in an example of $title is in its table", ({ examples, fields }) => {
  const known = fields.map(({ name }) => name);
  const shown = examples.flatMap(({ at, text }) =>
    [...(at.endsWith(".yml") ? text : (text.split("\n---\n")[0] as string)).matchAll(/^([a-z_]+):/gm)].map((match) => match[1] as string),
  );
  expect(shown.filter((name) => !known.includes(name))).toEqual([]);
});

test("the wake machine is drawn alike in the specification and in the code", () => {
  const drawn = /## The wake machine\n\n```\n([\s\S]*?)```/.exec(read("spec/waking.md"))?.[1] as string;
  const inCode = fs
    .readFileSync("protocol/wake/nouns/wake.ts", "utf8")
    .split("\n")
    .map((line) => line.replace(/^ \* {3}/, ""));
  expect(inCode).toEqual(expect.arrayContaining(drawn.trimEnd().split("\n")));
});
