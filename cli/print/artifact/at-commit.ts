/** The commit of an artifact, and how far its branch went on. */
import { plainLine } from "../words.ts";

/** ` at 5e817e8, web is 2 ahead`; empty where the artifact is about no commit. */
export const atCommit = (commit?: string, branch?: string, ahead?: number): string =>
  commit === undefined ? "" : ` at ${commit.slice(0, 7)}${ahead === undefined ? "" : `, ${plainLine(branch ?? "")} is ${ahead} ahead`}`;
