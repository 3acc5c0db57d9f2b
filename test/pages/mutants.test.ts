/** The faults of `npm run test:mutants` can be planted: each has its one place in the sources, and tests that should find it. */
import fs from "node:fs";
import { expect, test } from "vitest";
import { MUTANTS } from "../mutants/mutants.ts";
import { plantings, sourcesIn } from "../mutants/plant.ts";

const sources = sourcesIn(".");

test("there are 40 faults, each of another name", () => {
  expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(40);
  expect(MUTANTS).toHaveLength(40);
});

test.each(MUTANTS)("$name: it stands in one place, changes it, and names tests that are there", (mutant) => {
  expect(plantings(mutant, sources).map(({ file }) => file)).toHaveLength(1);
  expect(mutant.find.replace(/\s+/g, " ")).not.toBe(mutant.replace.replace(/\s+/g, " "));
  expect(mutant.breaks).toMatch(/^[A-Z].*\.$/);
  expect(mutant.tests.filter((file) => !fs.existsSync(file))).toEqual([]);
  expect(mutant.tests.length).toBeGreaterThan(0);
});
