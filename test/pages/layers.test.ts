import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

/** Who may import what of the project, but for packages: the first row that fits a file counts. A row's own folder is always allowed. */
const MAY: readonly [file: RegExp, allowed: RegExp][] = [
  [/^protocol\/[\w-]+\/refusals(\/|\.ts)/, /^protocol\/core\/(refusals\/|format\/|names\.ts)/],
  [/^protocol\/store\//, /^protocol\/(store\/|core\/(refusal|format\/file-error)\.ts)/],
  [/^protocol\/core\/templates\.ts$/, /^templates\//],
  [/^protocol\//, /^protocol\//],
  [/^(pager|runner|mcp)\//, /^(pager|runner|mcp|protocol)\//],
  // The page runs in a browser: of the protocol it has the types alone.
  [/^dashboard\/server\//, /^(dashboard\/server|protocol)\//],
  [/^dashboard\/web\//, /^(dashboard\/web\/|protocol\/index\.ts)/],
  [/^cli\//, /^(cli\/|mcp\/(server|sdk-client)\.ts|pager\/|runner\/|dashboard\/server\/|protocol\/)/],
];

const CORE = "store core git trust";
const ALL = `${CORE} mail removal board sync`;
/** The packages that each one may import. The lists beside them (`nouns.ts`, `operations.ts`, `refusals.ts`) may import all. */
const PACKAGES: Readonly<Record<string, string>> = {
  ...{ store: "core", core: CORE, git: CORE, trust: CORE },
  ...{ mail: CORE, removal: `${CORE} mail`, board: `${CORE} mail`, sync: ALL },
  ...{
    wake: ALL,
    turn: `${ALL} wake`,
    "remote-claims": ALL,
    agents: `${ALL} wake`,
    usage: `${ALL} agents`,
    office: `${ALL} agents usage wake`,
  },
  ...{ search: `${ALL} agents office`, setup: `${ALL} agents wake`, check: ALL, status: `${ALL} agents office search turn usage wake` },
};

/** Files that are pure: they have no disk and no clock, and import only others that are. */
const PURE = /^protocol\/(?:[\w-]+\/nouns\/|core\/(?:config|event|format|noun|tree)\/|core\/names\.ts|agents\/hosts\/|nouns\.ts)/;

/** Each library sits behind one file, or two where both read the same language. */
const BEHIND: Record<string, RegExp> = {
  "gray-matter": /^protocol\/core\/format\/frontmatter\.ts$/,
  yaml: /^protocol\/core\/(format\/(yaml|frontmatter)|config\/(config-text|merge-config))\.ts$/,
  "jsonc-parser": /^protocol\/setup\/nouns\/json-text\.ts$/,
  "smol-toml": /^protocol\/setup\/nouns\/toml-text\.ts$/,
  "fastest-levenshtein": /^protocol\/core\/names\.ts$/,
  "proper-lockfile": /^protocol\/store\/lock\.ts$/,
  chokidar: /^protocol\/store\/watch\.ts$/,
  "simple-git": /^protocol\/git\/git\.ts$/,
  "string-width": /^cli\/print\/style\.ts$/,
  re2js: /^protocol\/search\/files\/search-text\.ts$/,
  "@modelcontextprotocol/sdk": /^mcp\/sdk(-client)?\.ts$/,
  commander: /^cli\//,
  preact: /^dashboard\/web\//,
  "@preact/signals": /^dashboard\/web\//,
  lucide: /^dashboard\/web\/part\/icon\.tsx$/,
  "markdown-it": /^dashboard\/web\/part\/html\.ts$/,
  zod: /^(protocol|pager|mcp|cli)\//,
};

const files = ["protocol", "pager", "runner", "mcp", "dashboard", "cli"].flatMap((top) =>
  (fs.readdirSync(top, { recursive: true }) as string[]).filter((name) => /\.tsx?$/.test(name)).map((name) => `${top}/${name}`),
);

/** What a file imports, and on which line; `isType` where nothing of it is left when it runs. */
function importsOf(file: string): { target: string; line: number; isType: boolean }[] {
  const text = fs.readFileSync(file, "utf8");
  const found = text.matchAll(/^(?:import|export)( type)? (?:[^;"=(]*? from )?"([^"]+)"|\bimport\("([^"]+)"\)/gm);
  return [...found].map((match) => ({
    target: (match[2] ?? match[3]) as string,
    line: text.slice(0, match.index + match[0].length).split("\n").length,
    isType: match[1] !== undefined,
  }));
}

/** The file that each import of a file leads to, and its line. */
const targetsOf = (file: string) =>
  importsOf(file)
    .filter(({ target }) => target.startsWith("."))
    .map(({ target, line, isType }) => ({ to: path.posix.join(path.posix.dirname(file), target), line, isType }));

test("programs import the protocol, and the protocol no program; what is pure imports what is pure; only verbs import verbs", () => {
  const wrong: string[] = [];
  for (const file of files) {
    const allowed = MAY.find(([rule]) => rule.test(file))?.[1] as RegExp;
    for (const { to, line } of targetsOf(file)) {
      const isUp = file.startsWith("protocol/") && /\/verbs\//.test(to) && !/\/verbs\/|\/package\.ts$|^protocol\/\w+\.ts$/.test(file);
      if (!allowed.test(to) || (PURE.test(file) && !PURE.test(to)) || isUp) wrong.push(`${file}:${line} imports ${to}`);
    }
  }
  expect(wrong).toEqual([]);
});

test("a package imports only those of its row", () => {
  const packageOf = (file: string): string | undefined => /^protocol\/([\w-]+)\//.exec(file)?.[1];
  const wrong: string[] = [];
  for (const file of files) {
    const from = packageOf(file);
    if (from === undefined) continue;
    for (const { to, line, isType } of targetsOf(file).filter(({ to }) => to.startsWith("protocol/"))) {
      // Of the lists, types may be named anywhere.
      const other: string = packageOf(to) ?? (isType ? from : "the lists");
      if (other !== from && !PACKAGES[from]?.split(" ").includes(other)) wrong.push(`${file}:${line} imports ${to}`);
    }
  }
  expect(wrong).toEqual([]);
  expect([...new Set(files.flatMap((file) => packageOf(file) ?? []))].sort()).toEqual(Object.keys(PACKAGES).sort());
});

test("no files import each other in a circle", () => {
  const graph = new Map(files.map((file) => [file, targetsOf(file).flatMap(({ to, isType }) => (isType ? [] : [to]))]));
  const done = new Set<string>();
  const circles: string[] = [];
  const follow = (file: string, way: readonly string[]): void => {
    if (way.includes(file)) circles.push([...way.slice(way.indexOf(file)), file].join(" > "));
    if (done.has(file) || way.includes(file)) return;
    for (const next of graph.get(file) ?? []) follow(next, [...way, file]);
    done.add(file);
  };
  for (const file of files) follow(file, []);
  expect(circles).toEqual([]);
});

test("each library sits behind its file, and what is pure knows no node", () => {
  const wrong: string[] = [];
  for (const file of files) {
    for (const { target, line } of importsOf(file)) {
      if (target.startsWith(".")) continue;
      const name = target.startsWith("@") ? target.split("/").slice(0, 2).join("/") : (target.split("/")[0] as string);
      if (name.startsWith("node:")) {
        if (PURE.test(file)) wrong.push(`${file}:${line} imports ${target}`);
      } else if (BEHIND[name]?.test(file) !== true) wrong.push(`${file}:${line} imports ${target}`);
    }
  }
  expect(wrong).toEqual([]);
});

test("git is started by two files: by the library, and for what the library cannot carry", () => {
  const starting =
    /\b(spawn|spawnSync|exec|execSync|execFile|execFileSync|fork|runProgram)\(\s*\[?\s*"git"|from "simple-git"|import\("simple-git"\)/;
  const found = files.filter((file) => starting.test(fs.readFileSync(file, "utf8")));
  expect(found).toEqual(["protocol/git/git.ts", "protocol/git/spawn-git.ts"]);
});

test("only the store and git write", () => {
  // What is written to 1 and 2 goes to whoever called. A pack is opened for reading.
  const writing =
    /\bfs\.(write(?!Sync\([12],)|append|mkdir|rename|link|symlink|unlink|rm|cp|copyFile|open|truncate|utimes|chmod|createWrite)/;
  const wrong = files
    .filter(
      (file) => !/^protocol\/(store|git)\//.test(file) && !["cli/demo/stage.ts", "cli/start/relay.ts", "cli/start/pack.ts"].includes(file),
    )
    .flatMap((file) =>
      fs
        .readFileSync(file, "utf8")
        .split("\n")
        .flatMap((text, index) => (writing.test(text) ? [`${file}:${index + 1} ${text.trim()}`] : [])),
    );
  expect(wrong).toEqual([]);
});
