/** Puts what was built where it stays. */
import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import path from "node:path";

/** What others begin with comes last: it names the files beside it. */
const LAST = ["index.js", "command.pack", "relay.cjs"];

/** Moves each file of a folder to its place in another, and removes what the other had besides. Two may do so at once. */
export function putInPlace(from, to) {
  const files = filesIn(from);
  const rank = (file) => LAST.indexOf(file);
  for (const file of files.toSorted((a, b) => rank(a) - rank(b))) {
    mkdirSync(path.dirname(path.join(to, file)), { recursive: true });
    renameSync(path.join(from, file), path.join(to, file));
  }
  const kept = new Set(files);
  for (const file of filesIn(to)) if (!kept.has(file)) rmSync(path.join(to, file), { force: true });
}

/** The paths of the files in a folder; none where there is no such folder. */
function filesIn(folder) {
  try {
    return readdirSync(folder, { recursive: true }).filter((file) =>
      statSync(path.join(folder, file), { throwIfNoEntry: false })?.isFile(),
    );
  } catch {
    return [];
  }
}
