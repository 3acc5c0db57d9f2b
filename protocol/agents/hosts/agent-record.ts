/** How the records of an agent are read: a line at a time, so that a reading goes on where the last one ended. spec/usage.md, "Records". */

import { orElse } from "../../core/format/file-error.ts";
import { isObject } from "../../core/format/schema.ts";
import { isCount, type ModelCall, type Tokens } from "./model-call.ts";

/** What one kind of records says. `State` is plain JSON: it is kept between two readings. */
export interface RecordReader<State> {
  /** Before the first line of a file. */
  start: State;
  /** Words of which every line has one that says something; the others are not parsed. */
  words: readonly string[];
  /** Reads one line, as an object. */
  read(state: State, line: Record<string, unknown>): { state: State; calls: readonly ModelCall[] };
}

/** A line of a record as an object; null for one that is none. */
export const recordLine = (line: string): Record<string, unknown> | null =>
  orElse(null, () => {
    const value: unknown = line.startsWith("{") ? JSON.parse(line) : null;
    return isObject(value) ? value : null;
  });

/** A field that is an object; an empty one where it is none. */
export const objectAt = (value: Record<string, unknown>, key: string): Record<string, unknown> => {
  const found = value[key];
  return isObject(found) ? found : {};
};

/** A field that is a text of some characters. */
export const textAt = (value: Record<string, unknown>, key: string): string | undefined => {
  const found = value[key];
  return typeof found === "string" && found !== "" ? found.slice(0, 256) : undefined;
};

/** The counts of a record, with the names of those that this version cannot read. */
export class Counts {
  readonly #given: Record<string, unknown>;
  readonly #unknown: string[] = [];

  /**
   * @param given what the record has of tokens
   * @param known the keys that are read, or that count nothing; another key that is a number above 0 is one that is not known
   */
  constructor(given: Record<string, unknown>, known: readonly string[]) {
    this.#given = given;
    for (const [key, value] of Object.entries(given))
      if (typeof value === "number" && value > 0 && !known.includes(key)) this.#unknown.push(key);
  }

  /** A count that must be there. */
  need(key: string): number {
    const value = this.#given[key];
    if (isCount(value)) return value;
    this.#unknown.push(key);
    return 0;
  }

  /** A count that older versions do not write. */
  may(key: string): number {
    return this.#given[key] === undefined || this.#given[key] === null ? 0 : this.need(key);
  }

  /** A count without a part of it; a part that is more than the whole is not known. */
  without(key: string, whole: number, part: number): number {
    if (part <= whole) return whole - part;
    this.#unknown.push(key);
    return 0;
  }

  /** The tokens, with what is not known of them. */
  as(tokens: Tokens): { tokens: Tokens; unknown?: readonly string[] } {
    const unknown = [...new Set(this.#unknown)].slice(0, 16);
    return unknown.length === 0 ? { tokens } : { tokens, unknown };
  }
}
