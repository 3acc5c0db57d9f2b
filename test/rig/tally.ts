/** Counts a run for `.ci/run`: with `RELAY_TALLY` a line of JSON is added to that file, with each red test; the slowest files are printed. */
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
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const count = (state: string): number => tests.filter((each) => each.result().state === state).length;
    const lineOf = (name: string, errors: readonly unknown[] = []): string =>
      `${name}: ${String((errors[0] as Error | undefined)?.message ?? errors[0]).split("\n", 1)[0]}`;
    // A file that could not be loaded has no tests, and a fault outside of all tests belongs to none.
    const reds = [
      ...tests.flatMap((each) => {
        const result = each.result();
        return result.state === "failed" ? [lineOf(`${each.module.relativeModuleId} > ${each.fullName}`, result.errors)] : [];
      }),
      ...modules.flatMap((module) => (module.errors().length > 0 ? [lineOf(module.relativeModuleId, module.errors())] : [])),
      ...unhandled.map((each) => lineOf("outside of all tests", [each])),
    ];
    const counts = { passed: count("passed"), failed: reds.length, skipped: count("skipped") };
    appendFileSync(file, `${JSON.stringify({ ...counts, reds, seconds: (performance.now() - this.#began) / 1000 })}\n`);
    const slowest = modules.map((module) => [module.diagnostic().duration, module.relativeModuleId] as const).sort(([a], [b]) => b - a);
    console.log("Slowest files, in seconds:");
    for (const [ms, name] of slowest.slice(0, SLOWEST)) console.log(`${(ms / 1000).toFixed(1).padStart(7)}  ${name}`);
  }
}
