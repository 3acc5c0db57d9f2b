/**
 * Which tasks each part claimed here, noted as its claims are made: so what a part holds is known without a list of all tasks. Kept
 * under `run/claimed`, which is disposable. spec/usage.md, "Collecting".
 */
import { orElse, quietly } from "../../core/format/file-error.ts";
import type { World } from "../../core/world.ts";
import { nameNow, namesOf } from "../../mail/files/members.ts";
import { names } from "../../store/read/list-folder.ts";
import { readText } from "../../store/read/read-file.ts";
import { appendLine } from "../../store/write/append-line.ts";
import { removeFile } from "../../store/write/move-file.ts";
import type { ClaimRecord } from "../nouns/claim.ts";

/** A task, and the session that it is of. */
interface TaskOf {
  session: string;
  task: string;
}

const CLAIMED = "run/claimed";
const notesPath = (part: string): string => `${CLAIMED}/${part}/tasks`;
const NOTES_BYTES = 65_536;
/** Notes with more lines are begun anew. */
const LINES = 256;
/** Stands in notes that say all that the part held before. */
const WHOLE = "*";

const lineOf = ({ session, task }: TaskOf): string => `${session} ${task}`;

/** Notes a claim that was made. What fails here fails no claim. */
export function noteClaim(world: World, session: string, { kind, agent, task }: ClaimRecord): void {
  if (kind === "claim") quietly(() => appendLine(world.home().store, notesPath(agent), lineOf({ session, task }), false));
}

/** Notes a claim that a sync brought: another may have handed a task over to a part of this machine, whose notes would not say it. */
export function noteBroughtClaim(world: World, session: string, record: ClaimRecord): void {
  const part = nameNow(world, record.agent);
  // A push chose the name, so that it is one only where there are notes of that name.
  if (names(world.home().store, CLAIMED).includes(part)) noteClaim(world, session, { ...record, agent: part });
}

/** The tasks that a part claimed, each once; null where the notes do not say all, or are long. */
export function notedClaims(world: World, part: string): TaskOf[] | null {
  const { store } = world.home();
  const texts = namesOf(world, part).map((name) => orElse("", () => readText(store, notesPath(name), NOTES_BYTES) ?? ""));
  const lines = texts.flatMap((text) => text.split("\n"));
  if (!lines.includes(WHOLE) || lines.length > LINES) return null;
  return [...new Set(lines)].flatMap((line) => {
    const [session = "", task = ""] = line.split(" ");
    return task === "" ? [] : [{ session, task }];
  });
}

/**
 * Begins the notes of a part anew. A claim that somebody makes meanwhile writes a note after the removal, so it is not lost.
 * @param list lists all tasks that it holds
 */
export function beginNotes<T extends TaskOf>(world: World, part: string, list: () => readonly T[]): readonly T[] {
  const { store } = world.home();
  quietly(() => {
    for (const name of namesOf(world, part)) removeFile(store, notesPath(name));
  });
  const held = list();
  quietly(() => appendLine(store, notesPath(part), [...held.map(lineOf), WHOLE].join("\n"), false));
  return held;
}
