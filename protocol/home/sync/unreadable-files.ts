/** Files that a hand left unreadable: a record keeps what it has of them, and names them. spec/trust.md, "The last good version". */
import { CONFIG_PATH } from "../../objects/config/config-schema.ts";
import type { FileFault } from "../../refusal.ts";
import type { Change } from "../../store/git/git-changes.ts";
import type { World } from "../../world.ts";
import { isTeamFile, teamFault } from "../session/team-files.ts";

/**
 * The changes of a configuration, or of files of agents, that cannot be read any more.
 * @returns `leave` the changes that are not recorded, each named in `problems`
 */
export function spoiledFiles(world: World, changes: readonly Change[]): { leave: Change[]; problems: FileFault[] } {
  const spoiled = changes.flatMap((change) => {
    const fault = spoiledBy(world, change);
    return fault === null
      ? []
      : [{ change, problem: { path: change.path, line: fault.line, problem: `${fault.problem}; it is not recorded` } }];
  });
  return { leave: spoiled.map(({ change }) => change), problems: spoiled.map(({ problem }) => problem) };
}

function spoiledBy(world: World, { path, before, after }: Change): FileFault | null {
  if (path === CONFIG_PATH) {
    const fault = world.home().configFault();
    // One that is gone comes back as other files do.
    return fault?.code === "no_home" ? null : fault;
  }
  // Of a file that is new there is nothing to keep.
  return before !== null && after !== null && isTeamFile(path) ? teamFault(world.home().store, path) : null;
}
