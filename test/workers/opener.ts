/** Opens files until the system gives it no more, then tries to start a program and git; prints what both said, as JSON. */
import fs from "node:fs";
import { gitIn } from "../../protocol/git/git-run.ts";
import { runProgram } from "../../protocol/store/run.ts";

const run = (): Promise<unknown> => runProgram(["true"], { cwd: "/", env: process.env, timeoutMs: 10_000 });
// What is needed to start one is loaded while that can be.
await run();
const opened: number[] = [];
try {
  for (;;) opened.push(fs.openSync("/dev/null", "r"));
} catch {
  // There are no more.
}
const told = [
  await run().catch((error: Error) => `rejected: ${error.message}`),
  await gitIn("/", ["version"], {}).catch((error: Error & { code?: string }) => error.code ?? error.message),
];
for (const each of opened) fs.closeSync(each);
process.stdout.write(JSON.stringify(told));
