/**
 * Leaving a recorder: a process of its own that commits the home once it is quiet, so that whoever wrote waits for no git. At most one
 * waits for a home; the mark below `run/` says which. A mark without a process says that something waits to be recorded. The mark decides
 * only whether a recorder is there, never what runs. spec/git.md, "By itself".
 */
import fs from "node:fs";
import { orElse, quietly } from "../../core/format/file-error.ts";
import { LAUNCH_VARIABLE, TOKEN_VARIABLE } from "../../core/names.ts";
import type { World } from "../../core/world.ts";
import { lifeOf, processOf, thisProcess } from "../../store/process.ts";
import { ownCommand } from "../../store/program.ts";
import { ageMs } from "../../store/read/facts.ts";
import { readText } from "../../store/read/read-file.ts";
import type { Store } from "../../store/root.ts";
import { removeFile } from "../../store/write/move-file.ts";
import { place, publish } from "../../store/write/publish.ts";

/** Set to anything, it keeps a process from recording by itself and from leaving a recorder: in a test that counts commits. */
const NO_RECORDER = "RELAY_NO_RECORDER";
/** Holds which process is to record what was written last, as `thisProcess` writes it, or one of the words below. */
export const RECORDER_PATH = "run/recorder";
const MARK_BYTES = 256;
/** A recorder that was started, and did not say yet which process it is. */
const STARTING = "starting";
/** Something is to be recorded, by a process that may. */
const WAITING = "waiting";
/** A recorder failed. Whoever writes next leaves another one at once; a process that only looks waits a while. */
const FAILED = "failed";
/** A recorder that cannot be seen, in another container, or before it said who it is, is believed in for so long. */
const UNSEEN_MS = 60_000;
/** One that lives is believed in for so long: it may be suspended. Two harm nothing. */
const ALIVE_MS = 600_000;

/** Whether this process records by itself at all. */
export const mayRecord = ({ env, past }: World): boolean => past === undefined && (env[NO_RECORDER] ?? "") === "";

const markOf = (store: Store): string | null => orElse(null, () => readText(store, RECORDER_PATH, MARK_BYTES)?.trim() ?? null);

/** Marks who is to record. A mark that a loss of power takes away costs nothing. */
const mark = (store: Store, text: string): void => place(store, RECORDER_PATH, `${text}\n`);

/** Whether somebody is there who records what was written until now. @param text the mark */
function isThere(store: Store, text: string | null): boolean {
  if (text === null || text === WAITING || text === FAILED) return false;
  const life = lifeOf(text);
  const age = ageMs(store, RECORDER_PATH) ?? Number.POSITIVE_INFINITY;
  return (life === "alive" && age < ALIVE_MS) || (life === "unknown" && age < UNSEEN_MS);
}

/** Whether changes wait to be recorded and no recorder is there, for longer than one that was left just now takes. */
export function isUnrecorded(store: Store): boolean {
  const text = markOf(store);
  return text !== null && !isThere(store, text) && (ageMs(store, RECORDER_PATH) ?? 0) > UNSEEN_MS;
}

/** Leaves a recorder where this call wrote something that clones share. What fails here fails no call. */
export async function recordLater(world: World): Promise<void> {
  const written = orElse(null, () => world.home().store.written);
  if (written?.isShared !== true || !mayRecord(world)) return;
  written.isShared = false;
  await leaveRecorder(world).catch(() => {});
}

/** Notes that this call recorded what it wrote, so that it leaves nothing to a recorder. */
export function noteRecorded({ written }: Store): void {
  written.isShared = false;
}

/** Leaves a recorder where something waits, as a process that lives for long does every few seconds: what wrote it may not have been able to. */
export async function recordWhatWaits(world: World): Promise<void> {
  if (!mayRecord(world)) return;
  const { store } = world.home();
  const text = markOf(store);
  if (text === null || isThere(store, text)) return;
  if (text === FAILED && (ageMs(store, RECORDER_PATH) ?? 0) < ALIVE_MS) return;
  await leaveRecorder(world);
}

/**
 * Leaves a recorder, unless one is there, the settings say no, or the home has no repository of its own. Where git's files cannot be
 * written from here, and in a program that is not Relay's own, it leaves a mark for the next process that can.
 */
export async function leaveRecorder(world: World): Promise<void> {
  const { store } = world.home();
  const text = markOf(store);
  if (!mayRecord(world) || store.readOnly || store.foreign !== null || isThere(store, text)) return;
  const { findRepository } = await import("../../git/home/repository.ts");
  const repository = world.home().config().record.auto ? findRepository(world) : null;
  if (repository === null) return;
  const script = ownCommand();
  if (script === null || !canWrite(repository.gitDir)) {
    if (text !== WAITING) mark(store, WAITING);
    return;
  }
  removeFile(store, RECORDER_PATH);
  // Of several that leave one at once one does.
  if (publish(store, RECORDER_PATH, `${STARTING}\n`) === "exists") return;
  const { spawn } = process.getBuiltinModule("node:child_process");
  const { untied } = await import("../../git/git-environment.ts");
  // A hook of git has dates of its own commit.
  const { GIT_AUTHOR_DATE: _author, GIT_COMMITTER_DATE: _committer, ...own } = untied(world.env);
  const { [TOKEN_VARIABLE]: _token, [LAUNCH_VARIABLE]: _launch, RELAY_PART: _part, ...env } = own;
  // It holds no folder that somebody may want to remove, and nothing that its caller reads or writes.
  const child = spawn(process.execPath, [script, "recorder", "--home", store.root], { cwd: "/", env, detached: true, stdio: "ignore" });
  child.once("error", () => quietly(() => mark(store, FAILED)));
  child.unref();
  // It says so itself too; until then one that is killed would be waited for. Only here does it cost no other process.
  const started = process.platform === "linux" && child.pid !== undefined ? processOf(child.pid) : null;
  if (started !== null) mark(store, started);
}

/** Whether git's own folder can be written from here: a sandbox may allow the home alone. */
export function canWrite(gitDir: string): boolean {
  try {
    for (const folder of [gitDir, `${gitDir}/objects`, `${gitDir}/refs/heads`]) fs.accessSync(folder, fs.constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Makes this process the recorder that waits. @returns false where another one is there */
export function holdRecorder(store: Store): boolean {
  const text = markOf(store);
  if (text !== STARTING && text !== thisProcess() && isThere(store, text)) return false;
  mark(store, thisProcess());
  return true;
}

/** Removes the mark, but for that of another recorder: before the home is looked at, so that whoever writes from then on leaves another one. */
export function releaseRecorder(store: Store): void {
  const text = markOf(store);
  if (text !== null && (text === thisProcess() || !isThere(store, text))) removeFile(store, RECORDER_PATH);
}

/** Marks that a record failed, unless another recorder is there by now. */
export function markFailed(store: Store): void {
  if (!isThere(store, markOf(store))) mark(store, FAILED);
}
