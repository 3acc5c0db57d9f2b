/** Finds what files refer to and the home has not, as their nouns say it. spec/check.md, "Check". */
import type { Artifact } from "../../board/nouns/artifact.ts";
import { type Finding, finding } from "../../core/format/finding.ts";
import { lineOfKey } from "../../core/format/frontmatter.ts";
import { nounOf } from "../../core/noun/noun-list.ts";
import type { NounKind, NounPlace } from "../../nouns.ts";

/** What the files of a home are called, by the kinds of their nouns: so that a reference to none of them is found. */
export class References {
  readonly #places = new Map<string, NounPlace[]>();
  /** Made once a file refers to one of the kind: nothing refers to the messages of a home that is whole. */
  readonly #names = new Map<string, Set<string>>();
  readonly #sessions = new Set<string>();

  /** Notes a file, readable or not. A session is there as soon as any file of its own is. */
  add(place: NounPlace): void {
    if ("session" in place && place.kind !== "team") this.#sessions.add(place.session);
    if (nounOf(place.kind).name === undefined) return;
    const places = this.#places.get(place.kind);
    if (places === undefined) this.#places.set(place.kind, [place]);
    else places.push(place);
  }

  #isCalled(kind: NounKind, name: string): boolean {
    if (kind === "session") return this.#sessions.has(name);
    const known = this.#names.get(kind) ?? new Set(this.#places.get(kind)?.map((place) => nounOf(kind).name?.(place) as string));
    this.#names.set(kind, known);
    return known.has(name);
  }

  /**
   * What a file refers to and no file is called. All files were noted before.
   * @param value what its text says; null where that cannot be read
   * @param source its text, to name lines
   */
  dangling(path: string, place: NounPlace, value: unknown, source: string): Finding[] {
    const found: Finding[] = [];
    for (const { kind, name, key, code } of nounOf(place.kind).refersTo?.(place, value) ?? []) {
      if (code === undefined || this.#isCalled(kind as NounKind, name)) continue;
      const line = key === undefined ? undefined : lineOfKey(source, key);
      found.push(finding(code, { path, line }, ...missing(kind as NounKind, name)));
    }
    return found;
  }
}

/** A missing file by its id, and what it would have been: of what lies in a session the name begins with the session's. */
function missing(kind: NounKind, name: string): [id: string, expected: string] {
  const [id, session] = name.split("/").reverse() as [string, string?];
  const word = nounOf(kind).words?.[0] ?? kind;
  return [
    id,
    `${/^[aeiou]/.test(word) ? "an" : "a"} ${word} of ${session === undefined ? "this home" : `${kind === "turn" ? "dispatch" : "session"} ${session}`}`,
  ];
}

/** A version without its content, which may still lie under the name that it was prepared under. @param isThere whether a path is there */
export function checkContent(path: string, { version, extension, staged }: Artifact, isThere: (path: string) => boolean): Finding[] {
  const folder = path.slice(0, path.lastIndexOf("/"));
  const content = `${folder}/${version}.${extension}`;
  if (isThere(content) || isThere(`${folder}/${staged}`)) return [];
  return [finding("dangling_artifact", { path }, `version ${version} without its content`, content)];
}
