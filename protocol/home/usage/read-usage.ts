/** Reads the calls of all clones, each once. spec/usage.md, "Lines". */
import { joinUsage, readUsage, type UsageLine } from "../../objects/usage/usage-line.ts";
import { names } from "../../store/read/list-folder.ts";
import { readLines } from "../../store/read/read-lines.ts";
import type { World } from "../../world.ts";

/** The calls of a home, and the lines that nobody can read. */
export interface UsageRead {
  lines: ReadonlyMap<string, UsageLine>;
  broken: { path: string; line: number; problem: string }[];
}

/** So many lines that cannot be read are named. */
const NAMED = 20;

/**
 * Reads the calls whose month may have some of a span.
 * @param since the first month, `yyyy-mm`; empty for all
 */
export function readCalls(world: World, since: string): UsageRead {
  const { store } = world.home();
  const lines = new Map<string, UsageLine>();
  const broken: UsageRead["broken"] = [];
  for (const month of names(store, "usage").sort()) {
    if (!/^\d{4}-\d\d$/.test(month) || month < since) continue;
    for (const name of names(store, `usage/${month}`).sort()) {
      if (!/^[0-9a-z]{8}\.jsonl$/.test(name)) continue;
      const path = `usage/${month}/${name}`;
      let row = 0;
      for (let from = 0; ; ) {
        const { lines: texts, next } = readLines(store, path, from);
        if (next === from) break;
        from = next;
        for (const text of texts) {
          row += 1;
          if (text === "") continue;
          const line = readUsage(text);
          if (typeof line === "string") {
            if (broken.length < NAMED) broken.push({ path, line: row, problem: line });
            continue;
          }
          const known = lines.get(line.id);
          lines.set(line.id, known === undefined ? line : joinUsage(known, line));
        }
      }
    }
  }
  return { lines, broken };
}
