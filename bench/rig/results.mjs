/** `RESULTS.md`: a section for each measure, each put among those that were measured before. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";

const FILE = new URL("../RESULTS.md", import.meta.url);
const MARKS = new Map([
  [true, "yes"],
  [false, "**no**"],
  [null, ""],
]);

/** What a section says of the version that it was measured at. */
const MEASURED_AT = /^Measured at (\S+) /m;

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
  const known = new Map([...sections(), section].map((each) => [each.split("\n")[0], each.trimEnd()]));
  const inOrder = titles.flatMap((title) => known.get(`## ${title}`) ?? []);
  writeFileSync(FILE, `${[head.trimEnd(), ...inOrder].join("\n\n")}\n`);
}

/**
 * The sections that were not measured at this version.
 * @param titles of all sections
 * @returns a line for each: its title, and the version that it was measured at
 */
export function staleSections(titles, version) {
  const known = new Map(
    sections().map((each) => [each.split("\n")[0], MEASURED_AT.exec(each)?.[1] ?? "a version that was not written down"]),
  );
  return titles.flatMap((title) => {
    const at = known.get(`## ${title}`);
    return at === version ? [] : [at === undefined ? `${title}: never measured` : `${title}: measured at ${at}`];
  });
}

/** The sections as they are in the file. */
const sections = () =>
  existsSync(FILE)
    ? readFileSync(FILE, "utf8")
        .split(/^(?=## )/m)
        .slice(1)
    : [];
