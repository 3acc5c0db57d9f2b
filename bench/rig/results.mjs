/** `RESULTS.md`: a section for each measure, each put among those that were measured before. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";

const FILE = new URL("../RESULTS.md", import.meta.url);
const MARKS = new Map([
  [true, "yes"],
  [false, "**no**"],
  [null, ""],
]);

/** The section of one measure. @param about how it was measured: the version, the time it took, the load before it */
export function sectionOf(title, rows, about) {
  const lines = rows.map(
    ({ what, baseline, measured, ratio, bar, met }) => `| ${[what, baseline, measured, ratio, bar, MARKS.get(met)].join(" | ")} |`,
  );
  const head = ["| what | baseline | measured | ratio | bar | met? |", "|---|---|---:|---:|---|---|"];
  return [`## ${title}`, "", about, "", ...head, ...lines, ""].join("\n");
}

/**
 * Puts a section in its place; the others stay as they are.
 * @param head what stands before all sections
 * @param titles of all sections, in their order; a section of another title goes
 */
export function writeSection(section, head, titles) {
  const earlier = existsSync(FILE)
    ? readFileSync(FILE, "utf8")
        .split(/^(?=## )/m)
        .slice(1)
    : [];
  const known = new Map([...earlier, section].map((each) => [each.split("\n")[0], each.trimEnd()]));
  const inOrder = titles.flatMap((title) => known.get(`## ${title}`) ?? []);
  writeFileSync(FILE, `${[head.trimEnd(), ...inOrder].join("\n\n")}\n`);
}
