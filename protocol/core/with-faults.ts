/** What an operation answers of files that it skipped. */
import type { FileFault } from "./refusal.ts";

/** Leaves out an empty list of faults, and one that was met twice, so that answers stay short. */
export function withFaults<T extends object>(answer: T, problems: FileFault[]): T & { problems?: FileFault[] } {
  if (problems.length === 0) return answer;
  return { ...answer, problems: [...new Map(problems.map((each) => [`${each.path}:${each.line} ${each.problem}`, each])).values()] };
}
