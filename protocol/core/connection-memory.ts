/** What one connection remembers between its calls. spec/agents.md, "MCP". */
import type { World } from "./world.ts";

/** A claim that somebody made over a connection. */
export interface HeldClaim {
  /** The world that it was made in: a connection may move on to another home. */
  world: World;
  agent: string;
  session: string;
  task: string;
  fence: number;
  nonce: string;
  leaseMs: number;
  /** When it was renewed last, in milliseconds since the epoch. */
  renewedMs: number;
}

/** What one connection remembers between its calls; a command has it for one call. */
export interface Connection {
  /** The session it started last. */
  session: string | null;
  /** A session that it started although it had ended: it goes on with it. */
  resumed?: string | undefined;
  /** A session that its call began beside what it was asked to do, until the answer says so. */
  begun?: string | undefined;
  /** The turn that it told last, until a later call shows that the agent received it. `root` is its home. */
  given?: { root: string; confirm(world: World): void } | undefined;
  /** The name of its client. */
  client?: string | undefined;
  /** The part that it was first, by its worktree: a set-up in the same checkout makes no other of it. */
  part?: string | undefined;
  /** The claims that were made over it and not given back, by agent, session, task and home. */
  readonly claims: Map<string, HeldClaim>;
  /** Whether it lives on after a call, so that its claims can be renewed. */
  readonly lasting: boolean;
}

/** A connection that has done nothing yet. */
export const newConnection = (lasting: boolean): Connection => ({ session: null, claims: new Map(), lasting });

/** Notes as told what the last turn of a connection gave, because it was received. */
export function confirmGiven(world: World): void {
  const { given } = world.connection;
  if (given === undefined || given.root !== world.home().store.root) return;
  world.connection.given = undefined;
  given.confirm(world);
}
