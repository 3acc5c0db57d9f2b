/** Checks the size of the memories. spec/check.md, "doctor". */
import { type Finding, found } from "../../objects/format/finding.ts";
import { agentMemoryPath, MEMORY_BYTES, MEMORY_LARGE, MEMORY_PATH } from "../../objects/memory/memory.ts";
import { readText } from "../../store/read/read-file.ts";
import type { World } from "../../world.ts";
import { noting } from "../broken-files.ts";
import { members } from "../part/members.ts";

/** Checks the memories. Writes nothing; a file that cannot be read is found with the files. */
export function* examineMemories(world: World): Generator<Finding> {
  const { store } = world.home();
  const remedy = "Shorten it by hand: keep in sections what is still true, and remove the rest";
  for (const path of [MEMORY_PATH, ...members(world).map(({ part }) => agentMemoryPath(part))]) {
    const length = noting([], path, () => readText(store, path, MEMORY_BYTES))?.length ?? 0;
    const problem = `${length} characters, more than a prompt should hold (${MEMORY_LARGE})`;
    if (length > MEMORY_LARGE) yield found("memory_large", problem, { path, remedy });
  }
}
