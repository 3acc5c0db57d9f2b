import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { flagsOf } from "../cli/flags.ts";
import { configSchema } from "../cli/schema.ts";
import { operationList, operations, perform, REFUSALS } from "../protocol/index.ts";
import { parseConfig } from "../protocol/objects/config.ts";
import { eventPath } from "../protocol/objects/event.ts";
import { formatGuest, guestPath, parseGuest } from "../protocol/objects/guest.ts";
import { parseThreadId } from "../protocol/objects/id.ts";
import { formatMessage, locateMessage, messagePath, parseMessage } from "../protocol/objects/message.ts";
import { parsePresence, presenceFolder } from "../protocol/objects/presence.ts";
import { LIMITS } from "../protocol/objects/schema.ts";
import { formatThread, parseThread, threadPath } from "../protocol/objects/thread.ts";
import { formatStep, parseStep, wakePath } from "../protocol/objects/wake.ts";
import { cleanEnv, homeWith, worldAt } from "./rig.ts";

const SPEC = fs.readFileSync("SPEC.md", "utf8");
const headings = [...SPEC.matchAll(/^#+ (.+)$/gm)].map((match) => match[1] as string);
const section = (title: string): string => SPEC.split(new RegExp(`^#+ ${title}$`, "m"))[1]?.split(/^#+ /m)[0] ?? "";
const rows = (title: string): string[][] =>
  [...section(title).matchAll(/^\|(.+)\|$/gm)].slice(2).map((match) => (match[1] as string).split("|").map((cell) => cell.trim()));

/** Every fenced example that names the path of the object it shows. */
const examples = [...SPEC.matchAll(/^```\w+ path=(\S+)\n([\s\S]*?)^```$/gm)].map((match) => ({
  at: match[1] as string,
  text: match[2] as string,
}));

/** Each kind of object: an example must be read, written back to the same bytes, and lie where it says. */
const KINDS: [RegExp, (at: string, text: string) => void][] = [
  [/^relay\.yml$/, (_at, text) => expect([...parseConfig(text).parts.keys()]).toEqual(["main", "web", "shop/api", "human"])],
  [
    /thread\.md$/,
    (at, text) => {
      const key = parseThreadId(at.split("/")[2] as string);
      if (key === null) throw new Error(at);
      expect(threadPath(key)).toBe(at);
      expect(formatThread(parseThread(text, key))).toBe(text);
    },
  ],
  [
    /^threads\//,
    (at, text) => {
      const key = locateMessage(at);
      if (key === null) throw new Error(at);
      expect(messagePath(key)).toBe(at);
      expect(formatMessage(parseMessage(text, key))).toBe(text);
    },
  ],
  [
    /guest\.md$/,
    (at, text) => {
      const guest = parseGuest(text);
      expect(guestPath(guest.part)).toBe(at);
      expect(formatGuest(guest)).toBe(text);
    },
  ],
  [
    /^events\//,
    (at, text) => expect(eventPath((JSON.parse(text) as { at: string }).at.slice(0, 10), path.basename(at, ".jsonl"))).toBe(at),
  ],
  [
    /^run\/wakes\//,
    (at, text) => {
      const step = parseStep(text);
      if (step === null) throw new Error(at);
      expect(wakePath(at.split("/")[2] as string, step.n)).toBe(at);
      expect(formatStep(step)).toBe(text);
    },
  ],
  [/^run\/waiters\//, (at, text) => expect(at).toContain(`run/waiters/${JSON.parse(text).part}/${JSON.parse(text).process}-`)],
  [
    /^run\/presence\//,
    (at, text) => {
      const presence = parsePresence(text);
      expect(`${presenceFolder(presence?.part as string)}/${presence?.process}-0.json`).toBe(at);
    },
  ],
];

test.each(examples)("the example $at is what it says", ({ at, text }) => {
  const kind = KINDS.find(([rule]) => rule.test(at));
  expect(kind, "a kind of object").toBeDefined();
  kind?.[1](at, text);
});

test("there is an example of each kind of object", () => {
  expect(KINDS.filter(([rule]) => !examples.some(({ at }) => rule.test(at)))).toEqual([]);
});

test("the catalogue of refusals is the table of error codes", () => {
  const written = rows("Error codes").map(([code, exit]) => [code?.replaceAll("`", ""), Number(exit)]);
  expect(written).toEqual(Object.entries(REFUSALS).map(([code, { exit }]) => [code, exit]));
});

test("the operations and their arguments are those of the table", () => {
  const text = section("Operations");
  for (const operation of operationList) {
    expect(text, operation.name).toContain(`\`${operation.name}\``);
    if (operation.name.startsWith("part_")) continue;
    const row = rows("Operations").find(([name]) => name === `\`${operation.name}\``) as string[];
    const named = (row[1] as string)
      .replaceAll("*", "")
      .replaceAll(" or ", ", ")
      .split(", ")
      .filter((name) => name !== "")
      .sort();
    expect(named, operation.name).toEqual(Object.keys(operation.input.shape).sort());
    expect(Object.keys(operation.output.shape), operation.name).toEqual(
      expect.arrayContaining((row[2] as string).replace(" with receipts", "").split(", ")),
    );
  }
});

test("the limits are those of the code", () => {
  const numbers = section("Limits");
  const shown = (value: number): string => value.toLocaleString("en-US");
  for (const [name, value] of Object.entries(LIMITS)) expect(numbers, name).toContain(shown(value));
});

test("every reference to a section of SPEC.md leads to one", () => {
  const sources = execFileSync("git", ["ls-files", "*.ts"], { encoding: "utf8" }).trim().split("\n");
  const missing = sources.flatMap((file) =>
    [...fs.readFileSync(file, "utf8").matchAll(/SPEC\.md, "([^"]+)"/g)]
      .filter((match) => !headings.includes(match[1] as string))
      .map((match) => `${file}: ${match[1]}`),
  );
  expect(missing).toEqual([]);
});

test("every link within SPEC.md leads to a heading", () => {
  const anchors = headings.map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\w -]/g, "")
      .replaceAll(" ", "-"),
  );
  const links = [...SPEC.matchAll(/\]\(#([^)]+)\)/g)].map((match) => match[1] as string);
  expect(links.filter((link) => !anchors.includes(link))).toEqual([]);
});

test("the published schema of relay.yml is that of the code", () => {
  expect(JSON.parse(fs.readFileSync("templates/relay.schema.json", "utf8"))).toEqual(configSchema());
});

test.each(["README.md", "templates/RELAY.md"])("the commands that %s shows are there, with their flags", (file) => {
  const known = new Map(operationList.map((operation) => [operation.command, flagsOf(operation).map(({ flag }) => flag)]));
  for (const name of ["watch", "mcp", "demo", "schema", "completion", "part", "pager"]) known.set(name, ["--tools", "--last"]);
  const text = fs.readFileSync(file, "utf8");
  const shown = [...text.matchAll(/(?:^|[`(]|-- )relay ((?:part )?[a-z][a-z-]*)([^`\n#]*)/gm)].map((match) => ({
    command: match[1] as string,
    rest: match[2] as string,
  }));
  expect(shown.length).toBeGreaterThan(8);
  for (const { command, rest } of shown) {
    const flags = known.get(command);
    expect(flags, command).toBeDefined();
    for (const [flag] of rest.matchAll(/--[a-z-]+/g))
      expect([...(flags ?? []), "--part", "--json", "--home", "--help"], `${command} ${rest}`).toContain(flag);
  }
});

test("what agents are told is short", () => {
  expect(fs.readFileSync("templates/RELAY.md", "utf8").split("\n").length).toBeLessThanOrEqual(60);
});

test("with only a shell, as SPEC.md writes it: read, ack, send", async () => {
  const folder = await homeWith("web");
  const home = path.join(folder, ".relay");
  const main = worldAt(folder, { part: "main" });
  await perform(main, operations.send, { to: ["web"], subject: "Ready?", body: "Say so." });
  const script = /^```sh run\n([\s\S]*?)^```$/m.exec(SPEC)?.[1] as string;
  const printed = execFileSync("sh", ["-eu", "-c", script], { cwd: home, encoding: "utf8", env: cleanEnv() });
  expect(printed).toContain("Say so.");
  expect(fs.readdirSync(path.join(home, "inbox/web/new"))).toEqual([]);
  const answer = await perform(main, operations.inbox, {});
  expect(answer["messages"]).toMatchObject([{ from: "web", subject: "API is ready", preview: "GET /users answers now." }]);
  const shown = await perform(main, operations.threads, {});
  const asked = (shown["threads"] as { id: string; subject: string }[]).find(({ subject }) => subject === "Ready?");
  expect((await perform(main, operations.show, { threadId: asked?.id }))["messages"]).toMatchObject([
    { receipts: [{ part: "web", state: "acked" }] },
  ]);
  expect(fs.readdirSync(path.join(home, "outbox/web/sent"))).toEqual(["api-ready.md"]);
  expect(await perform(main, operations.doctor, {})).toMatchObject({ ok: true });
});
