/** A message that must go: out of each clone by a person there, and out of the branch by one that is made without it. */
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { type MessageLocation, parseMessageId } from "../../protocol/core/format/id.ts";
import { messagePath } from "../../protocol/mail/nouns/message.ts";
import { archivePath } from "../../protocol/removal/nouns/archive.ts";
import { forgottenPath, formatForgotten } from "../../protocol/removal/nouns/forget-request.ts";
import { remoteAt } from "../hostile/rig/remote.ts";
import { act, cloneOf, shared, shop } from "../rig/clones.ts";
import { relay } from "../rig/processes.ts";
import { git, tree } from "../rig/scratch.ts";

const SECRET = "hunter2-is-the-password";
const at = (code: string, file: string): string => path.join(code, ".relay", file);
const pathOf = (id: string): string => messagePath(parseMessageId(id) as NonNullable<ReturnType<typeof parseMessageId>>);
const atTip = (hub: string): string => {
  try {
    return git(hub, "grep", "-l", SECRET, "relay");
  } catch {
    return "";
  }
};

async function leaked(): Promise<{ hub: string; code: string; other: string; id: string; thread: string }> {
  const { hub, code } = await shop("web", "api");
  const sent = await act(code, "web", "send", { to: ["api"], subject: "Login", body: `It is ${SECRET}.` });
  await act(code, "web", "reply", { threadId: sent.threadId, body: "Done?", to: ["api"] });
  await act(code, "api", "ack", { messageIds: [sent.messageId] });
  await act(code, undefined, "sync");
  const other = await cloneOf(hub);
  return { hub, code, other, id: sent.messageId, thread: sent.threadId };
}

describe("forget", () => {
  it("is gone here at once, and elsewhere when a person there says so; the branch has it until it is made again", async () => {
    const { hub, code, other, id, thread } = await leaked();
    await act(code, "api", "search", { query: SECRET });
    expect(await act(code, "web", "forget", { messageId: id, reason: "a password" })).toMatchObject({ messageId: id, state: "forgotten" });
    expect(Object.values(shared(code)).join()).not.toContain(SECRET);
    expect((await act(code, "api", "search", { query: SECRET })).hits).toEqual([]);
    await act(code, undefined, "sync");
    const { arrived } = await act(other, undefined, "sync");
    expect(arrived.did).toEqual([
      expect.stringMatching(new RegExp(`asked to forget ${id} as web \\(a person answers: relay forget ${id}, or with --refuse\\)$`)),
    ]);
    const shown = await act(other, "api", "show", { threadId: thread });
    expect(shown.messages).toHaveLength(2);
    expect(shown.forgotten).toMatchObject([{ id, by: "web", reason: "a password", open: true }]);
    expect((await relay(other, ["show", thread])).stdout).toContain("asked to be forgotten by web");
    const open = { code: "open_request", path: forgottenPath(id), problem: expect.stringContaining(`relay forget ${id}`) };
    expect((await act(other, undefined, "doctor")).findings).toMatchObject([{ ...open, severity: "warning" }]);
    expect(await act(other, undefined, "check")).toMatchObject({ ok: true, warnings: [open] });
    expect((await act(other, undefined, "status")).forgotten).toMatchObject([{ id }]);
    expect(await act(other, undefined, "forget", { messageId: id })).toMatchObject({ state: "forgotten" });
    await act(other, "api", "send", { to: ["web"], subject: "Later", body: "x" });
    for (const clone of [other, code, other]) {
      await act(clone, undefined, "sync");
      expect(Object.values(shared(clone)).join()).not.toContain(SECRET);
      expect(await act(clone, undefined, "doctor")).toMatchObject({ ok: true });
    }
    expect(shared(code)).toEqual(shared(other));
    expect(atTip(hub)).not.toBe("");
    const { branch } = await act(code, undefined, "forget", { messageId: id, rewrite: true });
    git(at(code, ""), "push", "--quiet", "--force", hub, `${branch}:relay`);
    for (const clone of [code, other]) await act(clone, undefined, "sync", { accept: "theirs" });
    expect(atTip(hub)).toBe("");
    expect(Object.values(shared(await cloneOf(hub))).join()).not.toContain(SECRET);
  });

  it("is not sent again by a retry, and its text is in no key", async () => {
    const { code } = await shop("web", "api");
    const call = { to: ["api"], subject: "Login", body: `It is ${SECRET}.`, idempotency_key: "once" };
    const { messageId: id } = await act(code, "web", "send", call);
    await act(code, "web", "forget", { messageId: id });
    await expect(act(code, "web", "send", call)).rejects.toMatchObject({ code: "unknown_message" });
    const texts = Object.values(tree(at(code, "local")));
    expect(texts.join()).not.toContain(SECRET);
    expect((await act(code, "api", "inbox")).messages).toEqual([]);
  });

  it("comes back where a person refuses; who took it out elsewhere stays without it", async () => {
    const { code, other, id, thread } = await leaked();
    await act(code, "web", "forget", { messageId: id });
    await act(code, undefined, "sync");
    await act(other, undefined, "sync");
    await act(other, undefined, "forget", { messageId: id });
    await act(other, undefined, "sync");
    expect(await act(other, "api", "forget", { messageId: id, refuse: true })).toMatchObject({ state: "refused" });
    expect(fs.existsSync(at(other, pathOf(id)))).toBe(true);
    await act(other, undefined, "sync");
    const [did = ""] = (await act(code, undefined, "sync")).arrived.did;
    expect(did).toMatch(new RegExp(`^commit \\w+ refused to forget ${id} as api$`));
    expect((await act(code, "web", "inbox")).notices).toMatchObject([{ lines: [did] }]);
    await act(other, undefined, "sync");
    expect([other, code].map((clone) => fs.existsSync(at(clone, pathOf(id))))).toEqual([true, false]);
    await act(code, "api", "inbox");
    await act(code, "api", "ack", { threadId: thread });
    await act(code, "web", "close", { threadId: thread });
    await expect(act(code, "web", "archive", { threadIds: [thread] })).rejects.toMatchObject({ code: "not_archivable" });
    for (const clone of [other, code]) expect(await act(clone, undefined, "doctor")).toMatchObject({ ok: true });
    const undo = { commit: did.split(" ")[1] };
    expect((await act(other, undefined, "undo", undo)).undone).toEqual([`made the request to forget ${id} stand again on this machine`]);
    expect((await act(other, undefined, "status")).forgotten).toMatchObject([{ id }]);
    expect((await act(other, undefined, "undo", undo)).undone).toEqual([]);
  });

  it("leaves every other file in that branch, whatever a push laid at the message's path", async () => {
    const { hub, code, id } = await leaked();
    const kept = await act(code, "api", "send", { to: ["web"], subject: "Kept", body: `See ${id}.` });
    await act(code, "web", "ack", { messageIds: [kept.messageId] });
    await act(code, undefined, "sync");
    const hostile = remoteAt(hub);
    const own = hostile.read(pathOf(id));
    const before = hostile.paths(/./);
    for (const other of ["relay.yml", pathOf(kept.messageId)]) {
      for (const place of [
        pathOf(id),
        `inbox/api/read/${parseMessageId(id)?.day}/${id}.md`,
        archivePath(parseMessageId(id) as MessageLocation),
      ])
        hostile.write(place, hostile.read(other));
      hostile.commit();
    }
    // The message's own bytes elsewhere: at a path of their own, and over somebody's mail.
    hostile.write("threads/copy.md", own);
    hostile.write(`${pathOf(kept.messageId)}.kept-0123456789ab`, own);
    hostile.write(pathOf(kept.messageId), own);
    hostile.write("relay.yml", own);
    hostile.commit();
    await act(code, undefined, "sync");
    const { branch } = await act(code, undefined, "forget", { messageId: id, reason: "secret", rewrite: true });
    const home = at(code, "");
    const files = (ref: string): string[] => git(home, "ls-tree", "-r", "--name-only", ref).trim().split("\n");
    expect(before.filter((each) => !each.includes(id) && each !== pathOf(id) && !files(branch).includes(each))).toEqual([]);
    for (const each of ["relay.yml", pathOf(kept.messageId)])
      expect(git(home, "rev-parse", `${branch}:${each}`)).toBe(git(home, "rev-parse", `relay:${each}`));
    expect(git(home, "log", "-S", SECRET, "--format=%H", branch).trim()).toBe("");
    for (const commit of git(home, "rev-list", branch).trim().split("\n").slice(0, -1)) expect(files(commit)).toContain("relay.yml");
  });

  it("stays where a push asks for it and deletes it, also without a request; undo takes the request back", async () => {
    const { hub, code } = await shop("web", "api");
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1) ids.push((await act(code, "web", "send", { to: ["api"], subject: `m${n}`, body: "x" })).messageId);
    await act(code, undefined, "sync");
    const hostile = remoteAt(hub);
    const asked = ids.slice(0, 2).sort();
    for (const id of asked) hostile.write(forgottenPath(id), formatForgotten({ id, by: "human", at: "2026-01-31T09:30:00.000Z" }));
    for (const id of ids) hostile.remove(pathOf(id), `inbox/api/new/${id}.md`);
    const commit = hostile.commit();
    expect(await act(code, undefined, "sync")).toMatchObject({ broughtBack: [{ deleted: 6 }] });
    expect((await act(code, "api", "inbox")).messages).toHaveLength(3);
    expect((await act(await cloneOf(hub), "api", "inbox")).messages).toHaveLength(3);
    const { undone } = await act(code, undefined, "undo", { commit });
    expect(undone.toSorted()).toEqual(asked.map((id) => `refused to forget ${id}`));
    expect(await act(code, undefined, "doctor")).toMatchObject({ ok: true });
    await expect(act(code, undefined, "forget", { messageId: "m-20260131-zzzzzzzz-1-1kg9p6je0abcde" })).rejects.toMatchObject({
      code: "unknown_message",
    });
  });
});
