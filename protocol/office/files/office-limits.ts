/** The limits of an office on this machine, and the file by which a person sets others. spec/office.md, "Limits". */
import os from "node:os";
import { asLine } from "../../core/format/hidden.ts";
import type { World } from "../../core/world.ts";
import { exists } from "../../store/read/facts.ts";
import { readJson } from "../../store/read/read-json.ts";
import { absolute } from "../../store/root.ts";
import { inOffice, OFFICE } from "./office-folder.ts";

/** What turns and dispatches may take. */
export interface OfficeLimits {
  /** How long a turn may take. */
  turnMs: number;
  /** For how long a turn's program may print nothing, while it waits for no other. */
  silenceMs: number;
  /** What a turn's program may print, stdout and stderr together. */
  outputBytes: number;
  /** Turns that run at once, those that wait for others not counted. */
  turnsAtOnce: number;
  /** Dispatches of one dispatch that are at work at once. */
  openChildren: number;
  /** The first pause where a model is over its limit; it doubles, to 20 times as much. */
  retryMs: number;
  /** How often a turn's program is started again. */
  retries: number;
  /** From when on it is told what the turns of a dispatch cost, in US dollars. */
  costUsd: number;
  /** From when on it is told how much a model is given, in tokens. */
  contextTokens: number;
  /** The runner ends after so long with nothing that is due or runs. */
  idleMs: number;
}

const LIMITS_PATH = `${OFFICE}/limits.json`;
const LIMITS_BYTES = 16_384;
/** Characters of a wrong field or value that are shown. */
const SHOWN = 80;
/** What the program of an agent takes of the memory, in bytes. */
const PROGRAM_BYTES = 300_000_000;
const TURNS_MOST = 20;

/** The fields of the file, and what each sets. */
const FIELDS: Readonly<Record<keyof OfficeLimits, readonly [field: string, factor: number]>> = {
  turnMs: ["turn_s", 1_000],
  silenceMs: ["silence_s", 1_000],
  outputBytes: ["output_mib", 1_048_576],
  turnsAtOnce: ["turns_at_once", 1],
  openChildren: ["open_children", 1],
  retryMs: ["retry_s", 1_000],
  retries: ["retries", 1],
  idleMs: ["idle_s", 1_000],
  costUsd: ["warn_cost_usd", 1],
  contextTokens: ["warn_tokens", 1],
};

/** Limits that count whole things; the others are of time, and of money. */
const isCount = (field: string): boolean => !/_(?:s|usd)$/.test(field);
/** The least that a limit may be: no time and no slot is none at all, but a program may be started once and never again. */
const isLimit = (field: string, value: unknown): value is number =>
  typeof value === "number" &&
  Number.isFinite(value) &&
  (value > 0 || (value === 0 && field === FIELDS.retries[0])) &&
  (!isCount(field) || Number.isInteger(value));

/** The file of limits, by its absolute path, and what it says: null where it is no object. Null where there is none. */
const saidLimits = (world: World): { file: string; said: Record<string, unknown> | null } | null =>
  inOffice(world.home().store, null, (office) => {
    if (!exists(office, LIMITS_PATH)) return null;
    const said = readJson<unknown>(office, LIMITS_PATH, LIMITS_BYTES);
    const isObject = typeof said === "object" && said !== null && !Array.isArray(said);
    return { file: absolute(office, LIMITS_PATH), said: isObject ? (said as Record<string, unknown>) : null };
  });

/** The limits as they are now, and in words what of the file sets none. */
export function readLimits(world: World): { limits: OfficeLimits; problems: string[] } {
  const limits: OfficeLimits = {
    turnMs: 60 * 60_000,
    silenceMs: 10 * 60_000,
    outputBytes: 256 * 1_048_576,
    turnsAtOnce: Math.max(1, Math.min(TURNS_MOST, Math.floor(os.totalmem() / 2 / PROGRAM_BYTES))),
    openChildren: 3,
    retryMs: 30_000,
    retries: 6,
    idleMs: 5_000,
    costUsd: 5,
    contextTokens: 150_000,
  };
  const found = saidLimits(world);
  if (found === null) return { limits, problems: [] };
  const { file, said } = found;
  if (said === null) return { limits, problems: [`${file}: expected one JSON object; the defaults count`] };
  const known = new Map(Object.entries(FIELDS).map(([name, [field, factor]]) => [field, { name: name as keyof OfficeLimits, factor }]));
  const problems = Object.entries(said).flatMap(([field, value]) => {
    const limit = known.get(field);
    if (limit === undefined) return [`${file}: ${asLine(field, SHOWN)}: no such limit; expected one of ${[...known.keys()].join(", ")}`];
    const { name, factor } = limit;
    const counts = limits[name] / factor;
    if (isLimit(field, value)) limits[name] = value * factor;
    else {
      const expected = `${isCount(field) ? "a whole number" : "a number"} ${field === FIELDS.retries[0] ? "of at least" : "above"} 0`;
      return [`${file}: ${field}: expected ${expected}, given ${asLine(JSON.stringify(value), SHOWN)}; ${counts} counts`];
    }
    return [];
  });
  return { limits, problems };
}

/** The limits as they are now. What of the file sets none is told by `relay office` and `relay doctor`. */
export const officeLimits = (world: World): OfficeLimits => readLimits(world).limits;
