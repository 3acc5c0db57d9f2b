/** A push that means harm, what is expected of whoever meets it, and which kinds of clones do. */

import type { PlaceKind } from "../../../protocol/core/tree/layout.ts";
import { Refusal } from "../../../protocol/index.ts";
import type { Answer, act } from "../../rig/clones.ts";
import { FULL } from "../../rig/counts.ts";
import type { Remote } from "./remote.ts";
import { type HomeNames, KINDS, type Kind, type Stage } from "./stage.ts";

/** Something was brought back: by the answer of sync, or by check. */
export const GUARDED = /"(deleted|changed)":[1-9]|(deleted|changed)_by_push|restored: [1-9]/;

/** A push, and what is expected of whoever meets it. */
export interface Trick {
  name: string;
  /** What is pushed. A commit that it does not make itself is made of what it wrote. */
  push: (remote: Remote, home: HomeNames) => unknown;
  /** What the answer of the sync that met it says, beside a commit of the push. `nothing` of a push that changes nothing on any disk: it is held to that. */
  told: string | RegExp | "nothing";
  /** What who joins afterwards is told: by the answer, doctor or check. The same, unless given; null of additions, which were done to nothing of theirs. */
  toldToNew?: string | RegExp | null;
  /** The parts that it was done to, and what each is told where it lives. Nobody else has a notice. */
  tells?: Record<string, RegExp>;
  /** What `relay undo` of its commits says that it took back. Nothing, unless given. */
  undone?: RegExp;
  /** Paths that must not be on the disk. */
  never?: readonly string[];
  /** The classes of files that a lawful push changes, so that they are not compared. */
  changes?: readonly PlaceKind[];
  /** More, of each clone of its own repository that met it. */
  after?: (met: Met) => unknown;
  /** The kinds of clones that meet it; all, unless given. */
  kinds?: readonly Kind[];
  /** Whether all of its kinds meet it in every run of the tests, and not one in turn. */
  isPlayedToAll?: boolean;
}

/** A clone that met a push. */
export interface Met {
  kind: Kind;
  /** The folder of the code; the home is `.relay` in it. */
  code: string;
  hub: string;
  stage: Stage;
  remote: Remote;
  /** The commits of the push, newest first. */
  commits: readonly string[];
  /** Absolute path in the home. */
  at(...names: string[]): string;
  act(part: string | undefined, name: Parameters<typeof act>[2], input?: Record<string, unknown>): Promise<Answer>;
  /** What the sync, or the making of the new clone, answered; a refusal's data where it was refused. */
  answered: Answer;
  /** All that is said of it: the answer, doctor, check. */
  reports: string;
}

/**
 * Each push with the kinds of clones that meet it: one in turn, so that each kind meets a part of every table; with the full numbers all.
 * Tricks of one list touch different files: they are one push, but with the full numbers, which push each alone.
 */
export function casesOf(tricks: readonly (Trick | readonly Trick[])[]): [string, Trick, Kind][] {
  const lists = tricks.map((each) => [each].flat() as Trick[]);
  const pushes = FULL ? lists.flat() : lists.map(together);
  return pushes.flatMap((trick, at) => {
    const kinds = trick.kinds ?? KINDS;
    const met = FULL || trick.isPlayedToAll === true ? kinds : [kinds[at % kinds.length] as Kind];
    return met.map((kind): [string, Trick, Kind] => [`${trick.name}, ${kind}`, trick, kind]);
  });
}

/** One push of several tricks, held to what each of them is held to. */
function together(tricks: readonly Trick[]): Trick {
  const [first] = tricks as [Trick];
  if (tricks.length === 1) return first;
  const undone = tricks.flatMap((each) => each.undone ?? []);
  const toNew = tricks.flatMap(({ told, toldToNew = told }) => toldToNew ?? []);
  const parts = new Set(tricks.flatMap(({ tells = {} }) => Object.keys(tells)));
  return {
    name: tricks.map(({ name }) => name).join("; "),
    async push(remote, home) {
      for (const each of tricks) await each.push(remote, home);
      remote.commitRest();
    },
    told: all(tricks.map(({ told }) => told)),
    toldToNew: toNew.length === 0 ? null : all(toNew),
    tells: Object.fromEntries([...parts].map((part) => [part, all(tricks.flatMap(({ tells }) => tells?.[part] ?? []))])),
    ...(undone.length === 0 ? {} : { undone: all(undone) }),
    never: tricks.flatMap(({ never = [] }) => never),
    changes: tricks.flatMap(({ changes = [] }) => changes),
    async after(met) {
      for (const after of new Set(tricks.flatMap((each) => each.after ?? []))) await after(met);
    },
    kinds: KINDS.filter((kind) => tricks.every(({ kinds = KINDS }) => kinds.includes(kind))),
    isPlayedToAll: tricks.some(({ isPlayedToAll }) => isPlayedToAll === true),
  };
}

/** Matches a text that every one of the patterns matches. */
const all = (patterns: readonly (string | RegExp)[]): RegExp =>
  new RegExp(`^${patterns.map((each) => `(?=[^]*?(?:${typeof each === "string" ? escaped(each) : each.source}))`).join("")}`, "s");
const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** What a call answers, or the refusal as an answer. */
export async function answerOf(call: Promise<Answer>): Promise<Answer> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof Refusal) || error.code === "internal") throw error;
    return { refused: error.code, message: error.message, ...error.data };
  }
}
