/**
 * What the programs of agents are called on this machine: typed here by a person, and never taken from a file that is pushed.
 * spec/office.md, "Programs".
 */
import { orElse } from "../../core/format/file-error.ts";
import type { World } from "../../core/world.ts";
import { readText } from "../../store/read/read-file.ts";
import { replaceFile } from "../../store/write/replace.ts";
import { type ProgramName, RUNNERS } from "../nouns/agent-file.ts";
import { inOffice, OFFICE, officeToWrite } from "./office-folder.ts";

/** Each program that somebody said something of: its file or name, and the arguments that stand before all others. */
export type OfficePrograms = Partial<Readonly<Record<ProgramName, readonly string[]>>>;

const PROGRAMS_PATH = `${OFFICE}/runners.json`;
const PROGRAMS_BYTES = 262_144;

/** The programs that were typed on this machine. */
export function officePrograms(world: World): OfficePrograms {
  const text = inOffice(world.home().store, null, (office) => readText(office, PROGRAMS_PATH, PROGRAMS_BYTES));
  return text === null ? {} : readPrograms(text);
}

function readPrograms(text: string): OfficePrograms {
  const said: unknown = orElse(null, () => JSON.parse(text));
  if (typeof said !== "object" || said === null) return {};
  const entries = RUNNERS.flatMap((name) => {
    const argv = (said as Record<string, unknown>)[name];
    return Array.isArray(argv) && argv.length > 0 && argv.every((word) => typeof word === "string") ? [[name, argv as string[]]] : [];
  });
  return Object.fromEntries(entries) as OfficePrograms;
}

/** Says how a program is started on this machine. @param argv null for as it is found on the path again */
export async function setOfficeProgram(world: World, name: ProgramName, argv: readonly string[] | null): Promise<OfficePrograms> {
  await replaceFile(officeToWrite(world.home().store), PROGRAMS_PATH, PROGRAMS_BYTES, (before) => {
    const { [name]: _before, ...others } = before === null ? {} : readPrograms(before);
    return `${JSON.stringify(argv === null ? others : { ...others, [name]: argv })}\n`;
  });
  return officePrograms(world);
}
