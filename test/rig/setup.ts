/** Before all tests: build what the tests start as real processes, and make the repository that they copy; what they copy else they make themselves. */
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
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
  writeFileSync(path.join(WORKERS, "gitconfig"), "[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n[core]\n\tfsync = none\n");
  makeRepository(path.join(WORKERS, "repository"));
  rmSync(path.join(WORKERS, "shops"), { recursive: true, force: true });
}

/** A code repository without a commit, in which git does nothing by itself. */
function makeRepository(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  const env = { PATH: process.env["PATH"], GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  execFileSync("git", ["init", "--quiet", "--initial-branch=main", folder], { env });
  // Of the examples of hooks nobody makes use.
  rmSync(path.join(folder, ".git/hooks"), { recursive: true, force: true });
  mkdirSync(path.join(folder, ".git/hooks"));
  appendFileSync(path.join(folder, ".git/config"), "[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n[commit]\n\tgpgsign = false\n");
}
