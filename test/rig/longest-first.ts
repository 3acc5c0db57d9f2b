/** The order of the test files: those that go round and round, or hurt processes, begin first, so that none is left alone at the end. */
import { BaseSequencer, type TestSpecification } from "vitest/node";

const LONG = /^test\/(torture|hostile)\//;

/** Vitest's own order, by time or by size, behind the long ones. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification): boolean => LONG.test(moduleId.slice(this.ctx.config.root.length + 1));
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
