/** Talking to a remote: fetching and sending one branch, with nobody there to answer a question. spec/git.md, "Syncing". */
import { withoutEnd } from "../../core/format/without-end.ts";
import { type Refusal, refuse } from "../../core/refusal.ts";
import { breakStale, dropRef, LOCK } from "../git-move-ref.ts";
import { type GitResult, gitIn, gitResult, type Repository, refusalOfDisk } from "../git-run.ts";
import { gitNowhere, MEMORY_BYTES, networkCall, type Patience, type Remote, runFetch } from "./git-network.ts";
import { shownUrl, urlProblem } from "./remote-url.ts";

/** So often a fetch whose ref another moved is tried again. */
const FETCH_TRIES = 5;

/**
 * Fetches a branch into a ref.
 * @returns whether the remote has the branch
 * @throws Refusal `remote_unreachable`, `login_needed`
 */
export const fetchBranch = (repository: Repository, remote: Remote, branch: string, into: string, patience: Patience): Promise<boolean> =>
  fetchRefspecs(repository, remote, [`+refs/heads/${branch}:${into}`], patience);

/**
 * Fetches what refspecs without `*` say.
 * @param mostBytes that may come; where it is absent, 512 MiB or four times the size of the repository
 * @returns whether the remote has all of them; where it lacks one, nothing is fetched
 * @throws Refusal `remote_unreachable`, `login_needed`, `remote_damaged`, `remote_too_large`
 */
export async function fetchRefspecs(
  repository: Repository,
  remote: Remote,
  refspecs: readonly string[],
  patience: Patience,
  mostBytes?: number,
): Promise<boolean> {
  const args = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance", "--stdin"];
  const input = `${refspecs.join("\n")}\n`;
  for (let tried = 1; ; tried += 1) {
    const call = await networkCall(repository, remote.settings, remote.url, patience);
    const result = await runFetch(repository, [...args, "--end-of-options", remote.url], { ...call, input }, mostBytes);
    if (result.code === 0) return true;
    if (/couldn't find remote ref/i.test(result.err)) return false;
    if (result.tooManyBytes > 0) throw refuse("remote_too_large", { remote: remote.name, bytes: result.tooManyBytes });
    const bad = BAD_OBJECT.exec(result.err);
    if (bad !== null) throw await damaged(remote, refspecs, bad, patience);
    if (tried > FETCH_TRIES || !(await mended(repository, result.err))) throw failed(repository.gitDir, remote, result, patience);
    await new Promise((resolve) => setTimeout(resolve, 100 * tried));
  }
}

/**
 * Whether a fetch that failed may do with another try: the git of a process that was killed lives on for a moment and moves the ref as well,
 * or left its lock; and a loss of power may leave a fetched ref without the objects that it names. Such a ref is dropped, and fetched again.
 */
async function mended(repository: Repository, said: string): Promise<boolean> {
  const ref = /^fatal: bad object (refs\/relay\/\S+)$/m.exec(said)?.[1];
  // A remote prints into the same words: only a ref that is broken here is dropped.
  const isBroken = ref !== undefined && (await gitResult(repository, ["cat-file", "-e", ref])).code !== 0;
  if (isBroken) {
    breakStale(repository, `${ref}.lock`);
    await dropRef(repository, ref);
  }
  const lock = LOCK.exec(said)?.[1];
  if (lock !== undefined) breakStale(repository, lock);
  return isBroken || lock !== undefined || /cannot lock ref/.test(said);
}

/** What git says of an object that it does not take: which one, its own word for the fault, and the words. */
const BAD_OBJECT = /^error: object ([0-9a-f]{40,64}): (\w+): (.*)$/m;

/** The refusal for a branch with an object that no git should take. */
async function damaged(
  remote: Remote,
  refspecs: readonly string[],
  [, object = "", fault = "", words = ""]: string[],
  patience: Patience,
): Promise<Refusal> {
  const ref = (refspecs[0] as string).replace(/^\+/, "").split(":")[0] as string;
  const commit = refspecs.length > 1 ? null : ((await listRefs(remote, [ref], patience))[0]?.id ?? null);
  return refuse("remote_damaged", { remote: remote.name, ref, commit, object, fault, reason: words });
}

/** Bytes of a list of refs: some 500,000. */
const LIST_BYTES = 2 ** 26;

/**
 * Lists refs of a remote, and what each names.
 * @param wanted whole names, or folders that end in `/*`
 * @throws Refusal `remote_too_large` where there are more than anybody reads, `remote_unreachable`, `login_needed`
 */
export async function listRefs(remote: Remote, wanted: readonly string[], patience: Patience): Promise<{ ref: string; id: string }[]> {
  const call = await networkCall(null, remote.settings, remote.url, patience);
  // Outside of any repository: the settings are those that were asked of the code, each for the host it is for.
  const result = await gitNowhere(["ls-remote", "--quiet", "--end-of-options", remote.url, ...wanted], { ...call, outBytes: LIST_BYTES });
  if (result.code === null && !result.timedOut && patience.signal?.aborted !== true)
    throw refuse("remote_too_large", { remote: remote.name, bytes: LIST_BYTES });
  if (result.code !== 0) throw failed("/", remote, result, patience);
  // Git takes a name also for the end of a longer one.
  const isWanted = (ref: string): boolean =>
    wanted.some((each) => (each.endsWith("/*") ? ref.startsWith(each.slice(0, -1)) : ref === each));
  return result.out
    .toString("utf8")
    .split("\n")
    .map((line) => line.split("\t") as [string, string])
    .flatMap(([id, ref = ""]) => (isWanted(ref) ? { ref, id } : []));
}

/** Whether a remote has a branch. @throws Refusal `remote_unreachable`, `login_needed` */
export const hasBranch = async (remote: Remote, branch: string, patience: Patience): Promise<boolean> =>
  (await listRefs(remote, [`refs/heads/${branch}`], patience)).length > 0;

/** How a push ended: `behind` when somebody else sent something first. */
export type Pushed = "done" | "behind";

/**
 * Sends a commit to a branch, which only ever moves forward.
 * @throws Refusal `remote_refused`, `remote_unreachable`, `login_needed`
 */
export async function pushBranch(
  repository: Repository,
  remote: Remote,
  commit: string,
  branch: string,
  patience: Patience,
): Promise<Pushed> {
  const args = ["push", "--porcelain", "--no-verify", "--no-signed", "--no-follow-tags", "--recurse-submodules=no", "--end-of-options"];
  const call = await networkCall(repository, remote.settings, remote.pushUrl, patience);
  const result = await gitResult(repository, [...args, remote.pushUrl, `${commit}:refs/heads/${branch}`], call);
  if (result.code === 0) return "done";
  const line = /^!\t[^\t]*\t(.*)$/m.exec(result.out.toString("utf8"))?.[1] ?? "";
  if (isBehind(line, result.err)) return "behind";
  if (line !== "") throw refuse("remote_refused", { remote: remote.name, reason: wordsOf(`${line}\n${result.err}`) });
  throw failed(repository.gitDir, remote, result, patience);
}

/** Whether a push was only too late; who asks again after the next fetch may win. */
export function isBehind(line: string, err: string): boolean {
  const words = `${line}\n${err}`;
  // A branch `relay/x` of the remote keeps it from having a branch `relay`, however often one tries.
  if (/hook declined|protected branch|GH\d{3}|prohibited|exists; cannot create|directory\/file conflict/i.test(words)) return false;
  return /\(non-fast-forward\)|\(fetch first\)|stale info|failed to update ref|cannot lock ref|incorrect old value|reference already exists|failed to lock/i.test(
    words,
  );
}

const LOGIN =
  /could not read (Username|Password)|terminal prompts disabled|Authentication failed|Permission denied \(|Host key verification failed|Access denied|invalid credentials|returned error: 40[13]|passphrase|not authorized/i;

/** The refusal for a remote that could not be used. @param folder where git wrote */
export function failed(folder: string, remote: Remote, { err, timedOut }: GitResult, { timeoutMs, signal }: Patience): Refusal {
  if (signal?.aborted === true)
    return refuse("interrupted", { state: `Relay did not wait for ${remote.name}, and your changes are recorded here` });
  // What the other side's disk says comes with `remote:` before it.
  const full = refusalOfDisk(folder, err.replace(/^remote:.*$/gm, ""));
  if (full !== null) return full;
  // Its memory is bounded, and a remote can name refs without end.
  if (/Out of memory/.test(err)) return refuse("remote_too_large", { remote: remote.name, bytes: MEMORY_BYTES });
  const reason = timedOut ? `it did not answer within ${Math.round(timeoutMs / 1_000)} seconds` : wordsOf(err);
  if (!timedOut && LOGIN.test(err)) return refuse("login_needed", { remote: remote.name, reason });
  return refuse("remote_unreachable", { remote: remote.name, reason });
}

/** What git said that matters, in one line; never a password that stood in a URL. */
export function wordsOf(text: string): string {
  const lines = text
    .split("\n")
    .map((line) => line.replace(/^(fatal|error|remote|ssh): */, "").trim())
    .filter((line) => line !== "" && !/^(hint:|To |Done$|Please make sure|and the repository exists)/.test(line));
  return (withoutEnd(lines.slice(0, 4).join("; "), ".; ") || "git gave no reason").replace(/:\/\/[^/\s]*@/g, "://");
}

/**
 * Clones a repository into a folder, as `git clone` does; nothing of the repository is run, and no submodule is fetched.
 * @throws Refusal `bad_remote`, `remote_unreachable`, `login_needed`, `git_failed` where the folder is in the way
 */
export async function cloneInto(cwd: string, url: string, folder: string, patience: Patience): Promise<void> {
  const problem = urlProblem(url);
  if (problem !== null) throw refuse("bad_remote", { given: shownUrl(url), problem });
  // What git takes of the code's history, and how much memory for it, is for its owner to say.
  const call = await networkCall(null, [["fetch.fsckObjects", "false"]], url, patience);
  const result = await gitIn(cwd, ["clone", "--quiet", "--no-recurse-submodules", "--", url, folder], { ...call, memoryBytes: undefined });
  if (result.code === 0) return;
  if (/already exists and is not an empty/.test(result.err))
    throw refuse("git_failed", { command: "git clone", reason: wordsOf(result.err) });
  throw failed(cwd, { name: shownUrl(url), url, pushUrl: url, settings: [] }, result, patience);
}
