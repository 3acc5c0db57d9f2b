/** The beginning of a turn: what `next` and `wait` tell, when it counts as told, and what an ack may take. */
import fs from "node:fs";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { openConnection } from "../../mcp/connection.ts";
import { confirmGiven } from "../../protocol/core/connection-memory.ts";
import { type AnyOperation, operations, perform } from "../../protocol/index.ts";
import { shownBy } from "../../protocol/status/files/shown-by.ts";
import { isNewBeside } from "../../protocol/turn/files/part-news.ts";
import { type TurnAnswer, turnWords } from "../../protocol/turn/nouns/turn-words.ts";
import { type Answer, act } from "../rig/clones.ts";
import { homeWith, worldAt } from "../rig/home.ts";

let folder: string;
beforeEach(async () => {
  folder = await homeWith("web", "api");
});

const clientOf = (part: string) => {
  const connection = openConnection({ home: path.join(folder, ".relay"), part });
  return (operation: AnyOperation, args: Record<string, unknown> = {}): Promise<Answer> =>
    connection.call(operation, args, new AbortController().signal);
};
const mail = (subject: string, body = "b"): Promise<Answer> => act(folder, "api", "send", { to: ["web"], subject, body });
const subjects = ({ messages }: Answer): string[] => messages.map(({ subject }: { subject: string }) => subject);

test("next gives mail whole, oldest first, once; until a later call it is given again", async () => {
  await mail("first", "x".repeat(2_000));
  await mail("second");
  const lost = clientOf("web");
  expect(subjects(await lost(operations.next))).toEqual(["first", "second"]);
  const web = clientOf("web");
  const given = await web(operations.next);
  expect(given.messages[0].body).toHaveLength(2_000);
  expect(subjects(await web(operations.next))).toEqual([]);
  await mail("third");
  expect(subjects(await web(operations.next))).toEqual(["third"]);
  expect(subjects(await web(operations.next, { all: true }))).toEqual(["first", "second", "third"]);
});

test("mail that does not fit is counted, and comes next; the first message is whole at any size", async () => {
  await mail("large", "y".repeat(20_000));
  await mail("small");
  const web = clientOf("web");
  expect(await web(operations.next)).toMatchObject({ messages: [{ subject: "large" }], left: 1 });
  expect(subjects(await web(operations.next))).toEqual(["small"]);
  // No client lets a longer one through: its beginning is told once, and is not acked.
  await mail("longer", "word ".repeat(6_000));
  const { messages } = await web(operations.next);
  expect([messages.length, messages[0].body]).toEqual([1, expect.stringMatching(/^(word ){4000,}… \(show \S+, then ack it by this id\)$/)]);
  const after = await web(operations.wait, { ack: "shown", timeoutSeconds: 0 });
  expect(after).toMatchObject({ messages: [], acked: [], unread: 3, timedOut: true });
});

test("ack: shown takes what the last turn showed, and nothing that came since", async () => {
  await mail("seen");
  const web = clientOf("web");
  await web(operations.next);
  await mail("since");
  expect(await web(operations.wait, { ack: "shown", timeoutSeconds: 0 })).toMatchObject({
    acked: [{}],
    messages: [{ subject: "since" }],
    unread: 1,
  });
  expect(await web(operations.next, { ack: "shown" })).toMatchObject({ unread: 0, acked: [{}], messages: [] });
  // What `show` showed counts, too.
  await web(operations.show, { threadId: (await mail("opened")).threadId });
  expect(await web(operations.next, { ack: "shown" })).toMatchObject({ unread: 0, acked: [{}] });
});

test("an answer says that something is new for a part that uses next, and a wait in the same line tells it", async () => {
  const world = worldAt(folder, { part: "web" });
  const isNew = (operation: AnyOperation): boolean => isNewBeside(world, operation, "web");
  await mail("before");
  expect(isNew(operations.send)).toBe(false);
  await perform(world, operations.next, {});
  confirmGiven(world);
  expect(isNew(operations.send)).toBe(false);
  const { task_id } = await act(folder, "api", "create_task", { title: "Page", assignee: "web" });
  const { artifact_id } = await act(folder, "api", "post_artifact", { name: "notes", type: "document", content: "c" });
  expect([isNew(operations.inbox), isNew(operations.claim_task)]).toEqual([false, true]);
  await act(folder, "api", "request_review", { artifact_id, reviewer: "web" });
  const waited = await perform(worldAt(folder, { part: "web" }), operations.wait, { ack: "shown", timeoutSeconds: 50 });
  expect(waited).toMatchObject({ ackedSubjects: ["api: before"], reviews: [{ name: "notes" }], tasks: [{ id: task_id, state: "ready" }] });
  await perform(world, operations.wait, { timeoutSeconds: 0 });
  confirmGiven(world);
  // What it claimed is its own doing.
  await act(folder, "web", "claim_task", { task_id });
  expect(isNew(operations.claim_task)).toBe(false);
  const over = (await perform(world, operations.wait, { timeoutSeconds: 0 })) as Answer;
  expect(turnWords(over as TurnAnswer, "tool", 0)).toMatch(/^Nothing came\.\n/);
});

test("the part that applies a plan is told all that follows; each part is told once what the memory has that is new to it", async () => {
  const [main, web] = [clientOf("main"), clientOf("web")];
  const plan = "memory: { money: Cents. }\ntasks: [{ key: page, title: Page, assignee: web }]";
  const { tasks } = await main(operations.apply_plan, { plan });
  expect(await web(operations.next)).toMatchObject({ memory: ["money: Cents."], tasks: [{ state: "ready" }] });
  expect(await web(operations.claim_task, { task_id: tasks[0].task_id })).not.toHaveProperty("memory");
  await web(operations.update_task, { task_id: tasks[0].task_id, status: "done" });
  expect((await main(operations.wait, { timeoutSeconds: 0 })).happened).toEqual([
    expect.stringMatching(/^web finished/),
    expect.any(String),
  ]);
  await act(folder, "api", "write_memory", { key: "units", content: "Metric." });
  expect([(await web(operations.next)).memory, (await web(operations.next)).memory]).toEqual([["units: Metric."], undefined]);
});

test("an ack by thread, or of all, leaves what was not shown, and says of what only the beginning was", async () => {
  const { threadId } = await mail("talk", "w".repeat(1_000));
  const web = clientOf("web");
  await web(operations.inbox);
  await act(folder, "api", "send", { to: ["web"], subject: "other", body: "b" });
  await act(folder, "api", "reply", { threadId, body: "more" });
  expect(await web(operations.ack, { threadId })).toMatchObject({
    acked: [{}],
    previewed: 1,
    unseen: 1,
    unseenSubjects: ["api: talk"],
    unread: 2,
  });
  expect(await web(operations.ack, { messageIds: [threadId.slice(11)] })).toMatchObject({ acked: [], alreadyRead: [], unseen: 1 });
  // Of what a list showed the beginning, all is told.
  await mail("long", "z".repeat(1_000));
  await web(operations.inbox);
  expect(subjects(await web(operations.next))).toContain("long");
  expect(await web(operations.ack, { all: true })).toMatchObject({ acked: [{}, {}, {}], unread: 0 });
});

test("wait returns for what a part can act on: a task that became ready, a review asked of it, for main what is finished", async () => {
  const { session_id, task_id: first } = await act(folder, "main", "create_task", { title: "API", assignee: "api" });
  await act(folder, "main", "create_task", { title: "Page", assignee: "web", depends_on: [first], session_id });
  const [web, api, main] = [clientOf("web"), clientOf("api"), clientOf("main")];
  expect(await web(operations.next)).toMatchObject({ tasks: [{ state: "blocked" }] });
  await main(operations.next);
  const leader = main(operations.wait, { timeoutSeconds: 60 });
  const waiting = web(operations.wait, { timeoutSeconds: 60 });
  const { fence } = await api(operations.claim_task, { task_id: first, session_id });
  expect(await main(operations.wait, { timeoutSeconds: 0 })).toMatchObject({
    timedOut: true,
    happened: [expect.stringMatching(/^api works on .{4} 'API'$/)],
  });
  await api(operations.update_task, { task_id: first, status: "done", fence, session_id });
  expect(await leader).toMatchObject({ happened: expect.arrayContaining([expect.stringMatching(/^api finished .{4} 'API'$/)]) });
  expect(await waiting).toMatchObject({ tasks: [{ title: "Page", state: "ready" }] });
  const { artifact_id } = await api(operations.post_artifact, { name: "api", type: "document", content: "c", session_id });
  await web(operations.next, { ack: "shown" });
  const { review_id } = await api(operations.request_review, { artifact_id, reviewer: "web", session_id });
  // Its mail says the same.
  expect(await web(operations.wait, { timeoutSeconds: 60 })).toMatchObject({ reviews: [{ name: "api", from: "api" }], messages: [] });
  await web(operations.submit_review, { review_id, status: "approved", session_id });
  expect(await api(operations.next)).toMatchObject({ messages: [{ subject: "web approved api, version 1", closed: true }] });
  expect(await api(operations.ack, { messageIds: ["shown"] })).toMatchObject({ acked: [{}], unread: 0 });
});

test("show takes the id of anything that an answer names", async () => {
  const { threadId, messageId } = await mail("talk");
  const { session_id } = await act(folder, "main", "start_session");
  const { task_id } = await act(folder, "main", "create_task", { title: "Page" });
  const { artifact_id } = await act(folder, "api", "post_artifact", { name: "notes", type: "document", content: "c" });
  const { review_id } = await act(folder, "api", "request_review", { artifact_id, reviewer: "web" });
  await act(folder, "api", "write_memory", { key: "units", content: "cents" });
  const shows = (given: string): string => shownBy(worldAt(folder, { part: "web" }), operations.show, { threadId: given }).operation.name;
  const given = [
    threadId,
    messageId,
    task_id,
    task_id.slice(5, 9),
    review_id,
    review_id.slice(7, 11),
    artifact_id,
    artifact_id.slice(9, 13),
  ];
  expect([...given, session_id, "units", "human", "none"].map(shows)).toEqual([
    ...["show", "show", "show_task", "show_task", "show_review", "show_review", "get_artifact", "get_artifact"],
    ...["get_session_summary", "read_memory", "roster", "show"],
  ]);
});

test("mail of an ended session is marked, shown once, not owed, and acked with all", async () => {
  const { session_id } = await act(folder, "main", "start_session");
  const say = (content: string) => act(folder, "api", "send_message", { to: "web", content, thread_id: "standup", session_id });
  const web = clientOf("web");
  await say("one");
  await web(operations.next);
  await say("two");
  await mail("other");
  await act(folder, "main", "send_message", { to: "api", content: "four", session_id });
  const marks = async (): Promise<unknown[]> => (await web(operations.inbox)).messages.map((each: Answer) => each.sessionEnded);
  expect(await marks()).toEqual([undefined, undefined, undefined]);
  await act(folder, "main", "end_session", { session_id, force: true });
  expect(await marks()).toEqual([undefined, true, true]);
  // A part that comes late learns from its old mail that the session is over.
  expect(await act(folder, "api", "next")).toMatchObject({
    messages: [{}],
    ended: expect.stringMatching(/^main ended session .*; nothing/),
  });
  expect(await act(folder, "main", "status")).toMatchObject({ session: null, lastSession: { id: session_id, endedBy: "main" } });
  await web(operations.next);
  expect((await web(operations.next)).owes).toEqual([expect.stringContaining("other")]);
  await say("three");
  expect(await act(folder, "web", "ack", { all: true })).toMatchObject({ unread: 0 });
});

test("reply acks what it answers, and no more; keep leaves it; a review acks its request, a claim its assignment", async () => {
  const { threadId } = await mail("asked");
  const web = clientOf("web");
  await web(operations.next);
  await mail("other");
  await act(folder, "api", "reply", { threadId, body: "and?" });
  await web(operations.reply, { threadId, body: "soon", keep: true });
  expect(await web(operations.inbox)).toMatchObject({ unread: 3 });
  // It is told with what it answers, and owed no answer.
  expect(await act(folder, "api", "next")).toMatchObject({ messages: [{ body: "soon", answers: { from: "you", words: "and?" } }] });
  expect((await act(folder, "api", "next")).owes).toBeUndefined();
  await act(folder, "api", "reply", { threadId, body: "meanwhile" });
  expect(await web(operations.reply, { threadId, body: "done" })).toMatchObject({ unseen: 1 });
  expect(await web(operations.ack, { all: true })).toMatchObject({ acked: [{}], unseen: 1, unseenSubjects: ["api: asked"] });
  await web(operations.next, { ack: "shown" });
  await web(operations.next, { ack: "shown" });
  const { session_id, task_id } = await act(folder, "main", "create_task", { title: "Page" });
  await act(folder, "main", "update_task", { task_id, assignee: "web", session_id });
  const { artifact_id } = await act(folder, "api", "post_artifact", { name: "api", type: "document", content: "c", session_id });
  const { review_id } = await act(folder, "api", "request_review", { artifact_id, reviewer: "web", session_id });
  expect(await web(operations.inbox)).toMatchObject({ unread: 2 });
  await web(operations.claim_task, { task_id, session_id });
  await web(operations.submit_review, { review_id, status: "approved", session_id });
  expect(await act(folder, "web", "inbox")).toMatchObject({ unread: 0 });
});

test("a message that a hand moved to read/ is acked, for the next look, a record, check and doctor", async () => {
  const inbox = path.join(folder, ".relay/inbox/web");
  const move = async (subject: string): Promise<string> => {
    const { messageId } = await mail(subject);
    fs.renameSync(`${inbox}/new/${messageId}.md`, `${inbox}/read/${messageId}.md`);
    return messageId;
  };
  for (const look of ["inbox", "check", "doctor"] as const) {
    const id = await move(look);
    const { unread, findings = [] } = await act(folder, look === "inbox" ? "web" : undefined, look);
    expect([unread ?? 0, findings.filter(({ code }: Answer) => code !== "outside_git")]).toEqual([0, []]);
    const { messages } = await act(folder, "api", "show", { threadId: id });
    expect(messages[0].receipts).toMatchObject([{ part: "web", state: "acked" }]);
    expect(fs.readdirSync(`${inbox}/read`)).toEqual([expect.stringMatching(/^\d{4}-\d\d-\d\d$/)]);
  }
});

test("a part that only calls next, does what that names, and waits, ends with an empty inbox and no review of its own", async () => {
  const words = async (operation: AnyOperation, args: Record<string, unknown>): Promise<string> =>
    turnWords((await web(operation, args)) as TurnAnswer, "tool", Date.now());
  const web = clientOf("web");
  const { session_id, task_id } = await act(folder, "main", "create_task", { title: "Page" });
  await act(folder, "main", "update_task", { task_id, assignee: "web", session_id });
  const { artifact_id } = await act(folder, "api", "post_artifact", { name: "api", type: "document", content: "c", session_id });
  await act(folder, "api", "request_review", { artifact_id, reviewer: "web", session_id });
  await mail("Which price?");
  let said = await words(operations.next, {});
  for (let turn = 0; turn < 9 && !said.startsWith("Nothing came"); turn += 1) {
    for (const [, tool, of] of said.matchAll(/`(submit_review|claim_task|get_artifact) ([^`]+)`/g)) {
      if (tool === "submit_review") await web(operations.submit_review, { review_id: of, status: "approved" });
      if (tool === "claim_task") await web(operations.claim_task, { task_id: of });
    }
    for (const [, thread] of said.matchAll(/\((\w+-\d+), /g)) await web(operations.reply, { threadId: thread, body: `noted ${turn}` });
    if (turn === 1) await mail("Thank you");
    said = await words(operations.wait, { ack: "shown", timeoutSeconds: 0 });
  }
  expect(said).toMatch(/^Nothing came\.\nYou owe: task .{4} 'Page': held\.$/);
  expect(await act(folder, "web", "inbox")).toMatchObject({ unread: 0 });
  expect((await act(folder, "web", "list_reviews", { session_id, pending: true })).reviews).toEqual([]);
  expect((await act(folder, "web", "get_all_tasks", { session_id })).tasks).toMatchObject([{ assignee: "web", status: "in_progress" }]);
});
