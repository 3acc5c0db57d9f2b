/** What a sync is asked for, and what it came to. spec/git.md, "Syncing". */
import type { BroughtBack } from "../guard/guard-push.ts";
import { type Arrived, NAMED_MAIL } from "./write-file.ts";

/** How a sync is made. */
export interface SyncOptions {
  /** A remote of the code by name, or a URL or path. */
  remote?: string | undefined;
  /** What to do with a branch that was rewritten or deleted on the remote: become what it has now, or have all of both. */
  accept?: "theirs" | "both" | undefined;
  /** Whether to send though a later Relay wrote the branch: its configuration gives way to the one here. */
  overrule?: boolean | undefined;
  /** Whether to put the last good commit back where the branch has an object that no git should take. */
  repair?: boolean | undefined;
  /** Whether nobody asked for it just now: then it never chooses a remote. */
  isAutomatic?: boolean | undefined;
  /** How long the remote may take for all of its answers together. */
  timeoutMs: number;
}

/** What a sync came to. */
export interface Synced {
  remote: string;
  branch: string;
  /** What both have now. */
  commit: string;
  arrived: Arrived;
  /** The newest commits of the remote that this clone did not have, who made those, and how many there were: what `undo` takes. */
  came: { newest: string[]; authors: string[]; count: number };
  /** Whether anything was sent. */
  sent: boolean;
  /** How often somebody else was quicker, and once more. */
  rounds: number;
  restored: string[];
  /** What pushes took away or changed, and this clone brought back: a commit each. */
  broughtBack: BroughtBack[];
  /** Files written once of which history does not say which bytes were first. */
  contested: string[];
  /** Paths that the remote had and no branch of a home may have; they were left out. */
  attempts: string[];
  /** What somebody should know of this sync, each as words of its own. */
  warnings: string[];
}

/** What arrived where nothing did. */
export const NOTHING: Arrived = {
  messages: 0,
  mail: [],
  files: 0,
  things: new Map(),
  gaveWay: [],
  did: [],
  toUndo: [],
  strangers: [],
  skipped: [],
  later: [],
  unfit: [],
};
/** Commits that came and are named. */
export const NAMED_COMMITS = 10;

/** The commits of two rounds. */
export const cameTogether = (one: Synced["came"], other: Synced["came"]): Synced["came"] => ({
  newest: [...other.newest, ...one.newest].slice(0, NAMED_COMMITS),
  authors: [...new Set([...other.authors, ...one.authors])].slice(0, NAMED_COMMITS),
  count: one.count + other.count,
});

/** Two lists as one, the first one first. */
type JoinLists = <T>(one: readonly T[], other: readonly T[]) => T[];

/** What came in two rounds. @param join how what they list becomes one list */
export function together(one: Arrived, other: Arrived, join: JoinLists = (first, second) => [...first, ...second]): Arrived {
  const things = new Map(one.things);
  for (const [noun, count] of other.things) things.set(noun, (things.get(noun) ?? 0) + count);
  return {
    messages: one.messages + other.messages,
    mail: [...one.mail, ...other.mail].slice(-NAMED_MAIL),
    files: one.files + other.files,
    things,
    gaveWay: join(one.gaveWay, other.gaveWay),
    did: join(one.did, other.did),
    toUndo: join(one.toUndo, other.toUndo),
    strangers: join(one.strangers, other.strangers),
    skipped: join(one.skipped, other.skipped),
    later: other.later,
    unfit: join(one.unfit, other.unfit),
  };
}

/** Of what earlier beats listed so much is kept, the newest: a watch may go on for months. */
const KEPT = 1_000;

/** What two syncs list: each once, of the earlier ones only what still fits. */
const listed: JoinLists = (before, now) => [...new Set([...before, ...now])].slice(-Math.max(KEPT, now.length));

/** What a sync and those before it came to. */
export const addSync = (before: Synced, now: Synced): Synced => ({
  ...now,
  sent: before.sent || now.sent,
  came: cameTogether(before.came, now.came),
  broughtBack: listed(before.broughtBack, now.broughtBack),
  contested: listed(before.contested, now.contested),
  attempts: listed(before.attempts, now.attempts),
  arrived: together(before.arrived, now.arrived, listed),
});
