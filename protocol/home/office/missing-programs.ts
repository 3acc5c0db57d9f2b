/** Programs of agents that this machine does not have. spec/office.md, "Programs". */
import path from "node:path";
import { whatRuns } from "../../objects/office/what-runs.ts";
import { refuse } from "../../refusal.ts";
import { findProgram } from "../../store/program.ts";
import type { World } from "../../world.ts";
import { launchEnvironment } from "./launch-environment.ts";
import { officePrograms, type ProgramName } from "./office-programs.ts";
import type { WholeOffice } from "./read-office.ts";

/** The programs that an office runs and that are not found on this machine, each once. */
export function missingPrograms(world: World, { office, files }: Pick<WholeOffice, "office" | "files">): ProgramName[] {
  const programs = new Set(whatRuns(office, files).map(({ program }) => program));
  return [...programs].filter((program) => !isFound(world, program));
}

/**
 * Checks that this machine can run a position, before it is given work.
 * @throws Refusal `program_missing`
 */
export function requireProgramOf(world: World, position: string, { office, files }: Pick<WholeOffice, "office" | "files">): void {
  const program = whatRuns(office, files).find((run) => run.position === position)?.program;
  if (program === undefined || isFound(world, program)) return;
  throw refuse("program_missing", { position, program, named: wordsOf(world, program).length > 0 });
}

const wordsOf = (world: World, program: ProgramName): readonly string[] =>
  officePrograms(world)[program] ?? (program === "command" ? [] : [program]);

function isFound(world: World, program: ProgramName): boolean {
  const [name] = wordsOf(world, program);
  const searched = launchEnvironment(world, program)["PATH"];
  return name !== undefined && findProgram(name, path.dirname(world.home().store.root), searched) !== null;
}
