/** The remotes of the code's repository: their names, their addresses, and the settings needed to reach them. spec/git.md, "The remote". */
import path from "node:path";
import { type CodeRepository, HOME_GIT } from "../../core/home/find-home.ts";
import { refuse } from "../../core/refusal.ts";
import { realAsFarAsThere } from "../../store/beside/own-folder.ts";
import { sha256 } from "../../store/digest.ts";
import { projectFolders } from "../../store/linked-worktrees.ts";
import { isBelow } from "../../store/program.ts";
import type { Setting as Pair } from "../git-config.ts";
import { changesMoreThan } from "../git-history.ts";
import { gitIn, type Repository } from "../git-run.ts";
import { askedOnce } from "../objects/object-process.ts";
import { gitNowhere, type Remote, unled } from "../remote/git-network.ts";
import { isSameServer, serverOf, shownUrl, urlProblem, webBase } from "../remote/remote-url.ts";

/** A remote with all that it leads to; of several addresses git fetches from the first, and so does Relay, which sends to the first. */
export interface Addressed extends Remote {
  urls: readonly string[];
  pushUrls: readonly string[];
  /** An address as it stands there that leads from the project: what lies there may have come along with it. */
  beside?: string | undefined;
  /** Settings of the code that start a program, such as `core.sshCommand`, or lead elsewhere, such as `http.proxy`: they go along once a person let them. */
  held: readonly Pair[];
}

const DEFAULT = "origin";
/**
 * Settings of the code's repository that reaching a remote may need. An address is resolved already, so `url.*` does not go along, and no
 * remote writes a file of the user, so a cookie jar does not either.
 */
const NEEDED = /^(core\.sshcommand|core\.gitproxy|ssh\.variant|credential\..+|http\.(?!(.+\.)?(cookiefile|savecookies)$).+)$/is;
/** Those of them that name a program. */
const PROGRAM = /^(core\.sshcommand|core\.gitproxy|credential\.(.+\.)?helper)$/is;
/** Those that go along as they are, wherever they stand: they lead nowhere. A header may name another host. */
const FREE =
  /^(ssh\.variant|credential\.(.+\.)?(username|usehttppath)|http\.(.+\.)?(version|postbuffer|lowspeed(limit|time)|followredirects))$/is;
const isHeld = ({ name, value, scope }: Setting): boolean =>
  PROGRAM.test(name) ||
  (!["system", "global"].includes(scope) && !FREE.test(name) && !(/\.extraheader$/i.test(name) && /^(authorization:|$)/i.test(value)));
/** Settings without a URL of their own, by what stands before the name. */
const OF_ANY_HOST = /^(http|credential)\.([^.]+)$/i;

/** One setting as git tells it. */
interface Setting {
  scope: string;
  origin: string;
  name: string;
  value: string;
  /** Whether a key stands there alone, which git reads as true, or not at all. */
  isBare: boolean;
}

const folderOf = ({ top, commonDir }: CodeRepository): string => top ?? commonDir;

/** Runs git in the code; gives what it printed. @throws Refusal `git_failed` where git itself will not work there */
async function inCode(code: CodeRepository, args: readonly string[]): Promise<string> {
  const result = await gitIn(folderOf(code), args, { env: unled() });
  if (result.code === 0) return result.out.toString("utf8");
  throw refuse("git_failed", { command: `git ${args.slice(0, 2).join(" ")}`, reason: result.err });
}

const LIST = ["config", "--list", "-z", "--show-scope", "--show-origin", "--includes"];

function readSettings(out: string): Setting[] {
  const fields = out.split("\0");
  const settings: Setting[] = [];
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [scope = "", origin = "", line = ""] = fields.slice(at, at + 3);
    const cut = line.indexOf("\n");
    const [name, value] = cut === -1 ? [line, "true"] : [line.slice(0, cut), line.slice(cut + 1)];
    // What Relay itself says for its calls is none of the code's.
    if (scope !== "command") settings.push({ scope, origin, name, value, isBare: cut === -1 });
  }
  return settings;
}

/** Settings of git in the code; one step asks for them once. */
const settingsOf = (code: CodeRepository): Promise<Setting[]> =>
  askedOnce(path.join(code.commonDir, HOME_GIT), "settings", async () => {
    const settings = readSettings(await inCode(code, LIST));
    // Of a repository that git refuses, such as one of another owner, it lists the settings of the user, and no failure.
    if (!settings.some(({ scope }) => scope === "local")) await inCode(code, ["rev-parse", "--git-dir"]);
    return settings;
  });

const namesIn = (settings: readonly Setting[]): string[] => [
  ...new Set(settings.flatMap(({ name }) => /^remote\.(.+)\.url$/i.exec(name)?.[1] ?? [])),
];

/** The names of the code's remotes, in the order of its configuration. @throws Refusal `git_failed` */
export const remoteNames = async (code: CodeRepository | null): Promise<string[]> => (code === null ? [] : namesIn(await settingsOf(code)));

/** The name of the remote that is meant where nobody says which: `origin`, or the only one. */
export const usualName = (names: readonly string[]): string | undefined =>
  names.includes(DEFAULT) ? DEFAULT : names.length === 1 ? names[0] : undefined;

/** A path on this disk is meant from the code's top, and a URL or `host:path` is what it is. */
const located = (url: string, top: string): string =>
  serverOf(url)?.scheme === "file" && !/^file:/i.test(url) && !path.isAbsolute(url) ? path.resolve(top, url) : url;

/** The path of a URL as git decodes it: each `%` with two digits behind it is a byte, and any other stays. */
const decoded = (text: string): string =>
  text.replace(/(?:%[0-9a-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll("%", ""), "hex").toString());

/**
 * An address that does not lie in the project: a repository there came along with it, and its own settings and hooks name programs. A path
 * is given to git as it was looked at, with each link followed: what `/proc` says, and what lies behind a link and `..`, git would read anew.
 * @throws Refusal `bad_remote`
 */
function outside(url: string, { commonDir, top }: CodeRepository): string {
  if (serverOf(url)?.scheme !== "file") return url;
  const said = /^file:/i.test(url) ? decoded(url.replace(/^file:\/\/[^/]*/i, "")) : url;
  const at = realAsFarAsThere(said);
  const folders = [...projectFolders(commonDir, top), "/proc", "/dev"];
  const isIn = (folder: string): boolean =>
    [at, path.resolve(said)].some((each) => isBelow(each, folder) || isBelow(each, realAsFarAsThere(folder)));
  if (!folders.some(isIn)) return at === said ? url : at;
  const problem = "it lies in the project itself, where a repository that came along would run its own programs";
  throw refuse("bad_remote", { given: url, problem });
}

/**
 * A remote of the code, with its addresses as git resolves them (`insteadOf`), and what of the code's settings goes along.
 * @returns null where the code has none of that name
 * @throws Refusal `bad_remote`, `git_failed`
 */
export async function namedRemote(code: CodeRepository | null, name: string): Promise<Addressed | null> {
  const settings = code === null ? [] : await settingsOf(code);
  if (code === null || !namesIn(settings).includes(name)) return null;
  // A relative path is meant from the main working tree, whichever worktree asks.
  const top = path.basename(code.commonDir) === ".git" ? path.dirname(code.commonDir) : code.commonDir;
  const valuesOf = (variable: string): string[] =>
    settings.filter((setting) => setting.name === `remote.${name}.${variable}`).map(({ value }) => value);
  const said = [valuesOf("url"), valuesOf("pushurl")] as const;
  // Git is asked where a setting rewrites addresses (`insteadOf`), or one reads otherwise than it stands there.
  const isRead = ({ name: key, isBare }: Setting): boolean => /^url\./i.test(key) || (isBare && /^remote\..+url$/i.test(key));
  const isPlain = !settings.some(isRead) && said.flat().every((url) => /^[^\n]+$/.test(url));
  const ask = async (plain: readonly string[], ...more: string[]): Promise<string[]> =>
    (isPlain ? plain : (await inCode(code, ["remote", "get-url", ...more, "--all", "--end-of-options", name])).split("\n"))
      .filter((line) => line !== "")
      .map((url) => outside(located(sound(url), top), code));
  const [urls, pushUrls] = [await ask(said[0]), await ask(said[1].length > 0 ? said[1] : said[0], "--push")];
  const beside = said.flat().find((url) => located(url, top) !== url);
  return addressed({ name, urls, pushUrls, beside, along: await goingAlong(settings, [urls[0] ?? "", pushUrls[0] ?? ""]) });
}

/**
 * A remote that a person gave by its address. Settings of the code go along only to a server that one of its remotes is on.
 * @throws Refusal `bad_remote`, `git_failed`
 */
export async function givenRemote(code: CodeRepository | null, given: string, cwd: string): Promise<Addressed> {
  const url = located(sound(given), cwd);
  const bare = { name: shownUrl(given), urls: [url], pushUrls: [url], along: NONE };
  const plain = addressed(bare);
  if (code === null || serverOf(url)?.scheme === "file") return plain;
  const remotes = await Promise.all((await remoteNames(code)).map((name) => namedRemote(code, name).catch(() => null)));
  const isOfCode = remotes.some((remote) => remote?.urls.concat(remote.pushUrls).some((known) => isSameServer(known, url)));
  return isOfCode ? addressed({ ...bare, along: await goingAlong(await settingsOf(code), [url]) }) : plain;
}

/** An address that git may be given. @throws Refusal `bad_remote` */
function sound(url: string): string {
  const problem = urlProblem(url);
  if (problem !== null) throw refuse("bad_remote", { given: shownUrl(url).slice(0, 200), problem });
  return url;
}

/** @param along the settings of the code that reaching it may need */
function addressed({ along, ...remote }: Pick<Addressed, "name" | "urls" | "pushUrls" | "beside"> & { along: GoingAlong }): Addressed {
  const [url = ""] = remote.urls;
  return { ...remote, url, pushUrl: remote.pushUrls[0] ?? url, ...along };
}

type GoingAlong = Pick<Addressed, "settings" | "held">;
const NONE: GoingAlong = { settings: [], held: [] };

/** The same remote, for which settings that are held go along where a person let them. @param allowed those that a person let */
export function allowing(remote: Addressed, allowed: readonly Pair[]): Addressed {
  const known = new Set(allowed.map((each) => JSON.stringify(each)));
  const along = remote.held.filter((each) => known.has(JSON.stringify(each)));
  return { ...remote, settings: [...remote.settings, ...along], held: remote.held.filter((each) => !along.includes(each)) };
}

/**
 * Settings that hold in the code and not elsewhere: its own, and what the user's configuration includes for it alone. One
 * for any host is made one for the hosts that are meant, so that a redirect does not take it along.
 */
async function goingAlong(settings: readonly Setting[], urls: readonly string[]): Promise<GoingAlong> {
  // Without a condition in it, what the user or the machine is set to holds everywhere.
  const isConditional = settings.some(({ name }) => name.startsWith("includeif."));
  const isOfCode = ({ scope }: Setting): boolean => isConditional || !["system", "global"].includes(scope);
  const needed = settings.filter((setting) => NEEDED.test(setting.name) && isOfCode(setting));
  if (needed.length === 0) return NONE;
  const elsewhere = readSettings((await gitNowhere(LIST, { env: unled() })).out.toString("utf8"));
  const known = new Set(elsewhere.map((setting) => JSON.stringify(setting)));
  const bases = [...new Set(urls.flatMap((url) => webBase(url) ?? []))];
  const pairs = ({ name, value }: Setting): Pair[] => {
    const [, section, variable] = OF_ANY_HOST.exec(name) ?? [];
    return section === undefined ? [[name, value]] : bases.map((base) => [`${section}.${base}.${variable}`, value]);
  };
  const along = needed.filter((setting) => !known.has(JSON.stringify(setting)));
  const free = along.filter((setting) => !isHeld(setting)).flatMap(pairs);
  // Git chooses headers by the first address, and would take them along to wherever that leads.
  const staying = bases.map((base): Pair => [`http.${base}.followRedirects`, "false"]);
  const isWeb = along.some(({ name }) => /^(http|credential)\./i.test(name));
  return { settings: isWeb ? [...free, ...staying] : free, held: along.filter(isHeld).flatMap(pairs) };
}

/** Where the home's repository remembers what a remote had last. */
export function trackingRef({ name }: Remote, branch: string): string {
  const plain = /^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(name) ? name : `url-${sha256(name).slice(0, 12)}`;
  return `refs/remotes/${plain}/${branch}`;
}

/** Files that all commits of one sync may change together; and those of a whole history, which a clone joins. */
const CHANGES_MOST = { sync: 2_000_000, join: 10_000_000 };

/**
 * Refuses a commit that came with more changes than anybody reads.
 * @param known what this clone has already
 * @throws Refusal `remote_damaged`
 */
export async function requireCountable(
  repository: Repository,
  { remote, branch, theirs, known }: { remote: string; branch: string; theirs: string; known: readonly string[] },
): Promise<void> {
  const most = CHANGES_MOST[known.length === 0 ? "join" : "sync"];
  const range = [theirs, ...known.map((commit) => `^${commit}`)];
  if (known.includes(theirs) || !(await changesMoreThan(repository, range, most))) return;
  const reason = `its commits change more files than Relay reads (at most ${most}, at most 20 of one content, in 64 folders of one another, with paths of 16,384 letters, and 256 parents of a commit)`;
  throw refuse("remote_damaged", { remote, ref: `refs/heads/${branch}`, commit: theirs, object: theirs, fault: "tooManyFiles", reason });
}
