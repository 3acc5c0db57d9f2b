/** Counts a run for `.ci/run`: with `RELAY_TALLY` a line of JSON is added to that file, and the slowest files are printed. */
import { appendFileSync } from "node:fs";
import type { Reporter, TestModule } from "vitest/node";

/** Number of files that are printed. */
const SLOWEST = 10;

/** A reporter beside vitest's own. */
export class Tally implements Reporter {
  readonly #began = performance.now();

  /** Adds the counts of the run to the tally. @param modules the files that ran */
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const file = process.env["RELAY_TALLY"];
    if (file === undefined) return;
    const states = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.result().state));
    const count = (state: string): number => states.filter((each) => each === state).length;
    // A file that could not be loaded has no tests, and a fault outside of all tests belongs to none.
    const broken = modules.filter((module) => module.errors().length > 0).length + unhandled.length;
    const counts = { passed: count("passed"), failed: count("failed") + broken, skipped: count("skipped") };
    appendFileSync(file, `${JSON.stringify({ ...counts, seconds: (performance.now() - this.#began) / 1000 })}\n`);
    const slowest = modules.map((module) => [module.diagnostic().duration, module.relativeModuleId] as const).sort(([a], [b]) => b - a);
    console.log("Slowest files, in seconds:");
    for (const [ms, name] of slowest.slice(0, SLOWEST)) console.log(`${(ms / 1000).toFixed(1).padStart(7)}  ${name}`);
  }
}
