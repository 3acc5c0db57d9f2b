/** The permissions given on this machine, and when, in lines that only this user writes. spec/trust.md, "Grants". */
import { orElse } from "../../core/format/file-error.ts";
import type { World } from "../../core/world.ts";
import { readText } from "../../store/read/read-file.ts";
import type { Store } from "../../store/root.ts";
import { appendLine } from "../../store/write/append-line.ts";
import { findMachineStore } from "./machine.ts";

const LOG = "log.jsonl";
const LOG_BYTES = 16 * 1_048_576;

/** What was allowed on this machine, as it is written down. */
export interface MachineNote {
  /** ISO 8601. */
  at: string;
  subject: string;
  parts: string[];
  /** The digest of what was granted. */
  digest: string;
  argv?: readonly string[];
}

/** Writes down what was allowed, or taken back, on this machine. */
export function noteOnMachine(world: World, store: Store, said: Omit<MachineNote, "at">): void {
  appendLine(store, LOG, JSON.stringify({ at: new Date(world.now()).toISOString(), ...said }), true);
}

/** What was allowed on this machine for this copy of the project, newest first. */
export function machineNotes(world: World): MachineNote[] {
  const store = findMachineStore(world);
  const text = store === null ? null : readText(store, LOG, LOG_BYTES);
  return (text ?? "")
    .split("\n")
    .flatMap((line) => orElse([], () => [JSON.parse(line) as MachineNote]))
    .reverse();
}
