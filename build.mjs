/**
 * Builds what runs: the command and the server bundled in one piece with splitting, so that a command loads only what it
 * uses, and the library with its types.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { build } from "esbuild";

const require = createRequire(import.meta.url);
const { version } = require("./package.json");

rmSync("dist", { recursive: true, force: true });
await build({
  entryPoints: { relay: "cli/relay.ts", index: "protocol/index.ts" },
  outdir: "dist",
  bundle: true,
  splitting: true,
  minify: true,
  format: "esm",
  platform: "node",
  target: "node20.19",
  charset: "utf8",
  chunkNames: "chunks/[hash]",
  loader: { ".md": "text", ".yml": "text" },
  define: { RELAY_VERSION: JSON.stringify(version) },
  // Bundled CommonJS packages ask for node's own modules with `require`.
  banner: { js: 'import{createRequire as __cr}from"node:module";const require=__cr(import.meta.url);' },
  // The package's entry for Node is CommonJS, which takes longer to start; this is the same as modules.
  alias: { yaml: path.resolve("node_modules/yaml/browser/index.js") },
  plugins: [{ name: "without js-yaml", setup: withoutJsYaml }],
  legalComments: "linked",
  logLevel: "warning",
});
chmodSync("dist/relay.js", 0o755);
if (!process.argv.includes("--fast")) {
  execFileSync(
    process.execPath,
    [require.resolve("typescript/package.json").replace("package.json", "bin/tsc"), "-p", "tsconfig.build.json"],
    { stdio: "inherit" },
  );
  writeFileSync(
    "dist/types/text.d.ts",
    'declare module "*.md" { const text: string; export default text; }\ndeclare module "*.yml" { const text: string; export default text; }\n',
  );
}

/** gray-matter loads a YAML parser that Relay never uses: `protocol/objects/frontmatter.ts` gives it another. */
function withoutJsYaml({ onResolve, onLoad }) {
  onResolve({ filter: /^js-yaml$/ }, () => ({ path: "js-yaml", namespace: "left-out" }));
  onLoad({ filter: /^js-yaml$/, namespace: "left-out" }, () => ({
    contents: 'exports.safeLoad = exports.safeDump = () => { throw new Error("js-yaml is left out"); };',
  }));
}
