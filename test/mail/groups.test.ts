/** Groups: names for several parts, resolved when a message is sent. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { act } from "../rig/clones.ts";
import { homeWith } from "../rig/home.ts";
import { relay } from "../rig/processes.ts";

test("a message to a group goes to who is in it at that moment, once, and never to its sender", async () => {
  const folder = await homeWith("web", "api", "db", "docs");
  const file = path.join(folder, ".relay/relay.yml");
  const plain = fs.readFileSync(file, "utf8");
  fs.writeFileSync(file, `${plain}groups:\n  backend: [api, db, gone]\n  all: [web, api, human]\n  nobody: [gone]\n`);
  const send = (to: string[]): Promise<{ threadId: string; recipients: { part: string }[] }> =>
    act(folder, "web", "send", { to, subject: "s", body: "b" });
  const namesOf = async (to: string[]): Promise<string[]> => (await send(to)).recipients.map(({ part }) => part);
  expect(await namesOf(["@backend"])).toEqual(["api", "db"]);
  expect(await namesOf(["db", "@all", "@backend"])).toEqual(["db", "api", "human"]);
  const { threadId } = await send(["@backend"]);
  await act(folder, "main", "part_rename", { from: "db", to: "store" });
  expect(await namesOf(["@backend"])).toEqual(["api", "store"]);
  expect(await act(folder, "web", "roster")).toMatchObject({ groups: { "@backend": ["api", "store"], "@nobody": [] } });
  // A message that was sent stays with whom it was sent to.
  expect((await act(folder, "web", "show", { threadId })).messages[0].to).toEqual(["api", "db"]);
  await expect(send(["@bakend"])).rejects.toMatchObject({ code: "unknown_part", data: { nearest: ["@backend"] } });
  await expect(send(["@nobody"])).rejects.toMatchObject({ code: "to_nobody" });
  expect((await relay(folder, ["send", "@backend", "s", "b", "--part", "docs"])).code).toBe(0);
  expect(await act(folder, "store", "inbox")).toMatchObject({ unread: 5 });
  fs.writeFileSync(file, `${plain}groups: { backend: api }\n`);
  expect((await relay(folder, ["doctor", "--json"])).json.ok).toBe(false);
});
