/** Where a host keeps what is its user's own. */
import os from "node:os";
import path from "node:path";
import type { Host } from "../hosts/host.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** The user's own folder, as an absolute path. */
export const userFolder = (env: Env): string => env["HOME"] || os.homedir();

/**
 * A host's own folder of the user: in the home, or where a variable of the host says.
 * @param home the user's own folder, as an absolute path
 */
export function hostFolder({ folder, folderVariable }: Host, env: Env, home = userFolder(env)): string {
  const moved = folderVariable === undefined ? "" : (env[folderVariable.name] ?? "");
  if (moved !== "" && folderVariable?.isAround !== true) return moved;
  return path.join(moved || home, folder);
}
