/**
 * Recording with an index of one's own, so that no lock is ever left: it begins as a hard link of the repository's (git
 * replaces an index whole, and never writes into one), and takes its place at the end. An index is derived: whichever is
 * there, the next look compares it with the disk. SPEC.md, "Recording".
 */
import fs from "node:fs";
import path from "node:path";
import { type Change, parseRaw } from "./git-objects.ts";
import { failureOf, gitBytes, gitResult, gitText, type Repository } from "./git-run.ts";
import { lifeOf, thisThread } from "./process.ts";
import { errorCode } from "./root.ts";

const PREFIX = "relay-index.";
const TRIES = 5;
let counter = 0;

/** An index of this process's own, with what the repository's has; absolute path. */
export function openIndex({ gitDir }: Repository): string {
  counter += 1;
  const own = path.join(gitDir, `${PREFIX}${thisThread()}.${counter}`);
  const standard = path.join(gitDir, "index");
  try {
    fs.linkSync(standard, own);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return own;
    fs.copyFileSync(standard, own);
    // What changed in the instant in which an index was written is compared by its content; a later time would hide it.
    const { atimeMs, mtimeMs } = fs.statSync(standard);
    fs.utimesSync(own, atimeMs / 1_000, (mtimeMs - 1) / 1_000);
  }
  return own;
}

/** An empty index of this process's own. */
export function newIndex(repository: Repository): string {
  const own = openIndex(repository);
  fs.rmSync(own, { force: true });
  return own;
}

/** Makes an index the repository's. */
export function keepIndex({ gitDir }: Repository, index: string): void {
  try {
    fs.renameSync(index, path.join(gitDir, "index"));
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
  }
  // Renaming one name of a file onto another leaves both.
  dropIndex(index);
}

/** Removes an index of one's own. */
export function dropIndex(index: string): void {
  fs.rmSync(index, { force: true });
  fs.rmSync(`${index}.lock`, { force: true });
}

/** Removes what killed processes left of theirs. */
export function clearIndexes({ gitDir }: Repository): void {
  for (const name of fs.readdirSync(gitDir)) {
    if (!name.startsWith(PREFIX)) continue;
    const process = name.slice(PREFIX.length).split(".")[0]?.split("-").slice(0, 4).join("-") as string;
    if (lifeOf(process) === "gone") fs.rmSync(path.join(gitDir, name), { force: true });
  }
}

/**
 * Takes all that the home has now into an index, however it came there.
 * @returns what git said of files that could not be read
 */
export async function stageAll(repository: Repository, index: string): Promise<string[]> {
  const args = ["-c", "advice.addEmbeddedRepo=false", "add", "--all", "--ignore-errors", "--", "."];
  for (let tried = 1; ; tried += 1) {
    const result = await gitResult(repository, args, { index });
    if (result.code === 0) return [];
    const faults = result.err.split("\n").filter((line) => line.startsWith("error: "));
    // A file that went away while it was read (an ack, a sender's reservation) is gone at the second look.
    if (tried < TRIES) continue;
    if (result.code === 1 && faults.length > 0) return faults.map((line) => line.slice("error: ".length));
    throw failureOf(repository, args, result);
  }
}

/** In what an index differs from a tree. */
export async function stagedChanges(repository: Repository, index: string, tree: string): Promise<Change[]> {
  return parseRaw(await gitBytes(repository, ["diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev", tree], { index }));
}

/** Fills an index with a tree. */
export async function readTree(repository: Repository, index: string, tree: string): Promise<void> {
  await gitBytes(repository, ["read-tree", tree], { index });
}

/** Puts files into an index, or takes them out (null), by the ids of their contents. */
export async function setInIndex(
  repository: Repository,
  index: string,
  files: readonly { path: string; id: string | null }[],
): Promise<void> {
  if (files.length === 0) return;
  const out = files.filter(({ id }) => id === null).map(({ path: at }) => `0 ${"0".repeat(40)}\t${at}\0`);
  const into = files.flatMap(({ path: at, id }) => (id === null ? [] : [`100644 ${id}\t${at}\0`]));
  await gitBytes(repository, ["update-index", "--replace", "-z", "--index-info"], { index, input: [...out, ...into].join("") });
}

/** Writes an index as a tree; gives its id. */
export async function writeTree(repository: Repository, index: string): Promise<string> {
  return gitText(repository, ["write-tree"], { index });
}
