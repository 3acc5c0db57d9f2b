/** Artifacts on disk. SPEC.md, "Artifact". */

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
  versionOf,
} from "../objects/artifact.ts";
import { FILE_BYTES } from "../objects/file-bytes.ts";
import { withoutUndefined } from "../objects/message.ts";
import { refuse } from "../refusal.ts";
import { sha256 } from "../store/digest.ts";
import { moveFile, place, publish } from "../store/files.ts";
import { thisThread } from "../store/process.ts";
import { entries, exists, names, readText } from "../store/read.ts";
import type { World } from "../world.ts";
import { tell } from "./feed.ts";
import { type Faults, mustRead, noting } from "./threads.ts";

const RECORD_BYTES = FILE_BYTES.artifact;
const CONTENT_BYTES = FILE_BYTES.content;
const ROUNDS = 256;

/** What is posted. */
export interface NewArtifact {
  name: string;
  type: ArtifactType;
  content: string;
  by: string;
  task?: string | undefined;
}

const hashOf = (name: string): string => sha256(name).slice(0, NAME_HASH);

/** The folder of the artifact with a hash; null when there is none. */
function folderOf(world: World, session: string, hash: string): string | null {
  const folder = artifactsFolder(session);
  const found = entries(world.home().store, folder).find(({ name, kind }) => kind === "folder" && name.endsWith(`-${hash}`));
  return found === undefined ? null : `${folder}/${found.name}`;
}

const lastVersion = (world: World, folder: string): number =>
  names(world.home().store, folder).reduce((highest, name) => Math.max(highest, versionOf(name) ?? 0), 0);

/** Posts a new version of an artifact: the record's exclusive create decides its number. */
export function postArtifact(world: World, session: string, artifact: NewArtifact): Artifact {
  const { store } = world.home();
  const { name, type, content, by, task } = artifact;
  const hash = hashOf(name);
  const folder = `${artifactsFolder(session)}/${artifactFolderName(name, hash)}`;
  const staged = `.staged-${thisThread()}-${world.random(8)}`;
  place(store, `${folder}/${staged}`, content);
  for (let round = 0; round < ROUNDS; round += 1) {
    const version = lastVersion(world, folder) + 1;
    const record: Artifact = withoutUndefined({
      id: artifactId(hash, version),
      name,
      version,
      type,
      createdBy: by,
      createdAt: new Date(world.now()).toISOString(),
      task,
      extension: extensionFor(name, content),
      staged,
    });
    if (publish(store, `${folder}/${recordName(version)}`, formatArtifact(record)) === "exists") continue;
    contentPath(world, folder, record);
    tell(world, { type: "artifact:posted", part: by, sessionId: session, artifact: { id: record.id, name, type, created_by: by } });
    return record;
  }
  throw refuse("busy", { path: folder });
}

/** Where the content of a version lies; one whose poster was killed before it had its name gets it now. */
function contentPath(world: World, folder: string, { version, extension, staged }: Artifact): string {
  const { store } = world.home();
  const path = `${folder}/${version}.${extension}`;
  if (!exists(store, path)) moveFile(store, `${folder}/${staged}`, path);
  return path;
}

/**
 * Reads an artifact by its name or its id.
 * @param version the latest when it is not given
 * @throws Refusal `unknown_artifact`, `malformed_file`
 */
export function readArtifact(world: World, session: string, given: string, version?: number): { artifact: Artifact; content: string } {
  const { store } = world.home();
  const byId = parseArtifactId(given);
  const folder = folderOf(world, session, byId?.hash ?? hashOf(given));
  const number = version ?? byId?.version ?? (folder === null ? 0 : lastVersion(world, folder));
  const path = `${folder}/${recordName(number)}`;
  const artifact =
    folder === null
      ? null
      : mustRead(path, () => {
          const source = readText(store, path, RECORD_BYTES);
          return source === null ? null : parseArtifact(source);
        });
  if (folder === null || artifact === null) throw refuse("unknown_artifact", { given, artifact: null });
  const at = contentPath(world, folder, artifact);
  const content = mustRead(at, () => readText(store, at, CONTENT_BYTES));
  if (content === null) throw refuse("malformed_file", { path: at, problem: "the content of this version is missing" });
  return { artifact, content };
}

/** The latest version of each artifact of a session, by name. @param faults gets those that cannot be read */
export function listArtifacts(world: World, session: string, faults: Faults): Artifact[] {
  const { store } = world.home();
  const folder = artifactsFolder(session);
  return entries(store, folder)
    .flatMap(({ name, kind }) => {
      const version = kind === "folder" ? lastVersion(world, `${folder}/${name}`) : 0;
      if (version === 0) return [];
      const path = `${folder}/${name}/${recordName(version)}`;
      const read = (): Artifact | null => {
        const source = readText(store, path, RECORD_BYTES);
        return source === null ? null : parseArtifact(source);
      };
      return noting(faults, path, read) ?? [];
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
