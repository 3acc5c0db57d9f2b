/** Makes the files of an office out of TeaParty's, and says what could not be taken. spec/office.md, "Importing". */
import { FileError } from "../../core/format/file-error.ts";
import { parseFrontmatter } from "../../core/format/frontmatter.ts";
import { readYaml } from "../../core/format/yaml.ts";
import { type AgentFile, formatAgentFile } from "./agent-file.ts";
import { agentProblem, nameProblem, slugOf } from "./name.ts";
import { OFFICE_PATH, type OrgPlace, orgPath } from "./org-files.ts";
import { isReadingMode, type Rights, rightsIn, toolsOf } from "./teaparty-rights.ts";
import { formatUnit } from "./write-unit.ts";

/** The texts of one folder of TeaParty, by their paths in it: `teaparty.yaml` or `project.yaml`, `workgroups/*.yaml`, `agents/*\/agent.md`. */
export interface TeapartyFolder {
  /** What it is called in what could not be taken. */
  name: string;
  texts: ReadonlyMap<string, string>;
  /** Paths of all other files in it. */
  others: readonly string[];
}

/** Something that was not taken over, and why. */
export interface LeftOut {
  path: string;
  problem: string;
}

/** What TeaParty's files became: path in the home → text, the office's own file last. */
export interface Imported {
  files: ReadonlyMap<string, string>;
  leftOut: readonly LeftOut[];
}

type Values = Record<string, unknown>;
const isMap = (value: unknown): value is Values => typeof value === "object" && value !== null && !Array.isArray(value);
const textOf = (value: unknown): string | undefined => (typeof value === "string" && value.trim() !== "" ? value : undefined);

/** Fields that say which tools an agent has. */
const SAY_RIGHTS = new Set(["tools", "allowedTools", "disallowedTools", "permissions"]);

/** What TeaParty keeps that an office has no place for, or finds by itself. Of the last nothing is said. */
const FOUND_BY_ITSELF = new Set(["config", "agents"]);

/**
 * Makes an office out of TeaParty's.
 * @param office the folder of `teaparty.yaml`
 * @param projectAt the folder of a project's `project.yaml`, by what the office says of it; null where there is none
 */
export function fromTeaparty(
  office: TeapartyFolder,
  projectAt: (project: { path: string; config: string | undefined }) => TeapartyFolder | null,
): Imported {
  const taking = new Taking();
  const at = `${office.name}/teaparty.yaml`;
  const values = taking.values(at, office.texts.get("teaparty.yaml") ?? "", "name description lead humans projects members workgroups");
  const projects = (Array.isArray(values["projects"]) ? values["projects"] : []).filter(isMap);
  const taken: { name: string; path?: string | undefined }[] = [];
  for (const { name, path = ".", config, ...rest } of projects) {
    if (typeof name !== "string" || typeof path !== "string" || !taking.isName(at, name)) continue;
    for (const key of Object.keys(rest)) taking.leave(at, `projects: ${name}: ${key} has no place in an office`);
    const folder = projectAt({ path, config: textOf(config) });
    if (folder === null) {
      taking.leave(at, `projects: ${name}: no project.yaml was found at ${path}`);
      continue;
    }
    const isHere = path === "." || /^(?![/\\~]|\.\.|[A-Za-z]:)/.test(path);
    if (!isHere)
      taking.leave(at, `projects: ${name}: the path ${path} is not of this repository; where another one lies is each machine's`);
    taken.push({ name, ...(isHere ? { path } : {}) });
    taking.project(folder, slugOf(name));
  }
  taking.unitsBelow(office, null);
  const known = new Set(taken.map(({ name }) => slugOf(name)));
  const members = taking.members(at, values, ["projects", "agents", "workgroups"]);
  const projectsTaken = members["projects"]?.filter((name) => known.has(slugOf(name)));
  for (const name of members["projects"] ?? [])
    if (!known.has(slugOf(name))) taking.leave(at, `members.projects: ${name} is no project that was taken`);
  taking.write(
    { kind: "office" },
    {
      ...taking.described(at, values),
      projects: taken,
      members: { ...members, projects: projectsTaken ?? [] },
      humans: isMap(values["humans"]) ? values["humans"] : undefined,
    },
  );
  const text = taking.files.get(OFFICE_PATH) as string;
  taking.files.delete(OFFICE_PATH);
  return { files: taking.files.set(OFFICE_PATH, text), leftOut: taking.leftOut };
}

/** Takes files over, one after the other. */
class Taking {
  readonly files = new Map<string, string>();
  readonly leftOut: LeftOut[] = [];

  leave(path: string, problem: string): void {
    this.leftOut.push({ path, problem });
  }

  write(place: OrgPlace, fields: object): void {
    this.files.set(orgPath(place), formatUnit(fields));
  }

  /** The values of a file; those of unknown keys are left out, and nothing is taken of a file that cannot be read. */
  values(path: string, text: string, keys: string): Values {
    try {
      const values: unknown = readYaml(text).document.toJS({ maxAliasCount: 100 });
      if (!isMap(values)) throw new FileError("expected a map");
      for (const key of Object.keys(values))
        if (!keys.split(" ").includes(key) && !FOUND_BY_ITSELF.has(key)) this.leave(path, `${key} has no place in an office`);
      return values;
    } catch (error) {
      this.leave(path, `it cannot be read: ${(error as Error).message}`);
      return {};
    }
  }

  isName(path: string, name: string, problemOf = nameProblem): boolean {
    const problem = problemOf(name);
    if (problem !== null) this.leave(path, `${JSON.stringify(name)}: ${problem}`);
    return problem === null;
  }

  described(path: string, values: Values): Values {
    const [name, lead] = [textOf(values["name"]), textOf(values["lead"])];
    for (const [key, value] of Object.entries({ name, lead })) if (value === undefined) this.leave(path, `${key} is missing`);
    return { name, description: textOf(values["description"]), lead };
  }

  /** The members of a unit, list by list; an entry may be a map with a name. */
  members(path: string, values: Values, keys: readonly string[]): Record<string, string[]> {
    const members = isMap(values["members"]) ? values["members"] : {};
    for (const [key, list] of Object.entries(members)) {
      const isEmpty = list === null || (Array.isArray(list) && list.length === 0);
      if (!keys.includes(key) && !isEmpty) this.leave(path, `members.${key} has no place in an office`);
    }
    return Object.fromEntries(keys.map((key) => [key, this.#names(path, members[key])]));
  }

  #names(path: string, list: unknown): string[] {
    const all = (Array.isArray(list) ? list : []).map((each: unknown) => (isMap(each) ? (each["name"] ?? each["ref"]) : each));
    return all.filter((each): each is string => typeof each === "string" && this.isName(path, each));
  }

  project(folder: TeapartyFolder, project: string): void {
    const at = `${folder.name}/project.yaml`;
    const values = this.values(at, folder.texts.get("project.yaml") ?? "", "name description lead humans members workgroups");
    if (isMap(values["humans"])) this.leave(at, "humans: an office has the people of the whole, in office.yml");
    this.unitsBelow(folder, project);
    const workgroups = this.#names(at, values["workgroups"]);
    const members = this.members(at, values, ["workgroups", "agents"]);
    this.write({ kind: "project", project }, { ...this.described(at, values), workgroups, members });
  }

  /** The workgroups and agents of a folder. */
  unitsBelow(folder: TeapartyFolder, project: string | null): void {
    for (const path of folder.others) this.leave(`${folder.name}/${path}`, "nothing is taken of it");
    const ofAll = this.#settings(folder, "");
    for (const [path, text] of folder.texts) {
      const at = `${folder.name}/${path}`;
      const [, workgroup] = /^workgroups\/([^/]+)\.ya?ml$/.exec(path) ?? [];
      const [, agent] = /^agents\/([^/]+)\/agent\.md$/.exec(path) ?? [];
      if (workgroup !== undefined) this.#workgroup(at, text, workgroup, project);
      else if (agent !== undefined && this.isName(at, agent, agentProblem))
        this.#agent(at, text, agent, project, [...ofAll, ...this.#settings(folder, `agents/${agent}/`)]);
    }
  }

  #workgroup(at: string, text: string, file: string, project: string | null): void {
    const values = this.values(at, text, "name description lead humans members");
    const name = textOf(values["name"]) ?? file;
    if (isMap(values["humans"])) this.leave(at, "humans: an office has the people of the whole, in office.yml");
    if (!this.isName(at, name)) return;
    const members = this.members(at, values, ["agents"]);
    this.write({ kind: "workgroup", project, workgroup: slugOf(name) }, { ...this.described(at, values), members });
  }

  /** What the files of settings in a folder say of tools; one that cannot be read allows none. */
  #settings(folder: TeapartyFolder, within: string): Rights[] {
    return [...folder.texts].flatMap(([path, text]) => {
      if (!path.startsWith(within) || !/^settings\.[a-z.]+$/.test(path.slice(within.length))) return [];
      const at = `${folder.name}/${path}`;
      const before = this.leftOut.length;
      const values = this.values(at, text, "permissions permissionMode tools allowedTools disallowedTools");
      return [Object.keys(values).length === 0 && this.leftOut.length > before ? { allow: [], deny: [] } : rightsIn(values)];
    });
  }

  #agent(at: string, text: string, agent: string, project: string | null, settings: readonly Rights[]): void {
    const { header, body, isRead } = this.#header(at, text);
    const { name: _name, description, model, maxTurns, ...rest } = header;
    for (const key of Object.keys(rest))
      if (!SAY_RIGHTS.has(key) && !isReadingMode(key, rest[key])) this.leave(at, `${key} has no place in an office`);
    const { tools, lost } = toolsOf([isRead ? rightsIn(header) : { allow: [], deny: [] }, ...settings]);
    for (const rule of lost) this.leave(at, `${rule}: a part of a tool has no place in an office, so the agent is not given the tool`);
    const turns = Number(maxTurns);
    const file: AgentFile = {
      name: slugOf(agent),
      description: textOf(description) ?? "",
      ...(textOf(model) === undefined ? {} : { model: textOf(model) }),
      ...(tools === null ? {} : { tools }),
      ...(Number.isInteger(turns) && turns > 0 ? { maxTurns: turns } : {}),
      prompt: body.trim(),
    };
    this.files.set(orgPath({ kind: "agent", project, agent: file.name }), formatAgentFile(file));
  }

  #header(at: string, text: string): { header: Values; body: string; isRead: boolean } {
    try {
      return { ...parseFrontmatter(text), isRead: true };
    } catch (error) {
      this.leave(at, `its front matter cannot be read, so that all of it is the prompt, and it has no tools: ${(error as Error).message}`);
      return { header: {}, body: text, isRead: false };
    }
  }
}
