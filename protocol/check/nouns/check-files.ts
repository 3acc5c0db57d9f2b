/** Reads one file of a home, and finds faults in the names, kinds and sizes of all. spec/check.md, "Check". */

import { type Finding, finding } from "../../core/format/finding.ts";
import type { Digest } from "../../core/format/id.ts";
import { nounOf } from "../../core/noun/noun-list.ts";
import type { ListedFile, Place } from "../../core/tree/layout.ts";
import type { NounKind, NounPlace, ParsedFile } from "../../nouns.ts";

/** Whether the text of a file is read: it is a file of a noun. */
export const isRead = (place: Place): place is NounPlace => place.kind !== "ignored" && place.kind !== "machine";

/** What a file of a kind was expected to be, in words, with the section of the specification that describes it. */
export function expectedOf(kind: NounKind): string {
  const { expected, section } = nounOf(kind);
  return `${expected} as described in ${section}`;
}

/**
 * Reads a file by its place.
 * @throws FileError, with the line, when it is not as it must be, or disagrees with its path
 */
export const readPlace = (place: NounPlace, source: string, digest: Digest): ParsedFile =>
  ({ kind: place.kind, place, value: nounOf(place.kind).parse(source, place, digest) }) as ParsedFile;

/** What a kind is called where a plain file was expected. */
const STANDS = { file: "a file", folder: "a folder", link: "a link", other: "neither a file nor a folder" } as const;

/**
 * What is wrong where there is no plain file.
 * @param place what its path says; null outside of the layout
 * @param leaves of a link: whether it leads out of the home
 */
export function checkKind({ path, kind }: ListedFile, place: Place | null, leaves: boolean): Finding[] {
  if (leaves) return [finding("outside_home", { path }, "a link that leads out of the home, or nowhere", "no links out of the home")];
  if (place?.kind === "ignored") return [];
  return [finding("not_a_file", { path }, STANDS[kind], "a plain file")];
}

/** Checks that a plain file has a place in the layout, and is within its limit. @param place what its path says; null outside of the layout */
export function checkFile({ path, size }: ListedFile, place: Place | null): Finding[] {
  if (place === null) {
    const unknown = finding("unknown_file", { path }, "a name that is not in the layout", "the names in SPEC.md, The tree");
    // Somebody wanted to send it.
    return [path.startsWith("inbox/") ? { ...unknown, severity: "warning" } : unknown];
  }
  if (place.kind === "machine")
    return [finding("unknown_file", { path }, "a file of one machine, recorded", "no file of outbox/, local/ and run/ in git")];
  const limit = place.kind === "ignored" ? undefined : nounOf(place.kind).limit;
  return limit === undefined || size <= limit ? [] : [finding("too_large", { path }, `${size} bytes`, `at most ${limit}`)];
}

/** What any file system takes for itself alone: ASCII without capitals. */
const FOLDED = /^[ -@[-~]*$/;

/** A folder with its slash, and the names in it: as a file system without case knows each → as it is. */
interface OpenFolder {
  folder: string;
  names: Map<string, string>;
}

/** Follows names, and finds those that a file system without case would take for one: once, at the topmost folder. */
export class Names {
  /** The folders above the path before. */
  readonly #open: OpenFolder[] = [{ folder: "", names: new Map() }];
  /** The names in folders of inboxes, which stay: parts are noted after all files. */
  readonly #inboxes = new Map<string, Map<string, string>>();
  readonly #told = new Set<string>();

  /**
   * Notes a path of the home; a finding where it, or a folder of it, clashes with a path that was noted before. Files come folder by
   * folder, as they are sorted, so that the names of a folder that was left are forgotten; parts come after them.
   */
  add(path: string): Finding[] {
    while (!path.startsWith((this.#open.at(-1) as OpenFolder).folder)) this.#open.pop();
    for (;;) {
      const { folder, names } = this.#open.at(-1) as OpenFolder;
      const end = path.indexOf("/", folder.length);
      const name = end === -1 ? path.slice(folder.length) : path.slice(folder.length, end);
      const key = FOLDED.test(name) ? name : name.normalize("NFC").toLowerCase();
      const twin = names.get(key);
      if (twin === undefined) names.set(key, name);
      else if (twin !== name) {
        const [known, other] = [folder + twin, folder + name];
        if (this.#told.has(other) || this.#told.has(known)) return [];
        this.#told.add(other);
        return [finding("case_clash", { path }, `"${known}" and "${other}"`, "names that differ in more than case")];
      }
      if (end === -1) return [];
      this.#enter(path.slice(0, end + 1));
    }
  }

  #enter(folder: string): void {
    const names = this.#inboxes.get(folder) ?? new Map<string, string>();
    if (INBOX.test(folder)) this.#inboxes.set(folder, names);
    this.#open.push({ folder, names });
  }
}

/** A folder in which an inbox of a part may lie, or be one. */
const INBOX = /^inbox\/(?:(?!(?:new|read)\/)[^/]+\/){0,3}$/;

/** Follows ids, and finds those that two files have. */
export class Ids {
  readonly #known = new Map<string, string>();

  /** Notes the id of a file, and the line that says it; a finding where a file that was noted before has the same. */
  add(id: string, path: string, line?: number): Finding[] {
    const first = this.#known.get(id);
    if (first === undefined) this.#known.set(id, path);
    if (first === undefined) return [];
    return [finding("duplicate_id", { path, line }, `${id}, as in ${first}`, "an id that nothing else has")];
  }
}
