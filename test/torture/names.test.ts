/** Names that are paths, devices, twins or too long: refused before a path is built, for every id of every operation. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { type AnyOperation, operationList, operations, perform, Refusal } from "../../protocol/index.ts";
import { homeWith, scratch, tree, worldAt } from "../rig.ts";

const NAMES = [
  "..",
  "../web",
  "../../etc/passwd",
  "/etc/passwd",
  "a\\b",
  "..\\web",
  ".git",
  ".",
  "CON",
  "nul",
  "com1/x",
  "x.",
  "x ",
  " web",
  "web/",
  "web//x",
  "a/b/c/d",
  "x".repeat(256),
  "we\u0301b",
  "w\u00e9b",
  "web\0",
  "web\n",
  "%2e%2e",
  "~",
  "$(touch owned)",
  "new",
  "read/x",
  "*/..",
];

/** The arguments that are ids, and what else a call needs to come as far as looking at them. */
const IDS: Record<string, { arguments: string[]; rest: (sent: { threadId: string; messageId: string }) => Record<string, unknown> }> = {
  init: { arguments: ["parts", "main"], rest: () => ({}) },
  send: { arguments: ["to", "agent_id"], rest: () => ({ to: ["api"], subject: "s", body: "b" }) },
  reply: { arguments: ["threadId", "to", "agent_id"], rest: ({ threadId }) => ({ threadId, body: "b" }) },
  inbox: { arguments: ["agent_id"], rest: () => ({}) },
  ack: { arguments: ["messageIds", "messageId", "threadId", "agent_id"], rest: () => ({}) },
  show: { arguments: ["threadId", "agent_id"], rest: ({ threadId }) => ({ threadId }) },
  threads: { arguments: ["agent_id"], rest: () => ({}) },
  search: { arguments: ["thread"], rest: () => ({ query: "x" }) },
  roster: { arguments: ["agent_id"], rest: () => ({}) },
  whoami: { arguments: ["agent_id"], rest: () => ({}) },
  wait: { arguments: ["agent_id"], rest: () => ({ timeoutSeconds: 0 }) },
  close: { arguments: ["threadId", "agent_id"], rest: ({ threadId }) => ({ threadId }) },
  reopen: { arguments: ["threadId", "agent_id"], rest: ({ threadId }) => ({ threadId }) },
  event: { arguments: ["agent_id"], rest: () => ({ type: "x" }) },
  status: { arguments: ["agent_id"], rest: () => ({}) },
  part_add: { arguments: ["part"], rest: () => ({}) },
  part_rename: { arguments: ["from", "to"], rest: () => ({ from: "web", to: "store" }) },
  part_remove: { arguments: ["part"], rest: () => ({}) },
  part_set_main: { arguments: ["part"], rest: () => ({}) },
  part_here: { arguments: ["part"], rest: () => ({}) },
  part_list: { arguments: [], rest: () => ({}) },
  doctor: { arguments: [], rest: () => ({}) },
};

test.each(operationList.map((operation) => [operation.name, operation] as const))("%s", async (name, operation: AnyOperation) => {
  const folder = await homeWith("web", "api");
  const sent = (await perform(worldAt(folder, { part: "web" }), operations.send, { to: ["api"], subject: "s", body: "b" })) as {
    threadId: string;
    messageId: string;
  };
  const place = name === "init" ? scratch() : folder;
  const known = IDS[name];
  expect(known, "the ids of every operation are known to this test").toBeDefined();
  const before = [tree(place), tree(path.dirname(folder), /^project/)];
  for (const argument of known?.arguments ?? []) {
    for (const id of NAMES) {
      const list = ["parts", "to", "messageIds"].includes(argument) && name !== "part_rename";
      const identity = operation.identity === "none" ? {} : { agent_id: "web" };
      const input = { ...identity, ...known?.rest(sent), [argument]: list ? [id] : id };
      const error = await perform(worldAt(place), operation, input).then(
        () => null,
        (thrown) => thrown,
      );
      expect(error, `${name} ${argument} = ${JSON.stringify(id)}`).toBeInstanceOf(Refusal);
      expect(["internal", "disk_error"], `${name} ${argument} = ${JSON.stringify(id)}`).not.toContain((error as Refusal).code);
    }
  }
  expect([tree(place), tree(path.dirname(folder), /^project/)]).toEqual(before);
  expect(fs.existsSync("owned")).toBe(false);
});

test("twins in case are refused wherever a new id is made", async () => {
  const folder = await homeWith("web", "shop/api");
  const world = worldAt(folder);
  const before = tree(folder);
  for (const part of ["WEB", "Shop/api", "shop/API", "Main", "HUMAN"]) {
    await expect(perform(world, operations.part_add, { part }), part).rejects.toMatchObject({ code: "part_exists" });
    await expect(
      perform(world, operations.part_rename, { from: "shop/api", to: part === "Shop/api" || part === "shop/API" ? "MAIN" : part }),
      part,
    ).rejects.toBeInstanceOf(Refusal);
    await expect(perform(world, operations.send, { agent_id: part, to: ["main"], subject: "s", body: "b" }), part).rejects.toMatchObject({
      code: "part_exists",
    });
  }
  expect(tree(folder)).toEqual(before);
});

test("keys of objects that are not data are refused as arguments", async () => {
  const folder = await homeWith("web");
  for (const text of ['{"__proto__":{"agent_id":"web"},"unknown":1}', '{"constructor":1}', '{"toString":"x"}']) {
    await expect(perform(worldAt(folder), operations.roster, JSON.parse(text)), text).rejects.toMatchObject({ code: "unknown_argument" });
  }
});
