/** Moves refs of a home's repository by compare-and-set, and packs loose objects. */
import fs from "node:fs";
import path from "node:path";
import { orElse, quietly } from "../core/format/file-error.ts";
import { refuse } from "../core/refusal.ts";
import { readPlainText } from "../store/read/plain-file.ts";
import { mayCollect } from "./git-config.ts";
import { flushObjects, flushRef } from "./git-flush.ts";
import { failureOf, gitResult, type Repository } from "./git-run.ts";

/** Git holds a lock of a ref for moments; an older one was left by a killed process. */
const STALE_LOCK_MS = 10_000;

const LOCK_TRIES = 400;

/** What git says of a lock that another holds, or left. */
export const LOCK = /Unable to create '(.+\.lock)': File exists/;

/** What a ref's own file says; null where git must be asked: the ref is packed, is elsewhere, or is not there. */
export function looseRef({ gitDir }: Repository, name: string): string | null {
  const textOf = (ref: string): string =>
    /^(HEAD|refs(\/[\w-]+)+)$/.test(ref) ? orElse("", () => readPlainText(path.join(gitDir, ref))) : "";
  const text = textOf(name);
  return /^([0-9a-f]{40}|[0-9a-f]{64})$/m.exec(name === "HEAD" ? textOf(/^ref: (.+)$/m.exec(text)?.[1] ?? "") : text)?.[0] ?? null;
}

/**
 * Moves a ref if it is still where it was seen: of two who saw the same, one moves it.
 * @param from null when there was none; undefined to move it from anywhere
 * @param along a ref that is moved with it if it is where that one was, and else stays
 * @returns false when somebody else was quicker
 */
export async function moveRef(
  repository: Repository,
  ref: string,
  to: string,
  from: string | null | undefined,
  why: string,
  along?: string,
): Promise<boolean> {
  if (from === undefined && looseRef(repository, ref) === to) return true;
  // What others find by a branch is there before it, and a move that was answered for stays. Other refs are found again.
  const isLasting = ref.startsWith("refs/heads/") && repository.durable !== false;
  if (isLasting) flushObjects(repository, ref);
  const expected = from === undefined ? "" : ` ${from ?? "0".repeat(to.length)}`;
  const args = ["update-ref", "-m", why, "--stdin"];
  // The branch comes first: until it is moved, nothing that follows it may be.
  let refs = along === undefined ? [ref] : [ref, along];
  for (let tried = 1; ; tried += 1) {
    const result = await gitResult(repository, args, { input: refs.map((each) => `update ${each} ${to}${expected}\n`).join("") });
    if (result.code === 0) {
      if (isLasting) flushRef(repository, ref);
      return true;
    }
    const lock = LOCK.exec(result.err)?.[1];
    if (lock === undefined) {
      const elsewhere = /cannot lock ref '(.+?)': (is at|reference already exists|unable to resolve)/.exec(result.err)?.[1];
      if (elsewhere === ref) return false;
      if (elsewhere !== undefined) {
        refs = [ref];
        continue;
      }
      throw failureOf(repository, args, result);
    }
    if (tried > LOCK_TRIES) throw refuse("busy", { path: ref });
    breakStale(repository, lock);
    await new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 40));
  }
}

/** Removes a ref, wherever it is. */
export async function dropRef(repository: Repository, ref: string): Promise<void> {
  await gitResult(repository, ["update-ref", "-d", ref]);
}

/** Removes refs, all or none. */
export async function dropRefs(repository: Repository, refs: readonly string[]): Promise<void> {
  await gitResult(repository, ["update-ref", "--stdin"], { input: refs.map((ref) => `delete ${ref}\n`).join("") });
}

/** Locks of refs, by their paths in the git directory: a remote may print the name of any other file into what git says. */
const LOCKS = /^(?:refs\/.+|logs\/.+|[A-Z_]*HEAD|packed-refs|shallow|index)\.lock$/;

/** A lock that a killed git left is taken away, so that no person must. Where that errs two moves race, and each still compares. */
export function breakStale({ gitDir }: Repository, lock: string): void {
  const at = path.resolve(gitDir, lock);
  const stat = fs.lstatSync(at, { throwIfNoEntry: false });
  if (!LOCKS.test(path.relative(gitDir, at).split(path.sep).join("/")) || stat === undefined) return;
  if (Date.now() - stat.mtimeMs > STALE_LOCK_MS) fs.rmSync(at, { force: true });
  // One dated in the future would never grow old: it does from now on.
  else if (stat.mtimeMs > Date.now()) quietly(() => fs.utimesSync(at, new Date(), new Date()));
}

/** One folder of 256 stands for all; at so many objects in it git itself would pack. */
const SAMPLE = "objects/17";

const LOOSE_IN_SAMPLE = 27;

/** With more packs than these git itself would join them; those that somebody told it to keep do not count. */
const MOST_PACKS = 50;

/** Lets git pack what has gathered, in the background, once there is much of it. What fails here is tried after the next record. */
export async function tidy(repository: Repository): Promise<void> {
  const namesIn = (folder: string): string[] => orElse([], () => fs.readdirSync(path.join(repository.gitDir, folder)));
  const packs = namesIn("objects/pack");
  const kept = new Set(packs.filter((name) => name.endsWith(".keep")).map((name) => name.replace(/\.keep$/, ".pack")));
  const count = packs.filter((name) => name.endsWith(".pack") && !kept.has(name)).length;
  const isMuch = count > MOST_PACKS || namesIn(SAMPLE).length > LOOSE_IN_SAMPLE;
  if (isMuch && mayCollect(repository.gitDir)) await gitResult(repository, ["gc", "--auto", "--quiet"]);
}
