/** A package is one value: what it gives to the core, which imports no package. `packages.ts` has the list. */
import type { ActFollower } from "./act.ts";
import type { Connection } from "./connection-memory.ts";
import type { Intent } from "./home/commit-then-finish.ts";
import type { Caller } from "./names.ts";
import type { AnyOperation } from "./operation.ts";
import type { World } from "./world.ts";

/** A call of an operation, as packages follow it. */
export interface Call {
  readonly world: World;
  readonly operation: AnyOperation;
  readonly input: Readonly<Record<string, unknown>>;
  readonly caller: Caller;
}

/** Steps of a package around one call. */
export interface Follower {
  /** Done just before the operation runs. */
  before?(): unknown;
  /** Done once it ran. */
  after?(): unknown;
  /** What there is to say beside the answer, or beside the refusal. */
  warnings?(isRefused: boolean): readonly (string | undefined)[];
}

/** Connected clients as others see them. */
export interface ShownPresence {
  /**
   * Shows the connection's own part as online, and one that a call named, each once; does nothing while there is no home, or
   * the part is none.
   */
  show(world: World, agent: { name: string; version: string }, named: string | null): void;
  /** Ends all of them. */
  stop(): void;
}

/** What a package gives. A package that asks others for something declares a field of its own here. */
export interface Package {
  /** Names the files that it replaces, which a killed process may have left half replaced. */
  replaces?(): readonly string[];
  /** Finishes what killed processes left, before their intents are finished. */
  finishFirst?(world: World): unknown;
  /** Finishes acts by the kinds of their intents. @param ids of the intent */
  finishers?: { readonly [Kind in Intent[0]]?: (world: World, ...ids: string[]) => unknown };
  /** Finishes what killed processes left, after their intents. */
  finishLast?(world: World): unknown;
  /** Takes care of what a call wrote, before it is answered. */
  settle?(world: World): Promise<void>;
  /** Writes anew what the parts that have only files read. */
  keep?(world: World): Promise<void>;
  /** Finds out who calls; the empty part for a caller who is nobody in particular. @throws Refusal */
  identify?(world: World, operation: AnyOperation, agentId: string | undefined): Caller;
  /** Follows every act that writes (`act.ts`). */
  acts?: ActFollower;
  /** Follows a call, of which the caller is known. */
  follow?(call: Call): Follower;
  /** Lists ids that a team file knows, beside parts and guests. @param session as the call names it */
  knownIds?(world: World, session: unknown): string[];
  /** Finds the part of the main worktree, unless a person made it another; null where that part is not bound to this copy of the project. */
  partOfMainWorktree?(world: World): string | null;
  /** Lists the tools of the board that a connection may use; null where nobody restricts them. */
  allowedTools?(world: World): readonly string[] | null;
  /** Shows clients as online. */
  presence?(): ShownPresence;
  /** Does what waits, again and again while a client is connected. */
  beat?(world: World): Promise<void>;
  /** Ends what a connection kept alive. */
  disconnect?(connection: Connection): void;
}

let all: readonly Package[] = [];
/** Makes the packages known to the core. */
export function listPackages(packages: readonly Package[]): void {
  all = packages;
}
/** Every package, in the order in which they are asked. */
export const listedPackages = (): readonly Package[] => all;

/** The first package that gives something. @throws Error where none does: nobody called `usePackages` */
export function packageWith<Name extends keyof Package>(name: Name): Package & Required<Pick<Package, Name>> {
  const found = all.find((each) => each[name] !== undefined);
  if (found === undefined) throw new Error(`no package gives ${name}`);
  return found as Package & Required<Pick<Package, Name>>;
}
