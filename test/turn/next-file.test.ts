/** The turn of a part that has only files. spec/messages.md, "A turn". */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { openConnection } from "../../mcp/connection.ts";
import { operations } from "../../protocol/index.ts";
import { sendOutboxes } from "../../protocol/turn/files/send-outboxes.ts";
import { act } from "../rig/clones.ts";
import { homeWith, worldAt } from "../rig/home.ts";
import { until } from "../rig/scratch.ts";

test("run/next has the turn of each part with an outbox, whoever writes or looks, until the mail is moved to read/", async () => {
  const folder = await homeWith("web", "api");
  const at = (...names: string[]): string => path.join(folder, ".relay", ...names);
  // A disk that notes reading does this by itself.
  const next = (): string => {
    const { mtime } = fs.statSync(at("run/next/web.md"));
    fs.utimesSync(at("run/next/web.md"), new Date(mtime.getTime() + 1_000), mtime);
    return fs.readFileSync(at("run/next/web.md"), "utf8");
  };
  fs.mkdirSync(at("outbox/web"), { recursive: true });
  const { messageId } = await act(folder, "api", "send", { to: ["web"], subject: "Price?", body: "Which\nfield?" });
  expect(next()).toMatch(/^api: Price\? \(\w{8}-1, .*Z\)\n {2}Which\n {2}field\?\n/);
  // Reading its page is the sign of life of who has only files.
  expect((await act(folder, "api", "roster")).parts[1]).toMatchObject({ part: "web", presence: "working" });
  const about = { assignee: "web", reviewer: "api", description: "A cart\nas HTML." };
  const { task_id } = await act(folder, "main", "create_task", { title: "Page", ...about });
  const short = task_id.slice(5, 9);
  const own = `'Page': ready: a draft with .claim: ${short}.\\.\\n  A cart\\n  as HTML.\\n  Reviewed by api.\\n`;
  // What was read is counted, a task has one line.
  expect(next()).toMatch(new RegExp(`^Task .*${own}Read, still in inbox/web/new/: ${messageId.slice(11, 21)}\\. `));
  const { artifact_id } = await act(folder, "api", "post_artifact", { name: "Notes.md", type: "document", content: "c" });
  await act(folder, "api", "request_review", { artifact_id, reviewer: "web" });
  const [, file = ""] = /^Review Notes\.md v1 of api: `(.*?)`, then a draft with `review: .{4}`, .*\.$/m.exec(next()) ?? [];
  expect(fs.readFileSync(at(file), "utf8")).toBe("c");
  expect(next()).not.toContain("A cart");
  // What a part did itself is no news: the file's time stays.
  const time = (): number => fs.statSync(at("run/next/web.md")).mtimeMs;
  const [told, inode] = [time(), fs.statSync(at("run/next/web.md")).ino];
  fs.renameSync(at(`inbox/web/new/${messageId}.md`), at(`inbox/web/read/${messageId}.md`));
  await act(folder, "api", "inbox");
  expect(next()).not.toContain("still in");
  expect([Math.abs(time() - told) < 1, fs.statSync(at("run/next/web.md")).ino === inode]).toEqual([true, false]);
  fs.writeFileSync(at("outbox/web/no.md"), "---\nclaim: none\n---\n");
  await act(folder, "api", "inbox");
  expect(next()).toMatch(/^Refused: outbox\/web\/no\.md\.refused says why\.\n/);
  fs.rmSync(at("outbox/web/no.md"));
  for (let look = 0; look < 2; look += 1) await act(folder, "api", "inbox");
  const before = fs.statSync(at("run/next/web.md")).ino;
  await act(folder, "main", "create_task", { title: "Of another", assignee: "api" });
  expect(fs.statSync(at("run/next/web.md")).ino).toBe(before);
  expect(fs.readdirSync(at("run/next"))).toEqual(["web.md", "web.seen"]);
  const isNews = (): string =>
    execFileSync("sh", ["-c", "[ web.md -nt web.seen ] && touch web.seen && echo news || true"], { cwd: at("run/next") }).toString();
  expect([isNews(), isNews()]).toEqual(["news\n", ""]);
  expect(await act(folder, "web", "next")).toMatchObject({ tasks: [{ id: task_id }] });
  await act(folder, "web", "claim_task", { task_id });
  expect(next()).toMatch(new RegExp(`yours, .*; a draft with .submit: ${short}. .* HEAD\\.\n  A cart\n  as HTML\\.\n`));
  fs.writeFileSync(at("outbox/web/x.md"), "---\nclaim: x\n---\n");
  const answered: boolean[] = [];
  const keep = async (): Promise<void> => void answered.push(fs.existsSync(at("outbox/web/sent/x.md.answer")));
  await sendOutboxes(worldAt(folder), { run: async () => ({}), mayRepeat: () => true, keep });
  expect([...answered, fs.existsSync(at("outbox/web/sent/x.md.answer"))]).toEqual([false, false, true]);
  for (let n = 0; n < 24; n += 1) await act(folder, "main", "create_task", { title: "t".repeat(250), assignee: "web" });
  await act(folder, "api", "send", { to: ["web"], subject: "Long", body: "word ".repeat(2_000) });
  expect(time() - told).toBeGreaterThan(1);
  expect(next()).toMatch(/^api: Long .*\n {2}(word )+… \(threads\/.*\.md\)\n[\s\S]*\n… more, once you dealt with these\.\n$/);
  expect(next().length).toBeLessThanOrEqual(6_000);
  fs.rmSync(at("inbox/web/new"), { recursive: true });
  const { summary_path } = await act(folder, "main", "end_session", { force: true });
  expect(next()).toContain(`(.relay/${summary_path}); nothing is left for you until new mail comes.\n`);
});

test("a connected client serves a part that has only files: its drafts and its acks, without a call", async () => {
  const folder = await homeWith("web", "api");
  const at = (...names: string[]): string => path.join(folder, ".relay", ...names);
  fs.mkdirSync(at("outbox/web"), { recursive: true });
  const { messageId } = await act(folder, "api", "send", { to: ["web"], subject: "Price?", body: "b" });
  // Whoever opens a connection is bound in the state folder of this process, not in that of a test's worlds.
  const web = openConnection({ home: at(), part: "web" });
  await web.call(operations.inbox, {}, new AbortController().signal);
  await web.close();
  const connection = openConnection({ home: at(), part: "api" });
  connection.greet({ name: "test", version: "1" }, []);
  fs.renameSync(at(`inbox/web/new/${messageId}.md`), at(`inbox/web/read/${messageId}.md`));
  fs.writeFileSync(at("outbox/web/a.md"), "---\nto: [api]\nsubject: s\n---\nb\n");
  await until(
    "the draft is answered, and the ack kept",
    () => fs.existsSync(at("outbox/web/sent/a.md.answer")) && !fs.existsSync(at(`inbox/web/read/${messageId}.md`)),
  );
  await connection.close();
});

test("a draft is sent once, though calls of one process look at the same time", async () => {
  const folder = await homeWith("web");
  await act(folder, "web", "inbox");
  const at = (...names: string[]): string => path.join(folder, ".relay/outbox/web", ...names);
  fs.mkdirSync(at(), { recursive: true });
  fs.writeFileSync(at("a.md"), "---\nsubmit: k3f9\n---\nDone.\n");
  const done: string[] = [];
  const look = (run: () => Promise<void>): Promise<void> =>
    sendOutboxes(worldAt(folder), {
      run: async (name) => {
        done.push(name);
        await run();
        return {};
      },
      mayRepeat: () => false,
      keep: async () => {},
    });
  let end = (): void => {};
  const first = look(() => new Promise((resolve) => (end = resolve)));
  await until("the first look sends it", () => done.length === 1);
  await look(async () => {});
  expect(fs.readdirSync(at()).filter((name) => !name.startsWith(".sending."))).toEqual([]);
  end();
  await first;
  expect([done, fs.readdirSync(at("sent")), fs.readdirSync(at())]).toEqual([["submit_task"], ["a.md", "a.md.answer"], ["sent"]]);
});
