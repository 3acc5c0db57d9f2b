/**
 * Builds what runs: the command and the server bundled in one piece with splitting, so that a command loads only what it
 * uses, and the library with its types.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
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
