/** Contents of a home's repository. */
import { Refusal, refuse } from "../core/refusal.ts";
import { errorCode } from "../store/root.ts";
import { gitText, type Repository } from "./git-run.ts";
import { factsOf, type ObjectFacts, type ObjectGiven, objectsOf } from "./objects/object-process.ts";
import { storeAside } from "./objects/objects-aside.ts";

/**
 * The contents of a few blobs by their ids.
 * @param mostBytes larger ones are left out, unread
 * @throws Refusal `git_failed`
 */
export async function readAll(repository: Repository, ids: readonly string[], mostBytes?: number): Promise<Map<string, Buffer>> {
  const all = new Map<string, Buffer>();
  for await (const { id, bytes } of blobsGiven(repository, ids, mostBytes)) if (bytes !== null) all.set(id, bytes);
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
 * The contents of blobs, one after the other in the order asked for.
 * @throws Refusal `git_failed`, also where one is missing: what cannot be read is never taken for what is gone
 */
export async function* readBlobs(repository: Repository, ids: readonly string[]): AsyncGenerator<{ id: string; bytes: Buffer }> {
  for await (const { id, bytes } of blobsGiven(repository, ids)) yield { id, bytes: bytes as Buffer };
}

async function* blobsGiven(repository: Repository, ids: readonly string[], mostBytes?: number): AsyncGenerator<ObjectGiven> {
  let at = 0;
  for await (const given of objectsOf(repository, ids, mostBytes)) yield blob(given, ids[at++] as string);
}

/** Sizes of blobs in bytes by their ids; none is read. @throws Refusal `git_failed`, also where one is missing */
export async function sizesOf(repository: Repository, ids: readonly string[]): Promise<Map<string, number>> {
  const facts = await factsOf(repository, ids);
  return new Map(ids.map((id, at) => [id, blob(facts[at] ?? null, id).size]));
}

/** An object that must be a blob. @throws Refusal `git_failed` */
function blob<T extends ObjectFacts>(given: T | null, id: string): T {
  if (given?.kind === "blob") return given;
  throw refuse("git_failed", { command: "git cat-file", reason: `no blob ${id}${given === null ? "" : `: it is a ${given.kind}`}` });
}
