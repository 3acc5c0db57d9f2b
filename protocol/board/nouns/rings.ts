/** Tasks that wait for themselves. spec/check.md, "Findings". */

import type { TaskRow } from "./task.ts";
import { isFinished } from "./task.ts";

/** A task that the search has met. */
interface Met {
  id: string;
  /** Its number in the order in which tasks are met. */
  order: number;
  /** The lowest number of a task of its own group that it is known to reach. */
  lowest: number;
  /** Whether its group may still grow. */
  isOpen: boolean;
  /** What it waits for and the search has yet to follow. */
  ahead: string[];
}

/**
 * Finds the tasks of rings: those that wait, over any number of others that are not done, for themselves. Its time grows with the number
 * of tasks and of what they wait for: Tarjan's strongly connected components, without recursion.
 * @returns their ids
 */
export function tasksInRings(tasks: readonly Pick<TaskRow, "id" | "status" | "dependsOn">[]): Set<string> {
  const waits = new Map(tasks.flatMap(({ id, status, dependsOn }) => (isFinished(status) ? [] : [[id, dependsOn] as const])));
  const met = new Map<string, Met>();
  const found = new Set<string>();
  const open: Met[] = [];
  const path: Met[] = [];
  const enter = (id: string, dependsOn: readonly string[]): void => {
    const one = { id, order: met.size, lowest: met.size, isOpen: true, ahead: dependsOn.filter((each) => waits.has(each)) };
    met.set(id, one);
    open.push(one);
    path.push(one);
  };
  /** A group is whole once nothing of it reaches a task that was met before its first. */
  const leave = (one: Met): void => {
    path.pop();
    const before = path.at(-1);
    if (before !== undefined) before.lowest = Math.min(before.lowest, one.lowest);
    if (one.lowest < one.order) return;
    const group = open.splice(open.lastIndexOf(one));
    const isRing = group.length > 1 || waits.get(one.id)?.includes(one.id) === true;
    for (const each of group) {
      each.isOpen = false;
      if (isRing) found.add(each.id);
    }
  };
  for (const [first, dependsOn] of waits) {
    if (!met.has(first)) enter(first, dependsOn);
    for (let one = path.at(-1); one !== undefined; one = path.at(-1)) {
      const next = one.ahead.pop();
      if (next === undefined) {
        leave(one);
        continue;
      }
      const known = met.get(next);
      if (known === undefined) enter(next, waits.get(next) as readonly string[]);
      else if (known.isOpen) one.lowest = Math.min(one.lowest, known.order);
    }
  }
  return found;
}
