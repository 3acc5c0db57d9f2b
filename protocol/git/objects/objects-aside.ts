/**
 * Writing objects aside. What git writes as a pack it writes step by step: one that is killed, or finds no room, leaves files that keep
 * the room, and a `.keep` that stops the next one of the same contents. So it writes into a folder of its process's own, and what is
 * whole is moved among the home's objects. spec/git.md, "Recording".
 */
import fs from "node:fs";
import path from "node:path";
import { quietly } from "../../core/format/file-error.ts";
import { thisThread } from "../../store/process.ts";
import { makeAt } from "../../store/root.ts";
import type { GitCall, Repository } from "../git-run.ts";

export const ASIDE = "relay-objects.";
let counter = 0;

/**
 * Stores objects: all of them, or none.
 * @param write calls git with what it is given, and throws where that fails
 */
export async function storeAside<T>({ gitDir }: Repository, write: (call: GitCall) => Promise<T>): Promise<T> {
  counter += 1;
  const folder = path.join(gitDir, `${ASIDE}${thisThread()}.${counter}`);
  try {
    makeAt(path.join(folder, "info"));
    // What the home has is not written again.
    fs.writeFileSync(path.join(folder, "info", "alternates"), "../objects\n");
    const result = await write({ env: { GIT_OBJECT_DIRECTORY: folder } });
    moveObjects(folder, path.join(gitDir, "objects"));
    return result;
  } finally {
    quietly(() => fs.rmSync(folder, { recursive: true, force: true }));
    clearReports(gitDir);
  }
}

/** Gives objects their names. Git finds a pack by its index, so that one comes last. */
function moveObjects(from: string, to: string): void {
  for (const folder of fs.readdirSync(from).filter((name) => /^([0-9a-f]{2}|pack)$/.test(name))) {
    const names = fs.readdirSync(path.join(from, folder)).filter((name) => folder !== "pack" || /^pack-.+\.(pack|rev|idx)$/.test(name));
    if (names.length > 0) makeAt(path.join(to, folder));
    const isIndex = (name: string): boolean => name.endsWith(".idx");
    for (const name of [...names.filter((each) => !isIndex(each)), ...names.filter(isIndex)])
      fs.renameSync(path.join(from, folder, name), path.join(to, folder, name));
  }
}

/** Removes the folder of a process that is gone. A pack that was moved without its index, which nothing finds, goes too. */
export function dropAside({ gitDir }: Repository, folder: string): void {
  const objects = path.join(gitDir, "objects", "pack");
  const left = new Set(namesIn(path.join(folder, "pack")));
  for (const name of left) {
    const pack = name.replace(/\.idx$/, ".pack");
    if (!name.startsWith("pack-") || pack === name || left.has(pack) || fs.existsSync(path.join(objects, name))) continue;
    for (const each of [pack, name.replace(/\.idx$/, ".rev")]) fs.rmSync(path.join(objects, each), { force: true });
  }
  fs.rmSync(folder, { recursive: true, force: true });
}

/** What a fast-import writes of its own failure; nobody reads it. */
export function clearReports(gitDir: string): void {
  for (const name of namesIn(gitDir)) if (/^fast_import_crash_\d+$/.test(name)) quietly(() => fs.unlinkSync(path.join(gitDir, name)));
}

/** The names in a folder, by its absolute path; none where it is not there. */
const namesIn = (folder: string): string[] => (fs.existsSync(folder) ? fs.readdirSync(folder) : []);
