/** Before all tests: what they copy. What they start is built when one first asks for it, in `built.ts`. */
import { execFileSync } from "node:child_process";
import { appendFileSync, cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { commitAll, EMPTY_REPOSITORY, GIT_CONFIG, USUAL_REPOSITORY } from "./scratch.ts";

export function setup(): void {
  mkdirSync(path.dirname(GIT_CONFIG), { recursive: true });
  writeFileSync(GIT_CONFIG, "[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n[core]\n\tfsync = none\n");
  makeRepository(EMPTY_REPOSITORY);
  rmSync(USUAL_REPOSITORY, { recursive: true, force: true });
  cpSync(EMPTY_REPOSITORY, USUAL_REPOSITORY, { recursive: true });
  writeFileSync(path.join(USUAL_REPOSITORY, "README.md"), "# code\n");
  commitAll(USUAL_REPOSITORY);
  rmSync(path.resolve("dist-test/shops"), { recursive: true, force: true });
}

/** Makes a code repository without a commit, in which git does nothing by itself. */
function makeRepository(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  const env = { PATH: process.env["PATH"], GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  execFileSync("git", ["init", "--quiet", "--initial-branch=main", "--template=", folder], { env });
  mkdirSync(path.join(folder, ".git/hooks"));
  appendFileSync(path.join(folder, ".git/config"), "[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n[commit]\n\tgpgsign = false\n");
}
