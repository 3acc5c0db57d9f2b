/**
 * Which remote the home is shared through: chosen once by a person of this machine, and kept with its addresses where
 * nothing that arrives can reach. spec/git.md, "The remote".
 */
import path from "node:path";
import { codeRepository } from "../../core/home/find-home.ts";
import { type Refusal, refuse } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { isOpen, shownUrl } from "../remote/remote-url.ts";
import { branchHere, type Choice, isSame, type Kept, keptOf, leadsTo, oddRemote, readKept } from "./keep-remote.ts";
import { type Addressed, allowing, givenRemote, namedRemote, remoteNames, usualName } from "./remotes.ts";

/** How a remote is chosen. */
export interface Wish {
  /** A remote of the code by name, or an address; given by a person for this call. */
  given?: string | undefined;
  /** Nobody asked for this sync: then nothing is chosen for the first time. */
  isAutomatic?: boolean | undefined;
}

/**
 * The remote to sync with: the one that is given, else the one that was chosen on this machine; the first time that of
 * `relay.yml`, by its name in the code, else the code's `origin`, else its only one.
 * @throws Refusal `no_remote`, `bad_remote`, `remote_changed`, `remote_not_chosen`, `insecure_remote`, `git_failed`
 */
export async function chooseRemote(world: World, { given, isAutomatic = false }: Wish): Promise<Choice> {
  const { store, config } = world.home();
  const asked = config().sync.remote ?? null;
  const code = codeRepository(path.dirname(store.root));
  const kept = readKept(world);
  if (given !== undefined) {
    const named = await namedRemote(code, given);
    // A name has no slash and no colon; all else is where the remote is.
    if (named === null && (!/[/\\:]/.test(given) || given.startsWith("-")))
      throw refuse("no_remote", { given, known: await remoteNames(code) });
    const found = named ?? (await givenRemote(code, given, world.cwd));
    const remote = allowing(found, found.held);
    const chosen = keptOf(world, remote, named !== null, asked, found.held);
    return { remote, isGiven: true, toKeep: kept !== null && isSame(kept, chosen) ? null : chosen };
  }
  if (kept === null) {
    const remote = await firstChoice(world, await remoteNames(code), asked);
    if (isAutomatic) throw refuse("remote_not_chosen", { remote: remote.name, urls: remote.urls.map(shownUrl) });
    return { remote, isGiven: false, toKeep: keptOf(world, remote, true, asked, []) };
  }
  const branch = branchHere(world);
  if (kept.branch !== null && kept.branch !== branch)
    throw refuse("remote_changed", {
      remote: kept.name,
      urls: [...new Set(kept.urls.map(shownUrl))],
      other: branch ?? "",
      other_urls: [],
      by: "HEAD",
      branch: kept.branch,
    });
  const found = kept.named
    ? await namedRemote(code, kept.name)
    : { ...(await givenRemote(code, kept.urls[0] as string, "/")), name: kept.name };
  const remote = found === null ? null : allowing(found, kept.programs);
  if (asked !== null && asked !== kept.name && asked !== kept.asked) {
    const other = await namedRemote(code, asked);
    // Another name for the same place takes nothing elsewhere.
    if (other !== null && leadsTo(other, kept))
      return { remote: allowing(other, kept.programs), isGiven: false, toKeep: keptOf(world, other, true, asked, kept.programs) };
    throw changed(kept, { name: asked, urls: other?.urls ?? [] }, "relay.yml");
  }
  if (remote === null) throw refuse("no_remote", { given: kept.name, known: await remoteNames(code) });
  if (!leadsTo(remote, kept)) throw changed(kept, remote, "git");
  return { remote, isGiven: false, toKeep: null };
}

function changed(kept: Kept, now: { name: string; urls: readonly string[] }, by: "relay.yml" | "git"): Refusal {
  const shown = (urls: readonly string[]): string[] => [...new Set(urls.map(shownUrl))];
  const was = { remote: kept.name, urls: shown([...kept.urls, ...kept.push_urls]) };
  return refuse("remote_changed", { ...was, other: now.name, other_urls: shown(now.urls), by });
}

/** @throws Refusal `no_remote`, `insecure_remote` */
async function firstChoice(world: World, names: readonly string[], asked: string | null): Promise<Addressed> {
  const name = asked ?? usualName(names);
  const code = codeRepository(path.dirname(world.home().store.root));
  const remote = name === undefined ? null : await namedRemote(code, name);
  if (remote === null) throw refuse("no_remote", { given: name ?? null, known: [...names] });
  const open = [...remote.urls, ...remote.pushUrls].find(isOpen);
  if (open !== undefined) throw refuse("insecure_remote", { remote: remote.name, url: shownUrl(open) });
  const odd = oddRemote(remote);
  if (odd !== null) throw refuse("remote_not_chosen", { remote: remote.name, urls: remote.urls.map(shownUrl), odd });
  return remote;
}
