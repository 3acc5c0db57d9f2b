/** What `check` and `doctor` ask of other packages: each checks its files of a home, and examines what it has on this machine. */
import type { Finding } from "../core/format/finding.ts";
import type { World } from "../core/world.ts";
import type { NounPlace, ParsedFile } from "../nouns.ts";

/** The check of a package's files in one home. It is given every file of the home, in the order of the paths. */
export interface FilesCheck {
  /** Says what is wrong with single lines of a file that can be read as a whole. */
  brokenLines?(parsed: ParsedFile): readonly { line?: number | undefined; problem: string }[];
  /** Takes in a file. @param parsed null where it cannot be read @returns warnings */
  take(path: string, place: NounPlace, parsed: ParsedFile | null): Finding[];
  /** Finds what only all files together tell; called once, after the last file. */
  finish?(): Finding[];
}

/** Examines one thing that only this machine knows. It writes nothing; each finding's `fix` would. */
export type Probe = (world: World) => Iterable<Finding> | AsyncIterable<Finding>;

declare module "../core/package.ts" {
  interface Package {
    /** Begins to check the package's files of a home. */
    checkFiles?(): FilesCheck;
    /** Examines what the package has on this machine, by what `doctor` calls it. */
    probes?: { readonly [Looked in "wakes" | "agents" | "office" | "grants" | "claims"]?: Probe };
  }
}
