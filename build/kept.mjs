/**
 * Answers of esbuild in earlier builds, by their questions, so that a build after a change asks only about what changed. They lie in one
 * disposable file below `node_modules`, which has no more than the last build asked for.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";

const FILE = "node_modules/.cache/relay/build.json";
/** Answers hold under the versions of what made them: the packages, and the build's own code. */
const MAKERS = digest([readFileSync("package-lock.json", "utf8"), ...filesBelow("build").map((file) => readFileSync(file, "utf8"))]);

const before = read();
const asked = {};

/** The hexadecimal digest of a value. */
export function digest(value) {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}

/** The answer to a question: an earlier one, or what `answer` gives. @param question any value that JSON can hold */
export async function keptAnswer(question, answer) {
  const key = digest([MAKERS, question]);
  asked[key] ??= before[key] ?? (await answer());
  return asked[key];
}

/** A value by a name, from an earlier build; undefined if there is none. @param value replaces it */
export function keptValue(name, value) {
  asked[name] = value ?? asked[name] ?? before[name];
  return asked[name];
}

/** Keeps the answers for the next build. */
export function keepAnswers() {
  mkdirSync(path.dirname(FILE), { recursive: true });
  writeFileSync(`${FILE}.${process.pid}`, JSON.stringify(asked));
  renameSync(`${FILE}.${process.pid}`, FILE);
}

/** The paths of all files below a folder, sorted. */
export function filesBelow(folder) {
  const all = readdirSync(folder, { recursive: true }).map((name) => path.join(folder, name));
  return all.filter((file) => statSync(file).isFile()).sort();
}

function read() {
  try {
    return JSON.parse(readFileSync(FILE, "utf8"));
  } catch {
    return {};
  }
}
