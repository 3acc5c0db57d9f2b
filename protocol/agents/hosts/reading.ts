/** What is known of a run of a program by the lines that it printed so far. Pure: read again from the beginning, it is the same. */

/** What a model counted, as its program said it. */
export interface Usage {
  /** Those that were read from the provider's cache are among them. */
  inputTokens: number;
  cachedInputTokens: number;
  outputTokens: number;
  costUsd?: number | undefined;
}

/** A reading of a program's output. */
export interface Reading {
  /** The id of the program's own session. */
  session?: string | undefined;
  /** The final text: no thinking, and no answers of tools. */
  text: string;
  usage?: Usage | undefined;
  /** Whether the program printed its last event, and whether that was one of success. */
  last: "none" | "ok" | "error";
  /** What it said of its error, in one line. */
  problem?: string | undefined;
  /** Whether what stopped it was the limit of a model's provider, which passes. */
  isLimited: boolean;
  /** Whether it reached Relay's server of tools, where it says so. */
  tools: "unsaid" | "connected" | "missing";
  /** The tools that it wanted to call and may not. */
  denied: readonly string[];
  /** The calls that it waits for, by their ids. */
  calls: ReadonlySet<string>;
  /** The calls of Send that it asked for by now, by their ids: of a program that makes one call after the other. */
  sends: readonly string[];
  /** Whether it said last that it waits, to ask its model again. */
  isRetrying: boolean;
  /** What its model was given when it was asked last, in tokens; 0 where the program does not say it. */
  contextTokens: number;
  /** How often its model was asked, as far as that can be seen. */
  steps: number;
}

/** What is known before the first line. */
export const UNREAD: Reading = {
  text: "",
  last: "none",
  isLimited: false,
  tools: "unsaid",
  denied: [],
  calls: new Set(),
  sends: [],
  contextTokens: 0,
  isRetrying: false,
  steps: 0,
};

/** A value of JSON that is read without trust. */
export type Json = Readonly<Record<string, unknown>>;

/** A line as an object; null for one that is none, as a program prints that has something to say before it begins. */
export function objectIn(line: string): Json | null {
  if (!line.startsWith("{")) return null;
  try {
    return asObject(JSON.parse(line));
  } catch {
    return null;
  }
}

/** A value as an object; an empty one for all else. */
export const asObject = (value: unknown): Json =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};

/** A value as a list of objects. */
export const asObjects = (value: unknown): Json[] => (Array.isArray(value) ? value.map(asObject) : []);

/** A value as text; undefined for all else. */
export const asText = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** A value as a number; 0 for all else. */
export const asNumber = (value: unknown): number => (typeof value === "number" && Number.isFinite(value) ? value : 0);

/** The reading with a call more, or with one less. */
export const withCall = (reading: Reading, id: unknown): Reading => ({ ...reading, calls: new Set([...reading.calls, String(id)]) });
export const withoutCall = (reading: Reading, id: unknown): Reading => ({
  ...reading,
  calls: new Set([...reading.calls].filter((call) => call !== String(id))),
});

/** The first line of a text, shortened. */
export const firstLine = (text: string): string => (text.trim().split("\n")[0] as string).slice(0, 500);

/** The reading at the last event of its program: after a success no call waits. */
export const withEnd = (reading: Reading, isOk: boolean): Reading => ({
  ...reading,
  last: isOk ? "ok" : "error",
  calls: isOk ? new Set() : reading.calls,
});

/** The reading with what went wrong. @param status that of the provider's answer, where it is said */
export const withProblem = (reading: Reading, problem: string, status?: unknown): Reading => ({
  ...reading,
  problem: firstLine(problem),
  isLimited: [429, 529].includes(asNumber(status)) || isLimit(problem),
});

/** The reading with one more answer of its model, in tokens. @param input all that it was given; what was read from the cache is a part */
export function withAnswer(reading: Reading, input: number, cached: number, output: number): Reading {
  const { inputTokens = 0, cachedInputTokens = 0, outputTokens = 0 } = reading.usage ?? {};
  return {
    ...reading,
    steps: reading.steps + 1,
    contextTokens: input || reading.contextTokens,
    usage: { inputTokens: inputTokens + input, cachedInputTokens: cachedInputTokens + cached, outputTokens: outputTokens + output },
  };
}

/** A call of a tool in one line, for people. */
export function called(name: unknown, given: unknown): string {
  const tool = asText(name) ?? "";
  if (tool === "") return "";
  const first = typeof given === "object" && given !== null ? Object.values(given).find((each) => typeof each === "string") : given;
  return `> ${tool} ${String(first ?? "")
    .replace(/\s+/g, " ")
    .slice(0, 120)}`.trim();
}

/** Whether words are those of a provider's limit: too many requests, or too much load. */
export const isLimit = (words: string): boolean => /\b(429|529)\b|too many requests|rate.?limit|overloaded|RESOURCE_EXHAUSTED/i.test(words);
