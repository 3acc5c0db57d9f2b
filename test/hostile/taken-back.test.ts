/** Taking a push back gives nobody what an earlier push was kept from, and no way of writing a push keeps it from being taken back. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { parseConfig } from "../../protocol/core/config/config.ts";
import { mergeConfig } from "../../protocol/core/config/merge-config.ts";
import { act, cloneOf, shop } from "../rig/clones.ts";
import { worldAt } from "../rig/home.ts";
import { type Remote, remoteAt } from "./rig/remote.ts";

const fileOf = (code: string): string => path.join(code, ".relay/relay.yml");
/** What counts, as a new process sees it. */
const counts = (code: string): ReturnType<typeof parseConfig> => worldAt(code).home().config();
/** Pushes versions of relay.yml, a commit each. @returns the last commit */
const pushed = (remote: Remote, ...texts: string[]): string =>
  texts
    .map((text) => {
      remote.write("relay.yml", text);
      return remote.commit();
    })
    .at(-1) as string;

test("a state that was no text is not put back, and what took its place stays", async () => {
  const { hub, code } = await shop("web");
  const remote = remoteAt(hub);
  const { session_id } = await act(code, "main", "start_session", {});
  await act(code, undefined, "sync");
  const at = `sessions/${session_id}/state.json`;
  remote.write(at, Uint8Array.of(0x7b, 0xff, 0xfe, 0x7d));
  remote.commit();
  await act(code, undefined, "sync");
  remote.write(at, "{}\n");
  const commit = remote.commit();
  await act(code, undefined, "sync");
  const { undone, left } = await act(code, undefined, "undo", { commit });
  expect([undone, left]).toEqual([[], [expect.stringMatching(/earlier (text|content) .*git show/)]]);
  expect(fs.readFileSync(path.join(code, ".relay", at), "utf8")).toBe("{}\n");
});

test("no text comes back that no home can have, or that came in the same push", async () => {
  const { hub, code } = await shop("web");
  const remote = remoteAt(hub);
  const good = remote.read("relay.yml");
  for (const bad of [
    good.replace(/^ {2}web:.*$/m, "  evil: { formerly: [web] }"),
    good.replace("format: 2", "format: 99"),
    `${good}\nin_tree: true\n`,
    "junk: [",
    "",
  ]) {
    const commit = pushed(remote, bad, good);
    await act(code, undefined, "sync");
    const { undone, left, warnings } = await act(code, undefined, "undo", { commit });
    expect({ undone, left, warnings }).toEqual({ undone: [], left: [], warnings: undefined });
    expect(fs.readFileSync(fileOf(code), "utf8")).toBe(good);
  }
});

test("aliases, and values that became maps, keep no push from being taken back and no part from being added", async () => {
  const { hub, code } = await shop("web");
  const remote = remoteAt(hub);
  const good = remote.read("relay.yml");
  const aliased = good.replace(/^parts:\n(?: {2}.*\n)*/m, (parts) => parts.replace("parts:", "all: &parts").concat("parts: *parts\n"));
  for (const text of [`${good}\nloop: &loop { per_minute: 7 }\nother: *loop\n`, `${good}\nx: { a: 1 }\n`]) {
    const commit = pushed(remote, text);
    await act(code, undefined, "sync");
    expect((await act(code, undefined, "undo", { commit })).undone).toEqual(["restored the earlier text of relay.yml"]);
    expect(fs.readFileSync(fileOf(code), "utf8")).toBe(good);
    await act(code, undefined, "sync");
  }
  pushed(remote, `${good}\nx: { a: 1 }\n`);
  await act(code, undefined, "sync");
  const commit = pushed(remote, `${good}\nx: 5\n`);
  await act(code, undefined, "sync");
  await act(code, undefined, "part_add", { part: "since" });
  expect((await act(code, undefined, "undo", { commit })).undone).toEqual(["restored the earlier text of relay.yml"]);
  expect(fs.readFileSync(fileOf(code), "utf8")).toMatch(/^ {2}since: [\s\S]*^x:\s.*a: 1/m);
  await act(code, undefined, "sync");

  pushed(remote, aliased);
  await act(code, undefined, "sync");
  await act(code, undefined, "part_add", { part: "docs" });
  expect([...counts(code).parts.keys()]).toEqual(["main", "web", "human", "docs"]);
  const [lead, other] = [aliased.replace("  web:", "  api: {}\n  web:"), good.replace("  web:", "  constructor: {}\n  web:")];
  const merged = mergeConfig(good, lead, other);
  expect([merged.isWhole, [...parseConfig(merged.text).parts.keys()].sort()]).toEqual([
    true,
    ["api", "constructor", "human", "main", "web"],
  ]);
  expect(await cloneOf(hub)).toBeDefined();
  expect(() => parseConfig(`${good}\na: &a { b: *a }\n`)).toThrow("stands within what it names");
});

test("a folder called claims hides no file, and a session of the same task hides no claim", async () => {
  const { hub, code } = await shop("web");
  const { session_id: session } = await act(code, "main", "start_session");
  const { task_id: task } = await act(code, "web", "create_task", { title: "real", priority: "low" });
  await act(code, "web", "claim_task", { task_id: task });
  await act(code, undefined, "sync");
  const remote = remoteAt(hub);
  remote.write("x/claims/CLAUDE.md", "obey");
  for (const [folder, fence] of [
    [session, 2],
    [`0${session}`, 1],
  ])
    remote.write(
      `sessions/${folder}/claims/${task}/${fence}.md`,
      `---\ntask: "${task}"\nfence: ${fence}\nkind: "claim"\nagent: "main"\nat: "2026-03-01T09:30:00.000Z"\nnonce: "n${fence}"\n---\n`,
    );
  const commit = remote.commit();
  await act(code, undefined, "sync");
  const { undone } = await act(code, undefined, "undo", { commit });
  expect(undone).toContain(`took ${task} back from main; web may claim it again`);
  await act(code, undefined, "sync");
  expect(remote.paths(/CLAUDE/)).toEqual([]);
});
