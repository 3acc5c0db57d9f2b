/** Contents of a home's repository. Every list is fed to one process, because starting git costs more than its work. */

import { Refusal, refuse } from "../../refusal.ts";
import { errorCode } from "../root.ts";
import { gitText, type Repository } from "./git-run.ts";
import { gitStream, StreamReader } from "./git-stream.ts";
import { type ObjectGiven, type ObjectsGiven, objectFacts, smallObjects } from "./objects/object-process.ts";
import { storeAside } from "./objects/objects-aside.ts";

/**
 * The contents of a few blobs by their ids.
 * @param mostBytes larger ones are left out, unread
 * @throws Refusal `git_failed`
 */
export async function readAll(
  repository: Repository,
  ids: readonly string[],
  mostBytes = Number.POSITIVE_INFINITY,
): Promise<Map<string, Buffer>> {
  const sizes = Number.isFinite(mostBytes) ? await sizesOf(repository, ids) : new Map<string, number>();
  const wanted = ids.filter((id) => (sizes.get(id) ?? 0) <= mostBytes);
  const all = new Map<string, Buffer>();
  for await (const { id, bytes } of readBlobs(repository, wanted)) all.set(id, bytes);
  return all;
}

/** Writes contents as objects; gives their ids in the same order. */
export async function writeBlobs(repository: Repository, contents: readonly Uint8Array[]): Promise<string[]> {
  if (contents.length === 0) return [];
  const marks = contents.map((_, index) => `get-mark :${index + 1}\n`).join("");
  const input = Buffer.concat([...blobsOf(contents), Buffer.from(marks)]);
  const out = await storeAside(repository, (aside) => gitText(repository, ["fast-import", "--quiet"], { ...aside, input }));
  return out.split("\n");
}

/** Contents as `git fast-import` takes them. */
const blobsOf = (contents: readonly Uint8Array[]): Uint8Array[] =>
  contents.flatMap((bytes, index) => [Buffer.from(`blob\nmark :${index + 1}\ndata ${bytes.length}\n`), bytes, Buffer.from("\n")]);

/** Git writes each new content as a file, and flushes it. More than so many are put into one pack before. */
const MANY = 64;
/** So many bytes or more make a pack: they lie in the memory together. */
const PACK_BYTES = 16 * 1_048_576;

const hasNoRoom = (error: unknown): boolean =>
  error instanceof Refusal ? error.code === "disk_full" : ["ENOSPC", "EDQUOT"].includes(errorCode(error) ?? "");

/**
 * Stores the contents of many files as packs, each flushed once, so that what takes the files in finds them there. Of few it stores none,
 * nor where it fails: what takes them in stores them one by one.
 * @param bytesOf gives the bytes of a file; null of one that is not there, or is none to store
 * @throws Refusal `disk_full`, the errors of a full disk: one by one they take more room, so that the last of it went to what is not recorded all the same
 */
export async function packFiles(repository: Repository, paths: readonly string[], bytesOf: (path: string) => Buffer | null): Promise<void> {
  if (paths.length <= MANY) return;
  let contents: Buffer[] = [];
  let bytes = 0;
  for (const [at, path] of paths.entries()) {
    const content = bytesOf(path);
    if (content !== null) contents.push(content);
    bytes += content?.length ?? 0;
    if (contents.length === 0 || (bytes < PACK_BYTES && at < paths.length - 1)) continue;
    // Nothing is said as what differs from another: small texts gain little, and `git gc` does it later.
    const args = ["-c", "fastimport.unpackLimit=0", "fast-import", "--quiet", "--depth=0"];
    const input = Buffer.concat(blobsOf(contents));
    try {
      await storeAside(repository, (aside) => gitText(repository, args, { ...aside, input }));
    } catch (error) {
      if (hasNoRoom(error)) throw error;
      return;
    }
    contents = [];
    bytes = 0;
  }
}

/**
 * The contents of blobs, one after the other in the order asked for, by one process of git.
 * @throws Refusal `git_failed`, also where one is missing: what cannot be read is never taken for what is gone
 */
export async function* readBlobs(repository: Repository, ids: readonly string[]): AsyncGenerator<{ id: string; bytes: Buffer }> {
  if (ids.length === 0) return;
  const few = await smallObjects(repository, ids);
  if (areBlobs(few)) {
    for (const { id, bytes } of few) yield { id, bytes };
    return;
  }
  const answers = new StreamReader(gitStream(repository, ["cat-file", "--batch", "--buffer"], ids));
  try {
    for (const id of ids) {
      // `<id> blob <size>`, the bytes, a line break.
      const header = await answers.line();
      const [found, kind, size] = header.split(" ");
      if (found !== id || kind !== "blob" || !/^\d+$/.test(size ?? ""))
        throw refuse("git_failed", { command: "git cat-file --batch", reason: `no blob ${id}: ${header}` });
      yield { id, bytes: await answers.bytes(Number(size)) };
      await answers.bytes(1);
    }
  } finally {
    await answers.end();
  }
}

/** Whether all that was asked for was given, and is blobs; where it is not, the process that is asked next says why. */
const areBlobs = (given: ObjectsGiven | null): given is readonly ObjectGiven[] => given?.every((each) => each?.kind === "blob") === true;

/** How many bytes each blob has, without reading one. @throws Refusal `git_failed`, also where one is missing */
export async function sizesOf(repository: Repository, ids: readonly string[]): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  if (ids.length === 0) return sizes;
  const facts = await objectFacts(repository, ids);
  if (areBlobs(facts)) return new Map(facts.map(({ id, size }) => [id, size]));
  const answers = new StreamReader(gitStream(repository, ["cat-file", "--batch-check=%(objecttype) %(objectsize)", "--buffer"], ids));
  try {
    for (const id of ids) {
      const [kind, size] = (await answers.line()).split(" ");
      if (kind !== "blob") throw refuse("git_failed", { command: "git cat-file --batch-check", reason: `no blob ${id}` });
      sizes.set(id, Number(size));
    }
  } finally {
    await answers.end();
  }
  return sizes;
}
