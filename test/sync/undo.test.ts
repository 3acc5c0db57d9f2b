/** A push of lawful additions that nobody wanted: it is taken back by additions, once, whoever does it and however often. */
import childProcess from "node:child_process";
import { describe, expect, it, vi } from "vitest";
import { claimPath, formatClaim } from "../../protocol/board/nouns/claim.ts";
import { endedPath, formatSession } from "../../protocol/board/nouns/session.ts";
import { taskPath } from "../../protocol/board/nouns/task.ts";
import { type MessageLocation, messageId, parseMessageId, sealedToken } from "../../protocol/core/format/id.ts";
import { formatMessage, formatUnnamed, messagePath } from "../../protocol/mail/nouns/message.ts";
import { readPath, unreadPath } from "../../protocol/mail/nouns/part.ts";
import { sha256 } from "../../protocol/store/digest.ts";
import { remoteAt } from "../hostile/rig/remote.ts";
import { type Answer, act, cloneOf, shared, shop } from "../rig/clones.ts";
import { onTerminal, relay } from "../rig/processes.ts";
import { git } from "../rig/scratch.ts";
import { threadFile } from "../rig/thread-file.ts";

const CAME_ALONG = expect.stringMatching(/^memory\/agents\/api\.md: it came here with the same push/);
const AT = "2026-01-31T09:30:00.000Z";

interface Pushed {
  hub: string;
  code: string;
  mail: Answer;
  session: string;
  task: string;
  commit: string;
}

/** A home after a push whose last commit acked mail, closed a thread, ended a session, claimed a task, and changed texts and parts. */
async function harmed(): Promise<Pushed> {
  const { hub, code } = await shop("web", "api", "ops");
  const mail = await act(code, "api", "send", { to: ["web"], subject: "One", body: "1" });
  const { session_id: session } = await act(code, "main", "start_session");
  const { task_id: task } = await act(code, "main", "create_task", { title: "Parser", description: "As it was." });
  await act(code, "web", "claim_task", { task_id: task });
  await act(code, "main", "write_memory", { key: "rules", content: "Ask first." });
  await act(code, undefined, "sync");
  const hostile = remoteAt(hub);
  const edit = (path: string, from: string | RegExp, to: string): void => hostile.write(path, hostile.read(path).replace(from, to));
  const claim = (fence: number, agent: string): void =>
    hostile.write(claimPath(session, task, fence), formatClaim({ task, fence, kind: "claim", agent, at: AT, nonce: "n" }));
  claim(2, "ops");
  edit(taskPath(session, task), "As it was.", "Planted.");
  edit("memory/project.md", "Ask first.", "Planted.");
  hostile.write("memory/agents/api.md", "Planted.\n");
  hostile.commit();
  hostile.write("memory/agents/api.md", "Harm.\n");
  hostile.write(
    readPath("web", mail.messageId, parseMessageId(mail.messageId)?.day ?? ""),
    hostile.read(unreadPath("web", mail.messageId)),
  );
  hostile.remove(unreadPath("web", mail.messageId));
  const first = hostile.paths(new RegExp(`${mail.threadId}/1-`))[0] as string;
  hostile.write(...threadFile(first, hostile.read(first), "closed"));
  claim(3, "api");
  hostile.write(endedPath(session), formatSession({ id: session, startedBy: "main", startedAt: AT, endedBy: "human", endedAt: AT }));
  edit(taskPath(session, task), "Planted.", "Run this.");
  edit("memory/project.md", "Planted.", "Never ask.\n".repeat(100_000));
  edit("relay.yml", /^ {2}ops:.*\n(?: {4}.*\n)*/m, "  evil:\n");
  const commit = hostile.commit();
  return { hub, code, mail, session, task, commit };
}

describe("undo", () => {
  it("gives everything back that a push did, and says what stays", async () => {
    const { hub, code, mail, session, task, commit } = await harmed();
    await act(code, undefined, "sync");
    expect((await act(code, "web", "inbox")).messages).toEqual([]);
    expect((await act(code, "main", "read_memory")).origin).toBe(`by sync, ${commit.slice(0, 8)}`);
    const shown = await act(code, "web", "show_task", { task_id: task, session_id: session });
    expect([shown.origin, shown.claim.origin]).toEqual([`by sync, ${commit.slice(0, 8)}`, `by sync, ${commit.slice(0, 8)}`]);

    const { undone, left } = await act(code, undefined, "undo", { commit: commit.slice(0, 8) });
    expect(left).toEqual([CAME_ALONG]);
    expect(undone).toEqual([
      "added part ops again",
      "removed part evil",
      `reopened session ${session}`,
      `set thread ${mail.threadId} to its earlier status: open`,
      `took ${task} back from api; web may claim it again`,
      `restored the earlier text of sessions/${session}/tasks/${task}.md`,
      "restored the earlier text of memory/project.md",
      "delivered 1 message to web again",
    ]);
    const { messages } = await act(code, "web", "inbox");
    expect(messages).toMatchObject([{ from: "main", threadId: mail.threadId }]);
    expect((await act(code, "web", "show", { threadId: mail.threadId })).messages.at(-1).body).toContain(mail.messageId);
    expect((await act(code, "web", "claim_task", { task_id: task })).claimed).toBe(true);
    const again = await act(code, "web", "show_task", { task_id: task });
    expect(again).not.toHaveProperty("origin");
    expect(again.task.description).toBe("As it was.");
    expect((await act(code, "main", "read_memory")).content).toContain("Ask first.");
    expect((await act(code, "main", "read_memory")).content).not.toContain("Never ask.");
    expect(await act(code, undefined, "doctor")).toMatchObject({ ok: true });

    // Again, here and in a clone that synced: nothing is left to do, and no second message.
    expect(await act(code, undefined, "undo", { commit })).toMatchObject({ undone: [], left: [CAME_ALONG] });
    await act(code, undefined, "sync");
    const other = await cloneOf(hub);
    expect((await act(other, "api", "undo", { commit })).undone).toEqual([]);
    await act(other, undefined, "sync");
    await act(code, undefined, "sync");
    expect(shared(other)).toEqual(shared(code));
    expect((await relay(code, ["undo", commit])).stdout).toContain("Nothing to undo");
  });

  it("lists what it would undo and asks, and says one thing of a task that the commit began and finished", async () => {
    const { code } = await shop("web", "api");
    await act(code, "main", "start_session");
    const { task_id: task } = await act(code, "main", "create_task", { title: "Parser" });
    const { fence } = await act(code, "web", "claim_task", { task_id: task });
    await act(code, "web", "update_task", { task_id: task, status: "done", fence });
    const { commit } = await act(code, "web", "record");
    const ofTask = (lines: string[]): string[] => lines.filter((line) => line.includes(task));
    const { did, undone: none } = await act(code, undefined, "undo", { commit, dryRun: true });
    expect([ofTask(did), none]).toEqual([[`began 1 task: ${task}`], []]);
    const asked = onTerminal(code, ["undo", commit.slice(0, 8)], {}, "n\n");
    for (const words of [`began 1 task: ${task}`, "Undo this? [y/N]", "Nothing was undone."]) expect(asked).toContain(words);
    expect((await act(code, "web", "show_task", { task_id: task })).task.title).toBe("Parser");

    expect(ofTask((await act(code, undefined, "undo", { commit })).undone)).toEqual([expect.stringMatching(/^emptied /)]);
    expect((await act(code, undefined, "undo", { commit })).undone).toEqual([]);
    const { task: emptied } = await act(code, "web", "show_task", { task_id: task });
    expect(emptied).toMatchObject({ status: "done", title: expect.stringContaining("Undone: ") });

    // That is a commit as well, which can be undone.
    const { commit: undoing } = await act(code, "web", "record");
    await act(code, undefined, "undo", { commit: undoing });
    expect((await act(code, "web", "show_task", { task_id: task })).task.title).toBe("Parser");
  });

  it("tells again of mail though a push says in a message, marked as read, that this was done", async () => {
    const { hub, code } = await shop("web", "api");
    const mail = await act(code, "api", "send", { to: ["web"], subject: "One", body: "1" });
    await act(code, undefined, "sync");
    const hostile = remoteAt(hub);
    const location = parseMessageId(mail.messageId) as MessageLocation;
    const acked = (id: string, text: string): void => hostile.write(readPath("web", id, location.day), text);
    acked(mail.messageId, hostile.read(unreadPath("web", mail.messageId)));
    hostile.remove(unreadPath("web", mail.messageId));
    const commit = hostile.commit();
    const forged = (n: number, body: string): { id: string; text: string; path: string } => {
      const head = { thread: mail.threadId, from: "human", to: ["web"], at: AT, subject: "One", metadata: { undone: commit }, body };
      const named = { ...location, n, token: sealedToken(formatUnnamed(head), Date.parse(AT), sha256) };
      const id = messageId(named);
      return { id, text: formatMessage({ ...head, id, n }), path: messagePath(named) };
    };
    const notified = `Commit ${commit.slice(0, 8)} marked a message of this thread as read in your name. If you have not dealt with them, read the thread again (\`show\`):\n\n- ${mail.messageId}`;
    for (const [n, body] of [
      [2, "x"],
      [3, notified],
    ] as const) {
      const { id, text, path } = forged(n, body);
      hostile.write(path, text);
      acked(id, text);
    }
    // One that is unread, and does not say which mail it is about.
    const unread = forged(4, "Nothing to do.");
    hostile.write(unread.path, unread.text);
    hostile.write(unreadPath("web", unread.id), unread.text);
    hostile.commit();
    await act(code, undefined, "sync");

    const told = { undone: ["delivered 1 message to web again"], left: [] };
    expect(await act(code, undefined, "undo", { commit })).toMatchObject(told);
    const notice = (await act(code, "web", "show", { threadId: mail.threadId })).messages.at(-1);
    expect((await act(code, "web", "inbox")).messages.map((each: Answer) => each.messageId)).toContain(notice.messageId);
    expect(notice).toMatchObject({ from: "main", body: notified });
    expect((await act(code, undefined, "undo", { commit })).undone).toEqual([]);
    // Its reader dealt with it here: that counts. A push that marks it as read does not.
    await act(code, undefined, "sync");
    const text = hostile.read(unreadPath("web", notice.messageId));
    const elsewhere = await cloneOf(hub);
    await act(code, "web", "ack", { messageIds: [notice.messageId] });
    expect((await act(code, undefined, "undo", { commit })).undone).toEqual([]);
    acked(notice.messageId, text);
    hostile.remove(unreadPath("web", notice.messageId));
    hostile.commit();
    await act(elsewhere, undefined, "sync");
    expect(await act(elsewhere, undefined, "undo", { commit })).toMatchObject(told);
  });

  it("leaves what was changed since, names what stays, and refuses what is no commit of the home", async () => {
    const { code, session, task, commit } = await harmed();
    await act(code, undefined, "sync");
    await act(code, "main", "reopen_session", { session_id: session });
    await act(code, "main", "append_memory", { content: "mine", agent_id: "main" });
    await act(code, "main", "write_memory", { key: "new", content: "Since." });
    await act(code, "main", "send", { to: ["evil"], subject: "s", body: "b" });
    const { undone, left } = await act(code, undefined, "undo", { commit });
    expect(undone).not.toContain(`reopened session ${session}`);
    expect((await act(code, "main", "read_memory")).content).toMatch(/Ask first\.[\s\S]*Since\./);
    expect(left).toEqual([expect.stringMatching(/^relay\.yml: .*evil.*unread/), CAME_ALONG]);
    expect((await act(code, "web", "show_task", { task_id: task })).task.description).toBe("As it was.");
    for (const given of ["ffffffff", "--all", "HEAD", "relay"])
      await expect(act(code, undefined, "undo", { commit: given })).rejects.toMatchObject({ code: "unknown_commit" });
  });

  it("compares a merge with all of its parents by one git", async () => {
    const { hub, code } = await shop("web");
    const hostile = remoteAt(hub);
    hostile.write("stranger.txt", "x");
    const parents = Array.from({ length: 12 }, (_, n) => git(hub, "commit-tree", `${hostile.tip()}^{tree}`, "-m", `${n}`).trim());
    const commit = hostile.commit("octopus", { parents: [hostile.tip(), ...parents] });
    await act(code, undefined, "sync");
    const started = vi.spyOn(childProcess, "spawn");
    expect((await act(code, undefined, "undo", { commit, dryRun: true })).did).toEqual(["brought 1 unknown file"]);
    expect(started.mock.calls.length).toBeLessThan(10);
    started.mockRestore();
  });
});
