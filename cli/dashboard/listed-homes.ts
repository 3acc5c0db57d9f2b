/**
 * The homes that this user's dashboards show: each has a file in the user's state folder, named by the digest of its path, that only the
 * user may read. A home comes onto the list when the user names it, never by what arrives. spec/commands.md, "Dashboard".
 */
import fs from "node:fs";
import path from "node:path";
import { orElse } from "../../protocol/core/format/file-error.ts";
import { hasHome } from "../../protocol/core/home/find-home.ts";
import { refuse } from "../../protocol/core/refusal.ts";
import type { World } from "../../protocol/core/world.ts";
import { makeOwn, notOwn } from "../../protocol/store/beside/own-folder.ts";
import { sha256 } from "../../protocol/store/digest.ts";
import { names } from "../../protocol/store/read/list-folder.ts";
import { readText } from "../../protocol/store/read/read-file.ts";
import { openStore, type Store } from "../../protocol/store/root.ts";
import { removeFile } from "../../protocol/store/write/move-file.ts";
import { place } from "../../protocol/store/write/publish.ts";
import { stateFolder } from "../../protocol/trust/files/state-folder.ts";

const FOLDER = "dashboard";
const PATH_BYTES = 8_192;
/** More homes are not shown together: a browser keeps only so many cookies of one machine. */
const MOST_HOMES = 50;

/** A home of the list. */
export interface ListedHome {
  /** Absolute real path of the home. */
  root: string;
  /** Whether a home is there. */
  isThere: boolean;
}

const fileOf = (root: string): string => `${FOLDER}/${sha256(root).slice(0, 32)}`;

/** The state folder as a store; null where this user has none, or others may write it. */
function findState(world: World): Store | null {
  const { folder } = stateFolder(world);
  if (folder === null || !fs.existsSync(folder) || notOwn(folder) !== null) return null;
  const list = path.join(folder, FOLDER);
  return notOwn(list) === null ? { ...openStore(folder), durable: false } : null;
}

/** The homes of the list by their paths, in the order of the alphabet, and those that are too many. Makes nothing. */
export function listedHomes(world: World): { homes: ListedHome[]; tooMany: string[] } {
  const store = findState(world);
  if (store === null) return { homes: [], tooMany: [] };
  const roots = names(store, FOLDER).flatMap((name) => {
    const root = orElse("", () => (readText(store, `${FOLDER}/${name}`, PATH_BYTES) ?? "").replace(/\n$/, ""));
    return path.isAbsolute(root) && fileOf(root) === `${FOLDER}/${name}` ? [root] : [];
  });
  const homes = roots.sort().slice(0, MOST_HOMES);
  return { homes: homes.map((root) => ({ root, isThere: hasHome(root) })), tooMany: roots.slice(MOST_HOMES) };
}

/**
 * Puts homes onto the list.
 * @param roots absolute real paths of homes
 * @throws Refusal `no_state_folder`
 */
export function listHomes(world: World, roots: readonly string[]): void {
  const { folder, problem } = stateFolder(world);
  if (folder === null) throw refuse("no_state_folder", { folder: null, reason: problem as string });
  const { homes, tooMany } = listedHomes(world);
  const known = new Set([...homes.map(({ root }) => root), ...tooMany]);
  const fresh = roots.filter((root) => !known.has(root));
  if (fresh.length === 0) return;
  makeOwn([folder, path.join(folder, FOLDER)]);
  const wrong = notOwn(folder) ?? notOwn(path.join(folder, FOLDER));
  if (wrong !== null) throw refuse("no_state_folder", { folder, reason: wrong });
  const store = { ...openStore(folder), durable: false };
  for (const root of fresh) place(store, fileOf(root), `${root}\n`, 0o600);
}

/** Takes a home off the list; it is not touched. @param root absolute path as it was listed @returns false when it was not on it */
export function unlistHome(world: World, root: string): boolean {
  const store = findState(world);
  return store !== null && removeFile(store, fileOf(root));
}
