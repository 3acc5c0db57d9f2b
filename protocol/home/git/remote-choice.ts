/**
 * Which remote the home is shared through: chosen once by a person of this machine, and kept with its addresses where
 * nothing that arrives can reach. spec/git.md, "The remote".
 */
import path from "node:path";
import { Refusal, refuse } from "../../refusal.ts";
import { place } from "../../store/files.ts";
import type { Remote } from "../../store/git/git-network.ts";
import { isOpen, shownUrl } from "../../store/git/remote-url.ts";
import { readText } from "../../store/read.ts";
import type { World } from "../../world.ts";
import { codeRepository } from "../discover.ts";
import { machineStore, readMachine } from "../machine.ts";
import { type Addressed, givenRemote, namedRemote, remoteNames, usualName } from "./remotes.ts";

/** Where the choice is kept, in the machine's store. */
const KEPT = "remote.json";
const KEPT_BYTES = 65_536;
/** Where older versions kept it: in the home, where it may have arrived. */
const OLD_CHOICE = "local/remote";

/** The choice as it is kept. */
interface Kept {
  version: 1;
  name: string;
  /** Whether it is a remote of the code, and not an address that a person gave. */
  named: boolean;
  urls: string[];
  push_urls: string[];
  /** What `relay.yml` named when a person chose: that alone is no reason to ask again. */
  asked: string | null;
}

/** A remote to sync with. */
export interface Choice {
  remote: Addressed;
  /** Whether a person named it for this call. */
  isGiven: boolean;
  /** What is to be kept once the remote has answered; null where it is kept already. */
  toKeep: Kept | null;
}

/** How a remote is chosen. */
export interface Wish {
  /** A remote of the code by name, or an address; given by a person for this call. */
  given?: string | undefined;
  /** Nobody asked for this sync: then nothing is chosen for the first time. */
  isAutomatic?: boolean | undefined;
}

const keptOf = (remote: Addressed, named: boolean, asked: string | null): Kept => ({
  version: 1,
  name: remote.name,
  named,
  urls: [...remote.urls],
  push_urls: [...remote.pushUrls],
  asked,
});

const isSame = (one: Kept, other: Kept): boolean => JSON.stringify(one) === JSON.stringify(other);
const leadsTo = ({ urls, pushUrls }: Addressed, kept: Kept): boolean =>
  JSON.stringify([urls, pushUrls]) === JSON.stringify([kept.urls, kept.push_urls]);

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
  const names = await remoteNames(code);
  if (given !== undefined) {
    const named = await namedRemote(code, given);
    // A name has no slash and no colon; all else is where the remote is.
    if (named === null && (!/[/\\:]/.test(given) || given.startsWith("-"))) throw refuse("no_remote", { given, known: names });
    const remote = named ?? (await givenRemote(code, given, world.cwd));
    const chosen = keptOf(remote, named !== null, asked);
    return { remote, isGiven: true, toKeep: kept !== null && isSame(kept, chosen) ? null : chosen };
  }
  if (kept === null) {
    const remote = await firstChoice(world, names, asked);
    if (isAutomatic) throw refuse("remote_not_chosen", { remote: remote.name, urls: remote.urls.map(shownUrl) });
    return { remote, isGiven: false, toKeep: keptOf(remote, true, asked) };
  }
  const remote = kept.named
    ? await namedRemote(code, kept.name)
    : { ...(await givenRemote(code, kept.urls[0] as string, "/")), name: kept.name };
  if (asked !== null && asked !== kept.name && asked !== kept.asked) {
    const other = await namedRemote(code, asked);
    // Another name for the same place takes nothing elsewhere.
    if (other !== null && leadsTo(other, kept)) return { remote: other, isGiven: false, toKeep: keptOf(other, true, asked) };
    throw changed(kept, { name: asked, urls: other?.urls ?? [] }, "relay.yml");
  }
  if (remote === null) throw refuse("no_remote", { given: kept.name, known: names });
  if (!leadsTo(remote, kept)) throw changed(kept, remote, "git");
  return { remote, isGiven: false, toKeep: null };
}

function changed(kept: Kept, now: { name: string; urls: readonly string[] }, by: "relay.yml" | "git"): Refusal {
  const shown = (urls: readonly string[]): string[] => [...new Set(urls.map(shownUrl))];
  const was = { remote: kept.name, urls: shown([...kept.urls, ...kept.push_urls]) };
  return refuse("remote_changed", { ...was, other: now.name, other_urls: shown(now.urls), by });
}

/** @throws Refusal `no_remote`, `remote_changed`, `insecure_remote` */
async function firstChoice(world: World, names: readonly string[], asked: string | null): Promise<Addressed> {
  const name = asked ?? usualName(names);
  const code = codeRepository(path.dirname(world.home().store.root));
  const remote = name === undefined ? null : await namedRemote(code, name);
  if (remote === null) throw refuse("no_remote", { given: name ?? null, known: [...names] });
  // An older version was told another one, in a file of the home: it may have arrived, so a person says which of the two.
  const old = oldChoice(world);
  if (old !== null && old !== name)
    throw refuse("remote_changed", {
      remote: shownUrl(old),
      urls: [],
      other: remote.name,
      other_urls: remote.urls.map(shownUrl),
      by: OLD_CHOICE,
    });
  const open = [...remote.urls, ...remote.pushUrls].find(isOpen);
  if (open !== undefined) throw refuse("insecure_remote", { remote: remote.name, url: shownUrl(open) });
  return remote;
}

function oldChoice(world: World): string | null {
  try {
    return readText(world.home().store, OLD_CHOICE, 4_096)?.trim() || null;
  } catch {
    return null;
  }
}

/** The remote that was chosen on this machine, as it was chosen; null where none was. What `relay.yml` says now changes nothing of it. */
export async function keptRemote(world: World): Promise<Remote | null> {
  const kept = readKept(world);
  if (kept === null) return null;
  const code = codeRepository(path.dirname(world.home().store.root));
  const named = kept.named ? await namedRemote(code, kept.name).catch(() => null) : null;
  if (named !== null && leadsTo(named, kept)) return named;
  const given = await givenRemote(code, kept.urls[0] as string, "/");
  return { ...given, name: kept.name, pushUrl: kept.push_urls[0] ?? given.url };
}

/**
 * Keeps a choice. Where this machine can keep nothing, a remote that was named for this call is used for this call.
 * @returns what to warn of, if anything
 * @throws Refusal `no_state_folder`
 */
export function keepRemote(world: World, { toKeep, isGiven }: Choice): string | undefined {
  if (toKeep === null) return undefined;
  try {
    place(machineStore(world), KEPT, `${JSON.stringify(toKeep)}\n`);
    return undefined;
  } catch (error) {
    if (!isGiven || !(error instanceof Refusal) || error.code !== "no_state_folder") throw error;
    return `the choice of ${toKeep.name} was not kept, so say it each time: ${error.message}`;
  }
}

/** Keeps the remote that a home was joined from: whoever cloned the code from there chose it. What cannot be kept is chosen by the first sync. */
export function keepJoined(world: World, remote: Addressed): void {
  if ([...remote.urls, ...remote.pushUrls].some(isOpen)) return;
  try {
    const toKeep = keptOf(remote, true, world.home().config().sync.remote ?? null);
    keepRemote(world, { remote, isGiven: true, toKeep });
  } catch {
    // The home cannot be read yet, or the state folder not be written: the first sync says so.
  }
}

/** @throws Refusal `malformed_file` */
function readKept(world: World): Kept | null {
  const text = readMachine(world, KEPT, KEPT_BYTES);
  if (text === null) return null;
  const isList = (value: unknown): value is string[] => Array.isArray(value) && value.every((each) => typeof each === "string");
  try {
    const kept = JSON.parse(text) as Kept;
    if (kept.version === 1 && typeof kept.name === "string" && isList(kept.urls) && isList(kept.push_urls) && kept.urls.length > 0)
      return { ...kept, named: kept.named === true, asked: typeof kept.asked === "string" ? kept.asked : null };
  } catch {
    // Told below.
  }
  throw refuse("malformed_file", {
    path: KEPT,
    problem: "it does not say which remote was chosen; `relay sync --remote NAME` writes it anew",
  });
}
