/** Files that the record has and the disk has not: which of them a hand deleted, and bringing them back. spec/git.md, "Recording". */
import { CONFIG_PATH } from "../../core/config/config-schema.ts";
import { orElse } from "../../core/format/file-error.ts";
import { isKept } from "../../core/noun/merge-tree.ts";
import type { FileFault } from "../../core/refusal.ts";
import { isLayout } from "../../core/tree/layout.ts";
import { authorOf, hasHistory, isPlainMode, PLAIN_MODE } from "../../core/tree/record.ts";
import type { World } from "../../core/world.ts";
import { readAll } from "../../git/git-blobs.ts";
import { type Change, parseRaw } from "../../git/git-changes.ts";
import { resolveCommit } from "../../git/git-commits.ts";
import { NOT_INSIDE } from "../../git/git-environment.ts";
import { gitBytes, type Repository } from "../../git/git-run.ts";
import { branchRef } from "../../git/home/repository.ts";
import { archivedHere } from "../../removal/files/archives.ts";
import { forgottenHere } from "../../removal/files/forget-message.ts";
import { blobId } from "../../store/digest.ts";
import { readText } from "../../store/read/read-file.ts";
import { ALL, admit } from "../guard/admit-files.ts";
import { lostPaths } from "../nouns/merge.ts";
import type { Told } from "../nouns/record-subject.ts";
import { behindLinks, lookPlainly } from "./linked-folders.ts";
import { writeIncoming } from "./write-incoming.ts";

/** Files that are read to see who wrote them. */
const READ_FOR_AUTHORS = 1_000;
const TEXT_BYTES = 1_048_576;

/** A change that checks out again what is missing. */
export const asMissing = ({ path, before, oldMode = PLAIN_MODE }: Change): Change => ({ path, before: null, after: before, mode: oldMode });

/** The deletions that nobody said. The disk itself says what there is now. */
export async function lostOf(world: World, repository: Repository, changes: readonly Change[]): Promise<Change[]> {
  const { store } = world.home();
  const isForgotten = forgottenHere(world);
  const gone = changes.filter(({ path, after }) => after === null && !isForgotten(path));
  if (gone.length === 0) return [];
  const before = new Map(gone.map(({ path, before: id }) => [path, id as string]));
  const [{ before: some }] = gone as [Change];
  const idOf = (path: string): string | undefined =>
    orElse(undefined, () => blobId(readText(store, path, TEXT_BYTES) ?? "", (some as string).length));
  const now = new OnDisk(changes, lookPlainly(store), idOf);
  let config: string | null = null;
  try {
    config = readText(store, CONFIG_PATH, TEXT_BYTES);
  } catch {
    // It cannot be read, so it says of nobody that they have another name.
  }
  const lost = new Set(lostPaths(before, now, config));
  if (lost.size > 0)
    for (const path of await archivedHere(
      world,
      repository,
      gone.filter(({ path }) => lost.has(path)),
    ))
      lost.delete(path);
  // By now it may be there again.
  const isHere = lookPlainly(store);
  return gone.filter(({ path }) => lost.has(path) && !isHere(path));
}

/** What changed, and for all else the disk: the whole home is never listed for the sake of one ack. */
class OnDisk extends Map<string, string> {
  readonly #there: (path: string) => boolean;
  readonly #idOf: (path: string) => string | undefined;
  constructor(changes: readonly Change[], there: (path: string) => boolean, idOf: (path: string) => string | undefined) {
    super();
    this.#there = there;
    this.#idOf = idOf;
    for (const { path, after } of changes) if (after !== null) this.set(path, after);
  }
  override has(path: string): boolean {
    return super.has(path) || this.#there(path);
  }
  override get(path: string): string | undefined {
    return super.get(path) ?? (this.#there(path) ? this.#idOf(path) : undefined);
  }
}

/** What changes tell of who made them, in their order; unread names tell nothing. */
export function toldOf(world: World, changes: readonly Change[], earlier: ReadonlyMap<string, Buffer>): Told[] {
  let read = 0;
  return changes.flatMap(({ path, before, after }): Told[] => {
    if (after === null || path.includes("/new/")) return [];
    const byPath = authorOf(path, null, null);
    if (byPath !== null || read >= READ_FOR_AUTHORS) return [{ path, author: byPath, text: null, before: null }];
    read += 1;
    const text = textAt(world, path);
    const was = earlier.get(before ?? "")?.toString("utf8") ?? null;
    return [{ path, author: authorOf(path, text, was), text, before: was }];
  });
}

/** What changed files with a history said before, by the ids of their contents. */
export async function earlierTexts(repository: Repository, changes: readonly Change[]): Promise<Map<string, Buffer>> {
  const ids = changes.flatMap(({ path, before, after }) => (before !== null && after !== null && hasHistory(path) ? [before] : []));
  return readAll(repository, ids.slice(0, READ_FOR_AUTHORS));
}

const textAt = (world: World, path: string): string | null => orElse(null, () => readText(world.home().store, path, TEXT_BYTES));

/** What the last record has and the disk has not though nobody said so, but for what is behind a link; read-only. */
async function missingFiles(world: World, repository: Repository): Promise<{ missing: Change[]; faults: FileFault[] }> {
  const head = await resolveCommit(repository, branchRef(repository));
  if (head === null) return { missing: [], faults: [] };
  const args = ["diff-index", "--raw", "-z", "--no-renames", "--no-abbrev", NOT_INSIDE, "--diff-filter=D", head];
  const lost = await lostOf(
    world,
    repository,
    parseRaw(await gitBytes(repository, args)).filter(({ path, oldMode = "" }) => isLayout(path) && isPlainMode(oldMode)),
  );
  return behindLinks(world.home().store, lost);
}

/**
 * What the last record has and the disk has not: what is missing, and what cannot be checked out and why. Read-only.
 * @throws Refusal `git_failed`
 */
export async function notHere(world: World, repository: Repository): Promise<{ missing: Change[]; carried: FileFault[] }> {
  const { missing, faults } = await missingFiles(world, repository);
  const all = missing.map(asMissing);
  const { skipped } = await admit(world.home().store, repository, all, ALL);
  const left = new Set(skipped.map(({ path }) => path));
  // What lies beside a file is told with it.
  return { missing: all.filter(({ path }) => !left.has(path)), carried: [...skipped.filter(({ path }) => !isKept(path)), ...faults] };
}

/** Puts back what is missing. @returns the paths */
export async function restoreMissing(world: World, repository: Repository): Promise<string[]> {
  const { missing } = await missingFiles(world, repository);
  await writeIncoming(world, repository, missing.map(asMissing));
  return missing.map(({ path }) => path);
}
