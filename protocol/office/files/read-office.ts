/** The office of a home, read from its files: whole, or not at all. spec/office.md, "Office files". */
import { FileError } from "../../core/format/file-error.ts";
import { FILE_BYTES } from "../../core/format/schema.ts";
import { refuse } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { sha256 } from "../../store/digest.ts";
import { facts } from "../../store/read/facts.ts";
import { entries } from "../../store/read/list-folder.ts";
import { readText } from "../../store/read/read-file.ts";
import type { Store } from "../../store/root.ts";
import { finishReplacing } from "../../store/write/replace.ts";
import { locateOrg, OFFICE_PATH, ORG, type OrgFile, readOrgFiles } from "../nouns/org-files.ts";
import { layOut, type Office } from "../nouns/positions.ts";

/** Files of an office at the most: each is read wherever a roster is asked for, and a push can add any number. */
const FILES_MOST = 2_000;
/** And so many bytes of all of them together. */
const BYTES_MOST = 4_000_000;
/** An office with a fault is read so often at the most, until two readings are the same. */
const LOOKS = 5;

/** What the files of an office say, and what is wrong with them; `office` is null where there is none. */
export interface OfficeRead {
  office: Office | null;
  files: readonly OrgFile[];
  faults: readonly FileError[];
  /** The very texts that it was read from, by path in the home; those that could not be had are among the faults. */
  texts: ReadonlyMap<string, string>;
}

/** An office with nothing wrong about it. */
export type WholeOffice = OfficeRead & { office: Office };

/**
 * Reads the office of a home. Nothing is refused: what is wrong is among the faults.
 * @param instead texts of paths in place of what is on the disk, for a change that is not made yet
 */
export function inspectOffice(store: Store, instead: ReadonlyMap<string, string> = new Map()): OfficeRead {
  let read = inspectOnce(store, instead);
  // A member that is added meanwhile is named before its file was listed: what is wrong only in between is not wrong.
  for (let looks = 1; looks < LOOKS && read.faults.length > 0; looks += 1) {
    const again = inspectOnce(store, instead);
    if (again === read) return read;
    read = again;
  }
  return read;
}

function inspectOnce(store: Store, instead: ReadonlyMap<string, string>): OfficeRead {
  const paths = [...new Set([...orgPaths(store), ...instead.keys()])];
  if (paths.length > FILES_MOST) return tooLarge(`expected at most ${FILES_MOST} files, it has ${paths.length}`);
  const bytes = paths.reduce((sum, path) => sum + (facts(store, path)?.size ?? 0), 0);
  if (bytes > BYTES_MOST) return tooLarge(`expected at most ${BYTES_MOST} bytes in all of its files, it has ${bytes}`);
  const texts = paths.flatMap((path) => {
    const text = instead.get(path) ?? textAt(store, path);
    return text === null ? [] : [[path, text] as const];
  });
  const digest = digestOf(texts);
  if (lastRead?.of === digest && texts.every(([, text]) => typeof text === "string")) return lastRead.read;
  const { files, faults } = readOrgFiles(texts);
  const laid = layOut(files);
  const had = texts.filter((each): each is [string, string] => typeof each[1] === "string");
  const read = { office: laid.office, files, faults: [...faults, ...laid.faults], texts: new Map(had) };
  // A file that cannot be had is asked for again: what is wrong with it is in no text.
  if (had.length === texts.length) lastRead = { of: digest, read };
  return read;
}

const tooLarge = (problem: string): OfficeRead => ({
  office: null,
  files: [],
  faults: [new FileError(problem, undefined, ORG)],
  texts: new Map(),
});

/** The last texts that were read, as one digest, and what they say: a Send asks four times, and nothing changes from day to day. */
let lastRead: { of: string; read: OfficeRead } | null = null;

/** A digest of the paths and texts of an office, as hexadecimal. A read with a file that cannot be had is never kept by it. */
const digestOf = (texts: readonly (readonly [string, string | FileError])[]): string =>
  sha256(JSON.stringify(texts.map(([path, text]) => [path, typeof text === "string" ? text : null])));

/** The office of a home. @throws Refusal `roster_unavailable` where there is none, or anything is wrong with it: it is closed then, never open */
export const requireOffice = (world: World): Office => requireWholeOffice(world).office;

/** The office of a home, with the texts that it was read from. @throws Refusal as `requireOffice` */
export function requireWholeOffice(world: World): WholeOffice {
  const { office, faults, ...read } = inspectOffice(world.home().store);
  const [first, ...others] = faults;
  if (office !== null && first === undefined) return { office, faults, ...read };
  const { path = OFFICE_PATH, line, message } = first ?? new FileError("there is no office", undefined, OFFICE_PATH);
  const none = read.files.length === 0 && read.texts.size === 0 && path === OFFICE_PATH ? { none: true } : {};
  throw refuse("roster_unavailable", { path, line, problem: message, more: others.length, ...none });
}

/** The paths below `org/` that the layout knows, whatever lies there; folders left out. */
function orgPaths(store: Store): string[] {
  const within = (folder: string): string[] =>
    entries(store, folder).flatMap(({ name, kind }) => (kind === "folder" ? [] : [`${folder}/${name}`]));
  const folders = entries(store, `${ORG}/projects`).flatMap(({ name, kind }) => (kind === "folder" ? [`${ORG}/projects/${name}`] : []));
  const all = [ORG, ...folders].flatMap((folder) => [folder, `${folder}/workgroups`, `${folder}/agents`].flatMap(within));
  return all.filter((path) => locateOrg(path) !== null);
}

function textAt(store: Store, path: string): string | FileError | null {
  try {
    // A member that was added is there from the moment that it was decided, whoever was killed then.
    if (path.endsWith(".yml")) finishReplacing(store, path);
    return readText(store, path, FILE_BYTES.team);
  } catch (error) {
    if (error instanceof FileError) return error;
    throw error;
  }
}
