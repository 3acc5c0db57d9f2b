/** The remote that was chosen, as this machine keeps it. spec/git.md, "The remote". */
import path from "node:path";
import { shellWord } from "../../core/format/shell-word.ts";
import { codeRepository } from "../../core/home/find-home.ts";
import { Refusal, refuse } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { place } from "../../store/write/publish.ts";
import { machineStore, readMachine } from "../../trust/files/machine.ts";
import type { Setting as Pair } from "../git-config.ts";
import type { Remote } from "../remote/git-network.ts";
import { isOpen, isSamePlace, shownUrl } from "../remote/remote-url.ts";
import { type Addressed, allowing, givenRemote, namedRemote } from "./remotes.ts";
import { branchName, repositoryAt } from "./repository.ts";

/** Where the choice is kept, in the machine's store. */
const KEPT = "remote.json";
const KEPT_BYTES = 65_536;

/** The choice as it is kept. */
export interface Kept {
  version: 1;
  name: string;
  /** Whether it is a remote of the code, and not an address that a person gave. */
  named: boolean;
  urls: string[];
  push_urls: string[];
  /** What `relay.yml` named when a person chose: that alone is no reason to ask again. */
  asked: string | null;
  /** Settings of the code that start a program or lead elsewhere, which the person let by naming the remote. */
  programs: readonly Pair[];
  /** The branch that goes there; null in a choice of an earlier version. A file of the home's repository names the one it is on. */
  branch: string | null;
}

/** A remote to sync with. */
export interface Choice {
  remote: Addressed;
  /** Whether a person named it for this call. */
  isGiven: boolean;
  /** What is to be kept once the remote has answered; null where it is kept already. */
  toKeep: Kept | null;
}

/** What this machine keeps of a remote that was chosen. @param programs as `Kept` has them */
export const keptOf = (world: World, remote: Addressed, named: boolean, asked: string | null, programs: readonly Pair[]): Kept => ({
  version: 1,
  name: remote.name,
  named,
  urls: [...remote.urls],
  push_urls: [...remote.pushUrls],
  asked,
  programs,
  branch: branchHere(world),
});

/** The branch that the home is on. @throws Refusal `no_repository` */
export function branchHere(world: World): string | null {
  const repository = repositoryAt(world.home().store.root);
  return repository === null ? null : branchName(repository);
}

/** Whether two choices are one. */
export const isSame = (one: Kept, other: Kept): boolean => JSON.stringify(one) === JSON.stringify(other);
/** Whether a remote still leads to the addresses that were chosen. */
export const leadsTo = ({ urls, pushUrls }: Addressed, kept: Kept): boolean =>
  JSON.stringify([urls, pushUrls]) === JSON.stringify([kept.urls, kept.push_urls]);

/** The remote that was chosen on this machine, as it was chosen; null where none was. What `relay.yml` says now changes nothing of it. */
export async function keptRemote(world: World): Promise<Remote | null> {
  const kept = readKept(world);
  if (kept === null) return null;
  const code = codeRepository(path.dirname(world.home().store.root));
  const named = kept.named ? await namedRemote(code, kept.name).catch(() => null) : null;
  if (named !== null && leadsTo(named, kept)) return allowing(named, kept.programs);
  const given = await givenRemote(code, kept.urls[0] as string, "/");
  return { ...allowing(given, kept.programs), name: kept.name, pushUrl: kept.push_urls[0] ?? given.url };
}

/**
 * Keeps a choice. Where this machine can keep nothing, a remote that was named for this call is used for this call.
 * @returns what to warn of, if anything
 * @throws Refusal `no_state_folder`
 */
export function keepRemote(world: World, { toKeep, isGiven, remote }: Choice): string | undefined {
  const [unused] = remote.held;
  const warning =
    unused === undefined
      ? undefined
      : `${unused[0]} of the code's repository was not used, because nobody here let it. If it is right: \`relay sync --remote ${shellWord(remote.name)}\``;
  if (toKeep === null) return warning;
  try {
    place(machineStore(world), KEPT, `${JSON.stringify(toKeep)}\n`);
    return warning;
  } catch (error) {
    if (!isGiven || !(error instanceof Refusal) || error.code !== "no_state_folder") throw error;
    return `the choice of ${toKeep.name} was not kept, so name the remote each time: ${error.message}`;
  }
}

/**
 * Names the oddity of a remote, so that a person alone chooses it: a folder that came along may fetch somebody's home to push it to whoever made
 * the folder, or have its own repository, with hooks, beside it. Null where nothing is.
 */
export function oddRemote({ url, pushUrl, beside }: Addressed): string | null {
  if (!isSamePlace(url, pushUrl)) return `it pushes to another place, ${shownUrl(pushUrl)}`;
  return beside === undefined ? null : `it is a path from the project, ${beside}, where a repository may have come along with it`;
}

/** Keeps the remote that a home was joined from: whoever cloned the code from there chose it. What cannot be kept is chosen by the first sync. */
export function keepJoined(world: World, remote: Addressed): void {
  if ([...remote.urls, ...remote.pushUrls].some(isOpen) || oddRemote(remote) !== null) return;
  try {
    const toKeep = keptOf(world, remote, true, world.home().config().sync.remote ?? null, []);
    keepRemote(world, { remote, isGiven: true, toKeep });
  } catch {
    // The home cannot be read yet, or the state folder not be written: the first sync says so.
  }
}

/** @throws Refusal `malformed_file` */
export function readKept(world: World): Kept | null {
  const text = readMachine(world, KEPT, KEPT_BYTES);
  if (text === null) return null;
  const isList = (value: unknown): value is string[] => Array.isArray(value) && value.every((each) => typeof each === "string");
  try {
    const kept = JSON.parse(text) as Kept;
    if (kept.version === 1 && typeof kept.name === "string" && isList(kept.urls) && isList(kept.push_urls) && kept.urls.length > 0)
      return {
        ...kept,
        named: kept.named === true,
        asked: typeof kept.asked === "string" ? kept.asked : null,
        programs: Array.isArray(kept.programs) ? kept.programs : [],
        branch: typeof kept.branch === "string" ? kept.branch : null,
      };
  } catch {
    // Told below.
  }
  throw refuse("malformed_file", {
    path: KEPT,
    problem: "it does not say which remote was chosen. `relay sync --remote NAME` writes it again",
  });
}
