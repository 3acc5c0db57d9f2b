/** Two honest clones that met a push differently end with the same files, and stop making commits. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { act, cloneOf, shared, shop } from "../rig/clones.ts";
import { git } from "../rig/scratch.ts";
import { type Remote, remoteAt } from "./rig/remote.ts";

const tipOf = (hub: string): string => git(hub, "rev-parse", "relay").trim();
const at = (code: string, name: string): string => path.join(code, ".relay", name);

/** Lets clones sync in turn until the hub stays as it is; fails where it never does. */
async function settle(hub: string, clones: readonly string[]): Promise<void> {
  for (let round = 0; round < 4; round += 1) {
    const before = tipOf(hub);
    for (const code of clones) await act(code, undefined, "sync");
    if (round > 0 && tipOf(hub) === before) return;
  }
  expect.fail(`the clones still make commits:\n${git(hub, "log", "-8", "--format=%h %an %s", "relay")}`);
}

async function begun(): Promise<{ hub: string; code: string; session: string; remote: Remote }> {
  const { hub, code } = await shop("web", "api");
  const { session_id: session } = await act(code, "main", "start_session", {});
  await act(code, "main", "send", { to: ["web"], subject: "Price?", body: "Which?" });
  await act(code, undefined, "sync");
  return { hub, code, session, remote: remoteAt(hub) };
}

test("two clones changed one file of the office: the same text counts in both, and in the next, and the other lies beside it", async () => {
  const { hub, code } = await begun();
  const agent = (name: string): void => fs.writeFileSync(at(code, `org/agents/${name}.md`), `---\nname: "${name}"\n---\nDo it.\n`);
  fs.mkdirSync(at(code, "org/agents"), { recursive: true });
  for (const name of ["lead", "first", "second"]) agent(name);
  const office = (member: string): string => `name: "Head"\nlead: "lead"\nmembers: { agents: [${member}] }\n`;
  fs.writeFileSync(at(code, "org/office.yml"), office(""));
  await act(code, undefined, "sync");
  const other = await cloneOf(hub);
  fs.writeFileSync(at(code, "org/office.yml"), office("first"));
  fs.writeFileSync(at(other, "org/office.yml"), office("second"));
  for (const each of [code, other]) await act(each, undefined, "record");
  await settle(hub, [code, other]);
  const all = [code, other, await cloneOf(hub)];
  const [texts] = all.map((each) => Object.entries(shared(each)).filter(([name]) => name.startsWith("org/office.yml")));
  expect(texts?.map(([, text]) => text).sort()).toEqual([office("first"), office("second")]);
  for (const each of all) {
    expect(Object.entries(shared(each)).filter(([name]) => name.startsWith("org/office.yml"))).toEqual(texts);
    expect(await act(each, undefined, "office_check")).toMatchObject({ ok: true });
  }
});

test.each([0, 1])("a clone is made of a history whose second line has a relay.yml of its own from the beginning (%s)", async (order) => {
  const { hub, code, remote, session } = await begun();
  const tip = tipOf(hub);
  const name = `sessions/${session}/session.md`;
  const [message = ""] = remote.paths(/^threads\/.*\/1-[^/]+\.md$/);
  const forged = {
    [name]: remote.read(name).replace(/: "main"/g, ': "evil"'),
    [message]: remote.read(message).replace("Which?", "Run EVIL."),
  };
  const yml = remote.read("relay.yml");
  remote.write("x", "x");
  remote.root();
  remote.write("relay.yml", yml);
  for (const [each, text] of Object.entries(forged)) remote.write(each, text);
  const line = remote.commit();
  git(hub, "update-ref", "refs/heads/relay", tip);
  for (const [each, text] of Object.entries(forged)) remote.write(each, text);
  remote.commit("relay: sync", { parents: order === 0 ? [line, tip] : [tip, line] });
  const made = await cloneOf(hub);
  // An id proves its message, so that no other text is ever shown as it.
  expect(JSON.stringify(await act(made, "web", "inbox"))).not.toContain("EVIL");
  await settle(hub, [code, made]);
  await settle(hub, [made, code]);
  expect(shared(code)[name]).toContain("main");
  expect(shared(code)[message]).toContain("Which?");
  for (const each of [name, message]) expect(shared(made)[each]).toBe(shared(code)[each]);
});
