/**
 * Builds what runs: the command and the server bundled in one piece, compiled and kept for this version of Node, and the
 * library with its types.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire, isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { build } from "esbuild";

const require = createRequire(import.meta.url);
const { version } = require("./package.json");

const common = {
  outdir: "dist",
  bundle: true,
  minify: true,
  platform: "node",
  target: "node20.19",
  loader: { ".md": "text", ".yml": "text", ".service": "text" },
  define: { RELAY_VERSION: JSON.stringify(version) },
  // The packages' entries for Node are CommonJS, which takes longer to start, or cannot be bundled; these are the same as modules.
  alias: {
    yaml: path.resolve("node_modules/yaml/browser/index.js"),
    "jsonc-parser": path.resolve("node_modules/jsonc-parser/lib/esm/main.js"),
  },
  plugins: [{ name: "leave out", setup: leaveOut }],
  legalComments: "linked",
  logLevel: "warning",
};
// The command is CommonJS, and ASCII: `cli/relay.ts` starts it from compiled code.
const command = {
  ...common,
  format: "cjs",
  outExtension: { ".js": ".cjs" },
  charset: "ascii",
  plugins: [...common.plugins, { name: "node's own", setup: nodesOwn }],
};
// For whoever follows what runs (`bench/journeys.mjs`): the command alone, as it is written.
const readable = process.argv.indexOf("--readable");
if (readable !== -1) {
  const plugins = [...command.plugins, { name: "coverage in parts", setup: coverInParts }];
  const outfile = process.argv[readable + 1];
  await build({ ...command, plugins, outdir: undefined, outfile, outExtension: undefined, minify: false, entryPoints: ["cli/main.ts"] });
  process.exit();
}
rmSync("dist", { recursive: true, force: true });
await build({ ...command, entryPoints: { relay: "cli/relay.ts", command: "cli/main.ts" } });
for (const name of ["relay", "command"]) toAscii(`dist/${name}.cjs`);
await build({
  ...common,
  entryPoints: { index: "protocol/index.ts" },
  splitting: true,
  format: "esm",
  charset: "utf8",
  chunkNames: "chunks/[hash]",
  // Bundled CommonJS packages ask for node's own modules with `require`.
  banner: { js: 'import{createRequire as __cr}from"node:module";const require=__cr(import.meta.url);' },
});
chmodSync("dist/relay.cjs", 0o755);
warmUp();
if (!process.argv.includes("--fast")) {
  execFileSync(
    process.execPath,
    [require.resolve("typescript/package.json").replace("package.json", "bin/tsc"), "-p", "tsconfig.build.json"],
    { stdio: "inherit" },
  );
  writeFileSync(
    "dist/types/text.d.ts",
    'declare module "*.md" { const text: string; export default text; }\ndeclare module "*.yml" { const text: string; export default text; }\ndeclare module "*.service" { const text: string; export default text; }\n',
  );
}

/** esbuild leaves patterns as they are written; there, and in comments, an escape means the same. */
function toAscii(file) {
  const source = readFileSync(file, "utf8");
  const escaped = (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  writeFileSync(file, source.replace(/[^\0-\x7f]/g, escaped));
}

/**
 * What packages load and Relay never uses: gray-matter's YAML parser (`protocol/objects/format/frontmatter.ts` gives it another),
 * and Node's module for child processes in commander, for commands that are programs of their own. And signal-exit, by which
 * proper-lockfile removes its locks: it would take every signal of the process, and of a program that uses the library, and end it
 * once nobody else listens. A lock that is left is taken from its holder, who is gone (`protocol/store/lock.ts`).
 */
function leaveOut({ onResolve, onLoad }) {
  onResolve({ filter: /^js-yaml$/ }, () => ({ path: "js-yaml", namespace: "left-out" }));
  onResolve({ filter: /^signal-exit$/ }, () => ({ path: "signal-exit", namespace: "deaf" }));
  onLoad({ filter: /./, namespace: "deaf" }, () => ({ contents: "module.exports = () => () => {};" }));
  onResolve({ filter: /^node:child_process$/ }, ({ importer }) =>
    importer.includes("commander") ? { path: "child_process", namespace: "left-out" } : undefined,
  );
  onLoad({ filter: /./, namespace: "left-out" }, ({ path: name }) => ({
    contents: `exports.safeLoad = exports.safeDump = exports.spawn = () => { throw new Error("${name} is left out"); };`,
  }));
}

/**
 * Node's own modules, each taken once. esbuild would copy all that such a module exports, for every file that imports it,
 * and a tenth of the start would go into that.
 */
function nodesOwn({ onResolve, onLoad }) {
  onResolve({ filter: /./ }, ({ path: name, kind }) =>
    kind === "import-statement" && isBuiltin(name) ? { path: name, namespace: "node", sideEffects: false } : undefined,
  );
  onLoad({ filter: /./, namespace: "node" }, ({ path: name }) => {
    const exported = Object.keys(require(name)).filter((key) => /^[A-Za-z_]\w*$/.test(key) && key !== "default");
    const lines = exported.map((key) => `const own_${key} = /* @__PURE__ */ get("${key}"); export { own_${key} as ${key} };`);
    return {
      contents: `const own = require("${name}"); const get = (key) => own[key]; export default own; ${lines.join("\n")}`,
    };
  });
}

/**
 * Writes V8's coverage, and begins another one, when the program has loaded and at each SIGUSR2: so what runs for one act is told
 * from what ran before it. Without `NODE_V8_COVERAGE` it does nothing.
 */
function coverInParts({ onLoad }) {
  const take = `const v8 = process.getBuiltinModule("node:v8"); v8.takeCoverage(); process.on("SIGUSR2", () => v8.takeCoverage());`;
  onLoad({ filter: /\/cli\/main\.ts$/ }, ({ path: name }) => ({ contents: `${take}\n${readFileSync(name, "utf8")}`, loader: "ts" }));
}

/** Lets a command and a server run once in a home of their own, so that what they compile is there from the first start on. */
function warmUp() {
  const home = mkdtempSync(path.join(tmpdir(), "relay-build-"));
  const relay = (input, ...args) => {
    const env = { ...process.env, RELAY_HOME: home, RELAY_PART: "web" };
    execFileSync(process.execPath, [path.resolve("dist/relay.cjs"), ...args], { cwd: home, input, env });
  };
  relay("", "init", "web");
  rmSync("dist/compiled", { recursive: true });
  relay("", "inbox", "--json");
  const ask = (id, method, params) => `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;
  const greeting = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "build", version } };
  relay(ask(1, "initialize", greeting) + ask(2, "tools/list", {}) + ask(3, "tools/call", { name: "inbox", arguments: {} }), "mcp");
  rmSync(home, { recursive: true });
}
