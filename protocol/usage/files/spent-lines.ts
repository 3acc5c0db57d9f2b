/** What this clone collected, once more for budgets: no sync touches these lines. spec/usage.md, "Budgets". */
import { quietly } from "../../core/format/file-error.ts";
import { dayOf } from "../../core/format/id.ts";
import type { World } from "../../core/world.ts";
import { facts } from "../../store/read/facts.ts";
import { names } from "../../store/read/list-folder.ts";
import { appendLine } from "../../store/write/append-line.ts";
import { removeFile } from "../../store/write/move-file.ts";

/** Where they lie, a file for each month. */
export const SPENT = "local/usage/spent";
/** A budget is of a day or a session: older calls count for none. */
const DAYS_KEPT = 62;

const DAY_MS = 86_400_000;

/** The months that the day of an instant may lie in, whatever the zone, `yyyy-mm`. @param ms since the epoch */
export const monthsAround = (ms: number): Set<string> => new Set([ms - DAY_MS, ms, ms + DAY_MS].map((each) => dayOf(each).slice(0, 7)));

/**
 * Keeps lines of a month for budgets.
 * @param texts lines, without their ends
 * @param month `yyyy-mm`
 * @returns whether they are the first of the month: then what is of earlier ones may go
 */
export function keepSpent(world: World, month: string, texts: readonly string[]): boolean {
  const { store } = world.home();
  const oldest = dayOf(world.now() - DAYS_KEPT * DAY_MS).slice(0, 7);
  if (month < oldest || texts.length === 0) return false;
  const path = `${SPENT}/${month}.jsonl`;
  const isNew = facts(store, path) === null;
  // The disk has them before the clone's own lines: a call that is in those alone counts for no budget, and looks as if a push had brought it.
  appendLine(store, path, texts.join("\n"), true);
  if (isNew)
    quietly(() => names(store, SPENT).forEach((name) => void (name.slice(0, 7) < oldest && removeFile(store, `${SPENT}/${name}`))));
  return isNew;
}
