/**
 * Which file of a home a path is: the tree of SPEC.md as a function, which asks the nouns. And what may be laid out of a branch that
 * somebody else wrote: only places of the layout reach the disk, and every name of it is short, printable ASCII. SPEC.md, "The tree".
 */

import type { NounPlace } from "../../nouns.ts";
import { succeeds } from "../format/file-error.ts";
import type { Digest } from "../format/id.ts";
import { once } from "../format/schema.ts";
import { isDevice } from "../names.ts";
import { besideOf, isKept } from "../noun/merge-tree.ts";
import type { AnyNoun } from "../noun/noun.ts";
import { listedNouns, nounOf } from "../noun/noun-list.ts";

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

/** Folders of one machine, at the top of a home. */
export const MACHINE: ReadonlySet<string> = new Set(["outbox", "local", "run"]);

/** The nouns below one name at the top of a home: those whose third name is always the same by that name, and the others. */
interface Branch {
  below: Map<string, AnyNoun[]>;
  others: AnyNoun[];
}

/** The nouns by the names that their paths begin with, so that a path is held against those alone that it may be of. */
const branchesOf = once(() => {
  const branches = new Map<string, Branch>();
  for (const noun of listedNouns()) {
    const [top = "", , third] = noun.at.split("/");
    const branch = branches.get(top) ?? { below: new Map<string, AnyNoun[]>(), others: [] };
    branches.set(top, branch);
    if (third === undefined) branch.others.push(noun);
    else branch.below.set(third, [...(branch.below.get(third) ?? []), noun]);
  }
  return branches;
});

const thirdName = (path: string, slash: number): string => {
  const from = path.indexOf("/", slash + 1) + 1;
  const to = path.indexOf("/", from);
  return from === 0 ? "" : path.slice(from, to === -1 ? path.length : to);
};

/** The nouns that a path may be of. */
function nounsAt(path: string, top: string): readonly AnyNoun[] {
  const branches = branchesOf();
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
  if (isDotted || isKept(path)) return { kind: "ignored" };
  if (path.endsWith(".md.sig")) return placeOf(path.slice(0, -4)) === null ? null : { kind: "ignored" };
  for (const noun of nounsAt(path, top)) {
    const where = noun.locate(path);
    if (where !== null) return { kind: noun.kind, ...where } as NounPlace;
  }
  // What a later version may have there; what lies among the files of the office was meant for one.
  return top === "org" && !/^org\/(agents|projects|workgroups)\//.test(path) ? { kind: "ignored" } : null;
}

/** No file that is kept is named by its content. */
const NO_DIGEST: Digest = () => "";

/** Whether a text can be read as the file that a path is, of a noun that is kept; true of any other file. */
export function isReadableAt(path: string, text: string): boolean {
  const { noun, place } = nounAt(path) ?? {};
  if (noun?.guard !== "kept") return true;
  return noun.edits?.isReadable?.(text, place) ?? succeeds(() => noun.parse(text, place, NO_DIGEST));
}

/** The noun of which the file at a path is one, and what its path says; null of any other file. */
export function nounAt(path: string): { noun: AnyNoun; place: NounPlace } | null {
  const place = placeOf(path);
  return place === null || place.kind === "ignored" || place.kind === "machine" ? null : { noun: nounOf(place.kind), place };
}

/** A file as a tree of git lists it. */
export interface Listed {
  /** From the top of the home, with `/`; bytes that are no UTF-8 as halves of surrogate pairs. */
  path: string;
  /** Git's mode, such as `100644`. */
  mode: string;
}

/**
 * What becomes of a file that arrives. `known`: it may be checked out. `stranger`: the branch carries it, the disk does not.
 * `attempt`: it would act where it is checked out (a link, a repository, a name of git or of this machine), or keep files of the
 * layout out of the branch, so the next commit leaves it out.
 */
type Arrival = "known" | "stranger" | "attempt";

/** Git's modes of ordinary files; `100664` is what very old versions wrote. */
const FILE_MODES = new Set(["100644", "100755", "100664"]);
/** Longer paths and names are of no home, and some disks cannot have them. In characters, each of which is a byte. */
const PATH_MOST = 512;
const NAME_MOST = 200;
/** A signature lies beside a file of the layout, as what gave way in a merge does. */
const SIGNED = /^(.+\.md)\.sig$/;
/** What makes a folder a home or a place of this machine, and files that a writer has not finished. */
const OWN = /^(\.relay|relay-home|relay-place|\.staged-.*|\.copy\..*|\.sending\..*)$/;
/** Characters that some disks leave out of a name when they compare it. */
const UNSEEN = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** Says what may become of a file of a branch, by its mode and its path alone. */
export function arrivalOf({ path, mode }: Listed): Arrival {
  if (!FILE_MODES.has(mode)) return "attempt";
  if (isLayout(path)) return "known";
  return isAttempt(path) || isInTheWay(path) ? "attempt" : "stranger";
}

/** A name where the layout has, or may have, a folder: none of its folders has a dot, and each of its files has one. */
const FOLDER = /^(?:archive|dispatches|events|forgotten|inbox|memory|org|sessions|threads|usage)(?:\/[^/.]+)*$/i;
/** Returns whether a tree with this file could not have some file of the layout: it is in the place of a folder, or below a file. */
const isInTheWay = (path: string): boolean =>
  FOLDER.test(path) || [...path.matchAll(/\.[^/]*(?=\/)/g)].some(({ 0: name, index }) => isLayout(path.slice(0, index + name.length)));

/** Paths in folders of the layout, of plain names alone: what most of a branch is, so that one test is enough. */
const PLAINLY_CARRIED =
  /^(?:threads|inbox|sessions|dispatches|memory|events|usage)(?:\/(?!relay-)[a-z0-9][a-z0-9_-]*)*\/(?!relay-)[a-z0-9][a-z0-9_-]*\.(?:[a-z0-9._-]*[a-z0-9_-])$/i;

/** Whether a branch may have a file: all but what would act where it is checked out. Only what the layout knows reaches the disk. */
export const isCarried = (file: Listed): boolean =>
  (PLAINLY_CARRIED.test(file.path) && FILE_MODES.has(file.mode)) || arrivalOf(file) !== "attempt";

/** Whether a path is one of the layout, whatever lies there. */
export const isLayout = (path: string): boolean => isPlain(path) && isKnown(path);

/** What most paths are made of, and no name that Windows keeps for a device: a quick test for a branch of a hundred thousand. */
const PLAIN = /^(?:(?!(?:con|prn|aux|nul|com\d|lpt\d)(?:[./]|$))[a-z0-9_-][a-z0-9._-]*(?<!\.)(?:\/(?!$)|$))+$/i;

/** Whether every disk can have a path: printable ASCII, no name that Windows refuses or changes, nothing too long. */
function isPlain(path: string): boolean {
  if (path.length <= NAME_MOST && PLAIN.test(path)) return true;
  return (
    path.length <= PATH_MOST &&
    path
      .split("/")
      .every(
        (name) =>
          name.length <= NAME_MOST && /^[!-~]+$/.test(name) && !/[\\:*?"<>|]|\.$/.test(name) && !isDevice(name.split(".")[0] as string),
      )
  );
}

/** Whether the layout has a place for a path, or for what it lies beside. */
function isKnown(path: string): boolean {
  const of = ownerOf(path);
  return of === ".gitignore" || nounAt(of) !== null;
}

/** The file that another lies beside, as what gave way in a merge, or as its signature; a path itself, where it does neither. */
export function ownerOf(path: string): string {
  const winner = besideOf(path);
  return SIGNED.exec(winner)?.[1] ?? winner;
}

/** Whether a name in a path is one of git or of this machine, in any spelling that a disk folds into it. */
function isAttempt(path: string): boolean {
  // Some disks take a backslash for what separates folders, and what follows a colon for a part of the file.
  const names = path
    .replace(UNSEEN, "")
    .toLowerCase()
    .split(/[/\\]/)
    .map((name) => name.replace(/(?<=.):.*$/s, "").replace(/[. ]+$/, ""));
  const isFolder = (at: number): boolean => at < names.length - 1;
  return names.some(
    (name, at) =>
      name === "" ||
      name === ".git" ||
      name === "git~1" ||
      (isFolder(at) && name.startsWith(".git")) ||
      (at === 0 && MACHINE.has(name)) ||
      OWN.test(name),
  );
}

/** Instructions, settings and hooks of agents, editors, shells and hosts, by the last name of a path. */
const NAMES =
  /^(?:(?:claude|agents|gemini|codex|copilot-instructions|cursor|skill)(?:\.local)?\.(?:md|mdc)|makefile|package\.json|justfile|jenkinsfile|\.[^/]+)$/i;
/** Folders whose files do. */
const FOLDERS = /(?:^|\/)(?:\.[^/]+|hooks|node_modules|skills)\//i;

/** Whether a file may act on agents, editors, shells or a host: by its name, or by a folder that it is in. */
const actsByItself = (path: string): boolean => NAMES.test(path.slice(path.lastIndexOf("/") + 1)) || FOLDERS.test(path);

/** Paths in the order in which they are told: those that act by themselves first. @returns both, each once */
export function actingFirst(paths: readonly string[]): { acting: string[]; others: string[] } {
  const all = [...new Set(paths)].sort();
  return { acting: all.filter(actsByItself), others: all.filter((path) => !actsByItself(path)) };
}

/** A file of a home, or what stands in its place. */
export interface ListedFile {
  path: string;
  /** A folder is listed only where it has the name of a file. */
  kind: "file" | "folder" | "link" | "other";
  /** In bytes. */
  size: number;
}
