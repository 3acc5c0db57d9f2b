/**
 * The positions of an office: who there is, by the place in the hierarchy and never by a name, and whom each may give work to.
 * Pure: prompt, tool, enforcement and check all derive from this one walk. spec/office.md, "Positions".
 */
import { FileError } from "../../core/format/file-error.ts";
import { fieldFault, LEAD, type Named, OFFICE_LEAD, slugOf } from "./name.ts";
import { OFFICE_PATH, type OrgFile, OrgFiles, type Sought } from "./org-files.ts";
import type { Member, Unit, UnitKind } from "./unit.ts";

/** A position. */
export interface Position {
  /** From its place: `om`, `om/auditor`, `shop/lead`, `shop/coding/lead`, `shop/coding/developer`. */
  id: string;
  /** What others call it: the name of its agent as a slug. */
  name: string;
  /** Never empty: of a lead its unit's, of others the agent's; else the name. */
  description: string;
  /** What it leads; null for a leaf. */
  leads: UnitKind | null;
  /** The file of the unit that it leads, or else is a member of. */
  unit: string;
  /** The file of its agent. */
  agent: string;
  /** The position that may give it work; null for the office's lead. */
  parent: string | null;
  /** The positions that it may give work to, in the order of the file. */
  members: readonly string[];
}

/** An office: its name, and its positions by their ids, each after its parent. */
export interface Office {
  name: string;
  description: string;
  positions: ReadonlyMap<string, Position>;
}

/** A position is for an agent that somebody gives work to. Units that several borrow multiply, so that a few files could make millions. */
const MOST_POSITIONS = 10_000;

/** Where a unit stands. */
interface Spot {
  /** The first segments of the ids of its members. */
  base: string;
  /** The project that it belongs to, or is lent to. */
  project: string | null;
  parent: Position | null;
}

/** Lays an office out. @returns null where there is none, and everything that is wrong between its files, each fault with its path */
export function layOut(read: readonly OrgFile[]): { office: Office | null; faults: FileError[] } {
  const files = new OrgFiles(read);
  const walk = new Walk(files);
  const { found } = files.unit({ kind: "office" });
  if (found === null)
    return {
      office: null,
      faults: [fieldFault(1, "file", undefined, "expected the office's own file; `relay office init` makes one", OFFICE_PATH)],
    };
  if (found.value !== null) walk.office(found.path, found.value);
  const { name, description } = found.value ?? { name: "", description: "" };
  const faults = new Map([...files.faults, ...walk.faults].map((fault) => [`${fault.path}:${fault.line}:${fault.message}`, fault]));
  return { office: { name, description, positions: walk.positions }, faults: [...faults.values()] };
}

/** Goes through an office from its lead downward. */
class Walk {
  readonly faults: FileError[] = [];
  readonly #files: OrgFiles;
  #positions = new Map<string, Position>();
  #count = 0;

  constructor(files: OrgFiles) {
    this.#files = files;
  }

  get positions(): ReadonlyMap<string, Position> {
    return this.#positions;
  }

  /** The whole office, up to `MOST_POSITIONS`: what would have more is a fault of the unit in which that is seen. */
  office(path: string, unit: Unit): void {
    try {
      this.#unit(path, unit, { base: OFFICE_LEAD, project: null, parent: null });
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      this.faults.push(error);
    }
  }

  /** Counts a position. @throws FileError where there are too many */
  #add(position: Position): void {
    this.#count += 1;
    if (this.#count > MOST_POSITIONS)
      throw fieldFault(1, "members", this.#count, `expected at most ${MOST_POSITIONS} positions in the office`, position.unit);
    this.#positions.set(position.id, position);
  }

  /** A unit: the position of its lead, and those below. */
  #unit(path: string, unit: Unit, { base, project, parent }: Spot): Position {
    const agent = this.#agentFile(path, "lead", unit.lead, project);
    const position: Position & { members: string[] } = {
      id: unit.kind === "office" ? OFFICE_LEAD : `${base}/${LEAD}`,
      name: unit.lead.slug,
      description: unit.description || unit.name,
      leads: unit.kind,
      unit: path,
      agent: agent.path,
      parent: parent?.id ?? null,
      members: [],
    };
    this.#add(position);
    const ids = new Set<string>();
    const ledBy = this.#workgroupsByLead(unit, project);
    const taken = new Map([
      [position.name, "its lead"],
      ...(parent === null ? [] : [[parent.name, "the lead who gives it work"] as const]),
    ]);
    for (const member of unit.members) {
      const spot = { base, project, parent: position };
      // An agent that leads a workgroup of the same unit is that workgroup's lead.
      const led = member.kind === "agent" ? ledBy.get(member.slug) : undefined;
      const child =
        led === undefined
          ? this.#member(path, unit, member, spot)
          : this.#unit(led.path, led.unit, { ...spot, base: `${base}/${led.slug}` });
      if (child === null || ids.has(child.id)) continue;
      ids.add(child.id);
      const other = taken.get(child.name);
      const problem = `expected other names in one roster: ${child.name} is ${other} as well`;
      if (other !== undefined) this.faults.push(fieldFault(member.line, `members.${member.kind}s`, member.name, problem, path));
      taken.set(child.name, `that of ${member.name}`);
      position.members.push(child.id);
    }
    this.#checkAbsent(path, unit, { base, project, parent: position });
    return position;
  }

  #member(path: string, unit: Unit, member: Member, spot: Spot): Position | null {
    if (member.kind !== "agent") return this.#subunit(path, unit, member, member.kind, spot);
    const { path: agent, description } = this.#agentFile(path, "members.agents", member, spot.project);
    const parent = spot.parent?.id ?? null;
    const id = `${spot.base}/${member.slug}`;
    const position = {
      id,
      name: member.slug,
      description: description || member.name,
      leads: null,
      unit: path,
      agent,
      parent,
      members: [],
    };
    this.#add(position);
    return position;
  }

  #subunit(path: string, unit: Unit, named: Named, kind: "project" | "workgroup", spot: Spot): Position | null {
    const list = kind === "project" ? "projects" : "workgroups";
    const field = `members.${list}`;
    if ((kind === "project" || unit.kind === "project") && !unit.known.some(({ slug }) => slug === named.slug)) {
      this.faults.push(fieldFault(named.line, field, named.name, `expected one of "${list}": ${namesOf(unit.known)}`, path));
      return null;
    }
    const sought = this.#seek(kind, named.slug, spot.project);
    if (sought.found === null) this.faults.push(missing(named, field, sought, path));
    if (sought.found === null || sought.found.value === null) return null;
    const base = kind === "project" ? named.slug : `${spot.base}/${named.slug}`;
    return this.#unit(sought.found.path, sought.found.value, { ...spot, base, project: kind === "project" ? named.slug : spot.project });
  }

  #seek(kind: "project" | "workgroup", slug: string, project: string | null): Sought<Unit> {
    return this.#files.unit(kind === "project" ? { kind, project: slug } : { kind, project, workgroup: slug });
  }

  /** What is known and no member has no positions; what is wrong with it is told all the same. */
  #checkAbsent(path: string, unit: Unit, spot: Spot): void {
    const kind = unit.kind === "office" ? "project" : "workgroup";
    const positions = this.#positions;
    for (const named of unit.known) {
      const isThere = this.#seek(kind, named.slug, spot.project).found !== null;
      if (!isThere || unit.members.some((member) => member.kind === kind && member.slug === named.slug)) continue;
      this.#positions = new Map();
      try {
        this.#subunit(path, unit, named, kind, spot);
      } finally {
        this.#positions = positions;
      }
    }
  }

  /** The workgroups that an agent of a unit may lead, by the lead's slug: of several the first. */
  #workgroupsByLead(unit: Unit, project: string | null): Map<string, { slug: string; path: string; unit: Unit }> {
    if (unit.kind === "workgroup") return new Map();
    const slugs = unit.kind === "office" ? this.#files.workgroups().map(({ slug }) => slug) : unit.known.map(({ slug }) => slug);
    const groups = slugs.flatMap((slug) => {
      const { found } = this.#seek("workgroup", slug, project);
      return found === null || found.value === null
        ? []
        : [[found.value.lead.slug, { slug, path: found.path, unit: found.value }] as const];
    });
    return new Map(groups.reverse());
  }

  /** The file of an agent; a fault where it has none. */
  #agentFile(path: string, field: string, named: Named, project: string | null): { path: string; description: string } {
    const sought = this.#files.agent(project, named.slug);
    if (sought.found === null) this.faults.push(missing(named, field, sought, path));
    return { path: sought.found?.path ?? "", description: sought.found?.value?.description ?? "" };
  }
}

const missing = ({ name, line }: Named, field: string, { tried }: Sought<unknown>, path: string): FileError =>
  fieldFault(line, field, name, `expected a file ${tried.join(" or ")}`, path);

const namesOf = (known: readonly Named[]): string => known.map(({ name }) => name).join(", ") || "it is empty";

/** The id of a position, in any case and with any signs: `TeaParty/Coding/Lead` is `teaparty/coding/lead`. */
export const positionId = (given: string): string => given.split("/").map(slugOf).join("/");

/** What the ids of those below a lead begin with: `teaparty/coding` of `teaparty/coding/lead`. */
export const baseOf = (lead: string): string => (lead === OFFICE_LEAD ? OFFICE_LEAD : lead.slice(0, -`/${LEAD}`.length));
