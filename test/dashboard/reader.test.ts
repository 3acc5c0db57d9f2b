/** What a person reads on the page is what is there, and no text makes more of it than a page can show. */
import fs from "node:fs";
import path from "node:path";
import { afterAll, afterEach, expect, test } from "vitest";
import { htmlOf } from "../../dashboard/web/part/html.ts";
import { unseenIn, withMarks } from "../../dashboard/web/part/unseen.ts";
import { claimPath } from "../../protocol/board/nouns/claim.ts";
import { agentMemoryPath } from "../../protocol/board/nouns/memory.ts";
import { taskPath } from "../../protocol/board/nouns/task.ts";
import { type MessageLocation, parseMessageId } from "../../protocol/core/format/id.ts";
import { operations, perform } from "../../protocol/index.ts";
import { messagePath } from "../../protocol/mail/nouns/message.ts";
import { noteBrought } from "../../protocol/trust/files/note-origins.ts";
import { homeWith, worldAt } from "../rig/home.ts";
import { stateHome, until } from "../rig/scratch.ts";
import { closeOpened, endBrowser, isWithoutBrowser, open } from "./browser.ts";

afterEach(closeOpened);
afterAll(endBrowser);

test.each([
  ["an override", "approve \u202edrawkcab\u202c", "approve ‹U+202E›drawkcab‹U+202C›"],
  ["isolates", "\u2066x\u2069", "‹U+2066›x‹U+2069›"],
  ["a mark of direction in code", "if (a\u200f) b", "if (a‹U+200F›) b"],
  ["a space of no width", "pass\u200bword\ufeff\u2060", "pass‹U+200B›word‹U+FEFF›‹U+2060›"],
  ["joiners in Latin", "ad\u200dm\u200cin", "ad‹U+200D›m‹U+200C›in"],
  ["half of a character", "a\ud83d", "a‹U+D83D›"],
  ["tags", "ok\u{e0068}\u{e0069}", "ok‹U+E0068›‹U+E0069›"],
  ["a word of tags behind a flag", "🏴\u{e0068}\u{e0069}\u{e007f}", "🏴‹U+E0068›‹U+E0069›‹U+E007F›"],
  ["bytes in selectors", "a\u{e0101}😀\ufe0f\ufe0f", "a‹U+E0101›😀\ufe0f‹U+FE0F›"],
  ["controls", "a\u001b[31m\u0008", "a‹U+001B›[31m‹U+0008›"],
  ["a filler", "\u3164", "‹U+3164›"],
])("%s is shown as a mark", (_what, text, shown) => {
  expect(withMarks(text)).toBe(shown);
  expect(unseenIn(text)).toEqual([...shown.matchAll(/‹(U\+\w+)›/g)].map(([, name]) => name));
  expect(htmlOf(`a ${text} b`)).toBe(`<p>a ${shown} b</p>\n`);
});

test.each([
  ...["lines\r\n\tand tabs", "👩‍👩‍👧 👩🏽‍💻 ❤️‍🔥 1️⃣ 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ☎︎", "می‌خواهم", "ශ්‍රී ක්‍ෂ", "שלום\u200f! (\u200eעברית)", "葛\u{e0100}"],
  ...["ᠨᠢᠭᠡ\u180b", "Rechts\u00adschutz"],
])("%j needs its characters, and stays", (text) => {
  expect(withMarks(text)).toBe(text);
  expect(unseenIn(text)).toEqual([]);
});

test("a name of a character, and an address, are read as they are", () => {
  expect(htmlOf("&#x202e;a [&#x2066;b](https://example.com/%E2%80%AE '\u202etitle')")).toBe(
    '<p>‹U+202E›a <a href="https://example.com/%E2%80%AE" title="‹U+202E›title" rel="noopener noreferrer" target="_blank">‹U+2066›b</a></p>\n',
  );
  expect(htmlOf("<https://example.com/%E2%80%AEx>")).not.toContain("\u202e");
});

test.each([
  "javascript:alert(1)//https://example.com",
  "data:text/html,mailto:web@example.com",
  "file:///etc/passwd",
  "//example.com",
  "api/send?to=https://example.com",
])("a link to %j leads to the web, to mail, or nowhere", (address) => {
  const html = htmlOf(`[x](${address}) <${address}>`) ?? "";
  for (const [, to] of html.matchAll(/href="([^"]*)"/g)) expect(to).toMatch(/^(https?:\/\/|mailto:)/);
});

const tagsOf = (text: string): number => (htmlOf(text) ?? "").split("<").length - 1;
const filled = (columns: number): string => `${"a|".repeat(columns)}\n${"-|".repeat(columns)}\n${"x\n".repeat(6_000)}`;

test("few characters never become a page of tags, and a written table stays a table", () => {
  for (const columns of [2, 60, 800, 4_000]) expect(tagsOf(filled(columns)), `${columns} columns`).toBeLessThan(6_001);
  expect(tagsOf(`${`a|b\n-|-\n${"x\n".repeat(300)}`}\n`.repeat(20))).toBeLessThan(6_001);
  expect(htmlOf("- - - x\n".repeat(2_000))).toBeUndefined();
  expect(htmlOf("-\n".repeat(8_000))).toBeUndefined();
  expect(htmlOf("*a*\n".repeat(4_000))).toBeUndefined();
  const written = `|a|b|c|d|e|f|\n|-|-|-|-|-|-|\n${"|one|two|three|four|five|six|\n".repeat(200)}`;
  expect(htmlOf(written)).toContain("<table");
  expect(tagsOf(written)).toBe(2 + 2 + 2 * (1 + 6) + 2 + 200 * 2 * (1 + 6));
});

test.skipIf(isWithoutBrowser)("a person reads what is there and where it came from, and a key that is held is one press", async () => {
  const folder = await homeWith("web");
  const web = worldAt(folder, { part: "web" });
  const send = async (subject: string, body: string, needsHuman = false) =>
    perform(web, operations.send, { to: ["human"], subject: "-", body: "-", needsHuman }).then(() =>
      perform(web, operations.send, { to: ["human"], subject, body, needsHuman }),
    );
  const question = await send("Approve it?", "Run \u202eton od", true);
  const wide = await send("A table of a push", filled(800));
  for (let n = 0; n < 4; n += 1) await perform(web, operations.reply, { threadId: wide.threadId, body: filled(60 + n) });
  await perform(web, operations.start_session, { session_id: "s" });
  const { task_id } = await perform(web, operations.create_task, { title: "Ship \u2066it", description: "Now." });
  const { fence } = await perform(web, operations.claim_task, { task_id });
  await perform(web, operations.update_task, { task_id, status: "in_progress" });
  await perform(web, operations.append_memory, { content: "It is shipped by night." });
  const files = [question, wide].map(({ messageId }) => messagePath(parseMessageId(messageId) as MessageLocation));
  const commit = "abcdef0123456789abcdef0123456789abcdef01";
  const brought = [...files, taskPath("s", task_id), claimPath("s", task_id, fence), agentMemoryPath("web")];
  // Nothing is known to be written here, and these came by a sync.
  for (const each of fs.readdirSync(stateHome(), { recursive: true, encoding: "utf8" }))
    if (path.basename(each) === "written") fs.rmSync(path.join(stateHome(), each), { recursive: true });
  noteBrought(
    web,
    brought.map((each) => ({ path: each, commit })),
  );

  const { tab, at, odd } = await open(folder);
  const came = (place: string) => tab.locator(`${place}:has-text('by sync, abcdef01')`).first().waitFor();
  // Where a person decides.
  await tab.locator(".ask:has-text('‹U+202E›ton od')").waitFor();
  await came(".ask");
  await came("li.mail");
  // One press of e, however long.
  const unread = await tab.locator("li.mail").count();
  expect(unread).toBeGreaterThan(2);
  await tab.keyboard.press("j");
  for (let n = 0; n < 6; n += 1) await tab.keyboard.down("e");
  await tab.keyboard.up("e");
  await until("one is acked", async () => (await tab.locator("li.mail").count()) < unread);
  const { unread: left } = await perform(worldAt(folder, { part: "human" }), operations.inbox, {});
  expect(left).toBe(unread + (await tab.locator(".ask").count()) - 1);
  // A text of few characters stays a small one, and behind the help nothing acts.
  await tab.goto(at(`threads/${wide.threadId}`));
  await tab.locator(".msg").nth(4).waitFor();
  await came(".msg");
  expect(await tab.evaluate("document.querySelectorAll('*').length")).toBeLessThan(20_000);
  await tab.keyboard.press("?");
  await tab.keyboard.press("Tab");
  await tab.keyboard.press("Tab");
  await tab.keyboard.press("x");
  await tab.keyboard.press("Escape");
  await tab.locator("dialog").waitFor({ state: "detached" });
  expect(await tab.getByRole("button", { name: "Reopen" }).count()).toBe(0);
  await tab.goto(at("search/approve"));
  await came(".hit");
  await tab.goto(at("now"));
  await tab.locator("select.pick").first().selectOption("web");
  await tab.getByRole("button", { name: "Sent" }).click();
  await came(".sent");
  await tab.goto(at(`board/${task_id}`));
  await came(".card");
  await came(".card .lease");
  await came("aside .kv");
  await tab.getByRole("heading", { name: "Ship ‹U+2066›it" }).first().waitFor();
  // What is edited stays as it is, and is named below its field.
  await tab.keyboard.press("e");
  await tab.getByText("Holds 1 unseen character: U+2066").waitFor();
  await tab.getByLabel("Description").fill("\u200bNow\u202e\u200b.");
  await tab.getByText("Holds 3 unseen characters: U+200B, U+202E").waitFor();
  await tab.keyboard.press("Escape");
  await tab.goto(at("memory/part%20web"));
  await came(".pane .hint");
  expect(odd).toEqual([]);
});
