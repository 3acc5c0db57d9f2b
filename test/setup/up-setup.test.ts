/** `relay up --setup`: from a repository in which nothing is, to an agent that runs as a part, in one command. */
import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Ran, relay } from "../rig/processes.ts";
import { repository, scratch } from "../rig/scratch.ts";
import { endTerminals, hasTmux, Terminal } from "../rig/terminal.ts";

afterEach(endTerminals);

describe.skipIf(!hasTmux)("up --setup", () => {
  let code: string;
  let env: Record<string, string>;
  beforeEach(() => {
    code = repository();
    const bin = scratch();
    // A program by the name of an agent that only stays.
    fs.writeFileSync(path.join(bin, "claude"), "#!/bin/sh\nexec sleep 1000\n", { mode: 0o755 });
    env = { RELAY_TMUX_SOCKET: new Terminal().socket, PATH: `${bin}:${process.env["PATH"]}`, HOME: scratch() };
  });
  afterEach(() => relay(code, ["pager", "stop"], { env }));
  const up = (cwd: string, part: string, ...flags: string[]): Promise<Ran> =>
    relay(cwd, ["up", "--json", "--part", part, ...flags, "--", "claude"], { env });

  test("makes the home, the part, its worktree, the entries and a pager, and starts the agent; again it makes nothing", async () => {
    const own = `${code}-web`;
    const { json: first, stderr } = await up(code, "web", "--setup", "--allow", "--worktree");
    // Node warns there of listeners without end.
    expect(stderr).toBe("");
    expect(first.parts).toMatchObject([{ part: "web", started: true }]);
    expect(first.prepared).toMatchObject({ pager: true });
    expect(first.prepared.files).toContain(path.join(own, ".mcp.json"));
    expect(fs.readFileSync(path.join(own, ".claude/settings.local.json"), "utf8")).toContain("mcp__relay");
    expect((await relay(own, ["whoami", "--json"], { env })).json).toMatchObject({ part: "web" });
    expect((await relay(code, ["pager", "status", "--json"], { env })).json.running).toBe(true);

    const again = (await up(code, "web", "--setup", "--allow", "--worktree")).json;
    expect(again.parts).toMatchObject([{ part: "web", started: false }]);
    expect(again.prepared).toMatchObject({ home: null, files: [], pager: false });

    const second = (await up(code, "api", "--setup")).json;
    expect(second.parts).toMatchObject([{ part: "api", started: true }]);
    expect(second.prepared).toMatchObject({ home: null, pager: false });
    expect(fs.readFileSync(path.join(code, ".claude/settings.local.json"), "utf8")).not.toContain("mcp__relay");
  });

  test("makes no worktree another part, knows only agents, and allows nothing by itself", async () => {
    await up(code, "web", "--setup");
    const other = await up(code, "api", "--setup");
    expect(other.code).toBe(2);
    expect(other.json.problem).toBe("This worktree is web, so what runs in it is web and not api.");
    expect((await relay(code, ["whoami", "--json"], { env })).json).toMatchObject({ part: "web" });
    const outside = scratch();
    expect((await up(outside, "web", "--setup", "--worktree")).code).toBe(4);
    expect(fs.readdirSync(outside)).toEqual([]);
    const shell = await relay(code, ["up", "--json", "--setup", "--part", "web", "--", "sh"], { env });
    expect(shell.json.help).toBe("Example: `relay up --setup --part web -- claude`.");
    expect((await up(code, "web", "--allow")).json.problem).toBe("--allow needs --setup.");
  });
});
