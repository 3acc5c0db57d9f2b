/** Which files the programs of an office are on this machine, and those that it does not have. spec/office.md, "Programs". */
import path from "node:path";
import { refuse } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { findProgram } from "../../store/program.ts";
import type { ProgramName } from "../nouns/agent-file.ts";
import { whatRuns } from "../nouns/what-runs.ts";
import { launchEnvironment } from "./launch-environment.ts";
import { officePrograms } from "./office-programs.ts";
import type { WholeOffice } from "./read-office.ts";

/** A program of agents as this machine starts it. */
export interface Command {
  program: ProgramName;
  /** Its name or file, and the arguments before all others; empty where nobody said which. */
  argv: readonly string[];
  /** The file that is started, absolute; null where it is not found. */
  file: string | null;
}

/** What an office starts on this machine, each program once. */
export const officeCommands = (world: World, { office, files }: Pick<WholeOffice, "office" | "files">): Command[] =>
  [...new Set(whatRuns(office, files).map(({ program }) => program))].map((program) => commandOf(world, program));

/** The programs that an office runs and that are not found on this machine, each once. */
export const missingPrograms = (world: World, office: Pick<WholeOffice, "office" | "files">): ProgramName[] =>
  officeCommands(world, office).flatMap(({ program, file }) => (file === null ? [program] : []));

/**
 * Checks that this machine can run a position, before it is given work.
 * @throws Refusal `program_missing`
 */
export function requireProgramOf(world: World, position: string, { office, files }: Pick<WholeOffice, "office" | "files">): void {
  const program = whatRuns(office, files).find((run) => run.position === position)?.program;
  const command = program === undefined ? null : commandOf(world, program);
  if (command === null || command.file !== null) return;
  throw refuse("program_missing", { position, program: command.program, named: command.argv.length > 0 });
}

function commandOf(world: World, program: ProgramName): Command {
  const argv = officePrograms(world)[program] ?? (program === "command" ? [] : [program]);
  const searched = launchEnvironment(world, program)["PATH"];
  const file = argv[0] === undefined ? null : findProgram(argv[0], path.dirname(world.home().store.root), searched);
  return { program, argv, file };
}
