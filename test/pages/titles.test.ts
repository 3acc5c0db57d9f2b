/** How tests are written: their titles are plain English, and none sleeps instead of waiting for what is to come. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

/** The first string of a test or a group, also behind `.each(…)` and `.skipIf(…)`. */
const TITLE = /(?:(?<![.\w])(?:test|it|describe)(?:\.\w+)*|[)`])\(\s*(["'`])((?:\\.|(?!\1).)*)\1/gs;

/** A question word in the place of the subject, or a pronoun that says less than the actor's name. */
const DIALECT = /^(?:what|who|whoever|whose|which)\b|\b(?:is none|nobody|somebody)\b/i;

/** What lets time go by without asking whether something is so; `pause` is how the rig calls the one that it has, for chance alone. */
const SLEEP = /\bsetTimeout\b|\btimers\/promises|\bAtomics\.wait|(?<![.\w])pause\(/;

/** Where it may, and why: else what is not to come is shown by time that is driven. */
const MAY: Readonly<Record<string, string>> = {
  "test/rig/scratch.ts": "`until` draws breath between two looks",
  "test/rig/rounds.ts": "processes that begin at one instant look for its sign without rest",
  "test/rig/clock/driven.cjs": "it is the clock that is driven",
  "test/rig/command.ts": "it gives a command what that waits by",
  "test/rig/hurt.ts": "it has `pause`",
  "test/sync/network.test.ts": "a program of the test is a slow line",
  "test/workers/ringer.ts": "it rings again after a while, as a pager does",
};
/** Here processes are killed and suspended, and others work, for times of chance. */
const TORTURE = /^test\/torture\//;

/** A limit to how long something took by the machine's clock. That of real agents, which no machine shares, is said with them. */
const LIMIT = /expect\([^)]*\b(performance|Date)\.now\(\) - [^)]*\)\.toBeLess/;

const texts = (fs.readdirSync("test", { recursive: true }) as string[])
  .map((name) => path.posix.join("test", name))
  .filter((name) => /\.(ts|cjs)$/.test(name))
  .map((name) => [name, fs.readFileSync(name, "utf8")] as const);
/** Those that may not sleep, but for this file, which names what sleeping is. */
const awake = texts.filter(([name]) => !name.startsWith("test/agents/") && name !== "test/pages/titles.test.ts");

const linesWith = (pattern: RegExp): string[] =>
  awake.flatMap(([name, text]) =>
    text.split("\n").flatMap((line, at) => (pattern.test(line) ? [`${name}:${at + 1}: ${line.trim()}`] : [])),
  );

test("each title begins with its subject, and names its actor", () => {
  const titles = texts.flatMap(([file, text]) =>
    (file.endsWith(".test.ts") ? [...text.matchAll(TITLE)] : []).map(({ index, 2: title = "" }) => ({
      title,
      at: `${file}:${text.slice(0, index).split("\n").length}`,
    })),
  );
  expect(titles.length).toBeGreaterThan(1_000);
  expect(titles.filter(({ title }) => DIALECT.test(title)).map(({ at, title }) => `${at}: ${title}`)).toEqual([]);
});

test("nothing in the tests sleeps but what is named here, with why", () => {
  const named = (line: string): boolean => TORTURE.test(line) || line.slice(0, line.indexOf(":")) in MAY;
  expect(linesWith(SLEEP).filter((line) => !named(line))).toEqual([]);
  for (const [name, text] of texts) if (name in MAY) expect(SLEEP.test(text), `${name} sleeps no more`).toBe(true);
});

test("no test says how long something may take: a busy machine would break it", () => {
  expect(linesWith(LIMIT)).toEqual([]);
});
