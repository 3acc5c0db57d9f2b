/** The limits of an office on this machine, and the file by which a person sets others. spec/office.md, "Limits". */
import os from "node:os";
import { orElse } from "../../objects/format/file-error.ts";
import { readText } from "../../store/read.ts";
import type { World } from "../../world.ts";

/** What turns and dispatches may take. */
export interface OfficeLimits {
  /** How long a turn may take. */
  turnMs: number;
  /** For how long a turn's program may print nothing, while it waits for no other. */
  silenceMs: number;
  /** Turns that run at once, those that wait for others not counted. */
  turnsAtOnce: number;
  /** Dispatches of one dispatch that are at work at once. */
  openChildren: number;
  /** The first pause where a model is over its limit; it doubles, to 20 times as much. */
  retryMs: number;
  /** How often a turn's program is started again. */
  retries: number;
  /** The runner ends after so long with nothing that is due or runs. */
  idleMs: number;
}

const LIMITS_PATH = "local/office/limits.json";
const LIMITS_BYTES = 16_384;
/** What the program of an agent takes of the memory, in bytes. */
const PROGRAM_BYTES = 300_000_000;
const TURNS_MOST = 20;

/** The fields of the file, and what each sets. */
const FIELDS: Readonly<Record<keyof OfficeLimits, readonly [field: string, factor: number]>> = {
  turnMs: ["turn_s", 1_000],
  silenceMs: ["silence_s", 1_000],
  turnsAtOnce: ["turns_at_once", 1],
  openChildren: ["open_children", 1],
  retryMs: ["retry_s", 1_000],
  retries: ["retries", 1],
  idleMs: ["idle_s", 1_000],
};

/** The limits as they are now. A field that is no positive number counts as not given. */
export function officeLimits(world: World): OfficeLimits {
  const said = orElse(null, (): Record<string, unknown> | null => {
    const text = readText(world.home().store, LIMITS_PATH, LIMITS_BYTES);
    return text === null ? null : (JSON.parse(text) as Record<string, unknown>);
  });
  const limits: OfficeLimits = {
    turnMs: 60 * 60_000,
    silenceMs: 10 * 60_000,
    turnsAtOnce: Math.max(1, Math.min(TURNS_MOST, Math.floor(os.totalmem() / 2 / PROGRAM_BYTES))),
    openChildren: 3,
    retryMs: 30_000,
    retries: 6,
    idleMs: 5_000,
  };
  for (const [name, [field, factor]] of Object.entries(FIELDS) as [keyof OfficeLimits, [string, number]][]) {
    const value = said?.[field];
    if (typeof value === "number" && value > 0 && Number.isFinite(value)) limits[name] = value * factor;
  }
  return limits;
}
