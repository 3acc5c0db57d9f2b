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
  expect(next()).toMatch(/^api: Price\? \(\w{8}-1, .*Z\)\n {2}Which\n {2}field\?\n/);
  const { task_id } = await act(folder, "main", "create_task", { title: "Page", assignee: "web" });
  const short = task_id.slice(5, 9);
  expect(next()).toContain(`Task ${short} 'Page': ready: a draft with \`claim: ${short}\`.`);
  const { artifact_id } = await act(folder, "api", "post_artifact", { name: "Notes.md", type: "document", content: "c" });
  await act(folder, "api", "request_review", { artifact_id, reviewer: "web" });
  const [, file = ""] = /^Review Notes\.md v1 of api: `(.*?)`, then a draft with `review: .{4}`, .*\.$/m.exec(next()) ?? [];
  expect(fs.readFileSync(at(file), "utf8")).toBe("c");
  fs.renameSync(at(`inbox/web/new/${messageId}.md`), at(`inbox/web/read/${messageId}.md`));
  await act(folder, "api", "inbox");
  expect(next()).not.toContain("Price?");
  const before = fs.statSync(at("run/next/web.md")).ino;
  await act(folder, "api", "inbox");
  expect(fs.statSync(at("run/next/web.md")).ino).toBe(before);
  expect(fs.readdirSync(at("run/next"))).toEqual(["web.md"]);
  expect(await act(folder, "web", "next")).toMatchObject({ tasks: [{ id: task_id }] });
  for (let n = 0; n < 12; n += 1) await act(folder, "main", "create_task", { title: "t".repeat(250), assignee: "web" });
  await act(folder, "api", "send", { to: ["web"], subject: "Long", body: "word ".repeat(2_000) });
  expect(next()).toMatch(/^api: Long .*\n {2}(word )+… \(threads\/.*\.md\)\n[\s\S]*\n… more, once you dealt with these\.\n$/);
  expect(next().length).toBeLessThanOrEqual(3_000);
});
