import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import * as door from "../../protocol/index.ts";

/** What a program may use. A name that is added, renamed or taken away here is a change that programs feel: CHANGELOG.md names it. */
const VALUES = `EXIT FORMAT HUMAN LIMITS Refusal answer asViewer createWorld deriveOfficeRoster deriveProjectRoster deriveRoster
deriveWorkgroupRoster hasSubRoster newConnection onOfficeEvent operationList operations perform positionMap readOffice
withSignal worldAtRecord`.split(/\s/);
const TYPES = `AnyOperation Claim Connection Effect FailureReply FileFault HeldClaim Identity InputOf Me Message Office OfficeEvent
Operation OutputOf Part Performed Position RefusalCode Roster RosterEntry Shape SuccessReply Task Thread World
WorldOptions`.split(/\s/);

/** The names that a door's text exports, and whether each is a type. */
function exportsOf(file: string): { name: string; isType: boolean }[] {
  const lists = [...fs.readFileSync(file, "utf8").matchAll(/^export( type)? \{([^}]*)\}/gm)];
  return lists.flatMap(([, type, names = ""]) =>
    names
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== "")
      .map((name) => ({ name: name.replace(/^type /, ""), isType: type !== undefined || name.startsWith("type ") })),
  );
}

test("the library has these names and no others", async () => {
  expect(Object.keys(door).sort()).toEqual(VALUES);
  const types = exportsOf("protocol/index.ts").filter(({ isType }) => isType);
  expect(types.map(({ name }) => name).sort()).toEqual(TYPES);
  const built = (await import(path.resolve("dist/index.js"))) as Record<string, unknown>;
  expect(Object.keys(built).sort()).toEqual(VALUES);
});

test("every name of the library says what it is", () => {
  const files = (fs.readdirSync("protocol", { recursive: true }) as string[]).filter((name) => name.endsWith(".ts"));
  const text = files.map((name) => fs.readFileSync(path.join("protocol", name), "utf8")).join("\n");
  const mute = [...VALUES, ...TYPES].filter((name) => {
    const declared = new RegExp(`\\*/\\n(?://.*\\n)?export (?:async )?(?:const|function|class|interface|type) ${name}\\b`);
    return !declared.test(text);
  });
  expect(mute).toEqual([]);
});

test("the package lets in by these ways and no others", () => {
  const { exports } = JSON.parse(fs.readFileSync("package.json", "utf8")) as { exports: Record<string, unknown> };
  expect(exports).toEqual({
    ".": { types: "./dist/types/protocol/index.d.ts", default: "./dist/index.js" },
    "./relay.schema.json": "./templates/relay.schema.json",
    "./agents.schema.json": "./templates/agents.schema.json",
    "./package.json": "./package.json",
  });
});
