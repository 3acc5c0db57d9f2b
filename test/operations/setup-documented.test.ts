/** Hosts that Relay knows by their documentation: their files are written, checked, and have their bytes again. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { operations, perform } from "../../protocol/index.ts";
import { skillsOf } from "../../protocol/objects/host/host.ts";
import { HOSTS, type HostName } from "../../protocol/objects/host/index.ts";
import { entriesAt } from "../../protocol/objects/setup/json-text.ts";
import { worldAt } from "../rig/home.ts";
import { repository, scratch } from "../rig/scratch.ts";

const DOCUMENTED = HOSTS.filter(({ tested, screen }) => tested === null && screen === undefined);

test("seven hosts are known by their documentation", () => {
  expect(DOCUMENTED.map(({ name }) => name)).toEqual(["cursor", "vscode", "windsurf", "kiro", "zed", "amp", "cline"]);
});

test.each(DOCUMENTED)("$title: set up beside what is the user's, checked, set up again, and taken out to the byte", async (host) => {
  const [code, user] = [repository(), scratch()];
  fs.writeFileSync(path.join(user, "relay"), "#!/bin/sh\n", { mode: 0o755 });
  const world = worldAt(code, { env: { HOME: user, PATH: `${user}:/usr/bin:/bin` } });
  await perform(world, operations.init, { parts: ["web"] });
  await perform(world, operations.part_here, { part: "web" });
  const { server, hooks, instructions, name, allowance } = host;
  const inFolder = (base: string, file: string): string => path.join(base === "worktree" ? code : path.join(user, host.folder), file);
  const theirs: Record<string, string> = {
    [inFolder(server.base, server.path)]:
      `{\n  // mine\n  ${JSON.stringify(server.under[0])}: {"other": {"command": "x", "args": []}},\n}\n`,
    ...(hooks === undefined ? {} : { [inFolder(hooks.base, hooks.path)]: '{"version": 1, "hooks": {"stop": [{"command": "echo"}]}}' }),
    [path.join(code, instructions.reads[0] as string)]: "# Rules",
  };
  for (const [file, text] of Object.entries(theirs)) {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text);
  }
  const setup = (more: Record<string, boolean> = {}) => perform(world, operations.setup, { agent: name as HostName, yes: true, ...more });
  const changes = async (more?: Record<string, boolean>) => (await setup(more)).files.filter(({ change }) => change !== "same").length;

  expect(await changes({ allow: true })).toBe(Object.keys(theirs).length + 1);
  expect(await changes()).toBe(0);
  const text = fs.readFileSync(inFolder(server.base, server.path), "utf8");
  expect(entriesAt(text, server.under, { comments: true })).toEqual([
    { key: "other", value: { command: "x", args: [] } },
    { key: "relay", value: expect.objectContaining({ command: "relay", args: ["mcp", "--tools", "room"], ...server.also }) },
  ]);
  const { checks = [] } = await setup({ check: true });
  expect(checks.filter(({ state }) => state === "wrong")).toEqual([]);
  const said = Object.fromEntries(checks.map(({ what, state }) => [what, state]));
  expect(said).toMatchObject({ server: "ok", part: "ok", "tools allowed": allowance.by === "entry" ? "ok" : "unknown" });
  expect(said["hooks"]).toBe(hooks === undefined ? undefined : "ok");

  await setup({ remove: true });
  for (const [file, before] of Object.entries(theirs)) expect(fs.readFileSync(file, "utf8"), file).toBe(before);
  expect(fs.existsSync(path.join(code, skillsOf(host)))).toBe(false);
});
