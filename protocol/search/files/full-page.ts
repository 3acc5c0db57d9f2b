/** When a page of a search is full: more threads than it shows are found, and all that was not searched yet is older. spec/messages.md, "Search". */
import { compareNewest, encodeTime, isAhead, LAST_MS, type MessageLocation, messageId, threadId } from "../../core/format/id.ts";

/** Which page is asked for. */
export interface Page {
  /** Hits are counted that come after this one. */
  after: string | undefined;
  /** So many threads fill a page. */
  limit: number;
  /** No wanted message is older, in milliseconds since the epoch. */
  sinceMs: number;
}

/** The newest hit of each thread that was searched. */
export class FullPage {
  readonly #heads: string[] = [];
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  /** How many threads were found. */
  get found(): number {
    return this.#heads.length;
  }

  /** Notes what was found of threads of which nothing was noted before. */
  note(found: readonly MessageLocation[]): void {
    const newest = new Map<string, string>();
    for (const location of found) {
      const [thread, id] = [threadId(location), messageId(location)];
      const known = newest.get(thread);
      if (known === undefined || compareNewest(id, known) < 0) newest.set(thread, id);
    }
    const { after } = this.#page;
    for (const id of newest.values()) if (after === undefined || compareNewest(id, after) > 0) this.#heads.push(id);
  }

  /** Whether the page is full, where what follows is no newer than a message. */
  isFull(next: string): boolean {
    const { limit } = this.#page;
    return this.#heads.length > limit && this.#heads.filter((id) => compareNewest(id, next) <= 0).length > limit;
  }

  /** Whether it is full, or whether nothing is wanted any more, where what follows is of an instant at the latest. In milliseconds since the epoch. */
  endsBefore(ms: number): "full" | "whole" | null {
    if (ms < this.#page.sinceMs) return "whole";
    // Nothing that is written later is left out: a token goes on after its time.
    const next = encodeTime(Math.min(ms + 1, LAST_MS));
    return !isAhead(next) && this.isFull(`-${next}`) ? "full" : null;
  }
}
