/** What is handed out: a package that runs by itself, and says where it runs from. */
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { builtFile, distribution } from "../../rig/built.ts";
import { homeWith } from "../../rig/home.ts";
import { relay } from "../../rig/processes.ts";
import { cleanEnv, scratch } from "../../rig/scratch.ts";

test("the packed package works where no clone and no other package is, and says where it runs from", () => {
  const folder = scratch();
  distribution();
  // Packing runs no script of the package, so that no other test's build is disturbed.
  const packed = execFileSync("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", folder], {
    encoding: "utf8",
    env: cleanEnv({ HOME: folder }),
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [{ filename, files }] = JSON.parse(packed) as [{ filename: string; files: { path: string }[] }];
  const names = files.map(({ path: name }) => name);
  expect(names).toEqual(
    expect.arrayContaining([
      "dist/relay.cjs",
      "dist/command.pack",
      ".claude-plugin/marketplace.json",
      "gemini-extension.json",
      "templates/claude-plugin/.claude-plugin/plugin.json",
      "templates/claude-plugin/.mcp.json",
    ]),
  );
  expect(names.filter((name) => name.startsWith("dist/compiled/"))).toEqual([]);
  execFileSync("tar", ["-xzf", path.join(folder, filename), "-C", folder]);
  const at = path.join(folder, "package");
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [path.join(at, "dist/relay.cjs"), ...args], {
      cwd: folder,
      encoding: "utf8",
      env: cleanEnv({ HOME: folder }),
    });
  expect(run("--version")).toMatchObject({ status: 0, stdout: expect.stringMatching(new RegExp(`^\\d+\\.\\d+\\.\\d+ \\(${at}\\)\n$`)) });
  expect(run("init", "web")).toMatchObject({ status: 0, stderr: "" });
  expect(run("send", "web", "Hello", "Text.", "--part", "main")).toMatchObject({ status: 0 });
  expect(run("inbox", "--part", "web").stdout).toContain("Hello");
  const ask = `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } } })}\n`;
  const server = spawnSync(process.execPath, [path.join(at, "dist/relay.cjs"), "mcp"], {
    cwd: folder,
    encoding: "utf8",
    input: ask,
    env: cleanEnv({ HOME: folder }),
  });
  expect(server.stdout).toContain('"serverInfo"');
});

test("--version of a clone says that it is one: the command is gone with it", async () => {
  const { stdout } = await relay(scratch(), ["--version"]);
  expect(stdout).toContain(path.resolve("."));
  expect(stdout.includes("a clone")).toBe(fs.existsSync(".git"));
});

test("plugin and extension are of the package's version", () => {
  const { version } = JSON.parse(fs.readFileSync("package.json", "utf8"));
  const [plugin] = JSON.parse(fs.readFileSync(".claude-plugin/marketplace.json", "utf8")).plugins;
  expect(JSON.parse(fs.readFileSync(path.join(plugin.source, ".claude-plugin/plugin.json"), "utf8"))).toMatchObject({
    name: plugin.name,
    version,
  });
  const extension = JSON.parse(fs.readFileSync("gemini-extension.json", "utf8"));
  expect(extension.version).toBe(version);
  expect(fs.existsSync(extension.contextFileName)).toBe(true);
});

test("a program that uses the library keeps its signals, and how it ends, to itself", async () => {
  const folder = await homeWith("web");
  // Adding to a memory takes a lock.
  const script = `
    const { createWorld, operations, perform } = await import(${JSON.stringify(builtFile("index.js"))});
    const before = { emit: process.emit, reallyExit: process.reallyExit };
    const world = createWorld({ home: ${JSON.stringify(path.join(folder, ".relay"))}, part: "web" });
    const operation = Object.values(operations).find(({ command }) => command === "memory append");
    await perform(world, operation, { content: "x" });
    const { constants } = await import("node:os");
    const heard = Object.keys(constants.signals).filter((signal) => process.listenerCount(signal) > 0);
    console.log(JSON.stringify({ heard, same: process.emit === before.emit && process.reallyExit === before.reallyExit }));
  `;
  const program = spawnSync(process.execPath, ["--input-type=module", "-e", script], { cwd: folder, encoding: "utf8", env: cleanEnv() });
  expect(program.stderr).toBe("");
  expect(JSON.parse(program.stdout)).toEqual({ heard: [], same: true });
});
