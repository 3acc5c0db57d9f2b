/** The differences between two trees of a home's repository. */

import { NONE } from "./git-list.ts";
import { zeroFields } from "./git-path.ts";

/** What `--raw -z` printed. */
export function parseRaw(out: Buffer): Change[] {
  const fields = zeroFields(out);
  const changes: Change[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [oldMode = "", mode = "", before = "", after = ""] = (fields[at] as string).slice(1).split(" ");
    changes.push({ path: fields[at + 1] as string, before: idOrNull(before), after: idOrNull(after), mode, oldMode });
  }
  return changes;
}

/** A path that differs between two trees; null where one has none. Modes are git's, such as `100644`; of nothing, zeros. */
export interface Change {
  path: string;
  before: string | null;
  after: string | null;
  /** What it is afterwards. */
  mode: string;
  /** What it was, where somebody asked git. */
  oldMode?: string;
}

/** The id of an object as git lists it; null for the id of none. */
export const idOrNull = (id: string): string | null => (NONE.test(id) ? null : id);
