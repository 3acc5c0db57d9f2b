/** `relay.yml`: the project of a home and its parts. Comments and unknown fields survive every edit. SPEC.md, "relay.yml". */
import type * as z from "zod/mini";
import { FileError, FormatError, orElse } from "../format/file-error.ts";
import { expectation, LIMITS } from "../format/schema.ts";
import { lineOf, plainOf, readYaml } from "../format/yaml.ts";
import { HUMAN, partProblem } from "../names.ts";
import { FORMAT, schemaFor, type summaryRulesSchema } from "./config-schema.ts";
import { type ConfigEdit, editText } from "./config-text.ts";
import { type Price, pricesFrom } from "./prices.ts";
import { type WakePolicy, wakePolicy } from "./wake-policy.ts";

/** A home's configuration, as read. */
export interface Config {
  project: { id: string; name: string };
  main: string;
  /** Parts in the order of the file; `human` is always among them. */
  parts: Map<string, { about?: string | undefined; formerly: string[] }>;
  /** The parts of each group. */
  groups: ReadonlyMap<string, readonly string[]>;
  durable: boolean;
  /** The home is files of the code: one a checkout, and Relay never commits. */
  inTree: boolean;
  /** Whether the home records itself, and after how much quiet. */
  record: { auto: boolean; debounceS: number };
  /** Through which remote of the code the home is shared, and whether a pager does it by itself. */
  sync: { remote: string | null; auto: boolean; everyS: number };
  /** What is asked of the summaries of sessions. */
  summaries: SummaryRules;
  wake: WakePolicy;
  /** Who decides a claim. */
  claims: "local" | "remote";
  /** How much an agent may send before it is taken to loop. */
  loop: LoopLimits;
  /** After how many minutes without a sign of life a part that holds a claim is stuck; 0 for never. */
  health: { quietMinutes: number; unreadHours: number };
  usage: UsageRules;
  task: TaskRules;
}

/** What a home says of its tasks. */
interface TaskRules {
  /** Whether a task is done once every review of its work approved it. */
  doneOnApproval: boolean;
}

/** What a home says of the cost of calls. */
export interface UsageRules {
  /** US dollars from which on is warned, and at which the office starts nothing any more; null for never. */
  warnUsd: number | null;
  stopUsd: number | null;
  per: "day" | "session";
  /** How calls are paid for that are collected from now on. */
  billing: "api" | "subscription";
  /** Prices before those that Relay knows. */
  prices: readonly Price[];
}

/** At the most: the same message and all messages of one agent in a minute, and messages of two that only answer each other. */
interface LoopLimits {
  identical: number;
  perMinute: number;
  exchange: number;
}

/** The limits where nobody said anything. */
export const LOOP: LoopLimits = { identical: 3, perMinute: 20, exchange: 10 };
/** The quiet, in minutes, where nobody said anything. */
export const QUIET_MINUTES = 30;
/** The hours after which unread mail is told of, where nobody said anything. */
export const UNREAD_HOURS = 4;

/** The settings of costs where relay.yml has none. */
export const USAGE_RULES: UsageRules = { warnUsd: null, stopUsd: null, per: "day", billing: "api", prices: [] };

/** What a home asks of summaries, all of it optional. `minLength` counts as JavaScript does. */
export interface SummaryRules {
  headings: readonly string[];
  minLength: number;
  fields: readonly string[];
}

/** The rules that `summaries` sets. */
export const summaryRules = (asked: z.infer<ReturnType<typeof summaryRulesSchema>> | undefined): SummaryRules => ({
  headings: asked?.headings ?? [],
  minLength: asked?.min_length ?? 0,
  fields: asked?.fields ?? [],
});

/** Asks for nothing but that there is one. */
export const NO_RULES: SummaryRules = { headings: [], minLength: 0, fields: [] };

/**
 * Former name → name now, but for names that somebody has now: those are theirs.
 * @param isMember whether a part or guest of that name exists
 */
export function renamedParts(parts: Config["parts"], isMember: (name: string) => boolean): Map<string, string> {
  const renamed = new Map<string, string>();
  for (const [part, { formerly }] of parts) {
    for (const name of formerly) if (!isMember(name)) renamed.set(name, part);
  }
  return renamed;
}

/** The line of what lies at a path of the file, where it is known. */
type LineOf = (...path: PropertyKey[]) => number | undefined;

/** What a value should have been, as one says it of YAML. */
function settingError(lineOf: LineOf, raw: unknown, issue: z.core.$ZodIssue): FileError {
  const given = issue.path.reduce<unknown>((at, step) => (at as Record<PropertyKey, unknown> | null | undefined)?.[step], raw);
  const expected = expectation(issue).replace(/(a value of type object|an object)$/, "a map");
  const said = given === undefined ? "it is missing" : `given ${(JSON.stringify(given) ?? "nothing").slice(0, 80)}`;
  return new FileError(`${issue.path.join(".") || "the file"}: expected ${expected}; ${said}`, lineOf(...issue.path));
}

/** The settings of a file, each of the type that it has to have. */
export type Settings = z.infer<ReturnType<typeof schemaFor>>;

/** Settings of texts that were read before: reading a text as YAML, and checking it, takes longer than much else that a call does. */
export interface ReadBefore {
  /** The settings of exactly this text; undefined where none are known. */
  find(source: string): Settings | undefined;
  /** Keeps the settings of a text that is a configuration. */
  keep(source: string, settings: Settings): void;
}

/** Reads `relay.yml`. @throws FileError with the line, FormatError when the version is not known */
export const parseConfig = (source: string): Config => parseSettings(source).config;

/** The configuration that a plain value says. @throws FileError as `parseConfig` */
export const configFrom = (raw: unknown): Config => configOf(checked(raw, NO_LINE), NO_LINE);
const NO_LINE: LineOf = () => undefined;

/**
 * Reads `relay.yml`, with its settings as they are written.
 * @param before what may spare reading the text as YAML
 * @throws FileError with the line, FormatError when the version is not known
 */
export function parseSettings(source: string, before?: ReadBefore): { settings: Settings; config: Config } {
  if (source.length > LIMITS.configBytes) throw new FileError(`expected at most ${LIMITS.configBytes} bytes`, 1);
  const known = before?.find(source);
  if (known !== undefined) {
    try {
      return { settings: known, config: configOf(known, NO_LINE) };
    } catch {
      // Only what was a configuration is kept: this is none of ours, and the text itself says what counts.
    }
  }
  const read = readYaml(source);
  const lineIn: LineOf = (...path) => lineOf(read, path);
  const settings = checked(plainOf(read), lineIn);
  const config = configOf(settings, lineIn);
  before?.keep(source, settings);
  return { settings, config };
}

/** The settings that a plain value says. @throws FileError as `parseConfig` */
function checked(raw: unknown, lineOf: LineOf): Settings {
  if (typeof raw !== "object" || raw === null || Array.isArray(raw)) {
    throw new FileError('expected a map with "format", "project", "main" and "parts"', 1);
  }
  const format = (raw as Record<string, unknown>)["format"];
  if (format !== FORMAT) throw new FormatError(format, lineOf("format"));
  checkCounts((raw as Record<string, unknown>)["parts"], lineOf("parts"));
  const parsed = schemaFor(raw).safeParse(raw);
  if (!parsed.success) {
    const [first, ...others] = parsed.error.issues.map((issue) => settingError(lineOf, raw, issue)) as [FileError, ...FileError[]];
    throw new FileError(first.message, first.line, undefined, others);
  }
  return parsed.data;
}

/** The configuration that settings say. @throws FileError as `parseConfig` */
function configOf(settings: Settings, lineOf: LineOf): Config {
  const parts: Config["parts"] = new Map();
  const folded = new Map<string, string>();
  for (const [id, entry] of Object.entries(settings.parts)) {
    const problem = partProblem(id);
    if (problem !== null) throw new FileError(`parts: ${JSON.stringify(id)} is not a part id: ${problem}`, lineOf("parts", id));
    const twin = folded.get(id.toLowerCase());
    if (twin !== undefined) throw new FileError(`parts: "${twin}" and "${id}" differ only in case`, lineOf("parts", id));
    folded.set(id.toLowerCase(), id);
    if (id === HUMAN && (entry?.formerly ?? []).length > 0)
      throw new FileError(
        `parts.${HUMAN}.formerly: expected nothing, because no part becomes ${HUMAN}, who stands for people; given ${JSON.stringify(entry?.formerly).slice(0, 80)}. Take "formerly" out, and list those names as parts`,
        lineOf("parts", id),
      );
    parts.set(id, { about: entry?.about, formerly: (entry?.formerly ?? []).filter((name) => partProblem(name) === null) });
  }
  if (!parts.has(HUMAN)) parts.set(HUMAN, { about: "people", formerly: [] });
  if (!parts.has(settings.main)) {
    throw new FileError(`main: ${JSON.stringify(settings.main)} is not among the parts (${[...parts.keys()].join(", ")})`, lineOf("main"));
  }
  return {
    project: settings.project,
    main: settings.main,
    parts,
    groups: new Map(Object.entries(settings.groups ?? {})),
    durable: settings.durability !== "process",
    inTree: settings.in_tree === true,
    record: { auto: settings.record?.auto !== false && settings.in_tree !== true, debounceS: settings.record?.debounce_s ?? 10 },
    sync: {
      remote: settings.sync?.remote ?? null,
      auto: settings.sync?.auto === true,
      everyS: settings.sync?.every_s ?? 60,
    },
    summaries: summaryRules(settings.summaries),
    wake: wakePolicy(settings.wake),
    claims: settings.claims ?? "local",
    loop: {
      identical: settings.loop?.identical ?? LOOP.identical,
      perMinute: settings.loop?.per_minute ?? LOOP.perMinute,
      exchange: settings.loop?.exchange ?? LOOP.exchange,
    },
    health: {
      quietMinutes: settings.health?.quiet_minutes ?? QUIET_MINUTES,
      unreadHours: settings.health?.unread_hours ?? UNREAD_HOURS,
    },
    usage: usageRules(settings.usage, lineOf("usage", "prices")),
    task: { doneOnApproval: settings.task?.done_on_approval === true },
  };
}

/** The rules that `usage` sets. @param line of its prices @throws FileError for a price that is none */
function usageRules(said: Settings["usage"], line: number | undefined): UsageRules {
  if (said === undefined) return USAGE_RULES;
  const { warn_usd: warnUsd = null, stop_usd: stopUsd = null, per = "day", billing = "api", prices = [] } = said;
  try {
    return { warnUsd, stopUsd, per, billing, prices: pricesFrom(prices) };
  } catch (error) {
    throw new FileError(`usage.prices: ${(error as Error).message}`, line);
  }
}

/** Every read and every send goes through the parts: so many that each call would be slow are none. */
function checkCounts(parts: unknown, line: number | undefined): void {
  const entries = Object.values(parts ?? {}) as ({ formerly?: unknown } | null)[];
  if (entries.length > LIMITS.parts) throw new FileError(`parts: expected at most ${LIMITS.parts}, given ${entries.length}`, line);
  const former = entries.reduce((sum, entry) => sum + (Array.isArray(entry?.formerly) ? entry.formerly.length : 0), 0);
  if (former > LIMITS.formerly)
    throw new FileError(`parts: expected at most ${LIMITS.formerly} names in "formerly", given ${former}`, line);
}

/** Applies one change and leaves everything else, comments too, as it is. @throws FileError as `parseConfig`. */
export function editConfig(source: string, edit: ConfigEdit): string {
  const text = editText(source, edit);
  parseConfig(text);
  return text;
}

/** The configuration of a home with a repository of its own; null of a text that no such home can take. */
export function ownConfig(text: string | null): Config | null {
  return orElse(null, () => {
    const config = text === null ? null : parseConfig(text);
    return config?.inTree === true ? null : config;
  });
}
