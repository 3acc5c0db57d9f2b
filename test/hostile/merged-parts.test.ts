/** A push that makes several parts one: undone, each is a part again, with its own mail and its own worktree. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { wakeMethodOf } from "../../protocol/wake/files/who-rings.ts";
import { type Answer, act, cloneOf, shared, shop } from "../rig/clones.ts";
import { worldAt } from "../rig/home.ts";
import { git, put } from "../rig/scratch.ts";
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
  const text = evil.read("relay.yml").replace(/^main: .*\n/m, main);
  evil.write("relay.yml", text.replace(/^parts:\n(?: .*\n)*/m, parts));
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

test.each([
  ["one that was there", "api", ["api: { formerly: [web] }"]],
  ["one that came just before", "boss", ["web: {}, boss: {}", "boss: { formerly: [web] }"]],
  ["a new one of two", "zed", ["zed: { formerly: [web, api] }"]],
  ["one that was taken out before", "api", ["web: {}", "api: { formerly: [web] }"]],
  ["one by another name alone", "store", ["api: {}, shop: { formerly: [web] }", "api: {}, store: { formerly: [web, shop] }"]],
])("drafts, worktree and command of a part that a push makes %s go on only under a name that is new", async (_, now, versions) => {
  const isNew = now === "store";
  const { hub, code } = await shop("web", "api");
  await act(code, undefined, "part_here", { part: "web" });
  await act(code, undefined, "part_deliver", { part: "web", deliver: "exec", argv: ["true"] });
  await act(code, "api", "send", { to: ["web"], subject: "One", body: "1" });
  await act(code, undefined, "sync");
  const evil = remoteAt(hub);
  for (const parts of versions) {
    evil.write("relay.yml", evil.read("relay.yml").replace(/^parts:.*\n(?: .*\n)*/m, `parts: { main: {}, ${parts} }\n`));
    for (const at of evil.paths(/^inbox\/web\/new\/m-/)) evil.move(at, at.replace("/web/", `/${now}/`));
    evil.commit();
  }
  const { arrived } = await act(code, undefined, "sync");
  if (isNew) expect(arrived.did).toEqual([expect.stringMatching(/^commit [0-9a-f]{8} renamed part web to store$/)]);
  const draft = path.join(code, ".relay/outbox/web/x.md");
  put(draft, "---\nto: [main]\nsubject: Hello\n---\nhi\n");
  await act(code, "main", "status");
  expect([fs.existsSync(`${draft}.refused`), (await act(code, "main", "inbox")).unread]).toEqual(isNew ? [false, 1] : [true, 0]);
  expect((await act(code, undefined, "whoami")).part).toBe(isNew ? now : null);
  const said = await act(code, "web", "inbox").catch(({ message }: Answer) => message);
  expect(said.warning ?? said).toContain(isNew ? '"web" is called "store"' : `relay part here ${now}`);
  expect(wakeMethodOf(worldAt(code), now).exec).toEqual(isNew ? { argv: ["true"] } : undefined);
});

test.each([
  ["another part", "api\nparts: { main: {}, api: {}, web: {} }", { part: "main", main: false }],
  ["the same part by a new name", "lead\nparts: { lead: { formerly: [main] }, api: {}, web: {} }", { part: "lead", main: true }],
  ["another part with its name", "api\nparts: { api: { formerly: [main] }, web: {} }", { part: null }],
])("the main worktree stays the part that it was where a push makes main %s", async (_, main, now) => {
  const { hub, code } = await shop("web", "api");
  await act(code, undefined, "sync");
  const evil = remoteAt(hub);
  evil.write("relay.yml", `${evil.read("relay.yml").replace(/^(?:main:.*|parts:.*\n(?: .*\n)*)/gm, "")}main: ${main}\n`);
  evil.commit();
  await act(code, undefined, "sync");
  expect(await act(code, undefined, "whoami")).toMatchObject(now);
  await act(code, undefined, "part_set_main", { part: "api" });
  expect((await act(code, undefined, "whoami")).part).toBe("api");
});
