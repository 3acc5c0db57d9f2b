/** A copy of a world with some fields changed: for one call, for a reader, or for another home. */
import type { Me, World } from "./world.ts";

/**
 * A copy of a world with fields of its own. All copies have one shape: V8 would look up each field of a world that inherits, in each
 * call anew.
 */
export class WorldWith implements World {
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
