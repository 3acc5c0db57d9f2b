/**
 * Builds what runs: the command and the server as a pack of pieces, compiled and kept for this version of Node, and the library
 * with its types. All of it is made aside and then put in place file by file, so that what runs meanwhile finds each one whole.
 *
 * --fast: without types. --plain: also without the trial of the usual starts. --tests, with one of these: only what was not built of
 * these sources, and the programs of `test/workers` with it.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { build } from "esbuild";
import lockfile from "proper-lockfile";
import { keepAnswers, keptValue } from "./build/kept.mjs";
import { modulesFrom } from "./build/modules.mjs";
import { writePack } from "./build/pack.mjs";
import { asCommonJs, bundling } from "./build/packages.mjs";
import { buildPage } from "./build/page.mjs";
import { putInPlace } from "./build/place.mjs";
import { builtAs, digestOf, stamp } from "./build/stamp.mjs";
import { compileFirst, KINDS, makeUsualStarts } from "./build/usual-starts.mjs";

const require = createRequire(import.meta.url);
const { version } = require("./package.json");
const define = { RELAY_VERSION: JSON.stringify(version) };
const MAIN = "cli/main.ts";
const THREADS = {
  "object-thread": "protocol/git/objects/object-thread.ts",
  "dashboard-reader": "dashboard/server/reader-thread.ts",
};
/** Sources of the product: folders, and files outside of them. */
const PRODUCT = ["cli", "protocol", "mcp", "pager", "runner", "dashboard", "templates", "build"];
const ALONE = ["build.mjs", "package.json", "package-lock.json"];
const DIST = "dist";
/** The programs that tests start beside the command. */
const WORKERS = "dist-test";

// For whoever follows what runs (`bench/journeys.mjs`): the command alone, in one piece, as it is written.
const readable = process.argv.indexOf("--readable");
if (readable !== -1) {
  const plugins = [...asCommonJs.plugins, { name: "coverage in parts", setup: coverInParts }];
  await build({ ...asCommonJs, define, plugins, outfile: process.argv[readable + 1], minify: false, entryPoints: [MAIN] });
  process.exit();
}
/** The kind of build: `whole`; `fast`, without types; `plain`, also without the trial of the usual starts. */
const as = ["fast", "plain"].find((word) => process.argv.includes(`--${word}`)) ?? "whole";
if (process.argv.includes("--tests")) await onlyOne(buildForTests);
else await buildAll();

/** Builds the command and the programs of tests, unless they were built of these sources. @see test/rig/built.ts */
async function buildForTests() {
  const before = builtAs(DIST, sources());
  if (before === null || (before === "plain" && as === "fast")) await buildAll();
  const workers = digestOf([...PRODUCT, "test/workers", "test/rig"], ALONE);
  if (builtAs(WORKERS, workers) !== null) return;
  await buildWorkers();
  stamp(WORKERS, workers, as);
}

/** Builds aside, and puts all of it in place. */
async function buildAll() {
  const built = sources();
  const aside = mkdtempSync(path.resolve(".dist-"));
  try {
    await buildLibrary(aside);
    await buildCommand(aside);
    await buildPage(path.join(aside, "dashboard"));
    stamp(aside, built, as);
    putInPlace(aside, DIST);
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
  keepAnswers();
  // Once it is where it stays: what is compiled is kept by where it lies.
  if (as !== "plain") compileFirst(path.join(DIST, "relay.cjs"));
}

/** The digest of all that the product is built from. */
function sources() {
  return digestOf(PRODUCT, ALONE);
}

/** Lets one process at a time do something. Two that build all the same put the same in place. */
async function onlyOne(act) {
  mkdirSync(WORKERS, { recursive: true });
  const patience = { retries: { forever: true, minTimeout: 50, maxTimeout: 250 }, stale: 60_000, onCompromised: () => {} };
  const release = await lockfile.lock(WORKERS, { lockfilePath: path.join(WORKERS, "building"), ...patience });
  try {
    await act();
  } finally {
    await release().catch(() => {});
  }
}

/** The programs that tests start, with all of the packages that they use: some of them are clients. */
async function buildWorkers() {
  const { bundle, platform, target, loader, alias, logLevel } = bundling;
  await build({
    ...{ bundle, platform, target, loader, alias, logLevel },
    define: { RELAY_VERSION: JSON.stringify("of the tests"), RELAY_FOLDER: JSON.stringify(path.resolve(DIST)) },
    entryPoints: readdirSync("test/workers").map((name) => path.join("test/workers", name)),
    outdir: WORKERS,
    splitting: true,
    format: "esm",
    chunkNames: "chunks/[hash]",
    outExtension: { ".js": ".mjs" },
    banner: { js: 'import{createRequire as __cr}from"node:module";const require=__cr(import.meta.url);' },
  });
}

/** The command: what the usual starts evaluate is tried out first, so that it lies together. */
async function buildCommand(dist) {
  const relay = path.join(dist, "relay.cjs");
  await build({ ...asCommonJs, entryPoints: ["cli/start/relay.ts"], outfile: relay });
  chmodSync(relay, 0o755);
  const { operationList } = await import(path.join(dist, "index.js"));
  const lists = { RELAY_WORDS: namesByWord(operationList), RELAY_DEFAULTS: inputsByDefault(operationList) };
  const asText = Object.entries(lists).map(([name, list]) => [name, JSON.stringify(JSON.stringify(list))]);
  const given = { ...define, ...Object.fromEntries(asText), RELAY_FOLDER: "__dirname" };
  const options = { platform: "node", target: bundling.target, charset: "ascii", define: given };
  const pack = { modules: await modulesFrom(path.resolve(MAIN), options), main: MAIN, kinds: KINDS };
  const file = path.join(dist, "command.pack");
  if (as !== "plain") keptValue("usual", await tryUsualStarts(dist, file, pack, options));
  const { look, command, server } = keptValue("usual") ?? { look: [], command: [], server: [] };
  const usual = { look: new Set(look), command: new Set(command), server: new Set(server) };
  const { licences } = await writePack(file, { ...pack, usual }, options);
  rmSync(path.join(dist, "compiled"), { force: true });
  writeFileSync(`${file}.LEGAL.txt`, licences);
}

/** The names of the modules that a look at the inbox evaluates, those that the usual commands do, and those that the server does. */
async function tryUsualStarts(dist, file, pack, options) {
  const learn = path.join(dist, "learned");
  const { names } = await writePack(file, { ...pack, learn }, options);
  // Where a file is in the way of the folder, nothing is kept of the trial.
  writeFileSync(path.join(dist, "compiled"), "");
  makeUsualStarts(path.join(dist, "relay.cjs"));
  const starts = readFileSync(learn, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  rmSync(learn);
  const evaluated = (isMeant) => [...new Set(starts.filter(({ by }) => isMeant(by)).flatMap(({ ids }) => ids.map((id) => names[id])))];
  const isUsual = (by) => KINDS.some((words) => words.split(" ")[0] === by);
  const isOf = (word) => (by) => by === word;
  return { look: evaluated(isOf("inbox")), command: evaluated((by) => isUsual(by) && by !== "mcp"), server: evaluated(isOf("mcp")) };
}

/** The names of operations by the first word of their command. */
function namesByWord(operations) {
  const firstWord = ({ command }) => command.split(" ")[0];
  const namesOf = (word) => operations.filter((operation) => firstWord(operation) === word).map(({ name }) => name);
  return Object.fromEntries(operations.map(firstWord).map((word) => [word, namesOf(word)]));
}

/** What operations that need no argument are given where there is none, by their names. */
function inputsByDefault(operations) {
  const read = operations.map(({ name, input }) => [name, input.safeParse({})]).filter(([, { success }]) => success);
  const inputs = Object.fromEntries(read.map(([name, { data }]) => [name, data]));
  if (!isDeepStrictEqual(JSON.parse(JSON.stringify(inputs)), inputs)) throw new Error("The default of an argument is no JSON.");
  return inputs;
}

/** The library, its types, and the programs of threads, which share its code. */
async function buildLibrary(dist) {
  await build({
    ...bundling,
    minify: as !== "plain",
    define: { ...define, RELAY_FOLDER: "__folder" },
    outdir: dist,
    entryPoints: { index: "protocol/index.ts", ...THREADS },
    splitting: true,
    format: "esm",
    charset: "utf8",
    chunkNames: "chunks/[hash]",
    // Bundled CommonJS packages ask for node's own modules with `require`.
    banner: {
      js: 'import{createRequire as __cr}from"node:module";const require=__cr(import.meta.url),__folder=import.meta.dirname.replace(/.chunks$/,"");',
    },
  });
  if (as !== "whole") return;
  const types = path.join(dist, "types");
  const tsc = require.resolve("typescript/package.json").replace("package.json", "bin/tsc");
  execFileSync(process.execPath, [tsc, "-p", "tsconfig.build.json", "--outDir", types], { stdio: "inherit" });
  const text = ["md", "yml", "service"].map((end) => `declare module "*.${end}" { const text: string; export default text; }\n`);
  writeFileSync(path.join(types, "text.d.ts"), text.join(""));
}

/**
 * Writes V8's coverage, and begins another one, when the program has loaded and at each SIGUSR2: so what runs for one act is told
 * from what ran before it. Without `NODE_V8_COVERAGE` it does nothing.
 */
function coverInParts({ onLoad }) {
  const take = `const v8 = process.getBuiltinModule("node:v8"); v8.takeCoverage(); process.on("SIGUSR2", () => v8.takeCoverage());`;
  onLoad({ filter: /\/cli\/main\.ts$/ }, ({ path: name }) => ({ contents: `${take}\n${readFileSync(name, "utf8")}`, loader: "ts" }));
}
