/** Before all tests: build what the tests start as real processes. */
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";

/** Where the bundled workers lie. */
export const WORKERS = path.resolve("dist-test");

export async function setup(): Promise<void> {
  execFileSync(process.execPath, ["build.mjs", "--fast"], { stdio: "inherit" });
  await build({
    entryPoints: readdirSync("test/workers").map((name) => path.join("test/workers", name)),
    outdir: WORKERS,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    outExtension: { ".js": ".mjs" },
    loader: { ".md": "text", ".yml": "text", ".service": "text" },
    define: { RELAY_VERSION: JSON.stringify("of the tests") },
    banner: { js: 'import{createRequire as __cr}from"node:module";const require=__cr(import.meta.url);' },
    logLevel: "warning",
  });
}
