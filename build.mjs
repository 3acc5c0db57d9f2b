/**
 * Builds what runs: the command and the server as a pack of pieces, compiled and kept for this version of Node, and the library
 * with its types. All of it is made aside and then put in place file by file, so that what runs meanwhile finds each one whole.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { build } from "esbuild";
import { modulesFrom } from "./build/modules.mjs";
import { writeOverhead } from "./build/overhead.mjs";
import { writePack } from "./build/pack.mjs";
import { asCommonJs, bundling } from "./build/packages.mjs";
import { buildPage } from "./build/page.mjs";
import { putInPlace } from "./build/place.mjs";
import { compileFirst, KINDS, makeUsualStarts } from "./build/usual-starts.mjs";

const require = createRequire(import.meta.url);
const { version } = require("./package.json");
const define = { RELAY_VERSION: JSON.stringify(version) };
const MAIN = "cli/main.ts";
const THREADS = {
  "object-thread": "protocol/store/git/objects/object-thread.ts",
  "check-reader": "protocol/home/check/read-ahead-thread.ts",
  "dashboard-reader": "dashboard/server/reader-thread.ts",
};

// For whoever follows what runs (`bench/journeys.mjs`): the command alone, in one piece, as it is written.
const readable = process.argv.indexOf("--readable");
if (readable !== -1) {
  const plugins = [...asCommonJs.plugins, { name: "coverage in parts", setup: coverInParts }];
  await build({ ...asCommonJs, define, plugins, outfile: process.argv[readable + 1], minify: false, entryPoints: [MAIN] });
  process.exit();
}
const dist = mkdtempSync(path.resolve(".dist-"));
try {
  await buildLibrary();
  await buildCommand();
  await buildPage(path.join(dist, "dashboard"));
  putInPlace(dist, "dist");
} finally {
  rmSync(dist, { recursive: true, force: true });
}
// Once it is where it stays: what is compiled is kept by where it lies.
await compileFirst("dist/relay.cjs");

/** The command: what the usual starts evaluate is tried out first, so that it lies together. */
async function buildCommand() {
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
  const learn = path.join(dist, "learned");
  const { names, licences } = await writePack(file, { ...pack, learn }, options);
  // Where a file is in the way of the folder, nothing is kept of the trial.
  const compiled = path.join(dist, "compiled");
  writeFileSync(compiled, "");
  await makeUsualStarts(relay);
  const starts = readFileSync(learn, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const evaluated = (isMeant) => new Set(starts.filter(({ by }) => isMeant(by)).flatMap(({ ids }) => ids.map((id) => names[id])));
  const isUsual = (by) => KINDS.some((words) => words.split(" ")[0] === by);
  const isOf = (word) => (by) => by === word;
  const usual = { look: evaluated(isOf("inbox")), command: evaluated((by) => isUsual(by) && by !== "mcp"), server: evaluated(isOf("mcp")) };
  await writePack(file, { ...pack, usual }, options);
  await writeOverhead(relay, path.join(dist, "overhead.json"));
  for (const left of [learn, compiled]) rmSync(left);
  writeFileSync(`${file}.LEGAL.txt`, licences);
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
async function buildLibrary() {
  await build({
    ...bundling,
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
  if (process.argv.includes("--fast")) return;
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
