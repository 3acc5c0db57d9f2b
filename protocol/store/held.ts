/**
 * Names in a folder that is held open: a link that takes the folder's place between a look and a step leads nothing elsewhere. Who can write
 * in the home could lay one at any moment. Where the system has no such paths the look before has to do. SPEC.md, "Rules of the disk".
 */
import fs from "node:fs";
import path from "node:path";
import { refuse } from "../core/refusal.ts";
import { lstatIfThere } from "./look.ts";

/** Opens a folder for its names alone, whoever may list it: `O_PATH`, which Node has no name for. */
const NAMES_OF_FOLDER = 0o10000000 | (fs.constants.O_DIRECTORY ?? 0);

/**
 * Runs a step on a name whose folder is held open.
 * @param root the real path of the home, or of what else the name is to be in
 * @param at the absolute path of the name
 * @param step gets a path of the same name, good for as long as the step runs; its errors have the plain one
 * @param refusal of a folder that lies elsewhere
 * @throws Refusal `outside_home` where the folder is not in the home, unless another is given; the errors of the disk
 */
export function held<T>(root: string, at: string, step: (at: string) => T, refusal?: (real: string) => Error): T {
  const { own, release } = hold(root, at, refusal);
  try {
    return step(own);
  } catch (error) {
    throw asNamed(error, path.dirname(own), path.dirname(at));
  } finally {
    release();
  }
}

/** A name whose folder stays open until it is released. @throws as `held` */
export function hold(root: string, at: string, refusal?: (real: string) => Error): { own: string; release: () => void } {
  if (process.platform !== "linux") return { own: at, release: () => {} };
  const folder = path.dirname(at);
  const descriptor = fs.openSync(folder, NAMES_OF_FOLDER);
  const release = (): void => fs.closeSync(descriptor);
  const real = realOf(`/proc/self/fd/${descriptor}`);
  // Without /proc there is no such path.
  if (real !== null && (real === root || real.startsWith(root + path.sep)))
    return { own: `/proc/self/fd/${descriptor}/${path.basename(at)}`, release };
  release();
  if (real === null) return { own: at, release: () => {} };
  // Moved away since it was opened, it is gone.
  if (lstatIfThere(folder) === undefined) throw Object.assign(new Error(`ENOENT: ${folder}`), { code: "ENOENT", path: at });
  throw refusal?.(real) ?? refuse("outside_home", { path: path.relative(root, folder) });
}

/** Where an open folder lies; null where the system does not say. */
function realOf(own: string): string | null {
  try {
    return fs.readlinkSync(own);
  } catch {
    return null;
  }
}

/** An error of the disk by the paths that people know. */
function asNamed(error: unknown, own: string, folder: string): unknown {
  if (!(error instanceof Error) || !("code" in error)) return error;
  const named = error as Error & { path?: string; dest?: string };
  const plain = (text: string): string => text.replaceAll(own, folder);
  if (named.path?.startsWith(own) === true) named.path = plain(named.path);
  if (named.dest?.startsWith(own) === true) named.dest = plain(named.dest);
  named.message = plain(named.message);
  return named;
}
