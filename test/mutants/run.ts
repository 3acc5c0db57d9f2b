/**
 * Measures the strength of the tests: plants each fault into a copy of the project, runs the test files that should find it until the first
 * one fails, and takes the fault back.
 *
 *     npm run test:mutants
 *     npm run test:mutants -- --list
 *     npm run test:mutants -- --only "a status goes back"
 *     npm run test:mutants -- --at-once 2
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { type Loader, transform } from "esbuild";
import { MUTANTS, type Mutant } from "./mutants.ts";
import { type Planted, plantings, sourcesIn } from "./plant.ts";

/** Number of faults that `npm test` must find by itself; all groups together find every one. */
const LEAST_BY_TEST = 32;

/** Result of one fault. */
interface Verdict {
  mutant: Mutant;
  /** The group of the test that found it; null where none did. */
  group: string | null;
  /** The file and title of that test, or why nothing counts as found. */
  words: string;
  seconds: number;
}

/** A run of one test file. */
interface Run {
  /** Titles of the tests that failed. */
  failed: string[];
  /** Reason why the file did not run at all; null if it ran. */
  broken: string | null;
}

/** A file in vitest's report. */
interface Report {
  testResults: { message: string; status: string; assertionResults: { fullName: string; status: string }[] }[];
}

/** Command of each group of tests, by the name of its project in vitest's settings, in the order in which they run. */
const GROUPS = new Map([
  ["fast", "npm test"],
  ["long", "npm run test:long"],
  ["agents", "npm run test:agents -- --all"],
]);

const VITEST = "node_modules/vitest/vitest.mjs";
/** Vitest, as often as it runs now. */
const running = new Set<ChildProcess>();

const { values } = parseArgs({
  options: {
    list: { type: "boolean", default: false },
    only: { type: "string", multiple: true, default: [] },
    "at-once": { type: "string", default: "1" },
  },
});
const chosen = values.only.length === 0 ? MUTANTS : MUTANTS.filter(({ name }) => values.only.includes(name));
if (values.list) {
  for (const { name, breaks, tests } of chosen) console.log(`${name}\n    ${breaks}\n    ${tests.join(", ")}`);
} else process.exitCode = await measure();

async function measure(): Promise<number> {
  const unknown = values.only.filter((name) => MUTANTS.every((mutant) => mutant.name !== name));
  if (unknown.length > 0) throw new Error(`no mutant is called ${unknown.join(", ")}; --list names them`);
  const scratch = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), "relay-mutants-"));
  // A folder that is left would be copied by nobody, and fill the disk.
  process.once("exit", () => fs.rmSync(scratch, { recursive: true, force: true }));
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      for (const child of running) child.kill();
      process.exit(130);
    });
  }
  const copies = Array.from({ length: Number(values["at-once"]) }, (_, at) => copyOfProject(path.join(scratch, String(at))));
  const [first = ""] = copies;
  const projects = projectsIn(first);
  const red = new Set<string>();
  for (const file of inOrder(
    chosen.flatMap(({ tests }) => tests),
    projects,
  )) {
    const startMs = performance.now();
    const { failed, broken } = await runFile(first, file);
    console.log(`without a fault  ${file}  ${((performance.now() - startMs) / 1_000).toFixed(1)} s`);
    if (failed.length === 0 && broken === null) continue;
    red.add(file);
    console.log(`RED WITHOUT A FAULT  ${file} › ${broken ?? failed.join(", ")}`);
  }
  const verdicts: Verdict[] = [];
  const left = [...chosen];
  await Promise.all(
    copies.map(async (copy) => {
      for (let mutant = left.shift(); mutant !== undefined; mutant = left.shift()) {
        const verdict = await judge(copy, mutant, projects, red);
        verdicts.push(verdict);
        console.log(lineOf(verdict));
      }
    }),
  );
  return told(verdicts);
}

function lineOf({ mutant, group, words, seconds }: Verdict): string {
  const found = group === null ? "NOT FOUND" : `found by ${group}`;
  return `${found}  ${mutant.name}  ${words}  ${seconds.toFixed(1)} s`;
}

/** Prints the table and the sums. @returns the exit code */
function told(verdicts: readonly Verdict[]): number {
  const found = verdicts.filter(({ group }) => group !== null);
  const byTest = found.filter(({ group }) => group === "npm test").length;
  console.log("");
  for (const verdict of chosen.flatMap((mutant) => verdicts.filter((each) => each.mutant === mutant))) console.log(lineOf(verdict));
  console.log(`\n${byTest} of ${verdicts.length} found by npm test`);
  console.log(`${found.length} passed, ${verdicts.length - found.length} failed`);
  return found.length < verdicts.length || (chosen === MUTANTS && byTest < LEAST_BY_TEST) ? 1 : 0;
}

/** Copies all that git would record, with this project's packages. @returns the copy's folder */
function copyOfProject(folder: string): string {
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { encoding: "utf8" });
  for (const file of listed.split("\0")) {
    if (file !== "" && fs.existsSync(file)) fs.cpSync(file, path.join(folder, file), { recursive: true, verbatimSymlinks: true });
  }
  fs.symlinkSync(fs.realpathSync("node_modules"), path.join(folder, "node_modules"));
  // Some tests ask git for the files of the project.
  for (const args of [
    ["init", "--quiet"],
    ["add", "--all"],
  ])
    execFileSync("git", args, { cwd: folder });
  return folder;
}

/** The project of each test file, as vitest's settings have it. */
type Projects = ReadonlyMap<string, string>;

function projectsIn(copy: string): Projects {
  const list = path.join(copy, "..", "files.json");
  execFileSync(process.execPath, [VITEST, "list", "--filesOnly", `--json=${list}`], { cwd: copy });
  const files = JSON.parse(fs.readFileSync(list, "utf8")) as { file: string; projectName: string }[];
  return new Map(files.map(({ file, projectName }) => [path.relative(copy, file), projectName]));
}

/** Each file once, those of `npm test` first. */
function inOrder(files: Iterable<string>, projects: Projects): string[] {
  const rank = (file: string): number => [...GROUPS.keys()].indexOf(projects.get(file) ?? "");
  return [...new Set(files)].sort((a, b) => rank(a) - rank(b));
}

async function judge(copy: string, mutant: Mutant, projects: Projects, red: ReadonlySet<string>): Promise<Verdict> {
  const startMs = performance.now();
  const verdict = (group: string | null, words: string): Verdict => ({
    mutant,
    group,
    words,
    seconds: (performance.now() - startMs) / 1_000,
  });
  const [planted, ...others] = plantings(mutant, sourcesIn(copy));
  if (planted === undefined || others.length > 0)
    return verdict(null, `its text stands ${others.length + (planted === undefined ? 0 : 1)} times in the sources, and must stand once`);
  const problem = await syntaxProblem(planted);
  if (problem !== null) return verdict(null, `it is no program: ${problem}`);
  const at = path.join(copy, planted.file);
  const why: string[] = [];
  fs.writeFileSync(at, planted.after);
  try {
    for (const file of inOrder(mutant.tests, projects)) {
      if (red.has(file)) {
        why.push(`${file} fails without it`);
        continue;
      }
      const { failed, broken } = await runFile(copy, file);
      if (failed[0] !== undefined) return verdict(GROUPS.get(projects.get(file) ?? "") ?? "no group", `${file} › ${failed[0]}`);
      why.push(broken === null ? `${file} passes` : `${file} did not run: ${broken}`);
    }
    return verdict(null, why.join("; "));
  } finally {
    fs.writeFileSync(at, planted.before);
  }
}

/** Reason why a source with a fault is no program; null if it is one. */
async function syntaxProblem({ file, after }: Planted): Promise<string | null> {
  const loader = path.extname(file).slice(1);
  if (!["ts", "tsx", "css", "json"].includes(loader)) return null;
  return transform(after, { loader: loader as Loader, logLevel: "silent" }).then(
    () => null,
    (error: Error) => error.message.split("\n").at(1) ?? error.message,
  );
}

/** Runs one test file until its first test fails. */
async function runFile(copy: string, file: string): Promise<Run> {
  const report = path.join(copy, "..", `${path.basename(copy)}.json`);
  fs.rmSync(report, { force: true });
  const args = [VITEST, "run", "--bail=1", "--maxWorkers=1", "--reporter=json", `--outputFile=${report}`, file];
  const child = spawn(process.execPath, args, { cwd: copy, stdio: ["ignore", "ignore", "pipe"] });
  running.add(child);
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (piece: string) => {
    said = (said + piece).slice(-2_000);
  });
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  running.delete(child);
  if (!fs.existsSync(report)) return { failed: [], broken: said.trim() || `vitest ended with ${code} and no report` };
  const { testResults } = JSON.parse(fs.readFileSync(report, "utf8")) as Report;
  const failed = testResults.flatMap(({ assertionResults }) =>
    assertionResults.flatMap(({ fullName, status }) => (status === "failed" ? [fullName] : [])),
  );
  const broken = testResults.find(({ status, assertionResults }) => status === "failed" && assertionResults.length === 0);
  if (testResults.length === 0) return { failed, broken: "vitest found no such test file" };
  return { failed, broken: failed.length > 0 ? null : (broken?.message ?? (code === 0 ? null : `vitest ended with ${code}: ${said}`)) };
}
