/** Says of what a folder was built, so that nothing is built twice of the same sources. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { digest, filesBelow } from "./kept.mjs";

const STAMP = "built.json";

/** The digest of sources: of the files below folders, and of single files. */
export const digestOf = (folders, files) =>
  digest([...folders.flatMap(filesBelow), ...files].map((file) => [file, readFileSync(file, "latin1")]));

/** How a folder was built from sources of this digest: the word given to `stamp`; null if it was not. */
export function builtAs(folder, sources) {
  try {
    const stamp = JSON.parse(readFileSync(path.join(folder, STAMP), "utf8"));
    return stamp.sources === sources ? stamp.as : null;
  } catch {
    return null;
  }
}

/** Notes that a folder was built from the sources of a digest. @param as "whole", "fast" or "plain" */
export const stamp = (folder, sources, as) => writeFileSync(path.join(folder, STAMP), JSON.stringify({ sources, as }));
