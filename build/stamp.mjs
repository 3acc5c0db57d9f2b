/** A note in a built folder of its sources, so that nothing is built twice of the same ones. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { digest, filesBelow } from "./kept.mjs";

const STAMP = "built.json";

/** The digest of sources: of the files below folders, and of single files. */
export const digestOf = (folders, files) =>
  digest([...folders.flatMap(filesBelow), ...files].map((file) => [file, readFileSync(file, "latin1")]));

/** The kind of build, as given to `stamp`, by which a folder was built from sources of a digest; null if it was not. */
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
