/** The order of the test files: what takes long begins first, so that none is left alone at the end. */
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Those that go round and round, or hurt processes; then those that wait for terminals, pagers and git. */
const LONG = [/^test\/(torture|hostile)\//, /^test\/(pager|setup|sync|cli)\//];

/** Vitest's own order, by time or by size, behind the long ones. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rankOf = ({ moduleId }: TestSpecification): number => {
      const rank = LONG.findIndex((folders) => folders.test(moduleId.slice(this.ctx.config.root.length + 1)));
      return rank === -1 ? LONG.length : rank;
    };
    return sorted.sort((one, other) => rankOf(one) - rankOf(other));
  }
}
