/** Files of one machine that the code tracks, where a home is files of the code: they came with it. SPEC.md, "In the tree". */
import path from "node:path";
import { zeroFields } from "../store/git-path.ts";
import { gitIn } from "../store/git-run.ts";
import { codeRepository } from "./discover.ts";

/** What the code tracks of a home's `outbox/`, `local/` and `run/`, by paths in the home; none for a home with a repository of its own. */
export async function trackedState(root: string, inTree: boolean): Promise<string[]> {
  const top = codeRepository(path.dirname(root))?.top ?? null;
  if (top === null || !inTree) return [];
  const folders = ["outbox", "local", "run"].map((name) => `:(top,literal)${path.relative(top, path.join(root, name))}`);
  const { code, out } = await gitIn(top, ["ls-files", "-z", "--", ...folders], {});
  const tracked = code === 0 ? zeroFields(out).filter((name) => name !== "") : [];
  return tracked.map((name) => path.relative(root, path.join(top, name)));
}
