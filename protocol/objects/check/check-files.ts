/** What is wrong with the files of a home by their names, kinds and sizes alone. spec/check.md, "Check". */

import { type CheckFinding, finding } from "../format/finding.ts";
import { FILE_BYTES, MOST_BYTES } from "../format/size-limits.ts";
import { besideOf } from "../tree/arrival.ts";
import { type Place, type PlaceKind, placeOf } from "../tree/layout.ts";

/** The limit of each kind of file, in bytes; kinds without one are never read whole. */
const LIMIT: Partial<Record<PlaceKind, number>> = {
  config: FILE_BYTES.config,
  text: FILE_BYTES.memory,
  thread: FILE_BYTES.thread,
  archive: FILE_BYTES.archive,
  message: FILE_BYTES.message,
  unread: FILE_BYTES.message,
  acked: FILE_BYTES.message,
  guest: FILE_BYTES.guest,
  session: FILE_BYTES.session,
  ended: FILE_BYTES.session,
  summary: FILE_BYTES.summary,
  version: FILE_BYTES.summary,
  state: FILE_BYTES.summary,
  task: FILE_BYTES.task,
  claim: FILE_BYTES.claim,
  decision: FILE_BYTES.claim,
  label: FILE_BYTES.label,
  events: FILE_BYTES.events,
  artifact: FILE_BYTES.artifact,
  content: FILE_BYTES.content,
  review: FILE_BYTES.review,
  result: FILE_BYTES.review,
  memory: FILE_BYTES.memory,
  pool: FILE_BYTES.team,
  team: FILE_BYTES.team,
};

/** How many bytes the file at a path of the layout may have to be laid out. */
export function mostBytesAt(path: string): number {
  const kind = placeOf(besideOf(path))?.kind;
  return Math.min(MOST_BYTES, (kind === undefined ? undefined : LIMIT[kind]) ?? MOST_BYTES);
}

/** One file, as it is listed. */
interface ListedFile {
  path: string;
  kind: "file" | "folder" | "link" | "other";
  size: number;
}

/** What a kind is called where a plain file was expected. */
const STANDS = { file: "a file", folder: "a folder", link: "a link", other: "neither a file nor a folder" } as const;

/** What stands at a place that is no plain file. @param leaves of a link: whether it leads out of the home */
export function checkKind({ path, kind }: ListedFile, place: Place | null, leaves: boolean): CheckFinding[] {
  if (leaves) return [finding("outside_home", { path }, "a link that leads out of the home, or nowhere", "no links out of the home")];
  if (place?.kind === "ignored") return [];
  return [finding("not_a_file", { path }, STANDS[kind], "a plain file")];
}

/** Whether a plain file has a place in the layout, and is within its limit. */
export function checkFile({ path, size }: ListedFile, place: Place | null): CheckFinding[] {
  if (place === null) return [finding("unknown_file", { path }, "no name that the layout knows", "the names in SPEC.md, The tree")];
  if (place.kind === "machine")
    return [finding("unknown_file", { path }, "a file of one machine, recorded", "outbox/, local/ and run/ to be left out of git")];
  const limit = LIMIT[place.kind];
  return limit === undefined || size <= limit ? [] : [finding("too_large", { path }, `${size} bytes`, `at most ${limit}`)];
}

/** Follows names, and tells those that a file system without case would take for one: once, at the topmost folder. */
export class Names {
  readonly #known = new Map<string, string>();
  readonly #told = new Set<string>();

  /** What a path, or a folder of it, clashes with. */
  add(path: string): CheckFinding[] {
    for (let at = path.indexOf("/"); ; at = path.indexOf("/", at + 1)) {
      const name = at === -1 ? path : path.slice(0, at);
      const key = name.normalize("NFC").toLowerCase();
      const twin = this.#known.get(key);
      if (twin === undefined) this.#known.set(key, name);
      else if (twin !== name) {
        if (this.#told.has(name) || this.#told.has(twin)) return [];
        this.#told.add(name);
        return [finding("case_clash", { path }, `"${twin}" and "${name}"`, "names that differ in more than case")];
      }
      if (at === -1) return [];
    }
  }
}

/** Follows ids, and tells those that two files have. */
export class Ids {
  readonly #known = new Map<string, string>();

  add(id: string, path: string, line?: number): CheckFinding[] {
    const first = this.#known.get(id);
    if (first === undefined) this.#known.set(id, path);
    if (first === undefined) return [];
    return [finding("duplicate_id", { path, line }, `${id}, as in ${first}`, "an id that nothing else has")];
  }
}
