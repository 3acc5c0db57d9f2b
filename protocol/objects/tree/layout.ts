/** Which file of a home a path is: the tree of SPEC.md as a function, which asks the nouns. SPEC.md, "The tree". */
import { type NounPlace, nounOf, nouns } from "../index.ts";
import { isKept } from "../noun/merge-tree.ts";
import type { AnyNoun } from "../noun/noun.ts";

/** What a file is, by its path alone. */
export type Place =
  | NounPlace
  /** Of another version, a signature, what a merge kept, or dotted: never read. */
  | { kind: "ignored" }
  /** Under `outbox/`, `local/` or `run/`: of one machine, and never recorded. */
  | { kind: "machine" };

/** The kinds of file there are. */
export type PlaceKind = Place["kind"];

/** Whether a name in a folder of messages is one that nobody takes for a message: dotted, a signature, or kept beside by a merge. */
export const isIgnored = (name: string): boolean => name.startsWith(".") || name.endsWith(".sig") || isKept(name);

/** Folders of one machine. */
const MACHINE = new Set(["outbox", "local", "run"]);

/** The nouns below one name at the top of a home: those whose third name is always the same by that name, and the others. */
interface Branch {
  below: Map<string, AnyNoun[]>;
  others: AnyNoun[];
}

/** The nouns by the names that their paths begin with, so that a path is held against those alone that it may be of. */
const branches = new Map<string, Branch>();
for (const noun of nouns as readonly AnyNoun[]) {
  const [top = "", , third] = noun.at.split("/");
  const branch = branches.get(top) ?? { below: new Map<string, AnyNoun[]>(), others: [] };
  branches.set(top, branch);
  if (third === undefined) branch.others.push(noun);
  else branch.below.set(third, [...(branch.below.get(third) ?? []), noun]);
}

const thirdName = (path: string, slash: number): string => {
  const from = path.indexOf("/", slash + 1) + 1;
  const to = path.indexOf("/", from);
  return from === 0 ? "" : path.slice(from, to === -1 ? path.length : to);
};

/** The nouns that a path may be of. */
function nounsAt(path: string, top: string): readonly AnyNoun[] {
  const branch = branches.get(top) ?? branches.get("*");
  if (branch === undefined || branch.below.size === 0) return branch?.others ?? [];
  return branch.below.get(thirdName(path, top.length)) ?? branch.others;
}

/** What the file at a path is; null when it is outside of the layout. */
export function placeOf(path: string): Place | null {
  const slash = path.indexOf("/");
  const top = slash === -1 ? path : path.slice(0, slash);
  if (MACHINE.has(top)) return { kind: "machine" };
  const isDotted = path.startsWith(".") || path.includes("/.");
  // What leads out of the home, or into git, is never one of its files, whoever recorded it.
  if (isDotted && path.split("/").some((name) => /^(\.\.?|\.git)$/i.test(name))) return null;
  if (isDotted || top === "org" || isKept(path)) return { kind: "ignored" };
  if (path.endsWith(".md.sig")) return placeOf(path.slice(0, -4)) === null ? null : { kind: "ignored" };
  for (const noun of nounsAt(path, top)) {
    const where = noun.locate(path);
    if (where !== null) return { kind: noun.kind, ...where } as NounPlace;
  }
  return null;
}

/** The noun of which the file at a path is one, and what its path says; null of any other file. */
export function nounAt(path: string): { noun: AnyNoun; place: NounPlace } | null {
  const place = placeOf(path);
  return place === null || place.kind === "ignored" || place.kind === "machine" ? null : { noun: nounOf(place.kind), place };
}
