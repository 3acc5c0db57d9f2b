/** The files below `org/`, found by the names that they are called by. spec/office.md, "Office files". */
import { FileError } from "../../core/format/file-error.ts";
import { type AgentFile, parseAgentFile } from "./agent-file.ts";
import { agentProblem, fieldFault, fileSlug } from "./name.ts";
import { parseUnit, type Unit } from "./unit.ts";

/** What a path below `org/` is. `project` is null for what belongs to the whole office. Names are those of the files. */
export type OrgPlace =
  | { kind: "office" }
  | { kind: "project"; project: string }
  | { kind: "workgroup"; project: string | null; workgroup: string }
  | { kind: "agent"; project: string | null; agent: string };

/** Where everything about the office lies. */
export const ORG = "org";
/** Where the office itself lies. */
export const OFFICE_PATH = `${ORG}/office.yml`;

/** Where the projects of an office lie. */
export const PROJECTS = `${ORG}/projects`;

const folderOf = (project: string | null): string => (project === null ? ORG : `${PROJECTS}/${project}`);

/** The path of a file of the office. */
export function orgPath(place: OrgPlace): string {
  if (place.kind === "office") return OFFICE_PATH;
  if (place.kind === "project") return `${folderOf(place.project)}/project.yml`;
  if (place.kind === "workgroup") return `${folderOf(place.project)}/workgroups/${place.workgroup}.yml`;
  return `${folderOf(place.project)}/agents/${place.agent}.md`;
}

const PROJECT = /^org\/projects\/([^/]+)\/project\.yml$/;
const IN_UNIT = /^org\/(?:projects\/([^/]+)\/)?(?:workgroups\/([^/]+)\.yml|agents\/([^/]+)\.md)$/;

/** The inverse of `orgPath`; null for any other path. */
export function locateOrg(path: string): OrgPlace | null {
  if (path === OFFICE_PATH) return { kind: "office" };
  const project = PROJECT.exec(path)?.[1];
  if (project !== undefined) return fileSlug(project) === null ? null : { kind: "project", project };
  const [whole, within = null, workgroup, agent] = IN_UNIT.exec(path) ?? [];
  const isNamed = [within, workgroup, agent].every((name) => name === null || name === undefined || fileSlug(name) !== null);
  if (agent !== undefined && agentProblem(agent) !== null) return null;
  if (whole === undefined || !isNamed) return null;
  return workgroup === undefined
    ? { kind: "agent", project: within, agent: agent as string }
    : { kind: "workgroup", project: within, workgroup };
}

/** A file of the office that was read; `value` is null where it cannot be. */
export type OrgFile = { path: string } & (
  | { place: Exclude<OrgPlace, { kind: "agent" }>; value: Unit | null }
  | { place: Extract<OrgPlace, { kind: "agent" }>; value: AgentFile | null }
);

/** Reads a file of the office. @throws FileError with everything that is wrong with it */
export const parseOrgFile = (place: OrgPlace, source: string): Unit | AgentFile =>
  place.kind === "agent" ? parseAgentFile(source, fileSlug(place.agent) as string) : parseUnit(place.kind, source);

/** A file that was looked for: where, and what was found. */
export interface Sought<T> {
  tried: readonly string[];
  found: { path: string; value: T | null } | null;
}

/** The files of an office by the names that they are called by, in any case. */
export class OrgFiles {
  readonly #files = new Map<string, OrgFile>();
  /** Files of which another has the name already: neither may win by chance. */
  readonly faults: FileError[] = [];

  constructor(files: readonly OrgFile[]) {
    for (const file of files.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
      const key = orgPath(bySlug(file.place));
      const other = this.#files.get(key);
      if (other === undefined) this.#files.set(key, file);
      else this.faults.push(fieldFault(1, "file", file.path, `expected one file of a name, ${other.path} has the same`, file.path));
    }
  }

  /** A unit's file; of a workgroup the project's goes before the office's. */
  unit = (place: Exclude<OrgPlace, { kind: "agent" }>): Sought<Unit> => this.#seek(place) as Sought<Unit>;
  /** An agent's file: the project's goes before the office's. */
  agent = (project: string | null, agent: string): Sought<AgentFile> => this.#seek({ kind: "agent", project, agent }) as Sought<AgentFile>;
  /** Every workgroup of the office itself. */
  workgroups(): { slug: string; unit: Unit }[] {
    return [...this.#files.values()].flatMap(({ place, value }) =>
      place.kind === "workgroup" && place.project === null && value !== null
        ? [{ slug: fileSlug(place.workgroup) as string, unit: value as Unit }]
        : [],
    );
  }

  #seek(place: OrgPlace): Sought<Unit | AgentFile> {
    const isShared = (place.kind === "workgroup" || place.kind === "agent") && place.project !== null;
    const tried = [place, ...(isShared ? [{ ...place, project: null } as OrgPlace] : [])].map(orgPath);
    const file = tried.map((path) => this.#files.get(path)).find((each) => each !== undefined);
    return { tried, found: file === undefined ? null : { path: file.path, value: file.value } };
  }
}

/** The same place with all names as slugs. */
const bySlug = (place: OrgPlace): OrgPlace =>
  Object.fromEntries(
    Object.entries(place).map(([key, value]) => [key, key === "kind" || value === null ? value : fileSlug(value as string)]),
  ) as OrgPlace;

/** Texts of files of the office, read; what is wrong with them, each fault with its path. @param texts an error stands for a text that could not be had */
export function readOrgFiles(texts: Iterable<readonly [path: string, text: string | FileError]>): {
  files: OrgFile[];
  faults: FileError[];
} {
  const files: OrgFile[] = [];
  const faults: FileError[] = [];
  for (const [path, text] of texts) {
    const place = locateOrg(path);
    if (place === null) continue;
    try {
      if (text instanceof FileError) throw text;
      files.push({ path, place, value: parseOrgFile(place, text) } as OrgFile);
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      for (const { message, line } of [error, ...error.others]) faults.push(new FileError(message, line, path));
      files.push({ path, place, value: null } as OrgFile);
    }
  }
  return { files, faults };
}
