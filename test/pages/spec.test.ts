import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import * as z from "zod/mini";
import { configSchema } from "../../cli/published-schemas.ts";
import { flagsOf } from "../../cli/typed/flags.ts";
import { resolveTeam } from "../../protocol/agents/nouns/agent.ts";
import { parseTeam } from "../../protocol/agents/nouns/team.ts";
import { artifactFolderName, NAME_HASH, parseArtifact } from "../../protocol/board/nouns/artifact.ts";
import { withLesson, withSection } from "../../protocol/board/nouns/memory.ts";
import { parseConfig } from "../../protocol/core/config/config.ts";
import { eventPath } from "../../protocol/core/event/event.ts";
import { FINDINGS } from "../../protocol/core/format/finding.ts";
import { LIMITS } from "../../protocol/core/format/schema.ts";
import { nounAt } from "../../protocol/core/tree/layout.ts";
import { type AnyOperation, operationList, operations, perform } from "../../protocol/index.ts";
import { locateMessage } from "../../protocol/mail/nouns/message.ts";
import { parsePresence, presenceFolder } from "../../protocol/mail/nouns/part.ts";
import { type NounKind, nouns } from "../../protocol/nouns.ts";
import { REFUSALS } from "../../protocol/refusals.ts";
import { sha256 } from "../../protocol/store/digest.ts";
import { formatStep, parseStep, wakePath } from "../../protocol/wake/nouns/wake-record.ts";
import { homeWith, worldAt } from "../rig/home.ts";
import { cleanEnv, scratch } from "../rig/scratch.ts";

/** The pages of the specification: the core first, then the others. They are read as one text. */
const pages = ["SPEC.md", ...fs.readdirSync("spec").map((name) => `spec/${name}`)];
const SPEC = pages.map((file) => fs.readFileSync(file, "utf8")).join("\n");
const section = (title: string): string => SPEC.split(new RegExp(`^#+ ${title}$`, "m"))[1]?.split(/^#+ /m)[0] ?? "";
const rows = (title: string): string[][] =>
  [...section(title).matchAll(/^\|(.+)\|$/gm)].slice(2).map((match) => (match[1] as string).split("|").map((cell) => cell.trim()));

/** Every fenced example that names the path of the object it shows. */
const examples = [...SPEC.matchAll(/^```\w+ path=(\S+)\n([\s\S]*?)^```$/gm)].map((match) => ({
  at: match[1] as string,
  text: match[2] as string,
}));

const textAt = (at: string): string => examples.find((example) => example.at === at)?.text as string;

/** What an example says beside being read, written back to the same bytes, and lying where it says. */
const SAYS: Partial<Record<NounKind, (at: string, text: string) => void>> = {
  config: (_at, text) => expect([...parseConfig(text).parts.keys()]).toEqual(["main", "web", "shop/api", "human"]),
  artifact: (at, text) => {
    const { name } = parseArtifact(text);
    expect(at).toContain(`/${artifactFolderName(name, sha256(name).slice(0, NAME_HASH))}/`);
  },
  memory: (_at, text) => {
    const money = withSection("", "money", "Amounts are in cents.");
    const both = withSection(money, "times", "UTC, everywhere.");
    expect(withLesson(both, "2026-01-31", "Prices are `amount`, in cents.", "t-20260131-k3f9x2ab")).toBe(text);
  },
  pool: (at, text) => expect(resolveTeam(parseTeam(text, at), null)).toMatchObject({ agents: [{ id: "backend" }], problems: [] }),
  team: (at, text) => {
    const team = resolveTeam(parseTeam(text, at), parseTeam(textAt("agents.pool.yml"), "agents.pool.yml"));
    expect(team).toMatchObject({
      problems: [],
      agents: [{ id: "backend" }, { id: "backend-2", language: "de", hooks: { after_task: [] } }],
    });
    expect(team.agents[1]?.systemPrompt).toContain("you are backend-2.");
  },
  events: (at, text) => expect(eventPath((JSON.parse(text) as { at: string }).at.slice(0, 10), path.basename(at, ".jsonl"))).toBe(at),
};

/** Examples of files of one machine. */
const OF_MACHINE: [RegExp, (at: string, text: string) => void][] = [
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
  const found = nounAt(at);
  const ofMachine = OF_MACHINE.find(([rule]) => rule.test(at));
  expect(found ?? ofMachine, "a kind of object").toBeTruthy();
  ofMachine?.[1](at, text);
  if (found === null) return;
  const { noun, place } = found;
  expect(noun.path(place)).toBe(at);
  const value = noun.parse(text, place, sha256);
  if (noun.format !== undefined) expect(noun.format(value, place, sha256)).toBe(text);
  SAYS[place.kind]?.(at, text);
});

/** Nouns without an example: another name of a message, any text, or what another noun's example shows as well. */
const UNSHOWN: readonly NounKind[] = [
  ...(["unread", "acked", "decision", "refused", "summary", "version"] as const),
  ...(["content", "state", "label", "text", "turn_text"] as const),
];

test("there is an example of each kind of object", () => {
  const shown = new Set(examples.map(({ at }) => nounAt(at)?.place.kind));
  expect(
    nouns
      .map(({ kind }) => kind)
      .filter((kind) => !shown.has(kind))
      .sort(),
  ).toEqual([...UNSHOWN].sort());
  expect(OF_MACHINE.filter(([rule]) => !examples.some(({ at }) => rule.test(at)))).toEqual([]);
});

test("the catalogue of refusals is the table of error codes", () => {
  const written = rows("Error codes").map(([code, exit]) => `${code?.replaceAll("`", "")} ${exit}`);
  expect(written.sort()).toEqual(
    Object.entries(REFUSALS)
      .map(([code, { exit }]) => `${code} ${exit}`)
      .sort(),
  );
});

test("the operations and their arguments are those of the tables", () => {
  const board = rows("Operations of the board");
  const written = [...rows("Operations"), ...board];
  for (const operation of operationList) {
    if (operation.name.startsWith("part_")) {
      expect(section("Operations"), operation.name).toContain(`\`${operation.name}\``);
      continue;
    }
    const row = written.find(([name]) => name?.replace(" °", "") === `\`${operation.name}\``) as string[];
    expect(row, operation.name).toBeDefined();
    if (board.includes(row)) {
      expect(row[3], operation.name).toBe(`\`${operation.command}\``);
      expect((row[0] as string).endsWith("°"), operation.name).toBe(operation.tool === null);
    }
    const list = (cell: string): string[] => cell.split(", ").filter((name) => name !== "");
    const named = list((row[1] as string).replaceAll(" or ", ", "));
    const shape = operation.input.shape as Record<string, z.core.$ZodType>;
    expect(named.map((name) => name.replace("*", "")).sort(), operation.name).toEqual(Object.keys(shape).sort());
    if (board.includes(row)) {
      const required = Object.keys(shape).filter((name) => !z.safeParse(shape[name] as z.core.$ZodType, undefined).success);
      expect(named.filter((name) => name.endsWith("*")).sort(), operation.name).toEqual(required.map((name) => `${name}*`).sort());
      const answered = Object.keys(operation.output.shape).filter((name) => name !== "problems" && name !== "warning");
      expect(list(row[2] as string), operation.name).toEqual(answered);
    } else {
      expect(Object.keys(operation.output.shape), operation.name).toEqual(
        expect.arrayContaining(list((row[2] as string).replace(" with receipts", ""))),
      );
    }
  }
});

test("the answers of the board have the fields of the table", () => {
  const fieldsOf = (operation: AnyOperation, name: string): string[] => {
    const plain = operation.output.shape[name]._zod.def as { element?: { shape: object }; shape?: object };
    return Object.keys(plain.element?.shape ?? plain.shape ?? {});
  };
  expect(rows("What they answer with")).toEqual(
    [
      ["task", fieldsOf(operations.get_all_tasks, "tasks")],
      ["message", fieldsOf(operations.get_messages, "messages")],
      ["artifact", fieldsOf(operations.get_artifact, "artifact")],
      ["review", fieldsOf(operations.list_reviews, "reviews")],
      ["agent", fieldsOf(operations.list_agents, "agents")],
    ].map(([one, fields]) => [one, (fields as string[]).join(", ")]),
  );
});

test("the limits are those of the code", () => {
  const numbers = section("Limits") + section("Limits of calls");
  const shown = (value: number): string => value.toLocaleString("en-US");
  for (const [name, value] of Object.entries(LIMITS)) expect(numbers, name).toContain(shown(value));
});

test("the findings of check are those of the table", () => {
  const written = rows("Findings").flatMap(([codes = ""]) => [...codes.matchAll(/`(\w+)`/g)].map((match) => match[1]));
  expect(written.sort()).toEqual(Object.keys(FINDINGS).sort());
});

test("every reference from the sources to a section of the specification leads to one", () => {
  const headings = new Set(
    pages.flatMap((page) => [...fs.readFileSync(page, "utf8").matchAll(/^#+ (.+)$/gm)].map((match) => `${page}, ${match[1] as string}`)),
  );
  const sources = execFileSync("git", ["ls-files", "*.ts", "*.mjs"], { encoding: "utf8" }).trim().split("\n");
  const missing = sources
    .filter((file) => fs.existsSync(file))
    .flatMap((file) =>
      [...fs.readFileSync(file, "utf8").matchAll(/((?:SPEC|spec\/[a-z]+)\.md), (?:"([^"]+)"|([\w. ]+), says)/g)]
        .filter(([, page, quoted, said]) => !headings.has(`${page}, ${quoted ?? said}`))
        .map(([reference]) => `${file}: ${reference}`),
    );
  expect(missing).toEqual([]);
});

test("the published schema of relay.yml is that of the code", () => {
  expect(JSON.parse(fs.readFileSync("templates/relay.schema.json", "utf8"))).toEqual(configSchema());
});

const guides = fs
  .readdirSync("docs")
  .filter((name) => name.endsWith(".md"))
  .map((name) => `docs/${name}`);

test.each(["README.md", "templates/RELAY.md", ...guides])("the commands that %s shows are there, with their flags", (file) => {
  const known = new Map(operationList.map((operation) => [operation.command, flagsOf(operation).map(({ flag }) => flag)]));
  const more = "--all --tools --last --setup --allow --worktree --remove --open --read-only --html --forget --dashboard".split(" ");
  for (const name of "watch mcp demo schema completion part pager up attach down hook help dashboard export".split(" "))
    known.set(name, more);
  const groups = [...new Set(operationList.flatMap(({ command }) => (command.includes(" ") ? [command.split(" ")[0] as string] : [])))];
  const text = fs.readFileSync(file, "utf8");
  const shown = [...text.matchAll(new RegExp(`(?:^|[\`(]|-- )relay ((?:(?:${groups.join("|")}) )?[a-z][a-z-]*)([^\`\\n#]*)`, "gm"))].map(
    (match) => ({ command: match[1] as string, rest: match[2] as string }),
  );
  if (!guides.includes(file)) expect(shown.length).toBeGreaterThan(8);
  for (const { command, rest } of shown) {
    const flags = known.get(command);
    expect(flags, command).toBeDefined();
    for (const [flag] of rest.replace(/"[^"]*"/g, "").matchAll(/--[a-z-]+/g))
      expect([...(flags ?? []), "--at", "--part", "--json", "--home", "--help"], `${command} ${rest}`).toContain(flag);
  }
});

test("the guide for agents is short", () => {
  expect(fs.readFileSync("templates/RELAY.md", "utf8").split("\n").length).toBeLessThanOrEqual(60);
});

test("a token, as SPEC.md lets a shell work it out", () => {
  const script = /^```sh run=seal\n([\s\S]*?)^```$/m.exec(SPEC)?.[1] as string;
  const { at, text } = examples.find((example) => locateMessage(example.at) !== null) as { at: string; text: string };
  const [, ms = ""] = /it prints `\w+` for (\d{13})\./.exec(SPEC) ?? [];
  const file = path.join(scratch(), "unnamed");
  fs.writeFileSync(file, text.replace(/^id: .*\n/m, ""));
  const printed = execFileSync("sh", ["-euc", `${script}\nseal "$1" "$2"`, "sh", file, ms], { encoding: "utf8", env: cleanEnv() });
  expect(printed.trim()).toBe(locateMessage(at)?.token);
  expect(SPEC).toContain(`it prints \`${printed.trim()}\``);
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
  expect(fs.readdirSync(path.join(home, "outbox/web/sent"))).toEqual(["api-ready.md", "api-ready.md.answer"]);
  expect(await perform(main, operations.doctor, {})).toMatchObject({ ok: true });
});
