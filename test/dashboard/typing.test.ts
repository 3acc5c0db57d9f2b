/** What a person types is neither taken away, nor taken for commands, nor sent twice; and what a person looks at stays where it is. */
import path from "node:path";
import type { Locator, Page as Tab } from "playwright-core";
import { afterAll, afterEach, expect, test } from "vitest";
import { operations, perform } from "../../protocol/index.ts";
import { homeWith, worldAt } from "../rig/home.ts";
import { putThreads } from "../rig/many-threads.ts";
import { until } from "../rig/scratch.ts";
import { closeOpened, endBrowser, isWithoutBrowser, open } from "./browser.ts";

afterEach(closeOpened);
afterAll(endBrowser);

/** What is not the page's fault: a connection that the test broke. */
const isOurs = (each: string): boolean => !each.includes("net::ERR_");

const hasFocus = (each: Locator): Promise<boolean> => each.evaluate((at) => at.matches(":focus"));

/** Holds the next request whose address has a text until it is let go. */
async function holdBack(tab: Tab, text: string): Promise<() => void> {
  let go = (): void => {};
  const free = new Promise<void>((resolve) => {
    go = resolve;
  });
  const isMeant = ({ href }: URL): boolean => href.includes(text);
  await tab.route(isMeant, (route) => free.then(() => route.continue()), { times: 1 });
  return go;
}

/** Lets the next request of an operation reach the server, and loses its answer. */
async function loseAnswer(tab: Tab, name: string): Promise<void> {
  await tab.route(
    `**/api/${name}`,
    async (route) => {
      await route.fetch();
      await route.abort();
    },
    { times: 1 },
  );
}

test.skipIf(isWithoutBrowser)("typed text stays in its field, and is not taken for commands where the field goes away", async () => {
  const folder = await homeWith("web", "api");
  const web = worldAt(folder, { part: "web" });
  const human = worldAt(folder, { part: "human" });
  const ask = (subject: string) => perform(web, operations.send, { to: ["human"], subject, body: "Which?", needsHuman: true });
  const first = await ask("First");
  const { tab, at, odd } = await open(folder);
  // No pause passes but where the test says so, however slow the machine is.
  await tab.evaluate("performance.now = () => 1_000");
  const writes: string[] = [];
  tab.on("request", (request) => request.method() === "POST" && writes.push(request.url().split("/").at(-1) as string));
  const field = (id: string) => tab.locator(`[id="reply-${id}"]`);

  // Another question comes: the row and the field are where they were.
  await field(first.threadId).click();
  await tab.keyboard.type("My answ");
  const place = await field(first.threadId).boundingBox();
  const second = await ask("Second");
  await until("the second question is there", async () => (await tab.locator(".ask").count()) === 2);
  await tab.keyboard.type("er is yes");
  expect(await field(first.threadId).inputValue()).toBe("My answer is yes");
  expect(await field(first.threadId).boundingBox()).toEqual(place);

  // The question is acked elsewhere: the field goes away, and the letters that follow do nothing until Escape, which does nothing else.
  await perform(human, operations.ack, { messageIds: [first.messageId] });
  await field(first.threadId).waitFor({ state: "detached" });
  await tab.keyboard.type("ecgb");
  await tab.getByText("letters do nothing now").waitFor();
  expect(await tab.locator(".ask").count()).toBe(1);
  expect(await tab.locator("form.send").count()).toBe(0);
  await tab.keyboard.press("Escape");
  await tab.getByText("letters do nothing now").waitFor({ state: "detached" });
  await tab.keyboard.press("r");
  await until("letters act again", () => hasFocus(field(second.threadId)));
  expect(writes).toEqual([]);

  // What is typed while the answer is on its way is the beginning of the next one. A pause takes letters again, too.
  const letGo = await holdBack(tab, "api/reply");
  await tab.keyboard.type("The left one.");
  await tab.keyboard.press("Control+Enter");
  await tab.keyboard.type(" And a second thought");
  letGo();
  await field(second.threadId).waitFor({ state: "detached" });
  await tab.keyboard.press("c");
  expect(await tab.locator("form.send").count()).toBe(0);
  await tab.evaluate("performance.now = () => 60_000");
  await tab.keyboard.press("c");
  await tab.locator("form.send").waitFor();
  await tab.getByRole("button", { name: "Cancel" }).click();
  await tab.goto(at(`threads/${second.threadId}`));
  await tab.locator(".msg", { hasText: "The left one." }).waitFor();
  await until("the rest is a draft", async () => (await field(second.threadId).inputValue()) === "And a second thought");

  // An answer is lost on its way: the same text again is the same message. Sent and typed anew, it is another one.
  await loseAnswer(tab, "reply");
  await field(second.threadId).press("Control+Enter");
  await tab.locator(".reply").getByText("does not answer").waitFor();
  await tab.reload();
  await field(second.threadId).press("Control+Enter");
  await until("it is sent", async () => (await field(second.threadId).inputValue()) === "");
  const said = async (): Promise<string[]> => {
    const { messages } = await perform(web, operations.show, { threadId: second.threadId });
    return messages.map(({ body }) => body.trim());
  };
  expect(await said()).toEqual(["Which?", "The left one.", "And a second thought"]);
  await field(second.threadId).fill("And a second thought");
  await field(second.threadId).press("Control+Enter");
  await until("it is said twice", async () => (await said()).length === 4);
  // Whoever sees that it came after all empties the field. The same words are another answer later.
  await loseAnswer(tab, "reply");
  await field(second.threadId).fill("Yes");
  await field(second.threadId).press("Control+Enter");
  await tab.locator(".reply").getByText("does not answer").waitFor();
  await field(second.threadId).fill("");
  await field(second.threadId).fill("Yes");
  await field(second.threadId).press("Control+Enter");
  await until("it is a second answer", async () => (await said()).filter((each) => each === "Yes").length === 2);
  await tab.goto(at("board"));
  await tab.getByRole("button", { name: "New task" }).click();
  await tab.keyboard.type("Only one");
  await loseAnswer(tab, "create_task");
  await tab.keyboard.press("Enter");
  await tab.locator("form.send").getByText("does not answer").waitFor();
  await tab.keyboard.press("Enter");
  await tab.locator("form.send").waitFor({ state: "detached" });
  expect((await perform(human, operations.get_all_tasks, {})).tasks.map(({ title }) => title)).toEqual(["Only one"]);

  // Whoever leaves the search in the middle of a word is not brought back.
  await tab.clock.install();
  await tab.goto(at("search"));
  await tab.locator("#search-field").fill("thou");
  // The key that goes to the search goes to its field where it is shown.
  await tab.keyboard.press("Escape");
  await tab.keyboard.press("/");
  expect(await hasFocus(tab.locator("#search-field"))).toBe(true);
  expect(await tab.locator("#search-field").inputValue()).toBe("thou");
  await tab.evaluate("location.hash = '#/board'");
  await tab.locator(".card", { hasText: "Only one" }).waitFor();
  await tab.clock.runFor(1_000);
  expect(await tab.evaluate("location.hash")).toBe("#/board");
  // A name that every object has is no view.
  await tab.evaluate("location.hash = '#/constructor'");
  await tab.getByRole("heading", { name: "Now", level: 1 }).waitFor();
  expect(odd.filter(isOurs)).toEqual([]);
});

test.skipIf(isWithoutBrowser)("an edit is kept, a row stays under the hand, and the page is loaded anew for another part", async () => {
  const folder = await homeWith("web", "api");
  const web = worldAt(folder, { part: "web" });
  for (const title of ["First", "Second"]) await perform(web, operations.create_task, { title });
  for (const subject of ["Price", "Unit"]) await perform(web, operations.send, { to: ["human"], subject, body: "Which?" });
  const { tab, at, odd, stop } = await open(folder);
  const row = tab.locator(".mail .item", { hasText: "Price" });
  await row.focus();
  const place = await row.boundingBox();
  await perform(web, operations.send, { to: ["human"], subject: "A third one", body: "Which?" });
  const fresh = tab.getByRole("button", { name: "1 new" });
  await fresh.waitFor();
  expect(await row.boundingBox()).toEqual(place);
  expect(await tab.locator(".mail", { hasText: "A third one" }).count()).toBe(0);
  expect(await hasFocus(row)).toBe(true);
  await fresh.click();
  await tab.locator(".mail", { hasText: "A third one" }).waitFor();

  // A burst pushes what is listed out of the list, and not from under the hand.
  await row.hover();
  const kept = await row.boundingBox();
  for (let n = 0; n < 60; n += 1) await perform(web, operations.send, { to: ["human"], subject: `Burst ${n}`, body: "Which?" });
  await until("the burst has come", async () => /^\d+ new$/.test((await tab.locator("button.fresh").textContent()) ?? ""));
  await until(
    "all of it is counted",
    async () => (await tab.locator(".sec", { hasText: "Unread" }).textContent())?.includes("63") === true,
  );
  expect(await row.boundingBox()).toEqual(kept);
  // The second click of a double click meets the next row.
  const third = tab.locator(".mail", { hasText: "A third one" });
  const check = await third.locator("[data-row-key=e]").boundingBox();
  await tab.mouse.move((check?.x ?? 0) + 8, (check?.y ?? 0) + 8);
  await tab.mouse.down({ clickCount: 1 });
  await tab.mouse.up({ clickCount: 1 });
  await third.waitFor({ state: "detached" });
  const unread = async (): Promise<number> => (await perform(worldAt(folder, { part: "human" }), operations.inbox, {})).unread;
  await tab.mouse.down({ clickCount: 2 });
  await tab.mouse.up({ clickCount: 2 });
  await row.hover();
  expect(await unread()).toBe(62);
  await tab.mouse.move(0, 0);
  await tab.getByRole("button", { name: /new$/ }).click();

  await tab.goto(at("board"));
  const choose = async (title: string): Promise<void> => {
    await tab.locator(".card", { hasText: title }).click();
    await tab.getByRole("heading", { name: title, level: 2 }).waitFor();
  };
  await choose("First");
  await tab.keyboard.press("e");
  await tab.keyboard.press("Control+a");
  await tab.keyboard.type("Half of a titl");
  await choose("Second");
  await choose("First");
  await tab.keyboard.press("e");
  await tab.keyboard.press("End");
  await tab.keyboard.type("e");
  await tab.keyboard.press("Control+Enter");
  await tab.getByRole("heading", { name: "Half of a title", level: 2 }).waitFor();

  await tab.goto(at("memory/part%20web"));
  await tab.getByRole("button", { name: "Earlier versions" }).waitFor();
  await tab.locator(".rail .foot b", { hasText: "human" }).waitFor();
  // A late answer to the page that asked why the stream broke says nothing of the stream that was opened since.
  const link = tab.locator(".rail .foot .live");
  const letGo = await holdBack(tab, "/page");
  const isAsked = tab.waitForRequest("**/page");
  const startAgain = await stop();
  await isAsked;
  const isOpen = tab.waitForResponse("**/stream");
  await startAgain("human");
  await isOpen;
  const isAnswered = tab.waitForResponse("**/page");
  letGo();
  await (await isAnswered).finished();
  await tab.evaluate("new Promise(requestAnimationFrame)");
  expect(await link.textContent()).toBe("Live");
  const start = await stop();
  await start("api");
  await tab.locator(".rail .foot b", { hasText: "api" }).waitFor();
  // Somebody may be typing while the page is loaded.
  await tab.keyboard.press("?");
  await tab.getByText("letters do nothing now").waitFor();
  expect(await tab.locator("dialog").count()).toBe(0);
  expect(odd.filter(isOurs)).toEqual([]);
});

test.skipIf(isWithoutBrowser)("earlier messages come before what is looked at, and a list fills its window", async () => {
  const folder = await homeWith("web", "api");
  putThreads(path.join(folder, ".relay"), 100);
  const web = worldAt(folder, { part: "web" });
  const { threadId } = await perform(web, operations.send, { to: ["human"], subject: "Long", body: "Message 1." });
  for (let n = 2; n <= 50; n += 1) await perform(web, operations.reply, { threadId, body: `Message ${n}.\n\nIt has two lines.` });
  const { tab, at, odd } = await open(folder, { width: 1200, height: 700 });
  await tab.goto(at(`threads/${threadId}`));
  const shown = tab.locator(".msg");
  await shown.nth(19).waitFor();
  const placeOf = async (n: number): Promise<number> => (await shown.filter({ hasText: `Message ${n}.` }).boundingBox())?.y ?? -1;
  const log = tab.locator(".log");
  await log.evaluate((each) => each.scrollTo({ top: 0 }));
  const earlier = tab.getByRole("button", { name: "Show earlier messages" });
  await until("it is at the top", () => log.evaluate((each) => each.scrollTop === 0));
  const before = await placeOf(31);
  await tab.locator(".reply .field").fill("Half of an ans");
  const letGo = await holdBack(tab, encodeURIComponent('"limit":60'));
  await earlier.click();
  await tab.locator(".reply .field").focus();
  await tab.keyboard.type("wer");
  expect(await shown.count()).toBe(20);
  letGo();
  await until("all are there", async () => (await shown.count()) === 50);
  // The button is gone, with its height.
  expect(Math.abs((await placeOf(31)) - before)).toBeLessThan(60);
  expect(await tab.locator(".reply .field").inputValue()).toBe("Half of an answer");
  expect(await hasFocus(tab.locator(".reply .field"))).toBe(true);
  // By the keyboard, the log has the focus of the button that went away.
  await tab.goto(at("board"));
  await until("the thread is left", async () => (await shown.count()) === 0);
  await tab.goto(at(`threads/${threadId}`));
  await earlier.press("Enter");
  await until("all are there again", async () => (await shown.count()) === 50);
  await until("the log has the focus", () => hasFocus(log));

  // Beyond what one question gives, more pages of it.
  for (let n = 51; n <= 130; n += 1) await perform(web, operations.reply, { threadId, body: `Message ${n}.` });
  await until("the newest is shown", async () => (await shown.filter({ hasText: "Message 130." }).count()) === 1);
  for (const many of [100, 130]) {
    await earlier.click();
    await until("earlier ones are there", async () => (await shown.count()) === many);
  }
  await earlier.waitFor({ state: "detached" });

  const list = tab.locator(".pane.list");
  await tab.setViewportSize({ width: 1200, height: 2_400 });
  await until("the list fills its window", async () => {
    const ends = await list.evaluate((each) => [
      each.getBoundingClientRect().bottom,
      [...each.querySelectorAll(".window > li")].at(-1)?.getBoundingClientRect().bottom ?? 0,
    ]);
    return (ends[1] as number) >= (ends[0] as number);
  });
  expect(odd).toEqual([]);
});
