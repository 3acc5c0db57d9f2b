/** Three ordinary days of one person who works in two clones, with a CI that checks a third: nothing of it reads like an attack, and nothing is left to be put right. */
import { expect, test } from "vitest";
import { printAnswer } from "../../cli/print/print-answer.ts";
import { plainStyleFor } from "../../cli/print/style.ts";
import { type Answer, act, cloneOf, shop } from "../rig/clones.ts";
import { relay } from "../rig/processes.ts";

/** What only a push that does harm is told with. */
const ALARM = /brought back|skipped|warning|not meant|gave way|contested|restored|undo/i;

/** What a person reads of a sync. */
async function synced(code: string): Promise<string> {
  const answer = await act(code, undefined, "sync");
  return `${printAnswer("sync", answer, plainStyleFor(process.stdout, { NO_COLOR: "1" }, Date.now()), {})}\n${answer.warning ?? ""}\n${answer.warnings ?? ""}`;
}

/** What parts are told that a sync did to them, but for news of their threads and sessions, and what they have to answer. */
async function noticesOf(code: string): Promise<string[]> {
  const { notices = [] } = JSON.parse((await relay(code, ["status", "--json"])).stdout) as { notices?: { lines: string[] }[] };
  return notices.flatMap(({ lines }) => lines).filter((line) => !/^commit \w+ (closed thread|ended session|asked to forget) /.test(line));
}

test("three days of messages, tasks, claims, texts, a renaming, an archive, requests to forget, an end of a session", async () => {
  const { hub, code: here } = await shop("web", "api");
  const there = await cloneOf(hub);
  for (const part of ["web", "main"]) await act(here, part, "inbox");
  await act(there, "api", "inbox");
  const both = async (): Promise<void> => {
    for (const clone of [here, there]) expect(await synced(clone)).not.toMatch(ALARM);
  };
  /** The evening of a day: a clone of CI is as it should be, and nobody was told of anything but what was done to them. */
  const evening = async (): Promise<void> => {
    await both();
    const ci = await cloneOf(hub);
    const { findings, warnings } = await act(ci, undefined, "check");
    // A request to forget is answered by people, clone by clone.
    expect([findings, warnings.filter(({ code }: Answer) => code !== "open_request")]).toEqual([[], []]);
    for (const clone of [here, there]) expect(await noticesOf(clone)).toEqual([]);
  };
  const call = (clone: string, part: string, name: Parameters<typeof act>[2], input: Answer = {}): Promise<Answer> =>
    act(clone, part, name, input);
  const { threadId } = await call(here, "web", "send", { to: ["api"], subject: "Price?", body: "Which field?" });
  const { session_id: session } = await call(here, "main", "start_session");
  const { task_id: task } = await call(here, "main", "create_task", { title: "Parser", description: "Write it." });
  await both();
  await call(there, "api", "inbox");
  await call(there, "api", "reply", { threadId, body: "It is amount.", ack: true });
  await call(there, "api", "claim_task", { task_id: task });
  await both();
  await both();
  await call(here, "web", "append_memory", { content: "We use amount." });
  await call(there, "api", "append_memory", { content: "And EUR." });
  await call(there, "api", "update_task", { task_id: task, status: "done" });
  await call(here, "web", "inbox");
  await call(here, "web", "ack", { threadId });
  await call(here, "web", "close", { threadId });
  await call(here, "main", "save_session_summary", { session_id: session, summary: "# What happened\n\nThe parser.\n" });
  await evening();
  await call(here, "main", "part_rename", { from: "web", to: "front" });
  await both();
  await evening();
  await call(here, "front", "archive", { threadIds: [threadId] });

  // Of a thread of one message, and of one that goes on.
  const alone = await call(here, "front", "send", { to: ["api"], subject: "pw", body: "hunter2" });
  const first = await call(here, "front", "send", { to: ["api"], subject: "pw", body: "it is below" });
  const secret = await call(here, "front", "reply", { threadId: first.threadId, body: "hunter2" });
  await call(here, "front", "reply", { threadId: first.threadId, body: "do not tell" });
  await both();
  for (const { messageId: id } of [alone, secret]) {
    await call(here, "front", "forget", { messageId: id, reason: "a password" });
    await both();
    await call(there, "front", "forget", { messageId: id });
  }
  await both();
  await call(here, "main", "end_session", { session_id: session });
  await evening();

  for (const clone of [here, there]) {
    expect(await act(clone, undefined, "check")).toMatchObject({ findings: [], warnings: [] });
    const { findings } = await act(clone, undefined, "doctor");
    expect(findings.filter(({ code }: { code: string }) => code !== "no_agents")).toEqual([]);
    expect((await relay(clone, ["status"])).stdout).not.toMatch(ALARM);
  }
});
