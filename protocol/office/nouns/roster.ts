/** Rosters: exactly the names that a position may give work to, derived from the office's files and nothing else. spec/office.md, "Rosters". */
import type { FileError } from "../../core/format/file-error.ts";
import { LEAD, OFFICE_LEAD, slugOf, throwAll } from "./name.ts";
import { readOrgFiles } from "./org-files.ts";
import { layOut, type Office, type Position } from "./positions.ts";

/** What is known of somebody in a roster. */
export interface RosterEntry {
  /** Never empty. */
  description: string;
  /** Set for the one who gave the work, who is asked and never started. */
  type?: "requestor";
}

/** Names and what each is for, in the order of the file. It is an object, and equals its JSON. */
export type Roster = Readonly<Record<string, RosterEntry>>;

/**
 * Reads an office from the texts of its files.
 * @param texts path in the home (`org/office.yml`) and text; an error stands for a text that could not be had
 * @throws FileError with path and line, and all others beside it, where anything is wrong: an office is whole, or none
 */
export function readOffice(texts: Iterable<readonly [path: string, text: string | FileError]>): Office {
  const { files, faults } = readOrgFiles(texts);
  const laid = layOut(files);
  throwAll([...faults, ...laid.faults]);
  return laid.office as Office;
}

/** Every position by its id, each after its parent. */
export const positionMap = (office: Office): ReadonlyMap<string, Position> => office.positions;

/** Whether a position has others below it: by the structure, whatever it is called. False for an id that is none. */
export const hasSubRoster = (office: Office, position: string): boolean => (office.positions.get(position)?.members.length ?? 0) > 0;

/**
 * The roster of a position.
 * @param requestor the position that gave the work; left out where a person did
 * @throws RangeError where a position is none, or the requestor may not give it work
 */
export function deriveRoster(office: Office, position: string, requestor?: string): Roster {
  const own = known(office, position);
  if (requestor !== undefined && own.parent !== requestor)
    throw new RangeError(`${requestor} cannot give work to ${position}: expected ${own.parent ?? "a person"}`);
  const entries = own.members.map((id) => known(office, id)).map(({ name, description }) => [name, { description }] as const);
  const asker = requestor === undefined ? [] : [known(office, requestor)];
  // A leaf gives work to nobody, so it asks nobody either: its end is its answer.
  const asked =
    own.leads === null ? [] : asker.map(({ name, description }) => [name, { description, type: "requestor" as const }] as const);
  return Object.fromEntries([...entries, ...asked]);
}

/** The roster of the office's lead. */
export const deriveOfficeRoster = (office: Office): Roster => deriveRoster(office, OFFICE_LEAD);

/** The roster of a project's lead. @param project its name, in any case @param requestor as `deriveRoster` @throws RangeError as `deriveRoster` */
export const deriveProjectRoster = (office: Office, project: string, requestor?: string): Roster =>
  deriveRoster(office, `${slugOf(project)}/${LEAD}`, requestor);

/**
 * The roster of a workgroup's lead.
 * @param project the project that the workgroup belongs to, or is lent to; null for a workgroup of the office
 * @param workgroup its name, in any case
 * @param requestor as `deriveRoster`
 * @throws RangeError as `deriveRoster`
 */
export const deriveWorkgroupRoster = (office: Office, project: string | null, workgroup: string, requestor?: string): Roster =>
  deriveRoster(office, `${project === null ? OFFICE_LEAD : slugOf(project)}/${slugOf(workgroup)}/${LEAD}`, requestor);

function known(office: Office, position: string): Position {
  const found = office.positions.get(position);
  if (found === undefined) throw new RangeError(`no such position: ${JSON.stringify(position)}`);
  return found;
}
