/** The world of an operation: its home, caller, clock and random numbers, injected so that a test can control them. */
import path from "node:path";
import { randomBytes } from "../store/digest.ts";
import { unchangedMs } from "../store/disk-clock.ts";
import { outsideOf } from "../trust/files/machine.ts";
import { type Connection, newConnection } from "./connection-memory.ts";
import { orElse } from "./format/file-error.ts";
import { ALPHABET } from "./format/id.ts";
import { findHome, homeOf, realFolder, requireHome, requireTexts } from "./home/find-home.ts";
import { forOneCall, type Home, type OfCall, openHome } from "./home/home.ts";
import { readBefore } from "./home/read-before.ts";
import { hereFile, isMainWorktree, partIn, wasMadePart, worktreeOfPart } from "./home/worktree-part.ts";
import { HUMAN, TOKEN_VARIABLE } from "./names.ts";
import { packageWith } from "./package.ts";
import { refuse } from "./refusal.ts";

/**
 * Who a connection or a command is. `bound` cannot be overridden by `agent_id`; a `default` can. A `viewer` looks on:
 * what it reads counts as seen by nobody. `contradicted` is nobody: the environment says one part, the worktree another.
 */
export interface Me {
  part: string | null;
  how: "bound" | "default" | "unbound" | "viewer" | "contradicted";
  said?: { environment: string; worktree: string };
}

/** The record that a home of the past was taken from. */
export interface Past {
  readonly commit: string;
  /** Absolute path of the home itself. */
  readonly home: string;
  /** When the commit was made, in milliseconds since the epoch. */
  readonly atMs: number;
  /** The name of this clone, which no record has; null where it has none yet. */
  readonly clone: string | null;
  /** When files were changed last by the records up to it, in milliseconds since the epoch, by path in the home. */
  changedMs(paths: readonly string[]): Promise<ReadonlyMap<string, number>>;
}

/** Everything from outside that operations use. */
export interface World {
  readonly me: Me;
  readonly connection: Connection;
  /**
   * The home, found when it is first asked for. A program asks it by operations, so it is not in the published types.
   * @throws Refusal `no_home`, `unsupported_format`, `malformed_file`
   * @internal
   */
  home(): Home;
  /** Milliseconds since the epoch, by this machine's clock. */
  now(): number;
  /**
   * For how long none of some files of the home has changed, in milliseconds, by the disk's own clock; null where that is not
   * known, or `now` was given and is time itself.
   */
  unchangedMs(targets: readonly string[]): number | null;
  /** So many random characters of `ALPHABET`, in `core/format/id.ts`. */
  random(length: number): string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The working directory. */
  readonly cwd: string;
  /** Aborts what waits: the client cancelled, or the process ends. */
  readonly signal?: AbortSignal | undefined;
  /** Whether a person looks on a terminal: what they read, the part has not seen. `human` is a person anyway. */
  readonly person?: boolean | undefined;
  /** The record whose home this is; absent where it is the home as it is now, the only one that can be written. */
  readonly past?: Past | undefined;
  /** Told what a long operation is at, so that a person sees it move. */
  readonly progress?: ((at: string) => void) | undefined;
}

/** What a world is made from; all but the folder has a default. */
export interface WorldOptions {
  cwd?: string;
  env?: Readonly<Record<string, string | undefined>>;
  /** `--home`; goes before `RELAY_HOME`. */
  home?: string | undefined;
  /** `--part`; goes before `RELAY_PART`. */
  part?: string | undefined;
  /** The roots an MCP client named, as folders; searched before the working directory. */
  roots?: readonly string[];
  connection?: Connection;
  /** Time itself, to wait for nothing. A process whose clock is wrong has `Date.now` wrong. */
  now?: () => number;
  random?: (length: number) => string;
  signal?: AbortSignal | undefined;
  person?: boolean | undefined;
  progress?: ((at: string) => void) | undefined;
}

/** Random characters from the system's generator. */
export function systemRandom(length: number): string {
  let text = "";
  for (const byte of randomBytes(length)) text += ALPHABET.charAt(byte & 31);
  return text;
}

/**
 * Makes a world of the real clock, dice and environment, but for what is given. Touches no disk until it is used.
 * @throws Refusal `usage` where a folder or a part is no text
 */
export function createWorld(options: WorldOptions = {}): World {
  requireTexts({ cwd: options.cwd, home: options.home, part: options.part });
  const env = options.env ?? process.env;
  const cwd = options.cwd ?? process.cwd();
  const named = options.home ?? env["RELAY_HOME"];
  const inherited = env["RELAY_PART"] || undefined;
  const folders = [...(options.roots ?? []), cwd];
  let home: Home | null = null;
  let hereFiles: string[] | null = null;
  const openOnce = (): Home => {
    if (home !== null) return home;
    const found = openHome(requireHome(named, folders), { before: () => readBefore(() => world) });
    // A pager that runs a command for a part says for this very run which home it is.
    if (options.home === undefined && !isSaidForThisRun(env)) requireSameHome(env["RELAY_HOME"], found.store.root, folders);
    found.store.outside = outsideOf(world);
    home = found;
    return home;
  };
  /** Which part this worktree is, asked again each time: it may be made one, or another, while a server runs. */
  const here = (): string | null => {
    try {
      // The part of one repository has no say in the home of another.
      const { root } = openOnce().store;
      hereFiles ??= folders
        .filter((folder) => isOutside(folder, root) && findHome(folder) === root)
        .flatMap((folder) => hereFile(folder) ?? []);
    } catch {
      return null;
    }
    for (const file of hereFiles) {
      const part = partIn(world, file);
      // No agent is a person.
      if (part !== null && !(part === HUMAN && world.connection.lasting)) return part;
    }
    return null;
  };
  const world: World = {
    env,
    cwd,
    signal: options.signal,
    person: options.person,
    progress: options.progress,
    connection: options.connection ?? newConnection(false),
    now: options.now ?? Date.now,
    unchangedMs: (targets) => (options.now === undefined ? unchangedMs(openOnce().store, targets) : null),
    random: options.random ?? systemRandom,
    home: openOnce,
    get me(): Me {
      if (options.part !== undefined) return { part: options.part, how: "bound" };
      const part = here();
      if (inherited !== undefined) {
        // A pager that runs a command for a part says so for this very run.
        const isSaid = part === null || part === inherited || isSaidForThisRun(env);
        if (isSaid || isOnePart(openOnce(), part, inherited)) return { part: inherited, how: "bound" };
        return { part: null, how: "contradicted", said: { environment: inherited, worktree: part } };
      }
      const known = part ?? orElse(null, () => partOfMainCheckout(world, folders));
      if (known === null) return { part: null, how: "unbound" };
      const { connection } = world;
      // Another agent may be set up in this checkout meanwhile.
      if (connection.lasting) connection.part ??= known;
      return { part: connection.part ?? known, how: "default" };
    },
  };
  return world;
}

/** Whether a folder lies outside of a home: from within it no worktree says who calls, since all of them lead into it. */
const isOutside = (folder: string, root: string): boolean => !`${realFolder(folder)}/`.startsWith(`${root}/`);

/** The part of the main worktree, where folders lie in that of the code around a home that was made on this machine; null anywhere else. */
function partOfMainCheckout(world: World, folders: readonly string[]): string | null {
  const { root } = world.home().store;
  const isMain = (folder: string): boolean => isOutside(folder, root) && isMainWorktree(folder) && findHome(folder) === root;
  // Else whoever may write in it would make another part the main one.
  if (folders.some((folder) => wasMadePart(world, folder))) return null;
  return folders.some(isMain) ? packageWith("partOfMainWorktree").partOfMainWorktree(world) : null;
}

/** Whether the environment was made for this very run: by a pager that runs a command for a part, or for a turn of the office. */
const isSaidForThisRun = (env: WorldOptions["env"]): boolean =>
  [env?.["RELAY_WAKE_ID"], env?.[TOKEN_VARIABLE]].some((said) => said !== undefined && said !== "");

/** Whether two names are one part's, now or formerly. */
function isOnePart(home: Home, one: string, other: string): boolean {
  return orElse(false, () => {
    const { parts } = home.config();
    const now = (name: string): string | undefined =>
      parts.has(name) ? name : [...parts].find(([, { formerly }]) => formerly.includes(name))?.[0];
    return now(one) !== undefined && now(one) === now(other);
  });
}

/** Who calls, looked up once. */
function lookedUpOnce(world: World): () => Me {
  let me: Me | undefined;
  return () => {
    me ??= world.me;
    return me;
  };
}

/**
 * A copy of a world with some fields of its own: for one call, for a reader, or for another home. All copies have one shape: V8 would look up each field of a world that inherits, in each
 * call anew.
 */
class WorldWith implements World {
  readonly connection: World["connection"];
  readonly home: World["home"];
  readonly now: () => number;
  readonly unchangedMs: World["unchangedMs"];
  readonly random: (length: number) => string;
  readonly env: World["env"];
  readonly cwd: string;
  readonly signal: AbortSignal | undefined;
  readonly person: boolean | undefined;
  readonly past: World["past"];
  readonly progress: World["progress"];
  readonly whoCalls: () => Me;

  constructor(
    world: World,
    own: Partial<Pick<World, "connection" | "cwd" | "env" | "home" | "past" | "signal" | "unchangedMs">> & { whoCalls?: () => Me },
  ) {
    this.connection = own.connection ?? world.connection;
    this.home = own.home ?? world.home;
    this.now = world.now;
    this.unchangedMs = own.unchangedMs ?? world.unchangedMs;
    this.random = world.random;
    this.env = own.env ?? world.env;
    this.cwd = own.cwd ?? world.cwd;
    this.signal = own.signal ?? world.signal;
    this.person = world.person;
    this.past = "past" in own ? own.past : world.past;
    this.progress = world.progress;
    this.whoCalls = own.whoCalls ?? (() => world.me);
  }

  get me(): Me {
    return this.whoCalls();
  }
}

/** The same world for one call that can be cancelled; who calls is looked up once. */
export const withSignal = (world: World, signal: AbortSignal): World => new WorldWith(world, { signal, whoCalls: lookedUpOnce(world) });

/** The same world as another worktree has it, which is a part by itself. @param cwd its top, an absolute path */
export const inWorktree = (world: World, cwd: string, part: string): World =>
  new WorldWith(world, { cwd, whoCalls: () => ({ how: "default", part }) });

/**
 * The same world with a home that was found otherwise.
 * @param past the record that it was taken from, if it is an earlier one
 * @internal
 */
export function withHome(world: World, home: Home, past?: Past): World {
  const told = past === undefined && world.now === Date.now;
  const ofHome = (targets: readonly string[]): number | null => (told ? unchangedMs(home.store, targets) : null);
  const other = new WorldWith(world, { home: () => home, past, unchangedMs: ofHome });
  if (past === undefined) home.store.outside ??= outsideOf(other);
  return other;
}

/**
 * The same world for one call of an operation: its home is that call's own, and who calls is looked up once.
 * @throws Refusal `no_home`
 * @internal
 */
export function withOwnHome(world: World): World {
  const home = forOneCall(world.home());
  const own = new WorldWith(world, { home: () => home, whoCalls: lookedUpOnce(world) });
  home.store.outside &&= outsideOf(own);
  return own;
}

/**
 * The same world as a part that acts by its files, through whatever process takes them: none of that process's sessions and claims are its own, nor is
 * its working directory.
 * @internal
 */
export const byFilesOf = (world: World, part: string): World =>
  new WorldWith(world, {
    connection: newConnection(false),
    cwd: worktreeOfPart(world, world.cwd, part) ?? path.dirname(world.home().store.root),
    env: { ...world.env, RELAY_SESSION_ID: undefined },
    whoCalls: () => ({ part, how: "bound" }),
  });

/**
 * As `withOwnHome`, for a caller that looks at the home before an operation: the first one that is performed with this world has the
 * same home.
 * @throws Refusal `no_home`
 * @internal
 */
export function beforeCall(world: World): World {
  const own = withOwnHome(world);
  (own.home().ofCall as OfCall).isToCome = true;
  return own;
}

/** The world of an operation that is performed now. @throws Refusal `no_home` @internal */
export function worldOfCall(world: World): World {
  const { ofCall } = world.home();
  if (ofCall?.isToCome !== true) return withOwnHome(world);
  ofCall.isToCome = false;
  return world;
}

const VIEWER: Me = { part: null, how: "viewer" };
/** The same world for somebody who only looks on, such as a host that shows an inbox to a person. */
export const asViewer = (world: World): World => new WorldWith(world, { whoCalls: () => VIEWER });

/**
 * A variable outlives the folder that it was meant for, in a server that many sessions share and in a terminal that went on.
 * @param said the value of `RELAY_HOME`
 * @param root the home that it names
 * @throws Refusal `home_contradicted` where a folder leads to another
 */
function requireSameHome(said: string | undefined, root: string, folders: readonly string[]): void {
  if (said === undefined || said === "") return;
  for (const folder of folders) {
    const found = homeOf(folder);
    if (found !== null && found !== root) throw refuse("home_contradicted", { environment: root, folder, found });
  }
}
