/** Artifacts on disk. spec/board.md, "Artifact". */

import { acted } from "../../core/act.ts";
import { withoutUndefined } from "../../core/format/frontmatter.ts";
import { FILE_BYTES } from "../../core/format/schema.ts";
import { type Faults, mustRead, noting } from "../../core/home/broken-files.ts";
import { nearest } from "../../core/names.ts";
import { ambiguousId, refuse } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { sha256 } from "../../store/digest.ts";
import { thisThread } from "../../store/process.ts";
import { exists } from "../../store/read/facts.ts";
import { entries } from "../../store/read/list-folder.ts";
import { readText } from "../../store/read/read-file.ts";
import { type Chain, extendChain, lastNumber } from "../../store/write/chain.ts";
import { flushFolder } from "../../store/write/make-folder.ts";
import { moveFile } from "../../store/write/move-file.ts";
import { place } from "../../store/write/publish.ts";
import {
  type Artifact,
  type ArtifactType,
  artifactFolderName,
  artifactId,
  artifactsFolder,
  extensionFor,
  formatArtifact,
  NAME_HASH,
  parseArtifact,
  parseArtifactId,
  recordName,
  VERSION_MOST,
  versionOf,
} from "../nouns/artifact.ts";
import { sessionNames } from "./sessions.ts";

const RECORD_BYTES = FILE_BYTES.artifact;
const CONTENT_BYTES = FILE_BYTES.content;
/** So many names of artifacts a refusal tells at the most. */
const NAMES_TOLD = 20;

/** What is posted. */
export interface NewArtifact {
  name: string;
  type: ArtifactType;
  content: string;
  by: string;
  task?: string | undefined;
  commit?: string | undefined;
  branch?: string | undefined;
}

const hashOf = (name: string): string => sha256(name).slice(0, NAME_HASH);

/** The folders of the artifact with a hash: one, but where programs called it differently. */
function foldersOf(world: World, session: string, hash: string): string[] {
  const folder = artifactsFolder(session);
  const found = entries(world.home().store, folder).filter(({ name, kind }) => kind === "folder" && name.endsWith(`-${hash}`));
  return found.map(({ name }) => `${folder}/${name}`).sort();
}

/**
 * The folder of some that have a version: of several the one that Relay would make, because a push can lay any number beside it.
 * @param having each with a record of the version
 */
function ownOf(world: World, session: string, having: readonly string[], version: number): string | undefined {
  const isOwn = (at: string): boolean => {
    const name = noting([], at, () => readRecord(world, at, version))?.name;
    return name !== undefined && at === ownFolder(session, name);
  };
  return having.length < 2 ? having[0] : (having.find(isOwn) ?? having[0]);
}

/** The folder that Relay makes for the artifact of a name. */
const ownFolder = (session: string, name: string): string => `${artifactsFolder(session)}/${artifactFolderName(name, hashOf(name))}`;

const lastVersion = (world: World, folders: readonly string[]): number =>
  lastNumber(world.home().store, { folders, numberOf: versionOf, pathOf: recordName });
/** The numbers that a new version comes after: one of which a content alone lies there would have that content. @param own its folder */
const takenIn = (folders: readonly string[], own: string): Chain => ({
  folders,
  numberOf: (name) => versionOf(name.replace(/\.[a-z0-9]{1,8}$/, ".artifact.md")) ?? versionOf(name),
  pathOf: (version) => `${own}/${recordName(version)}`,
});

/** Posts a new version of an artifact; the chain of its records decides the number. */
export function postArtifact(world: World, session: string, artifact: NewArtifact): Artifact {
  const { store } = world.home();
  const { name, type, content, by, task, commit, branch } = artifact;
  const hash = hashOf(name);
  const own = ownFolder(session, name);
  const before = foldersOf(world, session, hash);
  const folders = before.length === 0 ? [own] : before;
  // All who post take the same one, so that one create decides the number.
  const folder = folders.includes(own) ? own : (folders[0] as string);
  const taken = takenIn(folders, folder);
  if (lastNumber(store, taken) >= VERSION_MOST) throw refuse("versions_full", { artifact: name, version: VERSION_MOST });
  const staged = `.staged-${thisThread()}-${world.random(8)}`;
  place(store, `${folder}/${staged}`, content);
  const record = extendChain(store, taken, (last) => {
    const answer: Artifact = withoutUndefined({
      id: artifactId(hash, last + 1),
      name,
      version: last + 1,
      type,
      createdBy: by,
      createdAt: new Date(world.now()).toISOString(),
      task,
      commit,
      branch,
      extension: extensionFor(name, content),
      staged,
    });
    return { text: formatArtifact(answer), answer };
  });
  contentPath(world, folder, record);
  acted(world, {
    event: { type: "artifact:posted", part: by, sessionId: session, artifact: { id: record.id, name, type, created_by: by } },
  });
  return record;
}

/** Where the content of a version lies; one whose poster was killed before it had its name gets it now. */
function contentPath(world: World, folder: string, { version, extension, staged }: Artifact): string {
  const { store } = world.home();
  const path = `${folder}/${version}.${extension}`;
  if (!exists(store, path) && moveFile(store, `${folder}/${staged}`, path)) flushFolder(store, folder);
  return path;
}

/**
 * Reads an artifact by its name or its id; `path` is the file of its content.
 * @param version the latest when it is not given
 * @throws Refusal `unknown_artifact`, `malformed_file`
 */
export function readArtifact(
  world: World,
  session: string,
  given: string,
  version?: number,
): { artifact: Artifact; content: string; path: string } {
  const { store } = world.home();
  const byId = parseArtifactId(given) ?? byShortId(world, session, given);
  const folders = foldersOf(world, session, byId?.hash ?? hashOf(given));
  const number = version ?? byId?.version ?? lastVersion(world, folders);
  const having = folders.filter((each) => exists(store, `${each}/${recordName(number)}`));
  const folder = ownOf(world, session, having, number) ?? "";
  const artifact = folder === "" ? null : readRecord(world, folder, number);
  if (artifact === null) {
    const known = namesToTell(world, session, given);
    throw refuse("unknown_artifact", { given, artifact: null, known, ...elsewhere(world, session, byId?.hash ?? hashOf(given)) });
  }
  const at = contentPath(world, folder, artifact);
  const content = mustRead(at, () => readText(store, at, CONTENT_BYTES));
  if (content === null) throw refuse("malformed_file", { path: at, problem: "the content of this version is missing" });
  return { artifact, content, path: at };
}

/**
 * The version that an id without its first word means, or a beginning of its hash (4 characters or more); null where it means none, or is a name.
 * @throws Refusal `ambiguous_id`
 */
function byShortId(world: World, session: string, given: string): { hash: string; version?: number } | null {
  const [, piece, number] = /^(?:artifact-)?([0-9a-f]{4,12})(?:-([1-9]\d{0,6}))?$/.exec(given) ?? [];
  if (piece === undefined || foldersOf(world, session, hashOf(given)).length > 0) return null;
  const folders = entries(world.home().store, artifactsFolder(session)).filter(({ kind }) => kind === "folder");
  const hashes = [...new Set(folders.map(({ name }) => name.slice(name.lastIndexOf("-") + 1)))].filter((each) => each.startsWith(piece));
  if (hashes.length > 1) throw ambiguousId(given, hashes);
  return hashes[0] === undefined ? null : { hash: hashes[0], ...(number === undefined ? {} : { version: Number(number) }) };
}

/** The newest other session that has an artifact. */
function elsewhere(world: World, session: string, hash: string): { session_id?: string } {
  const others = sessionNames(world.home().store).filter((other) => other !== session);
  const found = others.sort().findLast((other) => foldersOf(world, other, hash).length > 0);
  return found === undefined ? {} : { session_id: found };
}

/** The record of a version; null where there is none. @throws Refusal `malformed_file` */
function readRecord(world: World, folder: string, version: number): Artifact | null {
  const path = `${folder}/${recordName(version)}`;
  return mustRead(path, () => {
    const source = readText(world.home().store, path, RECORD_BYTES);
    return source === null ? null : parseArtifact(source);
  });
}

/** The record of the version that a review is of; null where there is none. @throws Refusal `malformed_file` */
export function recordOf(world: World, session: string, { artifact, name }: { artifact: string; name: string }): Artifact | null {
  const folder = folderOf(world, session, { id: artifact, name });
  return folder === undefined ? null : readRecord(world, folder, parseArtifactId(artifact)?.version ?? 0);
}

/** The folder that has a version: its artifact's own, else another that a push laid. */
function folderOf(world: World, session: string, { id, name }: Pick<Artifact, "id" | "name">): string | undefined {
  const { hash = "", version = 0 } = parseArtifactId(id) ?? {};
  const hasIt = (folder: string): boolean => exists(world.home().store, `${folder}/${recordName(version)}`);
  const own = ownFolder(session, name);
  return hashOf(name) === hash && hasIt(own) ? own : foldersOf(world, session, hash).find(hasIt);
}

/** The path in the home of the record of a version. */
export const recordPath = (world: World, session: string, artifact: Pick<Artifact, "id" | "name" | "version">): string =>
  `${folderOf(world, session, artifact) ?? ownFolder(session, artifact.name)}/${recordName(artifact.version)}`;

/** What to tell whoever asked for a name that there is none of: the names that there are where they are few, else the nearest. */
function namesToTell(world: World, session: string, given: string): string[] {
  const folder = artifactsFolder(session);
  const folders = entries(world.home().store, folder).flatMap(({ name, kind }) => (kind === "folder" ? [name] : []));
  const wordsOf = (name: string): string => name.slice(0, Math.max(0, name.lastIndexOf("-")));
  const near = nearest(wordsOf(artifactFolderName(given, hashOf(given))), folders.map(wordsOf));
  const named = folders.length <= NAMES_TOLD ? folders : folders.filter((name) => near.includes(wordsOf(name))).slice(0, NAMES_TOLD);
  const names = named.flatMap((name) => {
    const at = `${folder}/${name}`;
    return noting([], `${at}/`, () => readRecord(world, at, lastVersion(world, [at])))?.name ?? [];
  });
  return [...new Set(names)].sort();
}

/** Whether no later version of an artifact was posted than the one with an id. */
export function isLatest(world: World, session: string, id: string): boolean {
  const { hash = "", version = 0 } = parseArtifactId(id) ?? {};
  return lastVersion(world, foldersOf(world, session, hash)) <= version;
}

/** The folder and the number of the latest version of each artifact of a session, in no order; from the names alone. */
export function latestVersions(world: World, session: string): { at: string; version: number }[] {
  const folder = artifactsFolder(session);
  const latest = new Map<string, { having: string[]; version: number }>();
  for (const { name, kind } of entries(world.home().store, folder)) {
    const [at, hash] = [`${folder}/${name}`, name.slice(name.lastIndexOf("-") + 1)];
    const version = kind === "folder" ? lastVersion(world, [at]) : 0;
    const known = latest.get(hash);
    if (version > (known?.version ?? 0)) latest.set(hash, { having: [at], version });
    else if (version > 0 && version === known?.version) known.having.push(at);
  }
  return [...latest.values()].map(({ having, version }) => ({ at: ownOf(world, session, having, version) as string, version }));
}

/** The latest version of each artifact of a session, by name. @param faults gets those that cannot be read */
export const listArtifacts = (world: World, session: string, faults: Faults): Artifact[] =>
  latestVersions(world, session)
    .flatMap(({ at, version }) => noting(faults, `${at}/${recordName(version)}`, () => readRecord(world, at, version)) ?? [])
    .sort((a, b) => (a.name < b.name ? -1 : 1));
