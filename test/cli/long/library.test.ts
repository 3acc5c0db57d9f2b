/** The library as a program gets it: in a project of its own, from the built package with its types. */
import { execFile, spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { distribution } from "../../rig/built.ts";
import { relay } from "../../rig/processes.ts";
import { cleanEnv, until } from "../../rig/scratch.ts";

const run = promisify(execFile);
const TSC = path.resolve("node_modules/typescript/bin/tsc");
const EXAMPLES = ["answer-mail.mjs", "who-waits.mjs", "work-tasks.mjs"];

let project: string;
const inProject = (name: string): string => path.join(project, name);

/** A project with the package in it as `npm install` lays it: what is packed, the types as the build makes them, what it depends on. */
beforeAll(async () => {
  // One for all tests of this file, so it is not the scratch of one.
  project = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "relay-library-")));
  const at = inProject("node_modules/git-relay");
  fs.mkdirSync(at, { recursive: true });
  fs.copyFileSync("package.json", path.join(at, "package.json"));
  fs.cpSync(distribution(), path.join(at, "dist"), { recursive: true, filter: (name) => !/compiled|\.cjs/.test(name) });
  await run(process.execPath, [TSC, "-p", "tsconfig.build.json", "--outDir", path.join(at, "dist/types")]);
  const { dependencies } = JSON.parse(fs.readFileSync("package.json", "utf8")) as { dependencies: Record<string, string> };
  for (const name of new Set(["@types", ...Object.keys(dependencies).map((each) => each.split("/")[0] as string)])) {
    fs.symlinkSync(path.resolve("node_modules", name), inProject(`node_modules/${name}`));
  }
  fs.writeFileSync(inProject("package.json"), JSON.stringify({ type: "module" }));
  for (const name of EXAMPLES) fs.copyFileSync(path.join("examples", name), inProject(name));
});

afterAll(() => fs.rmSync(project, { recursive: true, force: true }));

const env = (): NodeJS.ProcessEnv => cleanEnv({ HOME: project });
const example = (name: string, ...args: string[]) => run(process.execPath, [inProject(name), ...args], { cwd: project, env: env() });

test("these are all examples", () => {
  expect(fs.readdirSync("examples").sort()).toEqual(EXAMPLES);
});

/** An argument that is misspelt, and a field that no answer has. */
const WRONG = `import { createWorld, operations, perform } from "git-relay";
const { messages } = await perform(createWorld(), operations.inbox, {});
console.log(messages[0]?.sender);
const sent = await perform(createWorld(), operations.send, { to: ["web"], subject: "s", text: "b" });
sent.messageId.length;
`;

test("the examples, and those of docs/library.md, are right by the types of the package, and what is misspelt is a fault", async () => {
  const texts = [...fs.readFileSync("docs/library.md", "utf8").matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, text]) => text as string);
  expect(texts.length).toBeGreaterThan(5);
  const files = texts.map((text, at) => {
    fs.writeFileSync(inProject(`docs-${at}.mjs`), `// @ts-check\n${text}`);
    return `docs-${at}.mjs`;
  });
  fs.writeFileSync(inProject("wrong.mts"), WRONG);
  const options = { module: "nodenext", target: "es2023", strict: true, noEmit: true, allowJs: true, checkJs: true, types: ["node"] };
  fs.writeFileSync(inProject("tsconfig.json"), JSON.stringify({ compilerOptions: options, files: [...EXAMPLES, ...files, "wrong.mts"] }));
  const checked = await run(process.execPath, [TSC, "-p", "."], { cwd: project }).catch((error: { stdout: string }) => error);
  const faults = checked.stdout.split("\n").filter((line) => /^\S/.test(line));
  expect(faults.filter((line) => !line.startsWith("wrong.mts"))).toEqual([]);
  for (const fault of [/^wrong\.mts\(3,.*sender/, /^wrong\.mts\(5,/]) expect(faults).toContainEqual(expect.stringMatching(fault));
});

test("the types of the library lead to no file of the home and of the disk", () => {
  const seen = new Set<string>();
  const follow = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    const text = fs.readFileSync(file, "utf8");
    for (const [, next = ""] of text.matchAll(/(?:from |import\()"(\.[^"]+)\.[tj]s"/g))
      follow(path.resolve(path.dirname(file), `${next}.d.ts`));
  };
  const types = inProject("node_modules/git-relay/dist/types");
  follow(path.join(types, "protocol/index.d.ts"));
  const reached = [...seen].map((file) => path.relative(types, file));
  expect(reached).toContain("protocol/core/world.d.ts");
  expect(reached.filter((file) => /^protocol\/(home|store)\//.test(file))).toEqual([]);
});

test("the bot answers a thread once, and acks what it read; then no part waits for it", async () => {
  await relay(project, ["init", "web", "api"]);
  await relay(project, ["send", "web", "Price?", "Which field is it?", "--part", "api"]);
  expect((await example("who-waits.mjs")).stdout).toMatch(/^api waits for web since \S+: Price\? \(stored\)\n$/);
  const bot = spawn(process.execPath, [inProject("answer-mail.mjs"), "web"], { cwd: project, env: env(), stdio: "pipe" });
  const ended = new Promise((resolve) => bot.once("exit", resolve));
  // By the files: what a list shows to web would be no news to the bot.
  const unread = (part: string): number => fs.readdirSync(inProject(`.relay/inbox/${part}/new`)).length;
  await until("the answer", () => unread("api") === 1);
  await until("the ack", () => unread("web") === 0);
  const [answer] = (await relay(project, ["inbox", "--part", "api", "--json"])).json.messages;
  await relay(project, ["reply", answer.threadId, "Thank you.", "--part", "api", "--ack"]);
  await until("the second ack", () => unread("web") === 0);
  expect(unread("api")).toBe(0);
  bot.kill("SIGINT");
  expect(await ended).toBe(0);
});

test("two workers do each task once", async () => {
  await relay(project, ["session", "start", "--part", "api"]);
  for (const title of ["one", "two", "three"]) await relay(project, ["task", "create", title, "--part", "api"]);
  const both = await Promise.all(["web", "api"].map((part) => example("work-tasks.mjs", part)));
  const done = both.flatMap(({ stdout }) => stdout.trim().split("\n")).filter((line) => line !== "");
  expect(done.sort()).toEqual(["one", "three", "two"].map((title) => `working on ${title}`));
  const { tasks } = (await relay(project, ["task", "list", "--json"])).json;
  expect(tasks.map((task: { status: string }) => task.status)).toEqual(["done", "done", "done"]);
});
