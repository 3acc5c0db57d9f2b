/** The turn of a part that has only files. spec/messages.md, "A turn". */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { act } from "../rig/clones.ts";
import { homeWith } from "../rig/home.ts";

test("run/next has the turn of each part with an outbox, whoever writes or looks, until the mail is moved to read/", async () => {
  const folder = await homeWith("web", "api");
  const at = (...names: string[]): string => path.join(folder, ".relay", ...names);
  const next = (): string => fs.readFileSync(at("run/next/web.md"), "utf8");
  fs.mkdirSync(at("outbox/web"), { recursive: true });
  const { messageId } = await act(folder, "api", "send", { to: ["web"], subject: "Price?", body: "Which\nfield?" });
  expect(next()).toMatch(new RegExp(`^api: Price\\? \\(message ${messageId}, thread t-.*\\)\\n  Which\\n  field\\?\\n`));
  const { task_id } = await act(folder, "main", "create_task", { title: "Page", assignee: "web" });
  expect(next()).toContain(`Task ${task_id} 'Page': ready: a draft with \`claim: ${task_id}\`.`);
  fs.renameSync(at(`inbox/web/new/${messageId}.md`), at(`inbox/web/read/${messageId}.md`));
  await act(folder, "api", "inbox");
  expect(next()).not.toContain("Price?");
  const before = fs.statSync(at("run/next/web.md")).ino;
  await act(folder, "api", "inbox");
  expect(fs.statSync(at("run/next/web.md")).ino).toBe(before);
  expect(fs.readdirSync(at("run/next"))).toEqual(["web.md"]);
  expect(await act(folder, "web", "next")).toMatchObject({ tasks: [{ id: task_id }] });
});
