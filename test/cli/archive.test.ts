/** Archives: a move that every clone follows by proof, and that nobody can use to take something away. */
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { parseThreadId, type ThreadLocation } from "../../protocol/core/format/id.ts";
import { threadPath } from "../../protocol/mail/nouns/thread.ts";
import { archivePath, parseArchive } from "../../protocol/removal/nouns/archive.ts";
import { sha256 } from "../../protocol/store/digest.ts";
import { type Answer, act, cloneOf, commits, shared, shop } from "../rig/clones.ts";
import { relay } from "../rig/processes.ts";
import { git, put, tree } from "../rig/scratch.ts";

const home = (code: string, ...names: string[]): string => path.join(code, ".relay", ...names);

/** A shop with one closed thread that everybody read, and one that is open; another clone has all of it. */
async function closedShop(): Promise<{ hub: string; code: string; other: string; thread: string; open: string; ids: string[] }> {
  const { hub, code } = await shop("web", "api");
  const sent = await act(code, "web", "send", { to: ["api"], subject: "Prices", body: "Which\n\n## threads/x\n---\n" });
  const reply = await act(code, "api", "reply", { threadId: sent.threadId, body: "All of them.", to: ["web"] });
  await act(code, "api", "ack", { messageIds: [sent.messageId] });
  await act(code, "web", "ack", { messageIds: [reply.messageId] });
  await act(code, "web", "close", { threadId: sent.threadId });
  const open = await act(code, "web", "send", { to: ["api"], subject: "Open", body: "x" });
  await act(code, undefined, "sync");
  return { hub, code, other: await cloneOf(hub), thread: sent.threadId, open: open.threadId, ids: [sent.messageId, reply.messageId] };
}

/** Files of a commit that have a text. */
function grep(repository: string, text: string, commit: string): string[] {
  try {
    return [git(repository, "grep", "--files-with-matches", text, commit)];
  } catch {
    return [];
  }
}

const files = (code: string, thread: string): string[] => Object.keys(shared(code)).filter((at) => at.includes(thread.slice(2)));

describe("archive", () => {
  it("moves a thread, for every clone, and brings it back byte for byte", async () => {
    const { hub, code, other, thread, ids } = await closedShop();
    const before = shared(code);
    const answer = await act(code, "web", "archive", { threadIds: [thread] });
    const at = `archive/${thread.slice(2, 6)}-${thread.slice(6, 8)}/${thread}.md`;
    expect(answer).toMatchObject({ archived: [{ threadId: thread, path: at }], left: [] });
    expect(files(code, thread)).toEqual([at]);
    // What said how often its file changed goes with it, here and where the archive arrives.
    expect(fs.existsSync(home(code, "local/revisions/threads"))).toBe(false);
    const revisions = home(other, "local/revisions", threadPath(parseThreadId(thread) as ThreadLocation));
    put(path.join(revisions, "1"), `next-over ${"0".repeat(24)}`);
    await act(code, undefined, "sync");
    const arrived = await act(other, undefined, "sync");
    expect(arrived.broughtBack).toEqual([]);
    expect(shared(other)).toEqual(shared(code));
    expect(fs.existsSync(home(other, "local/revisions/threads"))).toBe(false);
    const late = await cloneOf(hub);
    expect(files(late, thread)).toEqual([at]);
    for (const clone of [code, other, late]) {
      const shown = await act(clone, "api", "show", { threadId: thread });
      expect(shown.messages.map((each: Answer) => [each.messageId, each.receipts[0].state])).toEqual([
        [ids[0], "replied"],
        [ids[1], "acked"],
      ]);
      expect(shown.thread).toMatchObject({ id: thread, status: "closed", archived: true });
      expect(await act(clone, undefined, "doctor")).toMatchObject({ ok: true });
      expect(await act(clone, undefined, "check")).toMatchObject({ ok: true, warnings: [] });
      expect((await act(clone, undefined, "threads", { status: "archived" })).threads).toMatchObject([{ id: thread, messages: 2 }]);
      await expect(act(clone, "api", "reply", { threadId: thread, body: "x" })).rejects.toMatchObject({ code: "archived_thread" });
    }
    expect((await act(code, undefined, "log", { threadId: thread })).entries.length).toBeGreaterThan(1);
    expect((await act(code, "api", "search", { query: "All of them" })).hits).toHaveLength(1);
    expect((await relay(code, ["show", thread])).stdout).toContain("All of them.");
    expect(await act(other, "web", "archive", { threadIds: [thread], undo: true })).toMatchObject({ back: [thread] });
    const back = shared(other);
    delete back[at];
    expect(back).toEqual(before);
    for (const clone of [other, code, late]) await act(clone, undefined, "sync");
    expect(shared(code)).toEqual(shared(other));
    expect(shared(late)).toEqual(shared(other));
  });

  it("is refused where a message has another text than its name says: bringing it back would lose the file", async () => {
    const { code, thread, ids } = await closedShop();
    const at = files(code, thread)
      .find((file) => file.endsWith("/thread.md"))
      ?.replace("thread.md", "9-1m81h8aaaaaaaaaaaaaaaaaaa.md") as string;
    fs.writeFileSync(path.join(code, ".relay", at), "---\nfrom: human\n---\nRun this.\n");
    await expect(act(code, "web", "archive", { threadIds: [thread] })).rejects.toMatchObject({
      code: "not_archivable",
      data: { path: at },
    });
    expect(files(code, thread)).toContain(at);
    expect(ids).toHaveLength(2);
  });

  it("is refused for a thread that is open, or that a part did not read", async () => {
    const { code, open } = await closedShop();
    await expect(act(code, "web", "archive", { threadIds: [open] })).rejects.toMatchObject({
      code: "thread_unread",
      data: { parts: ["api"] },
    });
    await act(code, "api", "inbox");
    await act(code, "api", "ack", { threadId: open });
    await expect(act(code, "web", "archive", { threadIds: [open] })).rejects.toMatchObject({ code: "thread_not_closed" });
    expect((await act(code, "web", "archive", { before: "2999-01-01" })).archived).toHaveLength(1);
  });

  it("makes the same bytes in two clones at once", async () => {
    const { code, other, thread } = await closedShop();
    await Promise.all([code, other].map((clone) => act(clone, "web", "archive", { threadIds: [thread] })));
    for (const clone of [code, other, code]) await act(clone, undefined, "sync");
    expect(shared(other)).toEqual(shared(code));
    expect(files(code, thread)).toHaveLength(1);
  });

  it("comes back where another clone opened the thread meanwhile, with what was said there", async () => {
    const { code, other, thread } = await closedShop();
    await act(code, "web", "archive", { threadIds: [thread] });
    await act(code, undefined, "sync");
    await act(other, "web", "reopen", { threadId: thread });
    await act(other, "web", "reply", { threadId: thread, body: "One more." });
    for (const clone of [other, code, other]) await act(clone, undefined, "sync");
    expect(shared(other)).toEqual(shared(code));
    for (const clone of [code, other]) {
      const shown = await act(clone, "api", "show", { threadId: thread });
      expect(shown.messages.map(({ body }: Answer) => body)).toContain("One more.");
      expect(shown.messages).toHaveLength(3);
    }
    await act(code, "api", "inbox");
    await act(code, "api", "ack", { threadId: thread });
    await act(code, "web", "close", { threadId: thread });
    await act(code, undefined, "sync");
    await act(other, undefined, "sync");
    expect((await act(code, "web", "archive", { threadIds: [thread] })).archived[0].path).toMatch(/\.2\.md$/);
    await act(code, undefined, "sync");
    expect((await act(other, undefined, "sync")).broughtBack).toEqual([]);
    expect((await act(other, "api", "show", { threadId: thread })).messages).toHaveLength(3);
    expect(git(home(code), "status", "--porcelain").trim()).toBe("");
    expect(fs.existsSync(home(other, "threads", `${thread.slice(2, 6)}-${thread.slice(6, 8)}-${thread.slice(8, 10)}`, thread))).toBe(false);
  });

  it("is finished by the next look, wherever its process was killed, and undone where the thread was opened since", async () => {
    const { code, thread } = await closedShop();
    const before = path.join(path.dirname(code), "before");
    fs.cpSync(home(code), before, { recursive: true });
    await act(code, "web", "archive", { threadIds: [thread] });
    const [at] = files(code, thread) as [string];
    const gone = Object.keys(tree(before, /^(\.git|run|local|outbox)(\/|$)/)).filter((each) => each.includes(thread.slice(2)));
    const bundle = fs.readFileSync(home(code, at));
    for (const reopened of [false, true])
      for (let removed = 0; removed <= gone.length; removed += 2) {
        for (const each of gone) fs.mkdirSync(path.dirname(home(code, each)), { recursive: true });
        for (const each of gone) fs.rmSync(home(code, each), { force: true });
        for (const each of gone.slice(removed)) fs.copyFileSync(path.join(before, each), home(code, each));
        fs.writeFileSync(home(code, at), bundle);
        const opened = reopened && removed < gone.length;
        const file = home(code, gone.at(-1) as string);
        if (opened) fs.writeFileSync(file, fs.readFileSync(file, "utf8").replace('status: "closed"', 'status: "open"'));
        const intent = home(code, `local/intents/99999-1-00000000-1.aaaaaaaa.archive.${thread}`);
        put(intent, "");
        fs.utimesSync(intent, 0, 0);
        await act(code, undefined, "status");
        expect(files(code, thread).sort(), `${removed} removed`).toEqual(opened ? [at, ...gone].sort() : [at]);
        expect(fs.existsSync(intent)).toBe(false);
      }
  });

  it("keeps no secret: a rewritten branch has none of it, and a clone that becomes that branch sends it nowhere", async () => {
    const { hub, code, other, thread, ids } = await closedShop();
    await act(code, "web", "archive", { threadIds: [thread] });
    await act(code, undefined, "sync");
    await act(other, undefined, "sync");
    const found = (): string => {
      const all = git(hub, "rev-list", "relay").trim().split("\n");
      return all.flatMap((commit) => grep(hub, "All of them.", commit)).join();
    };
    await expect(act(code, "web", "forget", { messageId: ids[1] })).rejects.toMatchObject({ code: "archived_thread" });
    await act(code, "web", "archive", { threadIds: [thread], undo: true });
    await act(code, undefined, "sync");
    const { branch, notes } = await act(code, "web", "forget", { messageId: ids[1], rewrite: true });
    expect(notes.join()).toContain("push --force-with-lease");
    git(home(code), "push", "--quiet", "--force", hub, `${branch}:relay`);
    expect(found()).toBe("");
    // The archive has the thread's other messages still, and is one.
    const at = archivePath(parseThreadId(thread) as ThreadLocation);
    const left = parseArchive(git(hub, "show", `relay:${at}`), parseThreadId(thread) as ThreadLocation, sha256);
    expect([...left.keys()].join()).not.toContain((ids[1] as string).split("-").at(-1));
    expect([...left.keys()].join()).toContain((ids[0] as string).split("-").at(-1));
    for (const clone of [code, other]) {
      await act(clone, undefined, "sync", { accept: "theirs" });
      await act(clone, "web", "send", { to: ["main"], subject: "Later", body: "x" });
      await act(clone, undefined, "sync");
      expect(Object.values(shared(clone)).join()).not.toContain("All of them.");
    }
    expect(found()).toBe("");
    expect(Object.values(tree(home(other, "local/forgotten"), /^$/)).join()).toContain("All of them.");
  });

  it("of a thread that was edited in the same push is followed by a clone that never had the edit", async () => {
    const { code, other, thread } = await closedShop();
    fs.appendFileSync(home(code, threadPath(parseThreadId(thread) as ThreadLocation)), "A note of a person.\n");
    await act(code, undefined, "record");
    await act(code, "main", "archive", { threadIds: [thread] });
    await act(code, undefined, "sync");
    expect(await act(other, undefined, "sync")).toMatchObject({ broughtBack: [] });
    expect(shared(other)).toEqual(shared(code));
    expect(commits(other)).toBe(commits(code));
  });
});
