/** What a push did by the files of a noun, beside bringing messages, and how that is told. spec/trust.md, "What a push did". */
import { parseFrontmatter } from "../format/frontmatter.ts";
import { asLine, NAME_CHARACTERS } from "../format/hidden.ts";

/** A file that a push changed; null where there was none, or is none any more. */
export interface Changed {
  path: string;
  before: string | null;
  after: string | null;
  /** Whether one of the texts is too long to be read, and empty here. */
  isUnread?: boolean;
  /** Whether the file came here in the same push, so that no earlier text of it is of this clone. */
  cameAlong?: boolean;
}

/** Stands for bytes that are no text: no noun that reads its texts takes it for one. */
export const NO_TEXT = "\0";

/** Who held a task before a record of its claims; null where nobody did, or nobody can know. */
export type HeldBefore = (session: string, task: string, fence: number) => string | null;

/** A file that people change in place says something else now. */
export interface Edited {
  kind: "edited";
}

/** What a push may do by a file of a noun. `Did` is one thing that it did, beside the path of the file. */
export interface Effects<Where, Did> {
  /** Whose texts have to be read for that: those of every file, or of the files that were here before. Without it of none. */
  readonly reads?: "all" | "changed";
  /**
   * What a push did by a file that it left there, in the order in which that is told.
   * @throws where a text that was read is not as it must be: then that is told
   */
  of(change: Changed & { after: string }, where: Where): readonly Did[];
  /**
   * One thing in words that follow "commit c"; null where it is nothing that anybody is told. Without it, and of what was but
   * edited, the words are that the file was changed.
   * @param count how many were done that have the same words
   */
  words?(did: Exclude<Did, Edited>, heldBefore: HeldBefore, count: number): string | null;
  /** Whether effects of the same words are told as one. */
  readonly isCounted?: boolean;
  /**
   * Whether it was done to a part, which is told of it then. Without it, it was done to nobody.
   * @param takesPart whether the part takes part in the thread, the session or the review
   */
  isDoneTo?(did: Did, part: string, takesPart: () => boolean, heldBefore: HeldBefore): boolean;
}

/** Of a file that is edited as a whole: only that it was. */
export const EDITED: Effects<unknown, Edited> = {
  reads: "changed",
  of: ({ before }) => (before === null ? [] : [{ kind: "edited" }]),
};

/** The same, and that a push began a file which nobody can read. @param parse throws where that is so */
export const editedOrUnreadable = (parse: (text: string, path: string) => unknown): typeof EDITED => ({
  reads: "all",
  of(change, where) {
    if (change.before === null) parse(change.after, change.path);
    return EDITED.of(change, where);
  },
});

/** A name as a push wrote it, in one line. */
export const named = (name: string): string => asLine(name, NAME_CHARACTERS);

/** Who did it, by a key of the header. An end counts by its path, whether its text can be read or not. */
export function namedBy(source: string, key: string): string {
  try {
    const value = parseFrontmatter(source).header[key];
    if (typeof value === "string") return named(value);
  } catch {
    // It names nobody.
  }
  return "nobody named";
}
