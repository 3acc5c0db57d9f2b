/** Who wins, kind by kind, and where what gives way is to be found. spec/git.md, "Merge". */

import { describe, expect, test } from "vitest";
import { type ClaimRecord, claimPath, decisionPath, formatClaim } from "../../protocol/board/nouns/claim.ts";
import { withSection } from "../../protocol/board/nouns/memory.ts";
import { formatTask, parseTask, type Task, taskPath } from "../../protocol/board/nouns/task.ts";
import { parseConfig } from "../../protocol/core/config/config.ts";
import { formatThread, parseThread, type Thread, threadPath } from "../../protocol/mail/nouns/thread.ts";
import { keptPath } from "../../protocol/sync/nouns/merge.ts";
import { contentOf, idOf, merged } from "../rig/merging.ts";

type Files = Record<string, string>;
const tree = (files: Files): Map<string, string> => new Map(Object.entries(files).map(([path, content]) => [path, idOf(content)]));
/** Merges both ways, which must come to the same. */
function both(base: Files, ours: Files, theirs: Files): Files {
  const files = (result: Map<string, string>): Files => Object.fromEntries([...result].sort().map(([path, id]) => [path, contentOf(id)]));
  const result = files(merged(tree(base), tree(ours), tree(theirs)));
  expect(files(merged(tree(base), tree(theirs), tree(ours)))).toEqual(result);
  return result;
}

const S = "2026-01-31-001-K3F9";
const ID = "task-k3f9x2ab7q";
const TASK: Task = {
  id: ID,
  title: "Write",
  status: "todo",
  priority: "medium",
  createdBy: "main",
  createdAt: "2026-01-31T09:00:00.000Z",
  updatedAt: "2026-01-31T09:00:00.000Z",
  dependsOn: [],
  fence: 0,
  other: {},
  description: "It.",
  history: ["2026-01-31T09:00:00.000Z main: created"],
};
const at = (minute: number): string => `2026-01-31T10:${String(minute).padStart(2, "0")}:00.000Z`;
const tasks = (base: Partial<Task>, ours: Partial<Task>, theirs: Partial<Task>): Task => {
  const file = (change: Partial<Task>): Files => ({ [taskPath(S, ID)]: formatTask({ ...TASK, ...change }) });
  return parseTask(both(file(base), file({ ...base, ...ours }), file({ ...base, ...theirs }))[taskPath(S, ID)] as string, ID);
};
const record = (fence: number, kind: ClaimRecord["kind"], agent: string, nonce: string, more: Partial<ClaimRecord> = {}): ClaimRecord => ({
  task: ID,
  fence,
  kind,
  agent,
  at: at(fence),
  nonce,
  ...more,
});
const chain = (...records: ClaimRecord[]): Files =>
  Object.fromEntries(records.map((each) => [claimPath(S, ID, each.fence), formatClaim(each)]));

describe("a task", () => {
  test("has what each side changed, and both histories by time", () => {
    const merged = tasks(
      {},
      { title: "Write it", updatedAt: at(1), history: [...TASK.history, `${at(1)} web: renamed`] },
      { priority: "high", updatedAt: at(2), history: [...TASK.history, `${at(2)} api: raised`] },
    );
    expect(merged).toMatchObject({ title: "Write it", priority: "high", updatedAt: at(2) });
    expect(merged.history).toEqual([...TASK.history, `${at(1)} web: renamed`, `${at(2)} api: raised`]);
  });

  test.each([
    ["title", { title: "Longer title" }, { title: "Short" }, "Longer title", "Short"],
    ["priority", { priority: "critical" }, { priority: "low" }, "critical", "low"],
    ["status", { status: "done" }, { status: "in_review" }, "done", "in_review"],
    ["assignee", { assignee: "web" }, { assignee: "api" }, "web", "api"],
    ["description", { description: "Two\nlines" }, { description: "One" }, "Two\nlines", "One"],
  ] as const)("of two values of %s one wins, and the other is in the history", (key, ours, theirs, won, lost) => {
    const merged = tasks({}, ours, theirs);
    expect(merged[key]).toBe(won);
    expect(merged.history.at(-1)).toContain(JSON.stringify(lost));
  });

  test("an edit by hand that the united claims overrule is a line of the history", () => {
    const held = record(1, "claim", "web", "aaaaaaaa");
    const base = { ...chain(held), [taskPath(S, ID)]: formatTask({ ...TASK, status: "in_progress", assignee: "web", fence: 1 }) };
    const one = { ...chain(held, record(2, "done", "web", "bbbbbbbb")) };
    const other = { ...chain(held, record(2, "claim", "api", "cccccccc")) };
    const file = (change: Partial<Task>): Files => ({ [taskPath(S, ID)]: formatTask({ ...TASK, fence: 2, ...change }) });
    const result = both(
      base,
      { ...one, ...file({ status: "in_review", assignee: "docs" }) },
      { ...other, ...file({ status: "in_progress", assignee: "api" }) },
    );
    const task = parseTask(result[taskPath(S, ID)] as string, ID);
    expect(task.status).toBe("done");
    for (const lost of ["in_review", "docs", "claim of api"]) expect(task.history.join("\n")).toContain(lost);
  });

  test("status and assignee follow the side with the later claim", () => {
    const merged = tasks(
      { status: "in_progress", assignee: "web", fence: 1 },
      { status: "todo", assignee: undefined, fence: 2 },
      { status: "in_review" },
    );
    expect(merged).toMatchObject({ status: "todo", fence: 2 });
    expect(merged.assignee).toBeUndefined();
  });

  test("a task that was opened again stays open where the other side only learnt from the claims that it was done", () => {
    const records = chain(record(1, "claim", "web", "aaaaaaaa"), record(2, "done", "web", "aaaaaaab"));
    const file = (change: Partial<Task>): Files => ({ [taskPath(S, ID)]: formatTask({ ...TASK, ...change }) });
    const learnt = { ...records, ...file({ status: "done", assignee: "web", fence: 2 }) };
    const opened = { ...records, ...file({ status: "todo", assignee: "web", fence: 2 }) };
    const merged = parseTask(both(file({}), learnt, opened)[taskPath(S, ID)] as string, ID);
    expect(merged).toMatchObject({ status: "todo", assignee: "web", fence: 2 });
  });

  test("dependencies: what one side added is there, what one side took out is not", () => {
    const [a, b, c] = ["task-aaaaaaaaaa", "task-bbbbbbbbbb", "task-cccccccccc"] as const;
    expect(tasks({ dependsOn: [a, b] }, { dependsOn: [b] }, { dependsOn: [a, b, c] }).dependsOn).toEqual([b, c]);
  });

  test("one that cannot be read gives way, and is kept beside", () => {
    const path = taskPath(S, ID);
    const files = both({ [path]: formatTask(TASK) }, { [path]: "broken" }, { [path]: formatTask({ ...TASK, title: "Fine" }) });
    expect(parseTask(files[path] as string, ID).title).toBe("Fine");
    expect(files[keptPath(path, idOf("broken"))]).toBe("broken");
  });
});

describe("claims that part at a number", () => {
  const file = (change: Partial<Task>): Files => ({ [taskPath(S, ID)]: formatTask({ ...TASK, ...change }) });
  const web = { ...file({ status: "in_progress", assignee: "web", fence: 1 }), ...chain(record(1, "claim", "web", "aaaaaaaa")) };
  const api = { ...file({ status: "in_progress", assignee: "api", fence: 1 }), ...chain(record(1, "claim", "api", "bbbbbbbb")) };
  const of = (files: Files): Task => parseTask(files[taskPath(S, ID)] as string, ID);

  test("the smaller nonce has the number, the task follows it, and the other record is beside", () => {
    const files = both(file({}), web, api);
    expect(files[claimPath(S, ID, 1)]).toContain("aaaaaaaa");
    const lost = formatClaim(record(1, "claim", "api", "bbbbbbbb"));
    expect(files[keptPath(claimPath(S, ID, 1), idOf(lost))]).toBe(lost);
    expect(of(files)).toMatchObject({ assignee: "web", status: "in_progress", fence: 1 });
    expect(of(files).history.some((line) => line.includes("the claim of api (fence 1) gave way"))).toBe(true);
  });

  test("the longer chain keeps its numbers; what is done stays done, as the next one", () => {
    const long = {
      ...file({ status: "in_progress", assignee: "api", fence: 3 }),
      ...chain(record(1, "claim", "api", "bbbbbbbb"), record(2, "release", "api", "bbbbbbbc"), record(3, "claim", "api", "bbbbbbbd")),
    };
    const done = {
      ...file({ status: "done", assignee: "web", fence: 2 }),
      ...chain(record(1, "claim", "web", "aaaaaaaa"), record(2, "done", "web", "aaaaaaab")),
    };
    const files = both(file({}), long, done);
    expect(files[claimPath(S, ID, 3)]).toContain("bbbbbbbd");
    expect(files[claimPath(S, ID, 4)]).toContain('kind: "done"');
    expect(of(files)).toMatchObject({ status: "done", fence: 4 });
  });

  test("a chain that jumps to the highest number is merged without a look at each number between", () => {
    let looks = 0;
    class Counting extends Map<string, string> {
      override get(path: string): string | undefined {
        looks += 1;
        return super.get(path);
      }
    }
    const far = { ...web, ...chain(record(99_999_999, "claim", "web", "aaaaaaab", { at: at(1) })) };
    const result = merged(tree(file({})), new Counting(tree(far)), new Counting(tree(api)));
    expect(result.has(claimPath(S, ID, 99_999_999))).toBe(true);
    expect(looks).toBeLessThan(5_000);
  });

  test("a done record takes no number after the highest one", () => {
    const last = { ...file({ fence: 99_999_999 }), ...chain(record(99_999_999, "claim", "web", "aaaaaaaa", { at: at(1) })) };
    const done = { ...file({ status: "done", fence: 99_999_999 }), ...chain(record(99_999_999, "done", "api", "bbbbbbbb", { at: at(2) })) };
    expect(Object.keys(both(file({}), last, done)).filter((path) => path.endsWith("/100000000.md"))).toEqual([]);
  });

  test("a claim that the remote decided goes before one that it did not, whatever the nonces", () => {
    const open = record(1, "claim", "web", "aaaaaaaa", { provisional: true });
    const offline = { ...file({ status: "in_progress", assignee: "web", fence: 1 }), ...chain(open) };
    expect(of(both(file({}), offline, api))).toMatchObject({ assignee: "api" });
    const confirmed = { ...offline, [decisionPath(S, open, "confirmed")]: formatClaim(open) };
    expect(of(both(file({}), confirmed, api))).toMatchObject({ assignee: "web" });
  });
});

test("a thread: the later status in the list wins, the other is noted, and what a close cleared is all there", () => {
  const key = { day: "2026-01-31", random: "k3f9x2ab" };
  const path = threadPath(key);
  const thread: Thread = { id: "t-20260131-k3f9x2ab", subject: "Q", createdBy: "web", createdAt: at(0), other: {}, body: "Notes." };
  const file = (change: Partial<Thread>): Files => ({ [path]: formatThread({ ...thread, ...change }) });
  const ours = { status: "closed" as const, closedUnread: ["web m-1"] };
  const result = parseThread(both(file({}), file(ours), file({ status: "holding", closedUnread: ["api m-2"] }))[path] as string, key);
  expect(result).toMatchObject({ status: "closed", closedUnread: ["api m-2", "web m-1"] });
  expect(result.body).toBe('Notes.\n\n## History\n\n- status "holding" gave way');
});

test("a memory has the entries and sections of both, and a section that both changed twice", () => {
  const path = "memory/project.md";
  const base = "# Memory\n\n## money\n\nCents.\n\n---\n_2026-01-30_\n\nold\n";
  const ours = `${base.replace("Cents.", "Cents, as integers.")}\n---\n_2026-01-31_\n\nfrom web\n`;
  const theirs = `${base.replace("Cents.", "Euros.")}\n---\n_2026-01-31_\n\nfrom api\n\n## times\n\nUTC.\n`;
  const text = both({ [path]: base }, { [path]: ours }, { [path]: theirs })[path] as string;
  for (const words of ["# Memory\n", "## money\n\nCents, as integers.\n", "_\n\nfrom web\n", "_\n\nfrom api\n", "## times\n\nUTC.\n"])
    expect(text).toContain(words);
  expect(text.split("\nold\n")).toHaveLength(2);
  expect(text).toContain(`## money (kept ${idOf(theirs).slice(0, 8)})\n\nEuros.\n`);
});

test.each([
  ["paragraphs", "x\n\n".repeat(200_000)],
  ["marks without an end", "## a\n<!-- begin of a -->\n".repeat(100_000)],
])("of two memories of endless %s the longer one stands, and the other beside it", (_what, long) => {
  const [path, ours] = ["memory/project.md", `${long}## b\n\nmore words\n`];
  expect(both({ [path]: "" }, { [path]: ours }, { [path]: long })[path]).toBe(ours);
  expect(withSection(`y${"\r".repeat(1_000_000)}y\n`, "k", "v")).toContain("## k\n\nv\n");
  expect(withSection("", "k", `v${"\u00a0".repeat(1_000_000)}v`)).toContain("## k\n\nv\u00a0");
});

test("the configuration has the parts of both, with their comments, and main follows a rename", () => {
  const base = "# Ours.\nformat: 2\nproject:\n  id: p\n  name: shop\nmain: web\nparts:\n  web: {}\n  human: {}\n";
  const ours = base.replace("  human", "  # Prices.\n  api: { about: prices }\n  human");
  const theirs = base.replace("main: web", "main: store").replace("  web: {}", "  store: { formerly: [ web ] }");
  const text = both({ "relay.yml": base }, { "relay.yml": ours }, { "relay.yml": theirs })["relay.yml"] as string;
  const config = parseConfig(text);
  expect([...config.parts.keys()].sort()).toEqual(["api", "human", "store"]);
  expect(config.main).toBe("store");
  expect(text).toContain("# Ours.");
  expect(text).toContain("# Prices.");
});

test("a message that was acked on one side is acked, also under the name that its part has now", () => {
  const [id, text] = ["m-20260131-k3f9x2ab-1-1kg9p6je0abcde", "words"];
  const unread = { [`inbox/web/new/${id}.md`]: text };
  const acked = { [`inbox/web/read/2026-01-31/${id}.md`]: text };
  expect(both(unread, unread, acked)).toEqual(acked);
  expect(both({}, unread, acked)).toEqual(acked);
  expect(both(unread, {}, unread)).toEqual(unread);
  const config = (parts: string): Files => ({
    "relay.yml": `format: 2\nproject: { id: p, name: s }\nmain: main\nparts:\n  main: {}\n${parts}`,
  });
  const renamed = { ...config("  shop: { formerly: [ web ] }\n"), [`inbox/shop/new/${id}.md`]: text };
  const taken = { ...config("  shop: { formerly: [ web ] }\n  web: {}\n"), [`inbox/shop/new/${id}.md`]: text };
  const removed = { ...config("  web: {}\n  # Again.\n"), [`inbox/shop/new/${id}.md`]: text };
  for (const moved of [taken, removed])
    expect(both({ ...config("  web: {}\n"), ...unread }, moved, { ...config("  web: {}\n"), ...unread })).toEqual(moved);
  expect(both({ ...config("  web: {}\n"), ...unread }, renamed, { ...config("  web: {}\n"), ...unread })).toEqual(renamed);
});

test("new names that differ only in case, and a file in the way of a folder, are kept beside", () => {
  const files = both({}, { "Notes.txt": "a", org: "file" }, { "notes.txt": "b", "org/team.md": "c" });
  expect(files).toEqual({
    "Notes.txt": "a",
    [keptPath("notes.txt", idOf("b"))]: "b",
    "org/team.md": "c",
    [keptPath("org", idOf("file"))]: "file",
  });
});
