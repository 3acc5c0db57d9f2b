/** The user's folder for what Relay remembers across homes: never in a project, where something that arrives could bring it along. */
import fs from "node:fs";
import path from "node:path";
import { orElse } from "../../core/format/file-error.ts";
import type { World } from "../../core/world.ts";
import { canBeMade, inWorkingTree, notOwn, notSafeAbove, realAsFarAsThere } from "../../store/beside/own-folder.ts";
import { unreadable } from "../../store/read/unreadable.ts";

/** The user's folder for what Relay remembers across homes. */
export interface StateFolder {
  /** `<state>/relay`, absolute; null where there is none that may be trusted. */
  folder: string | null;
  /** Why there is none, or why `XDG_STATE_HOME` does not count; null where there is nothing to say. */
  problem: string | null;
}

/** What was found for an environment, a home and a working directory. */
const stateFolders = new Map<string, StateFolder>();

/** `<state>/relay`: of `XDG_STATE_HOME` where it may be trusted, else of the home folder that the system knows, whatever `HOME` says. */
export function stateFolder(world: World): StateFolder {
  const given = world.env["XDG_STATE_HOME"] || undefined;
  const key = given === undefined ? `\0${world.cwd}` : `${given}\0${world.cwd}\0${rootOf(world) ?? ""}`;
  const known = stateFolders.get(key);
  if (known !== undefined) return known;
  try {
    const found = findStateFolder(world, given);
    stateFolders.set(key, found);
    return found;
  } catch (error) {
    if (given === undefined || unreadable(error) === null) throw error;
    // What is in it cannot be read either, and whoever asks for that is told so.
    return { folder: path.join(realAsFarAsThere(given), "relay"), problem: null };
  }
}

function findStateFolder(world: World, given: string | undefined): StateFolder {
  const ignored = given === undefined ? null : notCounting(world, given);
  if (given !== undefined && ignored === null) return { folder: path.join(realAsFarAsThere(given), "relay"), problem: null };
  const own = ofPasswordDatabase();
  if ("problem" in own) return { folder: null, problem: ignored ?? own.problem };
  return { folder: own.folder, problem: ignored };
}

/** Why `XDG_STATE_HOME` does not count; null where it does. It may have come with a project: a client's configuration sets it. */
function notCounting(world: World, given: string): string | null {
  const why = (reason: string): string => `XDG_STATE_HOME is ignored: ${reason}`;
  if (!path.isAbsolute(given)) return why(`${given} is not an absolute path`);
  const at = realAsFarAsThere(given);
  const wrong = notOwn(at) ?? notSafeAbove(at, path.parse(at).root) ?? (fs.existsSync(at) || canBeMade(at) ? null : `${at} cannot be made`);
  if (wrong !== null) return why(wrong);
  const root = rootOf(world);
  const within = [...(root === null ? [] : [path.dirname(root)]), ...aroundFolder(world.cwd)].find(
    (folder) => at === folder || at.startsWith(folder + path.sep),
  );
  if (within !== undefined) return why(`${at} lies in the project (${within})`);
  return inWorkingTree(at) ? why(`${at} lies in a working tree of git`) : null;
}

/** The home, absolute; null outside of any. */
const rootOf = (world: World): string | null => orElse(null, () => world.home().store.root);

/** The working directory, where it is not the user's own home folder or above it. */
function aroundFolder(cwd: string): string[] {
  const folder = realAsFarAsThere(cwd);
  const own = userHome();
  return own !== null && (own === folder || own.startsWith(folder.endsWith(path.sep) ? folder : folder + path.sep)) ? [] : [folder];
}

/** The state folder of the user that this process acts as, by the password database. */
function ofPasswordDatabase(): { folder: string } | { problem: string } {
  const own = userHome();
  if (own === null) return { problem: "the system knows no home folder of this user" };
  const folder = path.join(own, ".local", "state", "relay");
  const wrong = notSafeAbove(folder, own);
  return wrong === null ? { folder } : { problem: wrong };
}

/** The user's home folder in the password database, real; null where there is none. */
function userHome(): string | null {
  return orElse(null, () => {
    const { homedir } = process.getBuiltinModule("node:os").userInfo();
    return path.isAbsolute(homedir) ? fs.realpathSync.native(homedir) : null;
  });
}
