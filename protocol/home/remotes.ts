/** Which remote the home is shared through. SPEC.md, "Syncing". */
import path from "node:path";
import { refuse } from "../refusal.ts";
import { sha256 } from "../store/digest.ts";
import { git } from "../store/git.ts";
import type { Remote } from "../store/git-remote.ts";
import { readText } from "../store/read.ts";
import type { Store } from "../store/root.ts";
import type { World } from "../world.ts";
import { type CodeRepository, codeRepository } from "./discover.ts";

/** This machine's own choice of a remote: a name, a URL or a path. Goes before `relay.yml`'s. */
const CHOICE = "local/remote";
const DEFAULT = "origin";
/** Settings of the code's repository that reaching a remote may need. */
const NEEDED = /^(core\.sshcommand|core\.gitproxy|ssh\.variant|credential\..+|http\..+|url\..+|protocol\..+)$/i;

/** The settings of a code repository's own configuration, in order. */
async function settingsOf({ commonDir }: CodeRepository): Promise<[string, string][]> {
  const out = await git(commonDir, ["config", "--file", path.join(commonDir, "config"), "--includes", "--null", "--list"]).catch(() => "");
  return out.split("\0").flatMap((item) => {
    const at = item.indexOf("\n");
    return item === "" ? [] : [[at === -1 ? item : item.slice(0, at), at === -1 ? "true" : item.slice(at + 1)] as [string, string]];
  });
}

/** A path on this disk is meant from the code's top, and a URL or `host:path` is what it is. */
function located(url: string, top: string): string {
  const isLocal = !/^[a-z][a-z0-9+.-]*:\/\//i.test(url) && !/^[^/]+:/.test(url);
  return isLocal && !path.isAbsolute(url) ? path.resolve(top, url) : url;
}

/** The remotes of a code repository, by name. */
export async function remotesOf(code: CodeRepository): Promise<Map<string, Remote>> {
  const settings = await settingsOf(code);
  const needed = settings.filter(([name]) => NEEDED.test(name));
  const top = path.basename(code.commonDir) === ".git" ? path.dirname(code.commonDir) : code.commonDir;
  const remotes = new Map<string, Remote>();
  for (const [key, value] of settings) {
    const name = /^remote\.(.+)\.url$/i.exec(key)?.[1];
    if (name === undefined || remotes.has(name)) continue;
    const pushUrl = settings.find(([other]) => other.toLowerCase() === `remote.${name}.pushurl`.toLowerCase())?.[1] ?? value;
    remotes.set(name, { name, url: located(value, top), pushUrl: located(pushUrl, top), settings: needed });
  }
  return remotes;
}

/** The remote that is meant where nobody says which: `origin`, or the only one. */
export function usualRemote(remotes: ReadonlyMap<string, Remote>): Remote | undefined {
  return remotes.get(DEFAULT) ?? (remotes.size === 1 ? [...remotes.values()][0] : undefined);
}

/**
 * The remote to sync with: the one given, this machine's choice, that of `relay.yml`, else the code's `origin`, else its only one.
 * @throws Refusal `no_remote`
 */
export async function chooseRemote(world: World, given: string | undefined): Promise<Remote> {
  const { store, config } = world.home();
  const code = codeRepository(path.dirname(store.root));
  const remotes = code === null ? new Map<string, Remote>() : await remotesOf(code);
  const wanted = given ?? choiceOf(store) ?? config().sync.remote ?? undefined;
  if (wanted === undefined) {
    const only = usualRemote(remotes);
    if (only === undefined) throw refuse("no_remote", { given: null, known: [...remotes.keys()] });
    return only;
  }
  const named = remotes.get(wanted);
  if (named !== undefined) return named;
  // A name has no slash and no colon; all else is where the remote is.
  if (!/[/\\:]/.test(wanted) || wanted.startsWith("-")) throw refuse("no_remote", { given: wanted, known: [...remotes.keys()] });
  const settings = code === null ? [] : (await settingsOf(code)).filter(([name]) => NEEDED.test(name));
  const url = located(wanted, world.cwd);
  return { name: wanted, url, pushUrl: url, settings };
}

function choiceOf(store: Store): string | undefined {
  try {
    return readText(store, CHOICE, 4_096)?.trim() || undefined;
  } catch {
    return undefined;
  }
}

/** Where the home's repository remembers what a remote had last. */
export function trackingRef({ name }: Remote, branch: string): string {
  const plain = /^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(name) ? name : `url-${sha256(name).slice(0, 12)}`;
  return `refs/remotes/${plain}/${branch}`;
}
