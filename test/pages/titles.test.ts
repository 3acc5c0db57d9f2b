/** Titles of tests in plain English: the subject, a thing of the code or an actor, comes first. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

/** The first string of a test or a group, also behind `.each(…)` and `.skipIf(…)`. */
const TITLE = /(?:(?<![.\w])(?:test|it|describe)(?:\.\w+)*|[)`])\(\s*(["'`])((?:\\.|(?!\1).)*)\1/gs;

/** A question word in the place of the subject, or a pronoun that says less than the actor's name. */
const DIALECT = /^(?:what|who|whoever|whose|which)\b|\b(?:is none|nobody|somebody)\b/i;

const titles = (fs.readdirSync("test", { recursive: true }) as string[])
  .filter((name) => name.endsWith(".test.ts"))
  .flatMap((name) => {
    const file = path.posix.join("test", name);
    const text = fs.readFileSync(file, "utf8");
    return [...text.matchAll(TITLE)].map(({ index, 2: title }) => ({
      title: title as string,
      at: `${file}:${text.slice(0, index).split("\n").length}`,
    }));
  });

test("each title begins with its subject, and names its actor", () => {
  expect(titles.length).toBeGreaterThan(1_000);
  expect(titles.filter(({ title }) => DIALECT.test(title)).map(({ at, title }) => `${at}: ${title}`)).toEqual([]);
});
