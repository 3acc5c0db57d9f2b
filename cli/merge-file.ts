/** Merges one file of a home for git: the driver of homes that are files of the code. spec/git.md, "In the tree". */
import { EXIT } from "../protocol/index.ts";
import { mergeFile } from "../protocol/sync/sync/in-tree.ts";

/** Merges the three versions that git names. @returns the exit code: 1 where a conflict is left */
export const runMergeFile = async (base: string, ours: string, theirs: string, at: string): Promise<number> =>
  (await mergeFile(process.cwd(), { base, ours, theirs }, at)) ? EXIT.ok : EXIT.failed;
