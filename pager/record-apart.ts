/**
 * The pager's records, each in a process of its own: a commit of thousands of files takes tens of megabytes, which the system has back
 * when that process ends. A pager that is part of another program records by itself.
 */
import fs from "node:fs";
import type { World } from "../protocol/index.ts";
import { type failureReply, findRepository, ownCommand, recordHome, runProgram } from "../protocol/internal.ts";

/** What the pager tells of a record. */
interface RecordedApart {
  /** The commit; null when nothing had changed. */
  commit: string | null;
  /** Who changed something, by name. */
  parts: string[];
  /** Files that were missing, and are back. */
  restored: string[];
}

/** What `relay record --json` refused. */
export class RecordRefused extends Error {
  readonly code: string;

  constructor({ error, code }: ReturnType<typeof failureReply>) {
    super(error);
    this.code = code;
  }
}

/** A first record of a million files takes minutes; this only ends one that hangs. */
const RECORD_MS = 3_600_000;
/** Characters of an answer: the paths of very many files that are back. */
const ANSWER_KEPT = 64 * 1_048_576;

/** Records the home; null where it has no repository of its own. @throws RecordRefused; Refusal of a record by itself; Error where the process said nothing */
export async function recordApart(world: World): Promise<RecordedApart | null> {
  if (findRepository(world) === null) return null;
  const command = ownCommand();
  // A version that was upgraded or cleared away while this process goes on has no command any more.
  if (command === null || !fs.existsSync(command)) {
    const recorded = await recordHome(world);
    return recorded === null ? null : { commit: recorded.commit, parts: recorded.who, restored: recorded.restored };
  }
  const { root } = world.home().store;
  const argv = [process.execPath, command, "record", "--home", root, "--json"];
  const { output, exitCode } = await runProgram(argv, {
    cwd: root,
    env: world.env,
    timeoutMs: RECORD_MS,
    kept: ANSWER_KEPT,
    stderrLast: true,
  });
  const answer = answerIn(output);
  if (answer === null) throw new Error(`the record ended with ${exitCode ?? "a signal"}: ${output.slice(-500)}`);
  if (answer.success) return answer;
  throw new RecordRefused(answer);
}

/** The answer among the lines that were printed; null where there is none. */
function answerIn(output: string): (RecordedApart & { success: true }) | ReturnType<typeof failureReply> | null {
  const line = output.split("\n").findLast((each) => each.startsWith('{"schema":'));
  try {
    return line === undefined ? null : JSON.parse(line);
  } catch {
    return null;
  }
}
