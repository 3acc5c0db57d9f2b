/** `relay.yml`: what a home serves and who its parts are. Comments and unknown fields outlive every edit. SPEC.md, "relay.yml". */

import * as z from "zod/mini";
import { FileError, FormatError } from "../format/file-error.ts";
import { atMost, expectation, LIMITS } from "../format/schema.ts";
import { readYaml } from "../format/yaml.ts";
import { HUMAN, nearest, partProblem } from "../part/part.ts";
import { type WakePolicy, wakePolicy, wakeSchema } from "../wake/wake-policy.ts";
import { type ConfigEdit, editText, lineAt, plainOf } from "./config-text.ts";

/** The formats that this version reads, oldest first. Of a home in format 1 nothing is written that format 1 does not know. */
const FORMATS = [1, 2] as const;
/** A format that this version reads. */
type Format = (typeof FORMATS)[number];
/** The format of a new home, and the one that `relay upgrade` brings a home to. */
export const FORMAT = 2 satisfies Format;
/** Where the configuration lies in a home. */
export const CONFIG_PATH = "relay.yml";

const PartEntry = z.looseObject({
  about: z.optional(z.string().check(...atMost(LIMITS.about), z.describe("What this part is for, one line"))),
  formerly: z.optional(z.array(z.string()).check(z.describe("Names this part had before a rename"))),
});

/** What a home asks of the summaries of its sessions. */
export const SummaryRulesSchema = z.looseObject({
  headings: z.optional(
    z.array(z.string().check(z.minLength(1))).check(z.describe("Headings that each summary has, with words below them")),
  ),
  min_length: z.optional(z.int().check(z.gte(0), z.describe("Characters of a summary's text at the least"))),
  fields: z.optional(z.array(z.string().check(z.minLength(1))).check(z.describe("Fields that its front matter has"))),
});

/** The schema of `relay.yml`; `templates/relay.schema.json` is made from it. */
export const ConfigSchema = z.looseObject({
  format: z.literal(FORMATS).check(z.describe("Version of the layout on disk")),
  project: z
    .looseObject({
      id: z.string().check(z.minLength(1), z.describe("Identity of the project, the same in every clone")),
      name: z.string().check(z.minLength(1), ...atMost(LIMITS.name), z.describe("Name for people")),
    })
    .check(z.describe("What this home serves")),
  main: z.string().check(z.describe("The part that coordinates")),
  parts: z.record(z.string(), z.nullish(PartEntry)).check(z.describe("Every part by id; `human` always exists")),
  groups: z.optional(
    z
      .record(z.string(), z.array(z.string()).check(z.maxLength(LIMITS.parts)))
      .check(z.describe("Names for several parts: a message to @name goes to each of them")),
  ),
  durability: z.optional(
    z
      .enum(["full", "process"])
      .check(z.describe("full (default): answered means flushed to the disk. process: safe when a process dies, not when the power does")),
  ),
  in_tree: z.optional(z.boolean().check(z.describe("The home is files of the code; Relay never commits"))),
  record: z.optional(
    z
      .looseObject({
        auto: z.optional(z.boolean().check(z.describe("Whether a running pager records the home (default: yes)"))),
        debounce_s: z.optional(z.number().check(z.gte(0), z.describe("Seconds of quiet before it does (default: 10)"))),
      })
      .check(z.describe("How the home is recorded in git")),
  ),
  sync: z.optional(
    z
      .looseObject({
        remote: z.optional(
          z.string().check(z.minLength(1), z.describe("Name of the code's remote that the home is shared through (default: origin)")),
        ),
        auto: z.optional(z.boolean().check(z.describe("Whether a running pager syncs; it publishes mail (default: no)"))),
        every_s: z.optional(z.number().check(z.gte(1), z.describe("Seconds between two syncs (default: 60)"))),
      })
      .check(z.describe("How the home is shared between machines")),
  ),
  summaries: z.optional(SummaryRulesSchema.check(z.describe("What `relay check` asks of the summaries of sessions"))),
  claims: z.optional(
    z
      .enum(["local", "remote"])
      .check(z.describe("Who decides a claim: this home alone (local, the default), or the remote that it is shared through (remote)")),
  ),
  loop: z.optional(
    z
      .looseObject({
        identical: z.optional(
          z
            .int()
            .check(z.gte(1), z.describe("The same message of one agent that is sent within a minute at the most so often (default: 3)")),
        ),
        per_minute: z.optional(z.int().check(z.gte(1), z.describe("Messages of one agent within a minute at the most (default: 20)"))),
        exchange: z.optional(
          z.int().check(z.gte(1), z.describe("Messages of two agents that only answer each other, within ten minutes (default: 50)")),
        ),
      })
      .check(z.describe("When agents that loop are stopped; people are not")),
  ),
  health: z.optional(
    z
      .looseObject({
        quiet_minutes: z.optional(
          z
            .int()
            .check(
              z.gte(0),
              z.lte(1_440),
              z.describe("Who holds a claim and shows no sign of life for so many minutes is stuck (default: 30; 0: nobody is)"),
            ),
        ),
      })
      .check(z.describe("When main is told of a part that is stuck")),
  ),
  limits: z.optional(z.looseObject({}).check(z.describe("Reserved"))),
  wake: z.optional(z.lazy(wakeSchema).check(z.describe("Policy of waking idle agents"))),
});

/** A home's configuration, as read. */
export interface Config {
  /** What may be written: in format 1 only what programs of format 1 read. */
  format: Format;
  project: { id: string; name: string };
  main: string;
  /** Parts in the order of the file; `human` is always among them. */
  parts: Map<string, { about?: string | undefined; formerly: string[] }>;
  /** The parts of each group. */
  groups: ReadonlyMap<string, readonly string[]>;
  durable: boolean;
  /** The home is files of the code: one a checkout, and Relay never commits. */
  inTree: boolean;
  /** How a pager records. */
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
  health: { quietMinutes: number };
}

/** At the most: the same message and all messages of one agent in a minute, and messages of two that only answer each other in ten. */
export interface LoopLimits {
  identical: number;
  perMinute: number;
  exchange: number;
}

/** The limits where nobody said anything. */
export const LOOP: LoopLimits = { identical: 3, perMinute: 20, exchange: 50 };
/** The quiet, in minutes, where nobody said anything. */
export const QUIET_MINUTES = 30;

/** What a home asks of summaries, all of it optional. `minLength` counts as JavaScript does. */
export interface SummaryRules {
  headings: readonly string[];
  minLength: number;
  fields: readonly string[];
}

/** The rules that `summaries` sets. */
export function summaryRules(asked: z.infer<typeof SummaryRulesSchema> | undefined): SummaryRules {
  return { headings: asked?.headings ?? [], minLength: asked?.min_length ?? 0, fields: asked?.fields ?? [] };
}

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
  const said = given === undefined ? "it is not there" : `given ${(JSON.stringify(given) ?? "nothing").slice(0, 80)}`;
  return new FileError(`${issue.path.join(".") || "the file"}: expected ${expected}; ${said}`, lineOf(...issue.path));
}

/** Plain values of texts that were read as YAML before: reading a long text as YAML takes longer than all else that a call does. */
export interface ReadBefore {
  /** The plain value of exactly this text; undefined where none is known. */
  find(source: string): unknown;
  /** Keeps the plain value of a text that is a configuration. */
  keep(source: string, plain: unknown): void;
}

/**
 * Reads `relay.yml`.
 * @param before what may spare reading the text as YAML; what it gives is checked as what was read now
 * @throws FileError with the line, FormatError when the version is not known.
 */
export function parseConfig(source: string, before?: ReadBefore): Config {
  if (source.length > LIMITS.configBytes) throw new FileError(`expected at most ${LIMITS.configBytes} bytes`, 1);
  const known = before?.find(source);
  if (known !== undefined) {
    try {
      return configOf(known, () => undefined);
    } catch {
      // Only what was a configuration is kept: this is none of ours, and the text itself says what counts.
    }
  }
  const document = readYaml(source);
  const plain = plainOf(document);
  const config = configOf(plain, (...path) => lineAt(document, path));
  before?.keep(source, plain);
  return config;
}

/** The configuration that a plain value says. @throws FileError as `parseConfig` */
function configOf(raw: unknown, lineOf: LineOf): Config {
  if (typeof raw !== "object" || raw === null || Array.isArray(raw)) {
    throw new FileError('expected a map with "format", "project", "main" and "parts"', 1);
  }
  const format = (raw as Record<string, unknown>)["format"];
  if (!FORMATS.some((known) => known === format)) throw new FormatError(format, lineOf("format"));
  checkCounts((raw as Record<string, unknown>)["parts"], lineOf("parts"));
  const parsed = ConfigSchema.safeParse(raw);
  if (!parsed.success) {
    const [first, ...others] = parsed.error.issues.map((issue) => settingError(lineOf, raw, issue)) as [FileError, ...FileError[]];
    throw new FileError(first.message, first.line, undefined, others);
  }
  const parts: Config["parts"] = new Map();
  const folded = new Map<string, string>();
  for (const [id, entry] of Object.entries(parsed.data.parts)) {
    const problem = partProblem(id);
    if (problem !== null) throw new FileError(`parts: ${JSON.stringify(id)} is not a part id: ${problem}`, lineOf("parts", id));
    const twin = folded.get(id.toLowerCase());
    if (twin !== undefined) throw new FileError(`parts: "${twin}" and "${id}" differ only in case`, lineOf("parts", id));
    folded.set(id.toLowerCase(), id);
    parts.set(id, { about: entry?.about, formerly: (entry?.formerly ?? []).filter((name) => partProblem(name) === null) });
  }
  if (!parts.has(HUMAN)) parts.set(HUMAN, { about: "people", formerly: [] });
  if (!parts.has(parsed.data.main)) {
    throw new FileError(
      `main: ${JSON.stringify(parsed.data.main)} is not among the parts (${[...parts.keys()].join(", ")})`,
      lineOf("main"),
    );
  }
  return {
    format: parsed.data.format,
    project: parsed.data.project,
    main: parsed.data.main,
    parts,
    groups: new Map(Object.entries(parsed.data.groups ?? {})),
    durable: parsed.data.durability !== "process",
    inTree: parsed.data.in_tree === true,
    record: { auto: parsed.data.record?.auto !== false && parsed.data.in_tree !== true, debounceS: parsed.data.record?.debounce_s ?? 10 },
    sync: {
      remote: parsed.data.sync?.remote ?? null,
      auto: parsed.data.sync?.auto === true,
      everyS: parsed.data.sync?.every_s ?? 60,
    },
    summaries: summaryRules(parsed.data.summaries),
    wake: wakePolicy(parsed.data.wake),
    claims: parsed.data.claims ?? "local",
    loop: {
      identical: parsed.data.loop?.identical ?? LOOP.identical,
      perMinute: parsed.data.loop?.per_minute ?? LOOP.perMinute,
      exchange: parsed.data.loop?.exchange ?? LOOP.exchange,
    },
    health: { quietMinutes: parsed.data.health?.quiet_minutes ?? QUIET_MINUTES },
  };
}

/** Every look and every send goes through the parts: so many that each call would be slow are none. */
function checkCounts(parts: unknown, line: number | undefined): void {
  const entries = Object.values(parts ?? {}) as ({ formerly?: unknown } | null)[];
  if (entries.length > LIMITS.parts) throw new FileError(`parts: expected at most ${LIMITS.parts}, given ${entries.length}`, line);
  const former = entries.reduce((sum, entry) => sum + (Array.isArray(entry?.formerly) ? entry.formerly.length : 0), 0);
  if (former > LIMITS.formerly)
    throw new FileError(`parts: expected at most ${LIMITS.formerly} names in "formerly", given ${former}`, line);
}

/** The schema behind what makes one optional. */
function plainSchema(schema: z.core.$ZodType): { shape?: Record<string, z.core.$ZodType>; valueType?: z.core.$ZodType } {
  const def = schema._zod.def as { innerType?: z.core.$ZodType; getter?: () => z.core.$ZodType };
  const inner = def.innerType ?? def.getter?.();
  return inner === undefined ? (def as ReturnType<typeof plainSchema>) : plainSchema(inner);
}

/**
 * Settings within a known one that this version does not know, and that are nearly one that it does: most likely
 * misspelt. What is at the top, or like nothing, may be a later version's.
 */
export function misspelt(source: string): { setting: string; near: string; line: number | undefined }[] {
  const document = readYaml(source);
  const faults: ReturnType<typeof misspelt> = [];
  const walk = (value: unknown, schema: z.core.$ZodType, path: readonly string[]): void => {
    if (typeof value !== "object" || value === null) return;
    const { shape, valueType } = plainSchema(schema);
    for (const [key, each] of Object.entries(value)) {
      const known = shape?.[key] ?? valueType;
      if (known !== undefined) walk(each, known, [...path, key]);
      else if (shape !== undefined && path.length > 0) {
        const [near] = nearest(key, Object.keys(shape));
        const at = [...path, key];
        if (near !== undefined) faults.push({ setting: at.join("."), near: [...path, near].join("."), line: lineAt(document, at) });
      }
    }
  };
  walk(plainOf(document), ConfigSchema, []);
  return faults;
}

/** Applies one change and leaves everything else, comments too, as it is. @throws FileError as `parseConfig`. */
export function editConfig(source: string, edit: ConfigEdit): string {
  const text = editText(source, edit);
  parseConfig(text);
  return text;
}
