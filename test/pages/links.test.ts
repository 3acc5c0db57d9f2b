/** The papers that people read: README, docs/ and the specification lead to each other, and README stays short. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const pages = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "*.md"], { encoding: "utf8" })
  .trim()
  .split("\n")
  .filter((file) => /^(?:docs\/|spec\/|[^/]+$)/.test(file));

/** What a host makes of a heading: the word behind `#` that leads to it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w -]/g, "")
    .replaceAll(" ", "-");

/** The anchors of a page. What stands in a fence is an example and no heading. */
const anchorsIn = (file: string): string[] =>
  [
    ...fs
      .readFileSync(file, "utf8")
      .replace(/^```[\s\S]*?^```$/gm, "")
      .matchAll(/^#+ (.+)$/gm),
  ].map((match) => anchorOf(match[1] as string));

test.each(pages)("every link of %s leads to a page and to a heading of it", (file) => {
  const wrong = [...fs.readFileSync(file, "utf8").matchAll(/\]\(([^)\s]+)\)/g)]
    .map((match) => match[1] as string)
    .filter((link) => !/^[a-z]+:/.test(link))
    .filter((link) => {
      const [at = "", anchor] = link.split("#");
      const page = at === "" ? file : path.join(path.dirname(file), at);
      return !fs.existsSync(page) || (anchor !== undefined && !anchorsIn(page).includes(anchor));
    });
  expect(wrong).toEqual([]);
});

test("a heading stands once in a page, so that a link to it is plain", () => {
  const twice = pages
    .filter((file) => file !== "CHANGELOG.md")
    .flatMap((file) => anchorsIn(file).flatMap((anchor, index, all) => (all.indexOf(anchor) === index ? [] : [`${file}#${anchor}`])));
  expect(twice).toEqual([]);
});

test("every page of docs/ is reached from README", () => {
  const readme = fs.readFileSync("README.md", "utf8");
  expect(pages.filter((file) => file.startsWith("docs/") && !readme.includes(`(${file})`))).toEqual([]);
});

test("README is read in a minute: at most 150 lines of at most 120 columns", () => {
  const lines = fs.readFileSync("README.md", "utf8").trimEnd().split("\n");
  expect(lines.length).toBeLessThanOrEqual(150);
  expect(lines.filter((line) => line.length > 120)).toEqual([]);
});
