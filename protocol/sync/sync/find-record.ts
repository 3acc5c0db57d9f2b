/** Looking for the record of a home: on the remote that the code came from, or in this repository. spec/git.md, "Joining". */
import fs from "node:fs";
import path from "node:path";
import { CONFIG_PATH } from "../../core/config/config-schema.ts";
import { orElse } from "../../core/format/file-error.ts";
import { shellWord } from "../../core/format/shell-word.ts";
import { type CodeRepository, HOME_GIT } from "../../core/home/find-home.ts";
import { Refusal, refuse } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { resolveCommit } from "../../git/git-commits.ts";
import { gitText, type Repository } from "../../git/git-run.ts";
import { holdsHome } from "../../git/home/branch-config.ts";
import type { Site } from "../../git/home/create-home.ts";
import { type Addressed, namedRemote, usualName } from "../../git/home/remotes.ts";
import { factsOf } from "../../git/objects/object-process.ts";
import { hasBranch } from "../../git/remote/git-remote.ts";
import { removeFile } from "../../store/write/move-file.ts";
import { place } from "../../store/write/publish.ts";
import { findMachineStore, machineStore, readMachine } from "../../trust/files/machine.ts";

/** How long a fetch that a person waits for may take, in milliseconds. */
export const FETCH_MS = 300_000;
/** How long a remote may take to say whether it has a home: `init` is not to wait for one that is away. */
const ASK_MS = 2_000;
/** Branches that are searched for homes under another name. */
const BRANCHES = 1_000;

/**
 * Where a home that is about to be made is recorded already. `local` is what the code fetched of it, if it did; `joining` is a record that
 * is here because a join was ended before all of it was checked out, from a remote that may be gone since.
 */
export type HomeRecord =
  | { from: "here" }
  | { from: "joining"; remote: Addressed | null }
  | { from: "remote"; remote: Addressed; local: string | null };

/** The file that this machine keeps while a home is joined: the name of its remote. An archive could bring a mark in the repository along. */
const JOINING = "joining";
const NAME_BYTES = 1_024;

/** Notes that a home is joined from a remote, until `endJoining`. Where nothing can be kept, nothing is accepted for it either. */
export function beginJoining(world: World, remote: string): void {
  orElse(null, () => place(machineStore(world), JOINING, `${remote}\n`));
}

/** Notes that all of a home that was joined is there, but for what makes it one. */
export function endJoining(world: World): void {
  const store = findMachineStore(world);
  if (store !== null) removeFile(store, JOINING);
}

/** The record that is in a code repository: this home's own, or that of a join which was ended. @param world a world whose home lies there */
export async function recordHere(world: World, code: CodeRepository): Promise<HomeRecord> {
  const name = readMachine(world, JOINING, NAME_BYTES)?.trim();
  return name === undefined ? { from: "here" } : { from: "joining", remote: await namedRemote(code, name).catch(() => null) };
}

/** The record of a home at a site; null where there is none and it is made anew, and what is to be said of that. */
export interface Found {
  record: HomeRecord | null;
  notes: string[];
}

/** Looks for the record of a home: here (`recordHere` says of which kind), in what the code fetched, and, briefly, on the remote. @throws Refusal `foreign_branch` */
export async function findHomeRecord(site: Site, branch: string, names: readonly string[]): Promise<Found> {
  const code = site.repository;
  if (code === null || site.inTree) return { record: null, notes: [] };
  if ((await recordedAt(code)) !== null) return { record: { from: "here" }, notes: [] };
  const ordered = [...names].sort((a, b) => Number(b === "origin") - Number(a === "origin"));
  for (const name of ordered) {
    const local = `refs/remotes/${name}/${branch}`;
    if ((await resolveCommit(asRepository(code), local)) === null) continue;
    if (!(await holdsHome(asRepository(code), local))) throw refuse("foreign_branch", { remote: name, branch });
    const remote = await namedRemote(code, name);
    if (remote !== null) return { record: { from: "remote", remote, local }, notes: [] };
  }
  const usual = usualName(names);
  const others = await otherHomes(code, branch);
  if (usual === undefined) return { record: null, notes: others };
  try {
    const remote = await namedRemote(code, usual);
    if (remote !== null && (await hasBranch(remote, branch, { timeoutMs: ASK_MS })))
      return { record: { from: "remote", remote, local: null }, notes: [] };
    return { record: null, notes: others };
  } catch (error) {
    if (!(error instanceof Refusal) || !["remote_unreachable", "login_needed", "bad_remote"].includes(error.code)) throw error;
    const why = `Relay could not ask ${usual} whether it has a home (${String(error.data["reason"] ?? error.data["problem"])})`;
    return { record: null, notes: [...others, `${why}. If it has one, \`relay sync\` merges both`] };
  }
}

/** Homes on other branches that the code fetched: one of them may have been meant. */
async function otherHomes(code: CodeRepository, branch: string): Promise<string[]> {
  const repository = asRepository(code);
  const format = ["for-each-ref", `--count=${BRANCHES}`, "--format=%(refname)", "refs/remotes/"];
  const refs = (await gitText(repository, format)).split("\n").filter((ref) => ref !== "" && !ref.endsWith("/HEAD"));
  if (refs.length === 0) return [];
  const asked = refs.flatMap((ref) => [`${ref}:${CONFIG_PATH}`, `${ref}:RELAY.md`]);
  const facts = await factsOf(repository, asked);
  const isBlob = (at: number): boolean => facts[at]?.kind === "blob";
  return refs.flatMap((ref, at) => {
    if (!isBlob(2 * at) || !isBlob(2 * at + 1)) return [];
    const [, remote = "", other = ""] = /^refs\/remotes\/([^/]+)\/(.+)$/.exec(ref) ?? [];
    return [
      `${remote} has a home on its branch ${other}, and this is another one, on ${branch}; if you meant that one, ` +
        `remove .relay and its record (.git/${HOME_GIT}) before you begin, then \`relay init --branch ${shellWord(other)}\``,
    ];
  });
}

const asRepository = ({ commonDir }: CodeRepository): Repository => ({ gitDir: commonDir, workTree: commonDir });

/** What the home of a code repository was recorded at last; null where it never was. */
export async function recordedAt(code: CodeRepository): Promise<string | null> {
  const gitDir = path.join(code.commonDir, HOME_GIT);
  if (!fs.existsSync(path.join(gitDir, "HEAD"))) return null;
  return resolveCommit({ gitDir, workTree: code.home }, "HEAD");
}
