/** A push that makes several parts one: undone, each is a part again, with its own mail and its own worktree. */
import path from "node:path";
import { expect, test } from "vitest";
import { type Answer, act, cloneOf, shared, shop } from "../rig/clones.ts";
import { git } from "../rig/scratch.ts";
import { remoteAt } from "./rig/remote.ts";

const subjects = async (folder: string, part: string): Promise<string[]> =>
  (await act(folder, part, "inbox")).messages.map(({ subject }: Answer) => subject).sort();
const partsOf = async (folder: string): Promise<string[]> =>
  (await act(folder, undefined, "part_list")).parts.map(({ part }: Answer) => part).sort();

test.each([
  ["a new part", "main: zed\n", "parts:\n  zed: { formerly: [ web, api, main, human ] }\n"],
  ["a part that was there", "main: api\n", "parts:\n  api: { formerly: [ web, main ] }\n"],
])("undo gives back all parts that a push made %s", async (_what, main, parts) => {
  const { hub, code } = await shop("web", "api");
  const send = (from: string, to: string[], subject: string): Promise<Answer> => act(code, from, "send", { to, subject, body: "b" });
  await send("main", ["web"], "for web");
  await send("main", ["api"], "for api");
  await send("web", ["main"], "for main");
  const both = await send("main", ["web", "api"], "for both");
  await act(code, "web", "ack", { messageIds: [both.messageId] });
  git(code, "worktree", "add", "--quiet", "-b", "api", path.join(path.dirname(code), "api"));
  await act(path.join(path.dirname(code), "api"), undefined, "part_here", { part: "api" });
  await act(code, undefined, "sync");
  const evil = remoteAt(hub);
  evil.write(
    "relay.yml",
    evil
      .read("relay.yml")
      .replace(/^main: .*\n/m, main)
      .replace(/^parts:\n(?: .*\n)*/m, parts),
  );
  const commit = evil.commit();
  const met = await cloneOf(hub);
  for (const folder of [code, met]) {
    await act(folder, undefined, "sync");
    await act(folder, main.slice(6).trim(), "inbox");
    await act(folder, undefined, "sync");
  }
  expect(await partsOf(code)).not.toContain("web");

  const { undone } = await act(path.join(path.dirname(code), "api"), undefined, "undo", { commit });
  expect(undone.join("\n")).toMatch(/web[\s\S]*main|main[\s\S]*web/);
  for (const round of ["here", "there", "here again"]) {
    const folder = round === "there" ? met : code;
    await act(folder, undefined, "sync");
    expect(await partsOf(folder), round).toEqual(["api", "human", "main", "web"]);
    expect(await subjects(folder, "web"), round).toEqual(["for web"]);
    expect(await subjects(folder, "api"), round).toEqual(["for api", "for both"]);
    expect(await subjects(folder, "main"), round).toEqual(["for main"]);
  }
  expect((await act(path.join(path.dirname(code), "api"), undefined, "whoami")).part).toBe("api");
  expect((await act(code, undefined, "config_show")).text).toMatch(/^main: main$/m);
  expect(await act(code, undefined, "undo", { commit })).toMatchObject({ undone: [] });
  await act(code, undefined, "sync");
  await act(met, undefined, "sync");
  expect(shared(met)).toEqual(shared(code));
});
