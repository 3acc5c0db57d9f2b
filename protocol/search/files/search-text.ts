/** A search query as a function of a text. spec/messages.md, "Search". */
import { refuse } from "../../core/refusal.ts";

/** What a query says, as it was given. */
export interface Wording {
  query: string;
  regex: boolean;
}

/** Where a query fits: a place in a body, or null when it is only in what stands above it. In UTF-16 units. */
export type Place = { start: number; length: number } | null;

/** Says where a query fits a text; null where it does not. */
export type Matcher = (text: string) => Place;

/** What a text must have to fit a query: its words, or what stands in double quotes as it is; of white space alone, that. */
function wordsOf(query: string): string[] {
  const lower = query.toLowerCase();
  const [, phrase] = /^"(.+)"$/.exec(lower) ?? [];
  const words = phrase === undefined ? lower.split(/\s+/).filter(Boolean) : [phrase];
  return words.length === 0 ? [lower] : words;
}

/** The longest word of a query: a text without it does not fit. */
export const longestWord = (query: string): string => wordsOf(query).reduce((long, word) => (word.length > long.length ? word : long), "");

/** Whether a query is more than one word, so that a text that has the longest may still not fit. */
export const isOfWords = (query: string): boolean => wordsOf(query).length > 1;

/** Makes the matcher of a query: a text fits that has all its words. @throws Refusal `invalid_argument` for what is no RE2 expression */
export async function matcherOf({ query, regex }: Wording): Promise<Matcher> {
  if (!regex) {
    const words = wordsOf(query);
    const needle = longestWord(query);
    return (text) => {
      const lower = text.toLowerCase();
      if (!words.every((word) => lower.includes(word))) return null;
      const whole = lower.indexOf(query.toLowerCase());
      return whole === -1 ? { start: lower.indexOf(needle), length: needle.length } : { start: whole, length: query.length };
    };
  }
  // RE2 takes time in proportion to the text, whatever the expression: a query cannot hang a server.
  const { RE2JS } = await import("re2js");
  try {
    const expression = RE2JS.compile(query, RE2JS.CASE_INSENSITIVE | RE2JS.MULTILINE);
    return (text) => {
      const matcher = expression.matcher(text);
      return matcher.find() ? { start: matcher.start(), length: matcher.end() - matcher.start() } : null;
    };
  } catch (error) {
    throw refuse("invalid_argument", {
      argument: "query",
      expected: `an RE2 expression (${(error as Error).message})`,
      given: query,
      example: "dead(line|lock)",
    });
  }
}

const SNIPPET = 160;

/** The words around a place, white space folded; the beginning of a text where there is none. Never half a character. */
export function cutOut(text: string, at: Place): string {
  const start = at === null ? 0 : Math.max(0, at.start - Math.floor((SNIPPET - Math.min(at.length, SNIPPET)) / 2));
  const cut = text
    .slice(start, start + SNIPPET)
    .replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "")
    .replace(/\s+/g, " ")
    .trim();
  return `${start > 0 ? "…" : ""}${cut}${start + SNIPPET < text.length ? "…" : ""}`;
}
