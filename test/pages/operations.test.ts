import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { AnyOperation } from "../../protocol/core/operation.ts";
import { operations } from "../../protocol/operations.ts";

const FOLDER = "protocol";
const isOperation = (value: unknown): value is AnyOperation =>
  typeof value === "object" && value !== null && "command" in value && "run" in value;

/** Operations whose tool has another name than they have: those of a position, which programs of agents know by these names. */
const OTHER_TOOL: Readonly<Record<string, string>> = {
  office_send: "Send",
  office_members: "ListTeamMembers",
  office_close: "CloseConversation",
  office_ask: "AskQuestion",
  office_read: "ReadReply",
};

test("each operation that is defined is in the list, has a file of its own in a room, and its variable is its name", async () => {
  const found: string[] = [];
  for (const file of fs.readdirSync(FOLDER, { recursive: true }) as string[]) {
    if (!/^[\w-]+\/verbs\/[\w-]+\.ts$/.test(file)) continue;
    const exported: Record<string, unknown> = await import(/* @vite-ignore */ `../../${FOLDER}/${file}`);
    for (const [variable, value] of Object.entries(exported)) {
      if (!isOperation(value)) continue;
      const { name } = value;
      expect({ file: path.basename(file), variable }).toEqual({ file: `${name.replaceAll("_", "-")}.ts`, variable: name });
      found.push(name);
    }
  }
  expect(found.sort()).toEqual(Object.keys(operations).sort());
});

test("the list is plain", () => {
  const list = /export const operations = \{\n([\s\S]*?)\n\};/.exec(fs.readFileSync("protocol/operations.ts", "utf8"))?.[1];
  expect(list?.split("\n")).toEqual(Object.values(operations).map(({ name }) => `  ${name},`));
});

test("a tool has the name of its operation", () => {
  const other = Object.values(operations).flatMap(({ name, tool }) =>
    tool === null || tool.name === name ? [] : [[name, tool.name] as const],
  );
  expect(Object.fromEntries(other)).toEqual(OTHER_TOOL);
});
