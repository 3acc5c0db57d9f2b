/** The schema of `relay.yml`. SPEC.md, "relay.yml". */
import * as z from "zod/mini";
import { atMost, LIMITS, once } from "../format/schema.ts";
import { wakeSchema } from "./wake-policy.ts";

/** The format of a home: the only one that this version reads. */
export const FORMAT = 2;
/** Where the configuration lies in a home. */
export const CONFIG_PATH = "relay.yml";

/** Prices that a home may name. */
const PRICES_MOST = 50;

const partEntry = () =>
  z.looseObject({
    about: z.optional(z.string().check(...atMost(LIMITS.about), z.describe("What this part is for, one line"))),
    formerly: z.optional(z.array(z.string()).register(z.globalRegistry, { description: "Names this part had before a rename" })),
  });

/** What a home asks of the summaries of its sessions. */
export const summaryRulesSchema = once(() =>
  z.looseObject({
    headings: z.optional(
      z
        .array(z.string().check(z.minLength(1)))
        .register(z.globalRegistry, { description: "Headings that each summary has, with words below them" }),
    ),
    min_length: z.optional(z.int().check(z.gte(0), z.describe("Least number of characters in a summary's text"))),
    fields: z.optional(
      z.array(z.string().check(z.minLength(1))).register(z.globalRegistry, { description: "Fields that its front matter has" }),
    ),
  }),
);

/** The settings, each by what makes its schema. */
const SETTINGS = {
  format: () => z.literal(FORMAT).register(z.globalRegistry, { description: "Version of the layout on disk" }),
  project: () =>
    z
      .looseObject({
        id: z.string().check(z.minLength(1), z.describe("Identity of the project, the same in every clone")),
        name: z.string().check(z.minLength(1), ...atMost(LIMITS.name), z.describe("Name for people")),
      })
      .register(z.globalRegistry, { description: "What this home serves" }),
  main: () => z.string().register(z.globalRegistry, { description: "The part that coordinates" }),
  parts: () =>
    z.record(z.string(), z.nullish(partEntry())).register(z.globalRegistry, { description: "Every part by id; `human` always exists" }),
  groups: () =>
    z.optional(
      z
        .record(z.string(), z.array(z.string()).check(z.maxLength(LIMITS.parts)))
        .register(z.globalRegistry, { description: "Names for several parts: a message to @name goes to each of them" }),
    ),
  durability: () =>
    z.optional(
      z.enum(["full", "process"]).register(z.globalRegistry, {
        description: "full (default): answered means flushed to the disk. process: safe when a process dies, not when the power does",
      }),
    ),
  in_tree: () => z.optional(z.boolean().register(z.globalRegistry, { description: "The home is files of the code; Relay never commits" })),
  record: () =>
    z.optional(
      z
        .looseObject({
          auto: z.optional(z.boolean().register(z.globalRegistry, { description: "Whether the home records itself (default: yes)" })),
          debounce_s: z.optional(z.number().check(z.gte(0), z.describe("Seconds of quiet before it does, 45 at most (default: 10)"))),
        })
        .register(z.globalRegistry, { description: "How the home is recorded in git" }),
    ),
  sync: () =>
    z.optional(
      z
        .looseObject({
          remote: z.optional(
            z
              .string()
              .check(
                z.minLength(1),
                ...atMost(LIMITS.name),
                z.describe("Name of the code's remote that the home is shared through (default: origin)"),
              ),
          ),
          auto: z.optional(
            z.boolean().register(z.globalRegistry, { description: "Whether a running pager syncs; it publishes mail (default: no)" }),
          ),
          every_s: z.optional(z.number().check(z.gte(1), z.describe("Seconds between two syncs (default: 60)"))),
        })
        .register(z.globalRegistry, { description: "How the home is shared between machines" }),
    ),
  summaries: () => z.optional(summaryRulesSchema().check(z.describe("What `relay check` asks of the summaries of sessions"))),
  claims: () =>
    z.optional(
      z.enum(["local", "remote"]).register(z.globalRegistry, {
        description: "Who decides a claim: this home alone (local, the default), or the remote that it is shared through (remote)",
      }),
    ),
  loop: () =>
    z.optional(
      z
        .looseObject({
          identical: z.optional(
            z.int().check(z.gte(1), z.describe("How often one agent may send the same message within a minute (default: 3)")),
          ),
          per_minute: z.optional(z.int().check(z.gte(1), z.describe("How many messages one agent may send within a minute (default: 20)"))),
          exchange: z.optional(
            z
              .int()
              .check(z.gte(1), z.describe("After how many messages two agents that only answer each other wake neither (default: 10)")),
          ),
        })
        .register(z.globalRegistry, { description: "When Relay stops agents that loop; people are never stopped" }),
    ),
  health: () =>
    z.optional(
      z
        .looseObject({
          quiet_minutes: z.optional(
            z
              .int()
              .check(
                z.gte(0),
                z.lte(1_440),
                z.describe("Minutes without a sign of life after which a part with a claim is stuck (default: 30; 0: never)"),
              ),
          ),
          unread_hours: z.optional(
            z
              .number()
              .check(
                z.gte(0),
                z.lte(720),
                z.describe("Hours after which the sender of mail that nobody reads is told (default: 4; 0: never)"),
              ),
          ),
        })
        .register(z.globalRegistry, { description: "When Relay tells that a part is stuck, or does not read its mail" }),
    ),
  task: () =>
    z.optional(
      z
        .looseObject({
          done_on_approval: z.optional(
            z.boolean().register(z.globalRegistry, { description: "Whether approval by all its reviewers sets a task done (default: no)" }),
          ),
        })
        .register(z.globalRegistry, { description: "How tasks end" }),
    ),
  usage: () =>
    z.optional(
      z
        .looseObject({
          warn_usd: z.optional(z.number().check(z.gt(0), z.describe("US dollars from which on Relay warns, once (default: never)"))),
          stop_usd: z.optional(
            z.number().check(z.gt(0), z.describe("US dollars at which the office starts no agent any more (default: never)")),
          ),
          per: z.optional(
            z.enum(["day", "session"]).register(z.globalRegistry, {
              description: "What the dollars are for: a day of this machine (day, the default), or a session of the board (session)",
            }),
          ),
          billing: z.optional(
            z.enum(["api", "subscription"]).register(z.globalRegistry, {
              description: "How agents' calls are paid for: by the token (api, the default), or by a subscription",
            }),
          ),
          prices: z.optional(
            z
              .array(z.looseObject({}))
              .check(
                z.maxLength(PRICES_MOST),
                z.describe("Prices of models, before those that Relay knows: model, input, output, and cached, from, over"),
              ),
          ),
        })
        .register(z.globalRegistry, { description: "What agents' calls of models may cost, and what they do" }),
    ),
  limits: () => z.optional(z.looseObject({}).register(z.globalRegistry, { description: "Reserved" })),
  wake: () => z.optional(z.lazy(wakeSchema).register(z.globalRegistry, { description: "Policy of waking idle agents" })),
};
const REQUIRED: readonly string[] = ["format", "project", "main", "parts"] satisfies (keyof typeof SETTINGS)[];

type Schemas = { [Name in keyof typeof SETTINGS]: ReturnType<(typeof SETTINGS)[Name]> };
const schemaOf = (names: readonly string[]) =>
  z.looseObject(Object.fromEntries(names.map((name) => [name, SETTINGS[name as keyof Schemas]()])) as unknown as Schemas);

/** The schema of `relay.yml`; `templates/relay.schema.json` is made from it. */
export const homeConfigSchema = once(() => schemaOf(Object.keys(SETTINGS)));

/** The same, as far as a file has settings: making the schemas of the others would be a part of the start of a command that is felt. */
export const schemaFor = (file: object): ReturnType<typeof homeConfigSchema> =>
  schemaOf(Object.keys(SETTINGS).filter((name) => REQUIRED.includes(name) || Object.hasOwn(file, name)));
