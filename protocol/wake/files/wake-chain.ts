/**
 * The wakes of a home on disk: for each part a chain of steps, of which the last says where its wake stands; and what that hangs on
 * besides the clock, for a pager need not scan a part again of which none of it changed. spec/waking.md, "The wake machine".
 */
import { CONFIG_PATH } from "../../core/config/config-schema.ts";
import { orElse } from "../../core/format/file-error.ts";
import type { World } from "../../core/world.ts";
import { marksFolder } from "../../mail/files/mail.ts";
import { limitedPath, presenceFolder } from "../../mail/nouns/part.ts";
import { type FileFacts, facts, isFresh } from "../../store/read/facts.ts";
import { readText } from "../../store/read/read-file.ts";
import { type Chain, extendChain, lastNumber, numbersIn } from "../../store/write/chain.ts";
import { removeFile } from "../../store/write/move-file.ts";
import { afterCommit } from "../../store/write/publish.ts";
import { findMachineStore } from "../../trust/files/machine.ts";
import { reduce } from "../nouns/wake.ts";
import { formatStep, parseStep, renewalPath, stepOf, type WakeRecord, wakeFolder, wakePath } from "../nouns/wake-record.ts";
import { IDLE, type WakeEvent } from "../nouns/wake-state.ts";
import { ledgerFacts } from "./wake-budget.ts";
import { wakeMethodPath } from "./who-rings.ts";

const STEP_BYTES = 16_384;
/** So many steps of a part are kept: what `wakes` can tell of. */
const KEPT = 256;

const chainOf = (part: string): Chain => ({
  folders: [wakeFolder(part)],
  numberOf: stepOf,
  pathOf: (n) => wakePath(part, n),
  kept: KEPT,
});

/** The last step of a part's chain. */
export const lastStep = (world: World, part: string): WakeRecord => lastAt(world, part, lastNumber(world.home().store, chainOf(part)));

/** The last step, by its number. One that cannot be read counts as idle, so unread mail is owed again. */
const lastAt = (world: World, part: string, n: number): WakeRecord =>
  (n === 0 ? null : stepAt(world, part, n)) ?? { n, atMs: 0, state: IDLE };

function stepAt(world: World, part: string, n: number): WakeRecord | null {
  return orElse(null, () => {
    const step = parseStep(readText(world.home().store, wakePath(part, n), STEP_BYTES) ?? "");
    // The name is what was decided by its exclusive create.
    return step === null ? null : { ...step, n };
  });
}

/** The steps of a part that are kept, oldest first. */
export function steps(world: World, part: string): WakeRecord[] {
  const numbers = numbersIn(world.home().store, chainOf(part)).sort((a, b) => a - b);
  return numbers.flatMap((n) => stepAt(world, part, n) ?? []);
}

/**
 * Moves a part's wake by one event; the chain decides between two who move it at once.
 * @param event made anew for the state that it meets
 * @returns where it stands after that, and whether this call moved it; null when the event is refused
 */
export function moveWake(world: World, part: string, event: (last: WakeRecord) => WakeEvent): { last: WakeRecord; moved: boolean } | null {
  const store = world.home().store;
  const policy = world.home().config().wake;
  const move = extendChain(store, chainOf(part), (n) => {
    const last = lastAt(world, part, n);
    const next = reduce(last.state, event(last), policy);
    if (next === null) return { text: null, answer: null };
    if (next === last.state) return { text: null, answer: { last, moved: false } };
    const record: WakeRecord = { n: n + 1, atMs: world.now(), state: next };
    return { text: formatStep(record), answer: { last: record, moved: true } };
  });
  if (move?.moved === true) afterCommit(() => void removeFile(store, renewalPath(part, move.last.n - 1)));
  return move;
}

/** Tells of parts, as long as one scan takes, what their wakes hang on beside their unread mail. */
export interface WakeSigns {
  /** Changes with how it is rung, who is connected, what it was told, what others did, and what the policy and the budget say. */
  around(part: string): string | null;
}

/** Makes the signs of one scan. @param world with a home of its own, for what is asked of every part is found out once */
export function wakeSigns(world: World): WakeSigns {
  const { store, config } = world.home();
  let shared: { store: ReturnType<typeof findMachineStore>; all: (FileFacts | null)[] } | null = null;
  return {
    around(part) {
      shared ??= { store: findMachineStore(world), all: [facts(store, CONFIG_PATH), ledgerFacts(world)] };
      const names = [part, ...(config().parts.get(part)?.formerly ?? [])];
      const own = names.flatMap((name) => [
        shared?.store ? facts(shared.store, wakeMethodPath(name)) : null,
        facts(store, presenceFolder(name)),
        facts(store, limitedPath(name)),
      ]);
      return signOf([...shared.all, facts(store, wakeFolder(part)), facts(store, marksFolder(part)), ...own]);
    },
  };
}

function signOf(found: readonly (FileFacts | null)[]): string | null {
  if (found.some(isFresh)) return null;
  return found.map((each) => (each === null ? "" : `${each.inode} ${each.modifiedMs}`)).join("|");
}
