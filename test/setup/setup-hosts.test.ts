/** Every host: its files are written beside what is the user's, checked, and have their bytes again. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { type HostFile, skillsOf } from "../../protocol/agents/hosts/host.ts";
import { HOSTS } from "../../protocol/agents/hosts/index.ts";
import { operations, perform } from "../../protocol/index.ts";
import { turnedOff } from "../../protocol/setup/nouns/agent-entries.ts";
import { worldAt } from "../rig/home.ts";
import { put, repository, scratch, tree } from "../rig/scratch.ts";

/** What a user may have in a file of a host, by its format. @param under the key of its servers */
const theirs = (under = ""): Record<HostFile["format"], string> => ({
  json: `{\r\n\t${JSON.stringify(under)}: {"other": {"command": "x"}},\r\n\t"version": 1, "hooks": {"stop": []}, "x": [1,\n2]}`,
  jsonc: `// mine\n{\n  ${JSON.stringify(under)}: {"other": {"command": "x"}}, // kept\n  "version": 1,\n}\n`,
  toml: '# mine\nmodel = "x" # kept\n\n[mcp_servers.other]\ncommand = "x"',
});

test.each(HOSTS)("$title: set up beside what is the user's, checked, set up again, and taken out to the byte", async (host) => {
  const [code, user] = [repository(), scratch()];
  put(path.join(user, "bin/relay"), "#!/bin/sh\n");
  fs.chmodSync(path.join(user, "bin/relay"), 0o755);
  const world = worldAt(code, { env: { HOME: user, PATH: `${user}/bin:/usr/bin:/bin` } });
  await perform(world, operations.init, { parts: ["web"] });
  await perform(world, operations.part_here, { part: "web" });
  const { server, hooks, instructions, name: agent, allowance, trust } = host;
  const given = [server, ...(hooks === undefined || hooks.shape === "module" ? [] : [hooks])];
  const own = [...given].reverse().map(({ base, path: name, format }) => {
    const file = path.join(base === "worktree" ? code : path.join(user, host.folder), name);
    return [file, theirs(server.under[0])[format]] as const;
  });
  own.push([path.join(code, instructions.reads[0] as string), "# Rules\r\n\r\nBe kind."]);
  for (const [file, text] of own) put(file, text);
  const files = () => ({ ...tree(code, /^\.(git|relay)(\/|$)|\.relay-backup$/), ...tree(user, /\.relay-backup$/) });
  const before = files();
  const setup = (more: object = {}) => perform(world, operations.setup, { agent, yes: true, ...more });
  const changed = async (more?: object) => (await setup(more)).files.flatMap(({ change, path: at }) => (change === "same" ? [] : [at]));

  if (host.channel === undefined) await expect(setup({ channel: true })).rejects.toMatchObject({ code: "usage" });
  const planned = await changed({ dryRun: true });
  expect(planned).toEqual(expect.arrayContaining(own.map(([file]) => file)));
  expect(files()).toEqual(before);
  expect(await changed()).toEqual(planned);
  expect(await changed()).toEqual([]);
  const isAsked = allowance.by === "entry" || allowance.by === "rule";
  expect((await setup()).notes.join("\n").includes(`relay setup ${agent} --allow`)).toBe(isAsked);
  const written = files();
  const allowed = (await setup({ allow: true })).files.filter(({ change }) => change !== "same");
  expect(allowed).toHaveLength(isAsked ? 1 : 0);
  expect(Object.keys(files())).toEqual(Object.keys(written));
  if (isAsked) expect(allowed[0]?.diff).toMatch(/^\+.*(mcp__relay|default_tools_approval_mode = "approve"|"trust": true|"autoApprove")/m);
  // It stays when it is set up once more.
  expect(await changed()).toEqual([]);
  if (isAsked) expect((await setup()).notes.join("\n")).toContain("without asking");
  const { checks = [] } = await setup({ check: true });
  const said = Object.fromEntries(checks.map(({ what, state }) => [what, state]));
  const allowedState = { entry: "ok", rule: "ok", default: "ok", words: "unknown", person: undefined }[allowance.by];
  expect(said).toMatchObject({ program: "ok", server: "ok", part: "ok" });
  expect([said["hooks"], said["tools allowed"]]).toEqual([hooks === undefined ? undefined : "ok", allowedState]);
  expect(checks.flatMap(({ state, what }) => (state === "wrong" ? [what] : []))).toEqual(
    trust?.hooks === undefined ? [] : ["hooks trusted"],
  );
  // What another version wrote, or somebody changed, is named with what to type; so is what their own settings turn off.
  fs.appendFileSync(path.join(code, skillsOf(host), "relay/SKILL.md"), "x");
  expect((await setup({ check: true })).checks).toContainEqual(
    expect.objectContaining({ what: "as written", state: "wrong", remedy: `relay setup ${agent}` }),
  );
  await setup();
  for (const [keys, value] of server.format === "toml" ? [] : (host.off ?? []))
    expect(turnedOff(host, server, JSON.stringify(keys.reduceRight((at, key) => ({ [key]: at }), value)))).toHaveLength(1);

  await setup({ remove: true });
  expect(files()).toEqual(before);
  expect(fs.existsSync(path.join(code, skillsOf(host)))).toBe(false);
  // What a file held is kept once.
  for (const [file, text] of own) {
    expect(fs.readFileSync(`${file}.relay-backup`, "utf8")).toBe(text);
    expect(fs.existsSync(`${file}.2.relay-backup`)).toBe(false);
  }
});

test("all agents are taken out together, to the byte, also of the files that they share; a first run names each file once", async () => {
  const [code, user] = [repository(), scratch()];
  put(path.join(user, "bin/relay"), "#!/bin/sh\n");
  fs.chmodSync(path.join(user, "bin/relay"), 0o755);
  const world = worldAt(code, { env: { HOME: user, PATH: `${user}/bin:/usr/bin:/bin` } });
  put(path.join(code, "AGENTS.md"), "# Rules\n");
  const files = () => ({ ...tree(code, /^\.(git|relay)(\/|$)|\.relay-backup$/), ...tree(user, /\.relay-backup$/) });
  const before = files();
  for (const { name: agent } of HOSTS) await perform(world, operations.setup, { agent, yes: true });
  const remove = async (more = {}) =>
    (await perform(world, operations.setup, { remove: true, ...more })).files.map(({ path: at }) => at).sort();
  const planned = await remove({ dryRun: true });
  expect(planned).toEqual([...new Set(planned)]);
  expect(planned).toContain(path.join(code, "AGENTS.md"));
  expect(await remove()).toEqual(planned);
  expect(files()).toEqual(before);
});
