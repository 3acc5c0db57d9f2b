/** The memory of an agent's hooks from turn to turn, and the process that waits for its session. spec/waking.md, "Waking by hooks". */
import { quietly, succeeds } from "../../core/format/file-error.ts";
import type { World } from "../../core/world.ts";
import { sha256 } from "../../store/digest.ts";
import { lifeOf, thisProcess } from "../../store/process.ts";
import { ageMs } from "../../store/read/facts.ts";
import { names } from "../../store/read/list-folder.ts";
import { readText } from "../../store/read/read-file.ts";
import { addNumber, type Chain, lastNumber, plainNumber } from "../../store/write/chain.ts";
import { removeFile } from "../../store/write/move-file.ts";
import { place } from "../../store/write/publish.ts";

const FOLDER = "run/turns";
const BYTES = 262_144;
/** What a session left is cleared after this long. */
const OLD_MS = 14 * 86_400_000;

/** A session's memory. Ids of messages are kept only while they are unread. */
export interface HookMemory {
  /** Announced at the start of a turn. */
  told: string[];
  /** An end of a turn was held back for them. */
  held: string[];
  /** Claims in progress that it was held back for, as the task and its fence. */
  tasks: string[];
  /** How often in a row the end of the turn was held back. */
  row: number;
}

const keyOf = (part: string, session: string): string => sha256(JSON.stringify([part, session])).slice(0, 24);

/** What a session remembers; nothing where there is no such memory. */
export function recallHookMemory(world: World, part: string, session: string): HookMemory {
  try {
    const {
      told,
      held,
      row,
      tasks = [],
    } = JSON.parse(readText(world.home().store, `${FOLDER}/${keyOf(part, session)}.json`, BYTES) ?? "") as HookMemory;
    if (Array.isArray(told) && Array.isArray(held) && Array.isArray(tasks) && Number.isSafeInteger(row)) return { told, held, tasks, row };
  } catch {
    // Disposable: told once more is no harm.
  }
  return { told: [], held: [], tasks: [], row: 0 };
}

/** Keeps it. @returns false where the home cannot be written */
export const keepHookMemory = (world: World, part: string, session: string, turns: HookMemory): boolean =>
  succeeds(() => place(world.home().store, `${FOLDER}/${keyOf(part, session)}.json`, JSON.stringify(turns)));

/** Removes what sessions left that ended long ago. */
export function clearOldHookMemory(world: World): void {
  const { store } = world.home();
  for (const name of names(store, FOLDER)) {
    const path = `${FOLDER}/${name}`;
    // Where it fails, the next session does it.
    quietly(() => {
      if ((ageMs(store, path) ?? 0) > OLD_MS) removeFile(store, path);
    });
  }
}

/**
 * Makes this process the one that waits for a session: the next of a chain, when who had the last number is gone.
 * @returns false when another waits already
 */
export function takeWait(world: World, part: string, session: string): boolean {
  const store = world.home().store;
  const before = `${keyOf(part, session)}.wait-`;
  const chain: Chain = {
    folders: [FOLDER],
    numberOf: (name) => (name.startsWith(before) ? plainNumber(name.slice(before.length)) : null),
    pathOf: (n) => `${FOLDER}/${before}${n}`,
    kept: 2,
  };
  const last = lastNumber(store, chain);
  if (last > 0 && lifeOf(readText(store, chain.pathOf(last), BYTES) ?? "") === "alive") return false;
  return addNumber(store, chain, last + 1, thisProcess());
}
