/** An open home: its store, the configuration in force, and which of its files the code tracks. spec/trust.md, "The last good version". */
import path from "node:path";
import { trackedBelowHome } from "../../git/git-tracked.ts";
import { noteProject } from "../../store/program.ts";
import { facts } from "../../store/read/facts.ts";
import { readText } from "../../store/read/read-file.ts";
import { isUnreadable } from "../../store/read/unreadable.ts";
import { MACHINE_FOLDERS, type Store, storeAt, storeOfCall } from "../../store/root.ts";
import { acceptedSettings, acceptedSign } from "../../trust/files/accepted-settings.ts";
import { notOwnHome } from "../../trust/files/own-home.ts";
import { type Config, parseSettings, type ReadBefore, type Settings } from "../config/config.ts";
import { CONFIG_PATH } from "../config/config-schema.ts";
import { type SettingChange, settingNames } from "../config/setting-changes.ts";
import { countingConfig } from "../config/settings.ts";
import { FileError, orElse } from "../format/file-error.ts";
import { LIMITS } from "../format/schema.ts";
import { type FileFault, Refusal, refuse } from "../refusal.ts";
import { faultOf, goodVersion, keepGood, mustRead } from "./broken-files.ts";
import { codeAround } from "./find-home.ts";

/** A home that was found. */
export interface Home {
  readonly store: Store;
  /**
   * The configuration as it is now on disk; where that cannot be read, the last one that could.
   * @throws Refusal `malformed_file`, `unsupported_format`, `no_home` where none could ever be read
   */
  config(): Config;
  /** Why the last good configuration counts in place of what is on the disk; null where it does not. @throws as `config` */
  configFault(): ConfigFault | null;
  /** Both at once, with what the file says, by one look at the disk. @throws as `config` */
  read(): Known;
  /** What is looked up once for a call; absent where a home is open for longer than that. */
  readonly ofCall?: OfCall | undefined;
}

/** What is known of a call. */
export interface OfCall {
  /** This machine's folder for the project, once it was found and trusted. */
  machine: Store | null;
  /** Whether its operation is still to come: what was looked at so far was before it. */
  isToCome: boolean;
}

/** What is wrong with `relay.yml`; `code` says which refusal it would be if there were no version to go on with. */
export interface ConfigFault extends FileFault {
  code: "malformed_file" | "unsupported_format" | "no_home";
}

/** What was read of `relay.yml`, and the facts that it was read under. */
export interface Known {
  sign: string;
  config: Config;
  fault: ConfigFault | null;
  /** All settings of the file, as it has them. */
  said: Settings;
  /** Those that do not count here, because nobody accepted them: what counts, and what the file says. */
  held: readonly SettingChange[];
  /** This machine's store, as it was found just now; null where nothing was ever kept here, or none was asked for. */
  machine: Store | null;
}

/** Options of opening a home. */
export interface HomeOptions {
  /** Whether the good configuration is kept for later (yes); not of an earlier record of a home. */
  keeps?: boolean;
  /** What is known of configurations that were read before. */
  before?: () => ReadBefore;
  /** Whether nothing is to be written (no). */
  readOnly?: boolean;
}

/** Opens a home by the real path of its folder. Reads nothing yet. */
export function openHome(root: string, options: HomeOptions = {}): Home {
  noteProject(path.dirname(root));
  return homeIn(
    storeAt(root, () => foreignRefusal(root), options.readOnly),
    options,
  );
}

/** The home that a store is. Of one that nobody found by a world, as of an earlier record, all counts that the file says. */
export function homeIn(store: Store, { keeps = true, before }: HomeOptions): Home {
  let known: Known | null = null;
  const read = (): Known => {
    const fact = facts(store, CONFIG_PATH);
    // Where it cannot be read, nothing was accepted; what writes is refused for that.
    const { outside } = store;
    const accepted = outside === undefined ? null : orElse(null, outside.find);
    const sign = `${fact === null ? "gone" : `${fact.inode} ${fact.size} ${fact.modifiedMs}`} ${outside === undefined ? "all" : acceptedSign(accepted)}`;
    // Leave to read it changes none of these.
    if (known?.sign !== sign || isUnreadable(known.fault?.problem)) {
      const { settings: said, config: whole, fault } = loadConfig(store, keeps, before);
      const { config, held } =
        outside === undefined ? { config: whole, held: [] } : countingConfig(said, whole, acceptedSettings(accepted));
      known = { sign, config, fault, said, held, machine: accepted };
      store.durable = known.config.durable;
    }
    known.machine = accepted;
    return known;
  };
  return homeOf(store, read);
}

const homeOf = (store: Store, read: () => Known, ofCall?: Home["ofCall"]): Home => ({
  store,
  config: () => read().config,
  configFault: () => read().fault,
  read,
  ofCall,
});

/**
 * The same home for one call: what that call checked and passed over is its own, whatever others do at the same time. It looks at
 * `relay.yml` once in a turn of the event loop, and again after it wrote there: a call asks for its settings a dozen times.
 */
export function forOneCall(home: Home): Home {
  const store = storeOfCall(home.store);
  const ofCall: OfCall = { machine: null, isToCome: false };
  let known: Known | null = null;
  let seenIn = 0;
  const read = (): Known => {
    const now = thisTurn();
    if (known !== null && store.rootIsSeen && seenIn === now) return known;
    known = home.read();
    ofCall.machine ??= known.machine;
    store.durable = known.config.durable;
    store.rootIsSeen = true;
    seenIn = now;
    return known;
  };
  return homeOf(store, read, ofCall);
}

/** The turn of the event loop, counted while somebody asks: one note of its end for all calls, because calls in a row may be many before it ends. */
let turn = { number: 1, isCounted: false };
/** Taken when the program begins: whoever sets other timers later does not stop the count. */
const { setImmediate: atNextTurn } = globalThis;

function thisTurn(): number {
  if (!turn.isCounted)
    atNextTurn(() => {
      turn = { number: turn.number + 1, isCounted: false };
    });
  turn.isCounted = true;
  return turn.number;
}

/** Whether a home is still where it was opened; it may be removed, or moved away and back. */
export const isThere = ({ store }: Home): boolean => facts(store, CONFIG_PATH) !== null || goodConfig(store) !== null;

/** A configuration, with the settings of the text that it is of. */
type Read = ReturnType<typeof parseSettings>;

function loadConfig(store: Store, keeps: boolean, before: (() => ReadBefore) | undefined): Read & { fault: ConfigFault | null } {
  try {
    return { ...readConfig(store, keeps, before), fault: null };
  } catch (error) {
    const good = error instanceof Refusal ? goodConfig(store, before) : null;
    if (good === null) throw error;
    return { ...good, fault: configFault(error as Refusal) };
  }
}

function readConfig(store: Store, keeps: boolean, before: (() => ReadBefore) | undefined): Read {
  return mustRead(CONFIG_PATH, () => {
    const source = readText(store, CONFIG_PATH, LIMITS.configBytes);
    if (source === null) throw refuse("no_home", { looked: store.root });
    const read = parseSettings(source, before?.());
    const hasOwn = facts(store, ".git") !== null;
    // Git and its people decide about a home that is files of the code, and check out what they like.
    if (read.config.inTree && hasOwn) throw new FileError("in_tree: expected false, because the home has a repository of its own");
    if (keeps && !read.config.inTree) keepGood(store, CONFIG_PATH, source);
    return read;
  });
}

/** The last good configuration, with its text; null where none is kept. */
export function goodConfig(store: Store, before?: () => ReadBefore): (Read & { text: string }) | null {
  const text = goodVersion(store, CONFIG_PATH, LIMITS.configBytes);
  // A version that an older Relay took.
  return orElse(null, () => (text === null ? null : { ...parseSettings(text, before?.()), text }));
}

function configFault(refusal: Refusal): ConfigFault {
  const { code, message } = refusal;
  if (code === "no_home") return { code, path: CONFIG_PATH, problem: "the file is missing" };
  if (code === "unsupported_format") return { code, path: CONFIG_PATH, problem: message.replace(`${CONFIG_PATH}: `, "") };
  return { code: "malformed_file", ...faultOf(refusal, CONFIG_PATH) };
}

/** What to say while the configuration that counts is another than the file, with every answer. */
export function configWarnings(home: Home): string[] {
  const fault = faultWarning(home);
  const { foreign, notes } = home.store;
  return [...(foreign?.code === "not_own_home" ? [foreign.message] : []), ...(fault === null ? [] : [fault]), ...notes.values()];
}

/** Warns people of settings that do not count here. An agent can do nothing about them, so no agent is told. */
export function heldWarnings(home: Home): string[] {
  const { held } = home.read();
  if (held.length === 0) return [];
  const [verb, those] = held.length === 1 ? ["does", "that is"] : ["do", "they are"];
  return [`${CONFIG_PATH}: ${settingNames(held)} ${verb} not count on this machine; if ${those} right, \`relay config accept\``];
}

function faultWarning(home: Home): string | null {
  const fault = home.configFault();
  if (fault === null) return null;
  const where = fault.line === undefined ? fault.path : `${fault.path}:${fault.line}`;
  const cure =
    fault.code === "no_home" ? "`relay config restore` restores it" : "correct it, or restore that version: `relay config restore`";
  return `${where}: ${fault.problem.replace(/\.$/, "")}. Until it is corrected, the last readable version is in force; ${cure}`;
}

/**
 * Why the folder of a home may be somebody else's: the code tracks what belongs to one machine, or another user could have put it there.
 * @param root absolute real path of the home
 */
function foreignRefusal(root: string): Refusal | null {
  const tracked = trackedState(root);
  const at = { folder: path.dirname(root), home: path.basename(root) };
  if (tracked.length > 0) return refuse("tracked_state", tracked.includes("") ? { ...at, whole: true } : at);
  const code = codeAround(at.folder);
  // A folder in which everybody may make a name lets anybody lay a `.git` beside somebody's home.
  const problem = notOwnHome(root) ?? (code === null ? null : notOwnHome(code.commonDir));
  return problem === null ? null : refuse("not_own_home", { home: root, folder: at.folder, problem });
}

/**
 * What the code tracks of a home's `outbox/`, `local/` and `run/`, or in place of the home itself: a repository or a link.
 * @param root absolute path of the home
 * @returns paths in the home, with `/`; an empty one for the home itself
 */
export function trackedState(root: string): readonly string[] {
  const code = codeAround(path.dirname(root));
  if (code === null || code.top === null) return [];
  return trackedBelowHome({ gitDir: code.gitDir, top: code.top }, root, [...MACHINE_FOLDERS]);
}
