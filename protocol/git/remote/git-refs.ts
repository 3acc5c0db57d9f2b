/** Refs of a remote, moved by compare-and-set: of all clones that saw the same value, one moves it. spec/git.md, "Claims across machines". */
import { refuse } from "../../core/refusal.ts";
import { readAll } from "../git-blobs.ts";
import { gitResult, gitText, type Repository } from "../git-run.ts";
import { networkCall, type Patience, type Remote } from "./git-network.ts";
import { failed, fetchRefspecs, isBehind, wordsOf } from "./git-remote.ts";

/** A ref, the object that it names, and that object's content. */
export interface RefContent {
  ref: string;
  id: string;
  content: string;
}

/** Stores a content as an object; gives its id. */
export const storeContent = (repository: Repository, content: string): Promise<string> =>
  gitText(repository, ["hash-object", "-w", "--no-filters", "--stdin"], { input: content });

const PUSH = ["push", "--porcelain", "--no-verify", "--no-signed", "--no-follow-tags", "--recurse-submodules=no"];

/**
 * Moves a ref of a remote, if it is still where it was seen.
 * @param expected the object that it was seen to name; null when it was seen not to be there
 * @returns `same` when it names the object already
 * @throws Refusal `remote_refused`, `remote_unreachable`, `login_needed`
 */
export async function pushRef(
  repository: Repository,
  remote: Remote,
  { ref, id, expected }: { ref: string; id: string; expected: string | null },
  patience: Patience,
): Promise<"moved" | "same" | "lost"> {
  const lease = `--force-with-lease=${ref}:${expected ?? ""}`;
  const args = [...PUSH, lease, "--end-of-options"];
  const call = await networkCall(repository, remote.settings, remote.pushUrl, patience);
  const result = await gitResult(repository, [...args, remote.pushUrl, `${id}:${ref}`], call);
  // One line a ref: a flag, `from:to`, what was done. Only these flags say that this push moved it.
  const [, flag = "", words = ""] = /^([ +*=!-])\t[^\t]*\t(.*)$/m.exec(result.out.toString("utf8")) ?? [];
  if (result.code === 0 && (flag === "*" || flag === "+" || flag === " ")) return "moved";
  if (result.code === 0 && flag === "=") return "same";
  if (flag === "!" && (words.includes("stale info") || isBehind(words, result.err))) return "lost";
  if (flag === "!") throw refuse("remote_refused", { remote: remote.name, reason: wordsOf(`${words}\n${result.err}`) });
  throw failed(repository.gitDir, remote, result, patience);
}

/**
 * Removes refs of a remote that still name what they were seen to name; whatever it does not remove stays.
 * @returns how many are gone
 */
export async function deleteRefs(
  repository: Repository,
  remote: Remote,
  refs: readonly { ref: string; id: string }[],
  patience: Patience,
): Promise<number> {
  const leases = refs.map(({ ref, id }) => `--force-with-lease=${ref}:${id}`);
  const call = await networkCall(repository, remote.settings, remote.pushUrl, patience);
  const args = [...PUSH, ...leases, "--end-of-options", remote.pushUrl, ...refs.map(({ ref }) => `:${ref}`)];
  const { out } = await gitResult(repository, args, call);
  return out.toString("utf8").match(/^-\t/gm)?.length ?? 0;
}

/** Bytes that a fetch of small refs brings at most. */
const REFS_BYTES = 2 ** 26;

/**
 * Fetches refs of a remote, each of which names a small content, into refs of the same names.
 * @returns whether the remote has all of them; where it lacks one, none is fetched
 * @throws Refusal `remote_unreachable`, `login_needed`, `remote_damaged`, `remote_too_large`
 */
export const fetchRefs = (repository: Repository, remote: Remote, refs: readonly string[], patience: Patience): Promise<boolean> =>
  fetchRefspecs(
    repository,
    remote,
    refs.map((ref) => `+${ref}:${ref}`),
    patience,
    REFS_BYTES,
  );

/** What refs of this repository name, by folder or by name. The content of what is no blob, or over a limit of bytes, is empty. */
export async function readRefs(repository: Repository, pattern: string, limit: number): Promise<RefContent[]> {
  const format = "%(refname) %(objectname) %(objecttype) %(objectsize)";
  const listed = (await gitText(repository, ["for-each-ref", `--format=${format}`, "--", pattern])).split("\n").flatMap((line) => {
    const [ref = "", id = "", type, size] = line.split(" ");
    return ref === "" ? [] : [{ ref, id, isRead: type === "blob" && Number(size) <= limit }];
  });
  const contents = await readAll(
    repository,
    listed.flatMap(({ id, isRead }) => (isRead ? id : [])),
  );
  return listed.map(({ ref, id }) => ({ ref, id, content: contents.get(id)?.toString("utf8") ?? "" }));
}
