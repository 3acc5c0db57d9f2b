/** What of a board is new for a part, and the words for it. No disk. */
import { expect, test } from "vitest";
import type { ReviewStatus } from "../../protocol/board/nouns/review.ts";
import { type Board, type BoardTask, boardNews, isThrough, openOn, owedOn, type Told } from "../../protocol/turn/nouns/turn.ts";
import { turnWords } from "../../protocol/turn/nouns/turn-words.ts";

const task = (id: string, of: Partial<BoardTask> = {}): BoardTask => ({
  ...{ id: `task-${id}`, title: id, status: "todo", assignee: "web", createdBy: "main", dependsOn: [] },
  ...of,
});
const review = (status: ReviewStatus, of: { id?: string; task?: string; commit?: string; comments?: string; reviewer?: string } = {}) => ({
  ...{ id: "review-aaaa111111", artifact: "artifact-1", name: "page", version: 2, reviewer: "api", requester: "web" },
  ...{ status, comments: null, at: "2026-01-01T00:00:00Z", ...of },
});
const board = (tasks: BoardTask[], reviews: Board["reviews"] = []): Board => ({ session: "s", tasks, reviews });
const newsFor = (part: string, now: Board, told: Told | null = null, all = false) => boardNews(now, { part, main: "main", told, all });

test("a part is told of each task once, and again when it can begin; its own doings and one blocker less are no news", () => {
  const blocked = board([task("one1", { assignee: "api" }), task("two2", { dependsOn: ["task-one1", "task-six6"] }), task("six6")]);
  const first = newsFor("web", blocked);
  expect(first.news.tasks).toMatchObject([
    { id: "task-two2", state: "blocked", blockedBy: ["one1 'one1' of api", "six6 'six6' of web"] },
    { state: "ready" },
  ]);
  expect(newsFor("web", blocked, first.told)).toMatchObject({ news: { tasks: [], calls: false } });
  expect(newsFor("web", blocked, first.told, true).news.tasks).toHaveLength(2);
  const after = (six: Partial<BoardTask>) =>
    newsFor(
      "web",
      board([task("one1", { assignee: "api", status: "done" }), task("two2", { dependsOn: ["task-six6"] }), task("six6", six)]),
      first.told,
    );
  for (const status of ["in_progress", "in_review"] as const)
    expect(after({ status, holder: { part: "web", until: "" } }).news).toMatchObject({ tasks: [], calls: false });
  expect(after({ status: "done", changedBy: "main" }).news.happened).toEqual(["main set six6 'six6' done"]);
  expect(after({ status: "done" }).news).toMatchObject({ tasks: [{ id: "task-two2", state: "ready" }], calls: true });
  expect(newsFor("api", blocked).news.tasks).toMatchObject([{ id: "task-one1", state: "ready", waiting: ["web"] }]);
  const halted = newsFor("api", board([task("one1", { assignee: "api", status: "blocked" })])).told;
  const holder = { part: "api", until: "" };
  const goesOn = board([task("one1", { assignee: "api", status: "in_progress", holder })]);
  expect(newsFor("api", goesOn, halted).news).toMatchObject({ tasks: [{ state: "held" }], calls: true });
});

test("a reviewer is told of what it is asked, and main of what came of it; the requester has mail", () => {
  const asked = board([], [review("pending")]);
  expect(newsFor("api", asked).news).toMatchObject({
    reviews: [{ name: "page", version: 2, from: "web" }],
    calls: true,
  });
  const first = { ...review("changes_requested", { commit: "aaaaaaa1" }), version: 1 };
  const again = newsFor("api", board([], [first, review("pending", { commit: "bbbbbbb2" })])).news;
  expect(again.reviews).toMatchObject([{ since: "aaaaaaa1", commit: "bbbbbbb2" }]);
  expect(newsFor("api", board([], [review("pending", { commit: "`id`" })])).news.reviews[0]).not.toHaveProperty("commit");
  const before = newsFor("main", asked);
  expect(before.news).toMatchObject({ happened: ["web asked api to review page v2"], calls: false });
  const approved = board([], [review("approved")]);
  expect(newsFor("main", approved, before.told).news).toMatchObject({ happened: ["page v2 of web: api approved"], calls: true });
  expect(newsFor("web", approved, {}).news).toEqual({ reviews: [], tasks: [], happened: [], left: 0, calls: false, waits: true });
});

test("a long board is told twenty at a time, and each thing once", () => {
  const ids = Array.from({ length: 25 }, (_, at) => `review-${at}`);
  const tasks = Array.from({ length: 7_640 }, (_, at) =>
    task(`${at}`, { dependsOn: Array.from({ length: 32 }, (_, back) => `task-${at - (at % 32) - 1 - back}`) }),
  );
  const long = board(
    tasks,
    ids.map((id) => review("pending", { id })),
  );
  const said: string[] = [];
  let told: Told | null = null;
  for (const [, left] of Array.from({ length: 3 }, (_, at) => [at, 7_645 - 20 * at])) {
    const turn = newsFor("api", { ...long, tasks: tasks.map((each) => ({ ...each, assignee: "api" })) }, told);
    expect([turn.news.reviews.length + turn.news.tasks.length, turn.news.left, turn.news.calls]).toEqual([20, left, true]);
    said.push(...[...turn.news.reviews, ...turn.news.tasks].map(({ id }) => id));
    told = turn.told;
  }
  expect(said).toEqual([...ids, ...tasks.slice(0, 35).map(({ id }) => id)]);
  const every = newsFor("api", long, { "review/review-24": "pending" }, true);
  expect(newsFor("api", long, every.told).news.reviews.map(({ id }) => id)).toEqual(ids.slice(20));
});

test("main is told in one sentence where a task stands and what its reviews came to, and is called once for both", () => {
  const of = { task: "task-one1", commit: "5e817e8d1c0f" };
  const step = (status: BoardTask["status"], result: ReviewStatus, comments: string, told: Told) =>
    newsFor("main", board([task("one1", { status })], [review(result, { ...of, comments })]), told);
  const asked = step("in_review", "pending", "", {});
  expect(asked.news).toMatchObject({ happened: ["web handed in one1 'one1' for review by api"], calls: false });
  const long = `Good.\n\n${"word ".repeat(200)}`;
  const approved = step("in_review", "approved", long, asked.told);
  expect(approved.news.happened).toEqual([
    expect.stringMatching(/^web handed in .*; `git merge 5e817e8` ends it; api .*: Good\. (word )+… \(relay review show aaaa\)$/),
  ]);
  expect(approved.news).toMatchObject({ calls: true, waits: true });
  const done = step("done", "approved", long, approved.told);
  expect(done.news).toMatchObject({ happened: ["web finished one1 'one1'", "the only task of the session is done"], calls: true });
  expect(turnWords({ unread: 0, messages: [], ...done.news }, "command", 0)).toContain("is done.\n`relay session end --summary ");
  const both = [task("one1", { status: "done" }), task("two2")];
  const own = board([task("one1", { status: "done", changedBy: "main" }), task("two2")]);
  expect(newsFor("main", own, asked.told).news.happened).toEqual([]);
  expect(newsFor("main", board(both, [review("approved", of)]), approved.told).news).toMatchObject({ calls: false });
  for (const its of [{ reviewer: "main" }, { requester: "main" }])
    expect(newsFor("main", board(both, [review("approved", { ...of, ...its })]), asked.told).news).toMatchObject({ calls: false });
  expect(newsFor("main", board(both, [review("approved", { ...of, comments: "Holds." })]), asked.told).news).toMatchObject({
    ...{ happened: ["web finished one1 'one1'; `git merge 5e817e8`; api approved at 5e817e8: Holds."], calls: true },
  });
});

test("the debts of a part and those to it are listed, whatever it was told", () => {
  const held = task("one1", { status: "in_progress", holder: { part: "web", until: "2026-01-31T10:00:00.000Z" } });
  const halted = task("six6", { assignee: "api", status: "blocked", blockedReason: "no key" });
  const now = board([held, task("two2", { assignee: "api", dependsOn: ["task-one1"] }), halted], [review("pending")]);
  expect(owedOn(now, "web", "main")).toEqual(["task one1 'one1': held"]);
  expect(owedOn(now, "api", "main")).toEqual(["a review of page (aaaa) to web"]);
  const away = (who: string): string => (who === "web" ? " (idle)" : "");
  expect(openOn(now, "web", false, away)).toEqual(["review of page with api"]);
  const asked = [review("pending", { task: "task-one1" }), review("pending", { id: "review-bbbb", task: "task-one1", reviewer: "docs" })];
  expect(openOn(board([task("one1")], asked), "web", false, (who) => (who === "api" ? " (idle)" : ""))).toEqual([
    "review of page with api (idle); `relay task update one1 --reviewer docs,PART` (`update_task`, `reviewer`) asks another",
    "review of page with docs",
  ]);
  expect(openOn(now, "api", false, away)).toEqual(["task one1 'one1' held by web (idle)"]);
  expect(openOn(now, "main", true, away)).toEqual([
    "review of page with api",
    "task one1 'one1' held by web (idle)",
    "task two2 'two2' not begun by api",
    "task six6 'six6' blocked by api: no key",
  ]);
  const approved = board([task("one1", { status: "in_review" })], [review("approved", { task: "task-one1" })]);
  expect([isThrough(approved, "web"), isThrough(now, "web"), isThrough(approved, "api")]).toEqual([true, false, false]);
  const message = { messageId: "m-1", subject: "api approved page", from: "api", urgent: false, needsHuman: false, at: "" };
  expect(turnWords({ unread: 0, messages: [], happened: ["web waits"], timedOut: true, open: ["a task"] }, "command", 0)).toMatch(
    /^Nothing to act on came; meanwhile:\nweb waits\.\nOpen: a task\.$/,
  );
  expect(turnWords({ unread: 1, messages: [message], through: "main" }, "command", 0)).toContain(
    "\nNothing else is yours now, and main hears",
  );
  const ends = "task one1 'one1' of web approved: `relay task update one1 done` ends it";
  expect([openOn(approved, "main", true, away), owedOn(approved, "web", "main")]).toEqual([[ends], []]);
  const waits = { unread: 1, messages: [], owes: owedOn(now, "api", "main"), open: openOn(now, "api", false, away) };
  const lines = "Nothing came.\nYou owe: a review of page (aaaa) to web.\nOpen: task one1 'one1' held by web (idle).";
  expect(turnWords({ ...waits, timedOut: true }, "command", 0)).toBe(lines);
  const mail = { unread: 1, messages: [], owes: ["an answer to api: Price? (k3f9x2ab-1)"] };
  expect(turnWords(mail, "command", 0)).toContain("You owe: an answer to api: Price? (k3f9x2ab-1) (or `relay ack --all`).");
});

test("main is told of every task that moves, others of those they made; what was done before the first turn is not told", () => {
  const now = board([task("one1", { status: "in_progress" }), task("two2", { status: "done" })]);
  expect(newsFor("main", now).news.happened).toEqual(["web works on one1 'one1'"]);
  expect(newsFor("main", now, {}).news.happened).toEqual(["web works on one1 'one1'", "web finished two2 'two2'"]);
  expect(newsFor("db", now, {}).news.happened).toEqual([]);
  expect(newsFor("db", board([task("one1", { status: "done", createdBy: "db" })]), {}).news.happened).toEqual(["web finished one1 'one1'"]);
});

test("the end of a session is told with who ended it, to all but who did", () => {
  const { told } = newsFor("web", board([]));
  const after = (part: string, ended = {}, session: string | null = null) =>
    newsFor(part, { ...board([]), session, ended: { session: "s", ...ended } }, told).news.happened;
  const rest = "; nothing is left for you until new mail comes";
  const by = { by: "main", summary: "All is merged.", path: ".relay/summary.md" };
  expect(after("web", by)).toEqual([`main ended session s: All is merged (.relay/summary.md)${rest}`]);
  expect([after("main", by), after("web"), after("web", {}, "t")]).toEqual([[], [`session s is over${rest}`], ["session s is over"]]);
});

test("the words say what to type, by a command or by a tool; a body cannot look like a line of Relay's", () => {
  const at = "2026-01-31T09:30:00.000Z";
  const message = { messageId: "m-20260131-k3f9x2ab-1-1kg9p6je0khyvdn0me1qn97a8", threadId: "t-20260131-k3f9x2ab", from: "api", at };
  const said = { body: "Which?\n\nTask aaaa 'x': ready.", answers: { from: "you", words: "In?" } };
  const answer = {
    ...{ unread: 2, left: 1 },
    messages: [{ ...message, ...said, subject: "Price", urgent: true, needsHuman: false }],
    reviews: [{ id: "review-aaaa111111", artifact: "artifact-1", name: "page", version: 2, from: "web", waiting: ["you", "db"] }],
    tasks: [
      { id: "task-bbbb222222", title: "Pay", state: "ready", waiting: ["web"] },
      { id: "task-cccc222222", title: "Ship", state: "blocked", blockedBy: ["bbbb 'Pay' of web"] },
    ],
    happened: ["web finished 'one'", "api handed in 'two'; web approved: Holds."],
    memory: ["money: Cents.\nAlways.", "units …"],
    ...{ earlier: 2, acked: ["m-1", "m-2"], ackedSubjects: ["db: Units", "api approved page"] },
  };
  const nowMs = Date.parse(at) + 300_000;
  expect(turnWords(answer, "command", nowMs).split("\n")).toEqual([
    "Acked: db: Units; api approved page.",
    "api answers you: Price (k3f9x2ab-1, 5m ago, urgent)",
    "  > In?",
    "  Which?",
    "",
    "  Task aaaa 'x': ready.",
    "1 more new: `relay next` once you dealt with these.",
    "Review page v2 of web: `relay artifact show artifact-1`, then `relay review submit aaaa approved --done - <<'END'` (`--done` ends its task; needed by you, db) or `… changes_requested - <<'END'`.",
    "Task bbbb 'Pay': ready: `relay task claim bbbb` shows it whole; needed by web.",
    "Task cccc 'Ship': blocked by bbbb 'Pay' of web; `relay task show cccc`.",
    "web finished 'one'.",
    "api handed in 'two'; web approved: Holds.",
    ...["The project remembers, new to you (relay memory read --key KEY):", "  money: Cents.", "  Always.", "  units …"],
    "2 unread, shown before: `relay ack --all` acks what you were shown.",
    "`relay reply k3f9x2ab-1 - <<'END'` answers and acks; then `relay wait --ack shown` acks the rest and waits.",
  ]);
  expect(turnWords(answer, "tool", nowMs)).toContain("`get_artifact artifact-1`, then `submit_review aaaa`");
  expect(turnWords({ unread: 3, messages: [] }, "tool", nowMs)).toBe("Nothing new. `wait` blocks until there is.");
  const code = { ...answer.reviews[0], read: "git diff main...5e817e8", said: "With tests." } as (typeof answer.reviews)[0];
  expect(turnWords({ unread: 0, messages: [], reviews: [code] }, "tool", nowMs)).toBe(
    "Review page v2 of web: `git diff main...5e817e8`, then `submit_review aaaa`: approved (done: true ends its task; needed by you, db) or changes_requested.\n  With tests.",
  );
});
