/** What a sync tells that a merge decided against: Relay's own lines, and nothing that a person wrote. spec/git.md, "Merge". */
import { expect, test } from "vitest";
import { newlyGaveWay } from "../../protocol/sync/nouns/merge.ts";

const TASK = "sessions/s-1/tasks/task-1kg9p6je0a.md";
const THREAD = "threads/2026-01-31/t-20260131-k3f9x2ab/thread.md";
const told = (path: string, text: string): string[] => newlyGaveWay(path, "# a\n", `# a\n${text}\n`);

test("prose is no loss, wherever it is written", () => {
  const prose = ["The old API gave way to v2", "- 2026-01-31 relay: the old API gave way", "- status gave way"];
  for (const line of prose) {
    for (const path of ["memory/project.md", "memory/agents/web.md", TASK, THREAD, "sessions/s-1/summary.md"])
      expect(told(path, line), `${path}: ${line}`).toEqual([]);
    expect(told("memory/project.md", `## History\n${line}`)).toEqual([]);
  }
  expect(told(TASK, "## History\n\n- 2026-01-31T10:00:00.000Z web: the old API gave way to v2")).toEqual([]);
  expect(told(TASK, "## Notes (kept 0123abcd)")).toEqual([]);
});

test("Relay's own lines in a history, and the heading of a kept memory section, are reported", () => {
  expect(told(TASK, '## History\n\n- 2026-01-31T10:00:00.000Z relay: title "a" gave way to "b"')).toEqual([
    `${TASK}: title "a" gave way to "b"`,
  ]);
  expect(told(THREAD, 'Notes.\n\n## History\n\n- status "holding" gave way')).toEqual([`${THREAD}: status "holding" gave way`]);
  expect(told("memory/project.md", "## k (kept 0123abcd)")).toEqual(["memory/project.md: k (kept 0123abcd)"]);
});
