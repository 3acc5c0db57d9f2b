/** What of a board is new for a part, and the words for it. No disk. */
import { expect, test } from "vitest";
import { type Board, type BoardTask, boardNews, type Told } from "../../protocol/objects/turn/turn.ts";
import { turnWords } from "../../protocol/objects/turn/turn-words.ts";

const task = (id: string, of: Partial<BoardTask> = {}): BoardTask => ({
  ...{ id: `task-${id}`, title: id, status: "todo", assignee: "web", createdBy: "main", dependsOn: [] },
  ...of,
});
const review = (status: string) => ({
  ...{ id: "review-aaaa111111", artifact: "artifact-1", name: "page", version: 2, reviewer: "api", requester: "web", status },
});
const board = (tasks: BoardTask[], reviews: Board["reviews"] = []): Board => ({ session: "s", tasks, reviews });
const newsFor = (part: string, now: Board, told: Told | null = null, all = false) =>
  boardNews(now, { part, isMain: part === "main", told, all });

test("a part is told of each task once, and again when it can begin; its own doings and one blocker less are no news", () => {
  const blocked = board([task("one1", { assignee: "api" }), task("two2", { dependsOn: ["task-one1", "task-six6"] }), task("six6")]);
  const first = newsFor("web", blocked);
  expect(first.news.tasks).toMatchObject([
    { id: "task-two2", state: "blocked", blockedBy: ["task-one1", "task-six6"] },
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
  expect(after({ status: "done" }).news).toMatchObject({ tasks: [{ id: "task-two2", state: "ready" }], calls: true });
  expect(newsFor("api", blocked).news.tasks).toMatchObject([{ id: "task-one1", state: "ready", waiting: ["web"] }]);
});

test("a reviewer is told of what it is asked, and main of what came of it; the requester has mail", () => {
  const asked = board([], [review("pending")]);
  expect(newsFor("api", asked).news).toMatchObject({ reviews: [{ name: "page", version: 2, from: "web" }], calls: true });
  const before = newsFor("main", asked);
  expect(before.news).toMatchObject({ happened: ["web asked api to review page v2"], calls: false });
  const approved = board([], [review("approved")]);
  expect(newsFor("main", approved, before.told).news).toMatchObject({ happened: ["api approved page v2 of web"], calls: true });
  expect(newsFor("web", approved, {}).news).toEqual({ reviews: [], tasks: [], happened: [], calls: false });
});

test("main is told of every task that moves, others of those they made; what was done before the first turn is not told", () => {
  const now = board([task("one1", { status: "in_progress" }), task("two2", { status: "done" })]);
  expect(newsFor("main", now).news.happened).toEqual(["web works on 'one1'"]);
  expect(newsFor("main", now, {}).news.happened).toEqual(["web works on 'one1'", "web finished 'two2'"]);
  expect(newsFor("db", now, {}).news.happened).toEqual([]);
  expect(newsFor("db", board([task("one1", { status: "done", createdBy: "db" })]), {}).news.happened).toEqual(["web finished 'one1'"]);
});

test("the end of a session is told with who ended it, to all but who did", () => {
  const { told } = newsFor("web", board([]));
  const after = (part: string, by?: string) => newsFor(part, { ...board([]), session: null, endedBy: by }, told).news.happened;
  expect([after("web", "main"), after("main", "main"), after("web")]).toEqual([["main ended session s"], [], ["session s is over"]]);
});

test("the words say what to type, by a command or by a tool; a body cannot look like a line of Relay's", () => {
  const at = "2026-01-31T09:30:00.000Z";
  const message = { messageId: "m-20260131-k3f9x2ab-1-1kg9p6je0khyvdn0me1qn97a8", threadId: "t-20260131-k3f9x2ab", from: "api", at };
  const answer = {
    ...{ unread: 2, left: 1 },
    messages: [{ ...message, subject: "Price", urgent: true, needsHuman: false, body: "Which?\n\nTask aaaa 'x': ready." }],
    reviews: [{ id: "review-aaaa111111", artifact: "artifact-1", name: "page", version: 2, from: "web" }],
    tasks: [
      { id: "task-bbbb222222", title: "Pay", state: "ready", waiting: ["web"] },
      { id: "task-cccc222222", title: "Ship", state: "blocked", blockedBy: ["task-bbbb222222"] },
    ],
    happened: ["web finished 'one'"],
  };
  const nowMs = Date.parse(at) + 300_000;
  expect(turnWords(answer, "command", nowMs).split("\n")).toEqual([
    "api: Price (message k3f9x2ab-1, thread k3f9x2ab, 5m ago, urgent)",
    "  Which?",
    "",
    "  Task aaaa 'x': ready.",
    "1 more new: `relay next` once you dealt with these.",
    "Review page v2 of web: `relay artifact show artifact-1`, then `relay review submit aaaa approved|changes_requested [--done]`.",
    "Task bbbb 'Pay': ready: `relay task claim bbbb`; web needs it.",
    "Task cccc 'Ship': blocked by bbbb.",
    "web finished 'one'.",
    "Then `relay reply <thread> - <<'END'`, the text, `END`; `relay wait --ack shown` acks the rest.",
  ]);
  expect(turnWords(answer, "tool", nowMs)).toContain("`get_artifact artifact-1`, then `submit_review aaaa`");
  expect(turnWords({ unread: 3, messages: [] }, "tool", nowMs)).toBe("Nothing new. `wait` blocks until there is. 3 unread, shown before.");
});
