/** Plants a fault in the sources of the product, wherever they lie. */
import fs from "node:fs";
import path from "node:path";
import type { Mutant } from "./mutants.ts";

/** The folders of the product; tests, pages and the build are not in them. */
const PRODUCT = ["cli", "dashboard", "mcp", "pager", "protocol", "runner", "templates"];

/** The sources of the product below a folder: path → text. */
export function sourcesIn(root: string): Map<string, string> {
  const files = PRODUCT.flatMap((top) =>
    fs
      .readdirSync(path.join(root, top), { recursive: true, withFileTypes: true })
      .flatMap((entry) => (entry.isFile() ? [path.relative(root, path.join(entry.parentPath, entry.name))] : [])),
  );
  return new Map(files.map((file) => [file, fs.readFileSync(path.join(root, file), "utf8")]));
}

/** A source with a fault, and as it was. */
export interface Planted {
  file: string;
  before: string;
  after: string;
}

/** Plants a fault. @returns every way to; exactly one where its text stands once in the sources */
export function plantings({ find, replace }: Pick<Mutant, "find" | "replace">, sources: ReadonlyMap<string, string>): Planted[] {
  const words = find
    .trim()
    .split(/\s+/)
    .map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  const pattern = new RegExp(words.join("\\s+"), "g");
  return [...sources].flatMap(([file, before]) =>
    [...before.matchAll(pattern)].map((found) => ({
      file,
      before,
      after: before.slice(0, found.index) + replace + before.slice(found.index + found[0].length),
    })),
  );
}
