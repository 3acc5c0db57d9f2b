/** Homes that are files of the code: what git does with them, and what Relay says of it. */
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { act } from "../clones.ts";
import { git, repository } from "../rig.ts";

/** A repository whose home, with the parts `web` and `api`, is committed. */
async function inTree(): Promise<string> {
  const code = repository();
  await act(code, undefined, "init", { parts: ["web", "api"], inTree: true });
  commit(code, "home");
  return code;
}

const home = (code: string, ...names: string[]): string => path.join(code, ".relay", ...names);

function commit(code: string, message: string): void {
  git(code, "add", "--all");
  git(code, "commit", "--quiet", "--message", message);
}

function cloneOf(code: string): string {
  const clone = path.join(path.dirname(code), "clone");
  git(path.dirname(code), "clone", "--quiet", code, clone);
  return clone;
}

describe("a pull", () => {
  test("acked on one side, written on the other: the new mail is unread", async () => {
    const one = await inTree();
    const { messageId } = await act(one, "web", "send", { to: ["api"], subject: "s", body: "b" });
    commit(one, "sent");
    const two = cloneOf(one);
    await act(two, "api", "ack", { messageId });
    commit(two, "acked");
    const again = await act(one, "web", "send", { to: ["api"], subject: "again", body: "b" });
    commit(one, "sent again");
    git(two, "pull", "--quiet", "--no-rebase", "--no-edit");
    expect((await act(two, "api", "inbox")).messages.map((message: { messageId: string }) => message.messageId)).toEqual([again.messageId]);
    expect(await act(two, undefined, "check")).toMatchObject({ findings: [] });
    expect(await act(two, undefined, "doctor")).toMatchObject({ findings: [] });
  });

  test("the file that keeps new/ there is made with each inbox, and counts nowhere", async () => {
    const code = await inTree();
    await act(code, undefined, "part_add", { part: "docs" });
    await act(code, undefined, "send", { agent_id: "guest-1", to: ["web"], subject: "s", body: "b" });
    await act(code, undefined, "part_rename", { from: "docs", to: "guide/text" });
    for (const part of ["main", "web", "api", "human", "guide/text", "guest-1"])
      expect(fs.readFileSync(home(code, "inbox", part, "new/.gitkeep"), "utf8"), part).toBe("");
    expect(fs.existsSync(home(code, "inbox/docs"))).toBe(false);
    expect(await act(code, "web", "inbox")).toMatchObject({ unread: 1 });
    expect(await act(code, "api", "inbox")).toMatchObject({ unread: 0, messages: [] });
    expect(await act(code, undefined, "part_remove", { part: "api" })).toEqual({ part: "api", unread: 0 });
    // What is left of a removed part is no mail, so another may have its name.
    expect(await act(code, undefined, "part_rename", { from: "guide/text", to: "api" })).toMatchObject({ part: "api" });
    expect(await act(code, undefined, "check")).toMatchObject({ findings: [] });
  });

  test("a home made before has it by `doctor --fix`; one with its own repository needs none", async () => {
    const code = await inTree();
    for (const part of ["main", "web", "api", "human"]) fs.rmSync(home(code, "inbox", part, "new/.gitkeep"));
    const { ok, findings } = await act(code, undefined, "doctor");
    expect([ok, findings.length, findings[0].code, findings[0].fixable]).toEqual([false, 4, "no_gitkeep", true]);
    expect(await act(code, undefined, "doctor", { fix: true })).toMatchObject({ ok: true, findings: [] });
    expect(git(code, "status", "--porcelain")).toBe("");
    const own = repository();
    await act(own, undefined, "init", { parts: ["web"] });
    expect(fs.readdirSync(home(own, "inbox/web/new"))).toEqual([]);
    expect(await act(own, undefined, "doctor")).toMatchObject({ findings: [] });
  });
});
