/** The schemas that several objects and operations share, each with its limit. SPEC.md, "Limits". */
import * as z from "zod/mini";
import { CONTROL } from "./hidden.ts";
import { many } from "./many.ts";

/** Every limit of the protocol, in JavaScript characters (UTF-16 units) or in items. SPEC.md, "Limits". */
export const LIMITS = {
  subject: 256,
  body: 65_536,
  recipients: 64,
  tags: 16,
  tag: 64,
  idempotencyKey: 256,
  query: 200,
  lesson: 4_096,
  eventType: 64,
  eventDetail: 8_192,
  eventUsage: 4_096,
  page: 200,
  ackIds: 200,
  about: 512,
  name: 128,
  waitSeconds: 86_400,
  sessionId: 128,
  messagesPage: 10_000,
  metadataKeys: 20,
  metadataKey: 64,
  metadataValue: 1_024,
  label: 256,
  taskTitle: 256,
  taskDescription: 8_192,
  derivedReason: 512,
  dependsOn: 32,
  derivedDepth: 1,
  derivedSiblings: 3,
  leaseSeconds: 604_800,
  artifactName: 256,
  artifactContent: 524_288,
  reviewComments: 16_384,
  memoryKey: 256,
  memoryContent: 131_072,
  summary: 131_072,
  state: 65_536,
  thinking: 65_536,
  tasksPage: 10_000,
  /** Bytes of one message file: the body at four bytes a character, and its header. */
  messageBytes: 4 * 65_536 + 131_072,
  configBytes: 65_536,
  parts: 1_000,
  formerly: 1_000,
  threadBytes: 4_194_304,
} as const;

/** At most so many characters; `maxLength` alone would count a pair of surrogates as one. */
export const atMost = (max: number): z.core.$ZodCheck<string>[] => [
  z.maxLength(max),
  z.refine<string>((text) => text.length <= max, `at most ${max} characters`),
];

/** No half of a pair: it could not be written as UTF-8. */
export const wellFormed = () => z.refine<string>((text) => text.isWellFormed(), "text without lone surrogates");
/** None of the texts that people or agents read. */
export const noNul = () => z.refine<string>((text) => !text.includes("\0"), "text without NUL characters");

/** One line of text, without control characters. */
export const line = (max: number, description: string) =>
  z.string().check(
    z.minLength(1),
    ...atMost(max),
    wellFormed(),
    z.refine((text) => !CONTROL.test(text), "one line without control characters"),
    z.refine((text) => text.trim() !== "", "text that is not only white space"),
    z.describe(description),
  );

/** Text of any number of lines. */
export const prose = (max: number, description: string) =>
  z.string().check(z.minLength(1), ...atMost(max), wellFormed(), noNul(), z.describe(description));

/** Text of any number of lines, or none. */
export const text = (max: number, description: string) => z.string().check(...atMost(max), wellFormed(), noNul(), z.describe(description));

/** Text that is kept as it is, whatever it contains; it may be empty. */
export const verbatim = (max: number, description: string) => z.string().check(...atMost(max), wellFormed(), z.describe(description));

/** An optional argument. */
export { optional as maybe } from "zod/mini";

/** A flag; absent means false. */
export const flag = (description: string) => z.optional(z.boolean().check(z.describe(description)));

/** A whole number between two bounds, with a default. */
export const count = (min: number, max: number, fallback: number, description: string) =>
  z._default(z.int().check(z.gte(min), z.lte(max)), fallback).check(z.describe(description));

/** How many entries a page has. */
export const limit = (fallback = 30) => count(1, LIMITS.page, fallback, "entries on a page");

/** An opaque cursor from an earlier answer; it pages to older entries. */
export const cursor = () => z.optional(z.string().check(...atMost(512), z.describe("cursor of the last answer: older entries")));

/** A time as a file says it, in ISO 8601. */
export const timeOfFile = () =>
  z.string().check(z.refine((text) => !Number.isNaN(Date.parse(text)), "a time such as 2026-01-31T09:30:00Z"));

const isInstant = (text: string): boolean => /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(text) && !Number.isNaN(Date.parse(text));

/** An instant in ISO 8601, in the zone of this machine where it names none. */
export const instant = (description: string) =>
  z.string().check(z.refine(isInstant, "a time such as 2026-01-31T09:30:00Z"), z.describe(description));

/** Whether a text is a day of the calendar, `yyyy-mm-dd`. */
const isDay = (text: string): boolean => {
  const ms = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  // The 30th of February is read as a day in March.
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
};

/** An instant in ISO 8601, with zone, or a day, which begins at midnight UTC. */
export const instantOrDay = (description: string) =>
  z.string().check(
    z.refine((text) => isInstant(text) || isDay(text), "a day such as 2026-01-31, or a time such as 2026-01-31T09:30:00Z"),
    z.describe(description),
  );

/** A schema that is made when it is first asked for: most runs of a command need few of them. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Types that JSON has no word for, or another. */
const WORDS_OF_TYPES: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  boolean: "true or false",
  int: "a whole number",
  record: "an object",
  array: "a list",
};

/** What a schema expected in place of a wrong value, in words. */
export function expectation(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "too_small":
      return issue.origin === "string"
        ? `at least ${many(Number(issue.minimum), "character")}`
        : issue.origin === "array"
          ? `at least ${many(Number(issue.minimum), "entry", "entries")}`
          : `a number of at least ${issue.minimum}`;
    case "too_big":
      return issue.origin === "string"
        ? `at most ${issue.maximum} characters`
        : issue.origin === "array"
          ? `at most ${issue.maximum} entries`
          : `a number of at most ${issue.maximum}`;
    case "invalid_type":
      return WORDS_OF_TYPES[issue.expected] ?? `a value of the type ${issue.expected}`;
    case "invalid_value":
      return `one of ${issue.values.map(String).join(", ")}`;
    case "invalid_union":
      return "another type of value";
    case "invalid_key":
      return issue.issues[0] === undefined ? "other keys" : `keys of ${expectation(issue.issues[0])}`;
    case "custom":
      return issue.message === "Invalid input" ? "another value" : issue.message;
    default:
      return issue.message;
  }
}

/** Bytes at the most, by kind of file. */
export const FILE_BYTES = {
  config: LIMITS.configBytes,
  message: LIMITS.messageBytes,
  thread: LIMITS.threadBytes,
  archive: 16_777_216,
  guest: 8_192,
  session: 8_192,
  summary: 1_048_576,
  task: 1_048_576,
  claim: 8_192,
  artifact: 8_192,
  content: 4 * 524_288,
  review: 262_144,
  memory: 4 * 1_048_576,
  team: 1_048_576,
  label: 1_088,
  events: 268_435_456,
  usage: 268_435_456,
  forgotten: 8_192,
  dispatch: 1_048_576,
  turnText: 2_097_152,
} as const;

/** What no file of a home has, whatever its kind: it is neither checked out nor joined with another. */
export const MOST_BYTES = 33_554_432;

/** Whether a value of JSON is an object, and no list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
