/** What the objects of the board promise for every value: tasks, sections of a memory, holds of a claim. */

import { expect, test } from "vitest";
import { type ClaimRecord, FENCE_MOST, type HoldFacts, holdOf, LEASE_S } from "../../protocol/board/nouns/claim.ts";
import { withEntry, withSection } from "../../protocol/board/nouns/memory.ts";
import { type Block, blocksOf, scan } from "../../protocol/board/nouns/memory-blocks.ts";
import { tasksInRings } from "../../protocol/board/nouns/rings.ts";
import { formatTask, PRIORITIES, parseTask, TASK_STATUSES, type Task, taskId } from "../../protocol/board/nouns/task.ts";
import { asLine } from "../../protocol/core/format/hidden.ts";
import { ALPHABET } from "../../protocol/core/format/id.ts";
import { placeOf } from "../../protocol/core/tree/layout.ts";
import { character, fc, runs } from "../rig/properties.ts";

const RUNS = runs(100_000);

const moment = fc.integer({ min: 0, max: Date.parse("2500-01-01") }).map((at) => new Date(at).toISOString());
const random = fc.string({ unit: fc.constantFrom(...ALPHABET), minLength: 10, maxLength: 10 });
/** Lines that mean something somewhere: in front matter, in a task's body, in a memory. */
const loaded = fc.constantFrom(
  ...["## History", "- a line", "---", "---js", "title: forged", "\r", "", "\ufeff", "\u2028", "012", "null", "words"],
);
const text = fc.oneof(
  fc.string({ unit: character, maxLength: 100 }).map((value) => value.toWellFormed().replaceAll("\0", "")),
  fc.array(loaded, { maxLength: 8 }).map((lines) => lines.join("\n")),
  fc.array(loaded, { maxLength: 8 }).map((lines) => lines.join("\r\n")),
);
const oneLine = text.map((value) => value.replace(/[\r\n]/g, " "));
const part = fc.constantFrom("web", "main", "shop/api", "a-b_c");

const task: fc.Arbitrary<Task> = fc
  .record(
    {
      id: random.map(taskId),
      title: text.map((value) => asLine(value, 256)),
      status: fc.constantFrom(...TASK_STATUSES),
      priority: fc.constantFrom(...PRIORITIES),
      assignee: part,
      createdBy: part,
      createdAt: moment,
      updatedAt: moment,
      dependsOn: fc.array(random.map(taskId), { maxLength: 3 }),
      parent: random.map(taskId),
      derivedReason: text,
      reviewers: fc.array(part, { minLength: 1, maxLength: 2 }),
      fence: fc.nat({ max: FENCE_MOST }),
      other: fc.dictionary(
        fc.stringMatching(/^x_[a-z0-9_]{0,6}$/),
        fc.oneof(text, fc.nat(), fc.boolean(), fc.array(text, { maxLength: 3 })),
        { maxKeys: 3 },
      ),
      description: text,
      history: fc.array(oneLine, { maxLength: 4 }),
    },
    {
      requiredKeys: [
        ...(["id", "title", "status", "priority", "createdBy", "createdAt"] as const),
        ...(["updatedAt", "dependsOn", "fence", "other", "description", "history"] as const),
      ],
    },
  )
  .map((given) => ({ ...given, ...(given.status === "blocked" ? { blockedReason: given.title } : {}), other: { ...given.other } }) as Task);

test("a task comes back as it was written", () => {
  fc.assert(
    fc.property(task, (written) => {
      expect(parseTask(formatTask(written), written.id)).toEqual(written);
    }),
    { numRuns: RUNS },
  );
});

test("a task that a Windows editor saved still reads, its history too", () => {
  const [written] = fc.sample(task, { numRuns: 1, seed: 1 }) as [Task];
  const plain: Task = { ...written, title: "A title", description: "one\ntwo", history: ["first", "second"], other: {} };
  expect(parseTask(`\ufeff${formatTask(plain).replaceAll("\n", "\r\n")}`, plain.id)).toMatchObject({
    title: "A title",
    description: "one\ntwo",
    history: ["first", "second"],
  });
});

test.each([
  ...["sessions/s/tasks/task-0123456789.md/x", "/sessions/s/tasks/task-0123456789.md", "sessions/../tasks/task-0123456789.md"],
  ...["sessions/s/tasks/../task-0123456789.md", "sessions/s/tasks/task-012345678i.md", "sessions/s/tasks/task-0123456789.md\n"],
  "sessions/s/tasks/task-0123456789",
])("%j is no task's path", (path) => {
  expect(placeOf(path)).toBeNull();
});

/** What contents of memories are made of: everything that begins, ends or hides a section somewhere. */
const LINES = [
  ...["## a", "## b", "## a b", "# top", "### deep", "##", "```", "```js", "~~~~", "````", "    ```", "---", "_2026-01-01_"],
  ...["---\n_2026-01-01_", "<!-- end of a -->", "<!-- end of b -->", "<!-- begin of a -->", "<!-- begin of b -->"],
  ...["<!-- end of a (2) -->", "<!-- begin of a (2) -->", "", " ", "\r", "words"],
];
const lines = fc.array(fc.oneof(fc.constantFrom(...LINES), fc.constantFrom(...LINES), fc.string({ maxLength: 12 })), { maxLength: 7 });
const content = fc.tuple(lines, fc.constantFrom("\n", "\n", "\r\n")).map(([all, lineBreak]) => all.join("\n").replaceAll("\n", lineBreak));
const keyOfSection = fc.constantFrom("a", "b", "a b", "c", " a", "a (2)", "b -->");
const writes = fc.array(fc.record({ key: keyOfSection, content }), { minLength: 1, maxLength: 4 });
/** A memory as people, entries and sections made it. */
const memory = fc.tuple(content, writes, content, fc.boolean()).map(([before, all, entry, crlf]) => {
  const made = withEntry(
    all.reduce((whole, { key, content: words }) => withSection(whole, key, words), before),
    "2026-01-31",
    entry,
  );
  return crlf ? made.replace(/\r?\n/g, "\r\n") : made;
});

/** A content as a memory holds it: without white space at its end, with one kind of line break. */
const plain = (words: string): string => words.replace(/\r*\n/g, "\n").replace(/\s+$/, "");
/** Where two texts differ: what both begin with, and what both end with, do not count. */
function difference(before: string, after: string): { removed: string; added: string } {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < Math.min(before.length, after.length) - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  return { removed: before.slice(start, before.length - end), added: after.slice(start, after.length - end) };
}

const textOf = (blocks: readonly Block[]): string => blocks.map(({ text, gap }) => text + gap).join("");
const linesWithWords = (text: string): string[] => text.split(/\r?\n/).filter((line) => line.trim() !== "");

test("a section that is written can be read back: whatever the content, it stands after its heading", () => {
  fc.assert(
    fc.property(memory, keyOfSection, content, (whole, key, words) => {
      expect(`${plain(withSection(whole, key, words))}\n`).toContain(`## ${key}\n${plain(words) === "" ? "" : "\n"}`);
      expect(plain(withSection(whole, key, words))).toContain(plain(words));
    }),
    { numRuns: RUNS },
  );
});

test("a section that is replaced leaves every other byte as it was", () => {
  fc.assert(
    fc.property(memory, keyOfSection, content, content, (whole, key, earlier, later) => {
      // What a mark of its own could not be told from is what the content itself says, so the earlier one says it plainly.
      const marker = `${plain(earlier)}\nonly the section ${key} says so`;
      const with1 = withSection(whole, key, marker);
      const with2 = withSection(with1, key, later);
      expect(with2).not.toContain(`only the section ${key} says so`);
      // A section that what stands before it would swallow goes before that: then every other line is still there.
      const [others1, others2] = [with1, with2].map((memory) => blocksOf(memory).filter((block) => block.key !== key)) as [
        Block[],
        Block[],
      ];
      const startOf = (memory: string): number => {
        const blocks = blocksOf(memory);
        return textOf(
          blocks.slice(
            0,
            blocks.findIndex((block) => block.key === key),
          ),
        ).length;
      };
      if (startOf(with1) !== startOf(with2)) {
        expect(linesWithWords(textOf(others2))).toEqual(linesWithWords(textOf(others1)));
        return;
      }
      const { removed } = difference(with1, with2);
      // What the second write took away is what the first one had put there: a heading, two marks, and the words.
      expect(removed.length).toBeLessThanOrEqual(marker.replaceAll("\n", "\r\n").length + 3 * key.length + 60);
    }),
    { numRuns: RUNS },
  );
});

test("a section that is new only adds bytes, and none before the end unless a section there lacks its own", () => {
  fc.assert(
    fc.property(memory, content, (whole, words) => {
      const after = withSection(whole, "a new one", words);
      expect(difference(whole, after).removed).toBe("");
      if (!words.includes("<!-- end of")) expect(after.startsWith(whole)).toBe(true);
    }),
    { numRuns: RUNS },
  );
});

test("different keys never disturb each other, in whatever order they are written", () => {
  fc.assert(
    fc.property(
      memory,
      fc.uniqueArray(keyOfSection, { minLength: 2, maxLength: 4 }),
      fc.array(content, { minLength: 8, maxLength: 8 }),
      (whole, keys, words) => {
        let now = whole;
        // Each is written, then each again with something else: what the others said last is there, once.
        for (const round of [0, 1]) {
          for (const [at, key] of keys.entries()) now = withSection(now, key, `${words[round * 4 + at]}\nof ${key}, round ${round}!`);
        }
        for (const key of keys) {
          expect(now.split(`of ${key}, round 1!`)).toHaveLength(2);
          expect(now).not.toContain(`of ${key}, round 0!`);
        }
        const before = now;
        for (const [at, key] of keys.entries()) now = withSection(now, key, `${words[4 + at]}\nof ${key}, round 1!`);
        expect(now).toBe(before);
      },
    ),
    { numRuns: RUNS },
  );
});

test("an entry survives every section that is written before and after it", () => {
  fc.assert(
    fc.property(memory, keyOfSection, content, content, content, (whole, key, first, entry, last) => {
      // An entry cannot be moved before a section that has lost its end: one with that very mark would end it.
      fc.pre(!entry.includes("<!-- end of") || scan(whole).sections.every(({ isUnended }) => !isUnended));
      const noted = withEntry(withSection(whole, key, first), "2026-02-01", `${entry}\nnoted here`);
      const after = withSection(withSection(noted, key, last), key, first);
      expect(plain(after)).toContain(`---\n_2026-02-01_\n\n${plain(`${entry}\nnoted here`)}`);
    }),
    { numRuns: RUNS },
  );
});

test("an entry only adds bytes at the end, and where no fence is open exactly the ones that are promised", () => {
  fc.assert(
    fc.property(memory, content, (whole, words) => {
      expect(withEntry(whole, "2026-02-01", words).startsWith(whole)).toBe(true);
    }),
    { numRuns: RUNS },
  );
  expect(withEntry("# Memory\n", "2026-02-01", "A lesson.")).toBe("# Memory\n\n---\n_2026-02-01_\n\nA lesson.\n");
  expect(withEntry("", "2026-02-01", "A lesson.")).toBe("\n---\n_2026-02-01_\n\nA lesson.\n");
});

test("a file with the line breaks of Windows keeps them, and another one gets none", () => {
  fc.assert(
    fc.property(keyOfSection, content, (key, words) => {
      const windows = withEntry(withSection("# Memory\r\n\r\nwords\r\n", key, words), "2026-02-01", words);
      expect(windows.replaceAll("\r\n", "")).not.toContain("\n");
      const other = withEntry(withSection("# Memory\n\nwords\n", key, words), "2026-02-01", words);
      expect(other).not.toContain("\r\n");
    }),
    { numRuns: RUNS },
  );
});

const record: fc.Arbitrary<ClaimRecord> = fc.record(
  {
    task: fc.constant("task-0123456789"),
    fence: fc.integer({ min: 1, max: 999_999 }),
    kind: fc.constantFrom("claim", "release", "done"),
    agent: part,
    at: moment,
    nonce: random,
    leaseS: fc.integer({ min: 1, max: 86_400 }),
  },
  { requiredKeys: ["task", "fence", "kind", "agent", "at", "nonce"] },
) as fc.Arbitrary<ClaimRecord>;
const holdFacts: fc.Arbitrary<HoldFacts> = fc.record({
  nowMs: fc.integer({ min: 0, max: Date.parse("2600-01-01") }),
  renewedMs: fc.option(fc.integer({ min: 0, max: Date.parse("2500-01-01") })),
  gone: fc.boolean(),
});

test("the holder of a task follows from the last record alone: free, held until its lease is over, or overdue", () => {
  expect(holdOf(null, { nowMs: 0, renewedMs: null, gone: false })).toEqual({ state: "free", fence: 0 });
  fc.assert(
    fc.property(record, holdFacts, (last, facts) => {
      const hold = holdOf(last, facts);
      expect(hold.fence).toBe(last.fence);
      const end = Math.max(Date.parse(last.at), facts.renewedMs ?? 0) + (last.leaseS ?? LEASE_S) * 1_000;
      if (last.kind !== "claim") expect(hold.state).toBe("free");
      else if (facts.gone) expect(hold).toMatchObject({ state: "overdue", why: "process" });
      else expect(hold).toMatchObject(facts.nowMs < end ? { state: "held", until: end } : { state: "overdue", why: "lease" });
    }),
    { numRuns: RUNS },
  );
});

test("a hold only ends: neither time nor a holder's death makes it last, and renewing never shortens it", () => {
  fc.assert(
    fc.property(record, holdFacts, fc.nat(), (last, facts, more) => {
      const now = holdOf(last, facts);
      if (now.state === "overdue") {
        expect(holdOf(last, { ...facts, nowMs: facts.nowMs + more }).state).toBe("overdue");
        expect(holdOf(last, { ...facts, gone: true }).state).toBe("overdue");
      }
      if (now.state === "held") {
        expect(holdOf(last, { ...facts, renewedMs: (facts.renewedMs ?? 0) + more }).state).toBe("held");
        expect(holdOf(last, { ...facts, nowMs: now.until }).state).toBe("overdue");
        expect(holdOf(last, { ...facts, nowMs: now.until - 1 }).state).toBe("held");
      }
    }),
    { numRuns: RUNS },
  );
});

test("exactly the tasks that wait for themselves are found, in a time that grows with their number", () => {
  const tasks = fc.array(
    fc.record({ status: fc.constantFrom("todo" as const, "done" as const), ahead: fc.array(fc.nat(7), { maxLength: 3 }) }),
    {
      maxLength: 8,
    },
  );
  fc.assert(
    fc.property(tasks, (given) => {
      const rows = given.map(({ status, ahead }, n) => ({ id: `${n}`, status, dependsOn: ahead.map(String) }));
      const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
        (rows[Number(from)]?.dependsOn ?? []).some((next) => {
          if (next === to) return true;
          if (seen.has(next) || rows[Number(next)]?.status !== "todo") return false;
          return reaches(next, to, seen.add(next));
        });
      const expected = rows.filter(({ id, status }) => status === "todo" && reaches(id, id)).map(({ id }) => id);
      expect([...tasksInRings(rows)].sort()).toEqual(expected);
    }),
  );
  const ring = Array.from({ length: 20_000 }, (_, n) => ({ id: `${n}`, status: "todo" as const, dependsOn: [`${(n + 1) % 20_000}`] }));
  expect(tasksInRings(ring).size).toBe(20_000);
});
