/** docs/architecture.md is a map: every package and every file on it is there, and every function is where the map says. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const page = fs.readFileSync("docs/architecture.md", "utf8");
/** The rows of its tables, each as its cells. */
const rows = page
  .split("\n")
  .filter((line) => line.startsWith("| "))
  .map((line) => line.slice(2, -2).split(" | "));

const pathsIn = (text: string): string[] =>
  [...text.matchAll(/\]\(\.\.\/([^)]+)\)/g)].map((match) => (match[1] as string).replace(/\/$/, ""));
/** Whether a file defines a name at its top. */
const defines = (file: string, name: string): boolean =>
  new RegExp(`^(?:export )?(?:async )?(?:function|const) ${name}\\b`, "m").test(fs.readFileSync(file, "utf8"));

test("every file and folder it names is there", () => {
  const inText = [...page.matchAll(/(?<![\w/.])((?:build|cli|mcp|pager|protocol|runner)\/(?:[\w-]+\/)*(?:[\w-]+\.ts)?)/g)].map(
    ([at]) => at,
  );
  expect([...new Set([...pathsIn(page), ...inText])].filter((at) => !fs.existsSync(at))).toEqual([]);
});

test("every step of the two journeys is a function that is in the file beside it", () => {
  const steps = rows.filter(([number]) => /^\d+$/.test(number as string));
  expect(steps.length).toBeGreaterThan(20);
  const wrong = steps
    .map(([, name = "", file = ""]) => ({ name: name.replaceAll("`", ""), file: pathsIn(file)[0] as string }))
    .filter(({ name, file }) => !defines(file, name))
    .map(({ name, file }) => `${name} in ${file}`);
  expect(wrong).toEqual([]);
});

test("each package has its row, and a journey has at most twelve steps", () => {
  const packages = fs.readdirSync("protocol", { withFileTypes: true }).filter((each) => each.isDirectory());
  const named = rows.flatMap(([first = ""]) => (first.startsWith("[") ? pathsIn(first) : []));
  expect(named.sort()).toEqual(packages.map(({ name }) => `protocol/${name}`).sort());
  for (const way of page.split(/^## What happens /m).slice(1)) {
    const numbers = [...way.matchAll(/^\| (\d+) \|/gm)].map((match) => Number(match[1]));
    expect(numbers).toEqual(numbers.map((_n, index) => index + 1));
    expect(numbers.length).toBeLessThanOrEqual(12);
  }
});

test("every other function that it names is in a file that the same sentence names", () => {
  const wrong = [...page.matchAll(/((?:`\w+`(?:, )?)+) in \[[^\]]+\]\(\.\.\/([^)]+)\)/g)].flatMap(([, names = "", file = ""]) =>
    [...names.matchAll(/`(\w+)`/g)]
      .filter(([, name]) => !defines(path.normalize(file), name as string))
      .map(([, name]) => `${name} in ${file}`),
  );
  expect(wrong).toEqual([]);
});
