/** What a runner tells of a turn while its program runs: what it prints, and how much its model is given. spec/office.md, "Events". */
import type { World } from "../../protocol/index.ts";
import { tellOffice } from "../../protocol/office/files/office-events.ts";
import { officeToWrite } from "../../protocol/office/files/office-folder.ts";
import type { OfficeLimits } from "../../protocol/office/files/office-limits.ts";
import { readDispatchFiles } from "../../protocol/office/files/read-dispatch.ts";
import { endOf } from "../../protocol/store/beside/user-file.ts";
import { absolute } from "../../protocol/store/root.ts";
import { type LaunchRecord, launchPath, printedLines } from "../launch/launch-folder.ts";
import { programOf } from "../programs/programs.ts";
import { saidIn } from "../programs/said.ts";

/** No more is told of what a program prints than this often. */
const TOLD_MS = 1_000;
const CHUNK_BYTES = 400;
/** Characters of what a program said since the last time: its end. */
const SAID_LENGTH = 2_000;

/** Follows what the program of a turn prints. */
export interface TurnEvents {
  /** @param bytes that it printed by now @param isOver whether it has ended, so that this is the last that is told */
  printed(bytes: number, isOver: boolean): void;
  /** @param tokens that its model was last given */
  given(tokens: number): void;
}

/** The turn of a launch, as events name it. */
const turnOf = (world: World, { dispatch, turn, position }: LaunchRecord) => ({
  dispatch,
  context: readDispatchFiles(world.home().store, dispatch)?.dispatch.context ?? dispatch,
  part: position,
  turn,
});

/** Tells that the program of a launch began a session of its own. */
export const tellSession = (world: World, record: LaunchRecord): void =>
  tellOffice(world, {
    ...turnOf(world, record),
    type: "office:session_started",
    program: record.program,
    session: record.session ?? null,
  });

/** Tells what happens while the program of a launch runs. */
export function turnEvents(world: World, record: LaunchRecord, limits: () => OfficeLimits): TurnEvents {
  const of = turnOf(world, record);
  const store = officeToWrite(world.home().store);
  const stdout = absolute(store, launchPath(record, "stdout"));
  const program = programOf(record.program);
  const isPlain = program.isPlain === true;
  let next = 0;
  /** What it says in the lines that it printed since the last time. */
  const said = (): { said?: string } => {
    if (isPlain) return {};
    const { lines, next: after } = printedLines(store, record, next);
    next = after;
    const words = lines.map((line) => saidIn(program, line)).filter((each) => each !== "");
    return words.length === 0 ? {} : { said: words.join("\n").slice(-SAID_LENGTH).toWellFormed() };
  };
  let [told, toldMs, isWarned] = [0, Number.NEGATIVE_INFINITY, false];
  return {
    printed(bytes, isOver) {
      if (bytes <= told || (!isOver && performance.now() - toldMs < TOLD_MS)) return;
      [told, toldMs] = [bytes, performance.now()];
      const chunk = endOf(stdout, CHUNK_BYTES)?.toWellFormed() ?? "";
      tellOffice(world, { ...of, type: "office:stream_data", bytes, chunk, ...said() });
    },
    given(tokens) {
      const { contextTokens: limitTokens } = limits();
      if (isWarned || tokens < limitTokens) return;
      isWarned = true;
      tellOffice(world, { ...of, type: "office:context_warning", tokens, limitTokens });
    },
  };
}
