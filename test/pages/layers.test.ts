import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

/** Who may import what of the project: the first row that fits a file counts. A row's own folder is always allowed. */
const MAY: readonly [file: RegExp, allowed: RegExp][] = [
  [/^protocol\/refusal\.ts$/, /^protocol\/refusals\//],
  [/^protocol\/refusals\//, /^protocol\/(refusals\/|objects\/(format|part)\/)/],
  [/^protocol\/objects\//, /^protocol\/objects\//],
  [/^protocol\/store\//, /^protocol\/(store\/|refusal\.ts|objects\/format\/file-error\.ts)/],
  [/^protocol\/templates\.ts$/, /^templates\//],
  [/^protocol\/home\//, /^protocol\/(home|store|objects)\/|^protocol\/(connection-memory|refusal|templates|world)\.ts/],
  [/^protocol\/(connection-memory|world-with)\.ts$/, /^protocol\/world\.ts$/],
  [
    /^protocol\/world\.ts$/,
    /^protocol\/(home|objects)\/|^protocol\/(connection-memory|refusal|world-with)\.ts$|^protocol\/store\/(digest|disk-clock)\.ts/,
  ],
  [/^protocol\/(operation|read-input)\.ts$/, /^protocol\/(home|objects)\/|^protocol\/(operation|refusal|world)\.ts/],
  [/^protocol\/operations\//, /^protocol\/(operations|home|store|objects)\/|^protocol\/(operation|read-input|refusal|templates|world)\.ts/],
  [/^protocol\//, /^protocol\//],
  // Two doors: `index.ts` for every program, `internal.ts` for those of this project.
  [/^pager\//, /^(pager\/|protocol\/(index|internal)\.ts)/],
  [/^runner\//, /^(runner\/|protocol\/(index|internal)\.ts)/],
  [/^mcp\//, /^(mcp\/|protocol\/(index|internal)\.ts)/],
  // The page runs in a browser: of the protocol it has the types alone.
  [/^dashboard\/server\//, /^(dashboard\/server\/|protocol\/(index|internal)\.ts)/],
  [/^dashboard\/web\//, /^(dashboard\/web\/|protocol\/index\.ts)/],
  [/^cli\//, /^(cli\/|mcp\/(server|sdk-client)\.ts|pager\/|runner\/|dashboard\/server\/|protocol\/(index|internal)\.ts)/],
];

/**
 * Which noun may import which, inside of a layer: a room is a folder, "." the files beside the rooms. A room that is not listed
 * may not be imported; none imports one that stands below it, so there are no circles.
 */
const ROOMS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "protocol/objects": {
    format: "",
    noun: "format",
    part: "format noun",
    memory: "format noun part",
    host: "format",
    setup: "format host",
    wake: "format",
    session: "format noun part",
    agent: "format noun part session",
    office: "agent format host noun part",
    dispatch: "format noun office part",
    usage: "format host noun",
    config: "format noun part usage wake",
    event: "format noun part",
    message: "format noun part",
    artifact: "format noun session",
    task: "format noun session",
    turn: "artifact format message task",
    summary: "config format noun session task",
    ".": "agent artifact config dispatch event memory message noun office part session summary task usage",
    tree: ". config format message noun part session task",
    check: ". artifact config dispatch event format memory message noun office part session summary task tree",
    merge: ". artifact config format memory message noun part session task tree",
    guard: ". agent artifact check config format merge message noun task tree",
  },
  "protocol/home": {
    ".": "",
    git: ".",
    setup: ".",
    dashboard: ".",
    thread: ".",
    check: ". git thread",
    guard: ". git",
    office: ".",
    session: ". thread",
    part: ". office session",
    agent: ". part session",
    memory: ". part thread",
    message: ". part thread",
    task: ". agent message part session thread",
    "task/remote": ". git message part task",
    artifact: ". message part session task thread",
    wake: ". agent message part thread",
    turn: ". artifact part session task",
    dispatch: ". git message office part thread wake",
    team: ". dispatch message office part session task thread",
    notify: ". agent message part session task",
    search: ". artifact dispatch memory message office session task thread",
    usage: ". part session task",
    sync: ". agent artifact git guard message part session task task/remote thread",
    doctor: ". agent artifact check dispatch git guard message notify office part session setup sync task task/remote thread wake",
    undo: ". git guard message part session sync task thread",
  },
  "protocol/operations": {
    ".": "",
    notify: "",
    agent: ".",
    artifact: ".",
    memory: ".",
    message: ".",
    office: ".",
    dispatch: ". office",
    part: ".",
    session: ".",
    task: ". artifact message",
    wake: ".",
    usage: ".",
    check: ".",
    home: ". message part task",
    sync: ". home message part",
  },
};

/** Each library sits behind one file, or two where both read the same language. */
const BEHIND: Record<string, RegExp> = {
  "gray-matter": /^protocol\/objects\/format\/frontmatter\.ts$/,
  yaml: /^protocol\/objects\/(format\/(yaml|frontmatter)|config\/(config-text|merge-config))\.ts$/,
  "jsonc-parser": /^protocol\/objects\/setup\/json-text\.ts$/,
  "smol-toml": /^protocol\/objects\/setup\/toml-text\.ts$/,
  "fastest-levenshtein": /^protocol\/objects\/part\/part\.ts$/,
  "proper-lockfile": /^protocol\/store\/lock\.ts$/,
  chokidar: /^protocol\/store\/watch\.ts$/,
  "simple-git": /^protocol\/store\/git\/git\.ts$/,
  "string-width": /^cli\/print\/style\.ts$/,
  re2js: /^protocol\/home\/search\/search-text\.ts$/,
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

test("imports go only downward", () => {
  const wrong: string[] = [];
  for (const file of files) {
    const allowed = MAY.find(([rule]) => rule.test(file))?.[1] as RegExp;
    for (const { target, line } of importsOf(file)) {
      if (!target.startsWith(".")) continue;
      const resolved = path.posix.join(path.posix.dirname(file), target);
      if (!allowed.test(resolved)) wrong.push(`${file}:${line} imports ${resolved}`);
    }
  }
  expect(wrong).toEqual([]);
});

/** The room of a file in a layer: its first folder, or a folder in that one which has a row of its own. */
function roomOf(file: string, layer: string): string {
  const [first, ...rest] = file.slice(layer.length + 1).split("/") as [string, ...string[]];
  if (rest.length === 0) return ".";
  return Object.hasOwn(ROOMS[layer] as object, `${first}/${rest[0]}`) ? `${first}/${rest[0]}` : first;
}

test.each(Object.entries(ROOMS))("in %s each room imports only the rooms of its row", (layer, rooms) => {
  const wrong: string[] = [];
  const found = new Set<string>();
  for (const file of files.filter((each) => each.startsWith(`${layer}/`) && each !== "protocol/operations.ts")) {
    const room = roomOf(file, layer);
    found.add(room);
    for (const { target, line } of importsOf(file)) {
      const resolved = path.posix.join(path.posix.dirname(file), target);
      if (!target.startsWith(".") || !resolved.startsWith(`${layer}/`)) continue;
      const other = roomOf(resolved, layer);
      if (other !== room && !rooms[room]?.split(" ").includes(other)) wrong.push(`${file}:${line} imports ${resolved}`);
    }
  }
  expect(wrong).toEqual([]);
  expect([...found].sort()).toEqual(Object.keys(rooms).sort());
  const names = Object.keys(rooms);
  const upward = Object.entries(rooms).flatMap(([room, allowed]) =>
    allowed.split(" ").filter((other) => other !== "" && names.indexOf(other) >= names.indexOf(room)),
  );
  expect(upward).toEqual([]);
});

test("no files import each other in a circle", () => {
  const graph = new Map(
    files.map((file) => [
      file,
      importsOf(file)
        .filter(({ target, isType }) => target.startsWith(".") && !isType)
        .map(({ target }) => path.posix.join(path.posix.dirname(file), target)),
    ]),
  );
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

test("each library sits behind its file, and objects know no node", () => {
  const wrong: string[] = [];
  for (const file of files) {
    for (const { target, line } of importsOf(file)) {
      if (target.startsWith(".")) continue;
      const name = target.startsWith("@") ? target.split("/").slice(0, 2).join("/") : (target.split("/")[0] as string);
      if (name.startsWith("node:")) {
        if (file.startsWith("protocol/objects/")) wrong.push(`${file}:${line} imports ${target}`);
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

test("only the store writes", () => {
  // What is written to 1 and 2 goes to whoever called. A pack is opened for reading.
  const writing =
    /\bfs\.(write(?!Sync\([12],)|append|mkdir|rename|link|symlink|unlink|rm|cp|copyFile|open|truncate|utimes|chmod|createWrite)/;
  const wrong = files
    .filter(
      (file) => !file.startsWith("protocol/store/") && !["cli/demo/stage.ts", "cli/start/relay.ts", "cli/start/pack.ts"].includes(file),
    )
    .flatMap((file) =>
      fs
        .readFileSync(file, "utf8")
        .split("\n")
        .flatMap((text, index) => (writing.test(text) ? [`${file}:${index + 1} ${text.trim()}`] : [])),
    );
  expect(wrong).toEqual([]);
});
