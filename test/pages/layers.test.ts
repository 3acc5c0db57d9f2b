import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

/** Who may import what of the project: the first row that fits a file counts. A row's own folder is always allowed. */
const MAY: readonly [file: RegExp, allowed: RegExp][] = [
  [/^protocol\/refusal\.ts$/, /^protocol\/objects\/shell-word\.ts$/],
  [/^protocol\/objects\//, /^protocol\/objects\//],
  [/^protocol\/store\//, /^protocol\/(store\/|refusal\.ts)/],
  [/^protocol\/templates\.ts$/, /^templates\//],
  [/^protocol\/home\//, /^protocol\/(home|store|objects)\/|^protocol\/(refusal|templates|world)\.ts/],
  [/^protocol\/world\.ts$/, /^protocol\/(home|objects)\/|^protocol\/store\/(digest|disk-clock)\.ts/],
  [/^protocol\/operation\.ts$/, /^protocol\/(home|objects)\/|^protocol\/(refusal|world)\.ts/],
  [/^protocol\/operations\//, /^protocol\/(operations|home|store|objects)\/|^protocol\/(operation|refusal|templates|world)\.ts/],
  [/^protocol\//, /^protocol\//],
  [/^pager\//, /^(pager\/|protocol\/index\.ts)/],
  [/^mcp\//, /^(mcp\/|protocol\/index\.ts)/],
  [/^cli\//, /^(cli\/|mcp\/(server|sdk-client)\.ts|pager\/|protocol\/index\.ts)/],
];

/** Each library sits behind one file, or two where both read the same language. */
const BEHIND: Record<string, RegExp> = {
  "gray-matter": /^protocol\/objects\/frontmatter\.ts$/,
  yaml: /^protocol\/objects\/(yaml|frontmatter|config-text|merge-config|team)\.ts$/,
  "jsonc-parser": /^protocol\/objects\/json-text\.ts$/,
  "smol-toml": /^protocol\/objects\/toml-text\.ts$/,
  "fastest-levenshtein": /^protocol\/objects\/part\.ts$/,
  "proper-lockfile": /^protocol\/store\/lock\.ts$/,
  chokidar: /^protocol\/store\/watch\.ts$/,
  "simple-git": /^protocol\/store\/git\.ts$/,
  re2js: /^protocol\/home\/search-text\.ts$/,
  "@modelcontextprotocol/sdk": /^mcp\/sdk(-client)?\.ts$/,
  commander: /^cli\//,
  zod: /^(protocol|pager|mcp|cli)\//,
};

const files = ["protocol", "pager", "mcp", "cli"].flatMap((top) =>
  (fs.readdirSync(top, { recursive: true }) as string[]).filter((name) => name.endsWith(".ts")).map((name) => `${top}/${name}`),
);

function importsOf(file: string): { target: string; line: number }[] {
  return fs
    .readFileSync(file, "utf8")
    .split("\n")
    .flatMap((text, index) => {
      const match = /(?:\bfrom |\bimport\(|^import )"([^"]+)"/.exec(text);
      return match === null ? [] : [{ target: match[1] as string, line: index + 1 }];
    });
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

test("only the store writes", () => {
  // What is written to 1 and 2 goes to whoever called.
  const writing =
    /\bfs\.(write(?!Sync\([12],)|append|mkdir|rename|link|symlink|unlink|rm|cp|copyFile|open|truncate|utimes|chmod|createWrite)/;
  const wrong = files
    .filter((file) => !file.startsWith("protocol/store/") && !["cli/demo/stage.ts", "cli/relay.ts"].includes(file))
    .flatMap((file) =>
      fs
        .readFileSync(file, "utf8")
        .split("\n")
        .flatMap((text, index) => (writing.test(text) ? [`${file}:${index + 1} ${text.trim()}`] : [])),
    );
  expect(wrong).toEqual([]);
});
