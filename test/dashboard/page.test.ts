import fs from "node:fs";
import path from "node:path";
import axe from "axe-core";
import { afterAll, afterEach, expect, test } from "vitest";
import { operations, perform } from "../../protocol/index.ts";
import { chatty, homeWith, relayProcess, until, worldAt } from "../rig/rig.ts";
import { closeOpened, endBrowser, isWithoutBrowser, open } from "./browser.ts";
import { PAYLOADS } from "./payloads.ts";
import { stagedHome } from "./stage.ts";

afterEach(closeOpened);
afterAll(endBrowser);

const VIEWS = ["now", "threads", "board", "memory", "office", "search/price", "broken"];

test.skipIf(isWithoutBrowser)("a message of another process appears, and the title counts it", async () => {
  const folder = await homeWith("web", "api");
  const { tab, at, odd } = await open(folder);
  await tab.getByText("Nobody has written here yet").waitFor();
  await relayProcess(folder, ["send", "human", "Which field?", "The price.", "--part", "web"]);
  await tab.getByText("Which field?").waitFor();
  await until("the title counts it", async () => (await tab.title()).startsWith("(1) Now"));
  await tab.goto(at("threads"));
  await tab.getByText("Which field?").click();
  await tab.getByText("The price.").waitFor();
  expect(odd).toEqual([]);
});

test.skipIf(isWithoutBrowser)("a draft outlives a reload, and a reply goes by the keyboard alone", async () => {
  const folder = await stagedHome();
  const { tab, odd } = await open(folder);
  await tab.locator(".reply .field").waitFor();
  await tab.keyboard.press("r");
  await tab.keyboard.type("Only what was not shipped.");
  await tab.reload();
  await until("the draft is there", async () => (await tab.locator(".reply .field").first().inputValue()) === "Only what was not shipped.");
  await tab.keyboard.press("r");
  await tab.keyboard.press("Control+Enter");
  await tab.locator(".ask").waitFor({ state: "detached" });
  const { messages } = await perform(worldAt(folder, { part: "api" }), operations.inbox, {});
  expect(messages[0]).toMatchObject({ from: "human", body: "Only what was not shipped." });
  for (const [letter, title] of [
    ["t", "Threads"],
    ["b", "Board"],
    ["m", "Memory"],
    ["o", "Office"],
    ["n", "Now"],
  ] as const) {
    // Out of the field first: letters never act in one.
    await tab.keyboard.press("Escape");
    await tab.keyboard.press("g");
    await tab.keyboard.press(letter);
    await tab.getByRole("heading", { name: title, level: 1, exact: true }).waitFor();
  }
  await tab.keyboard.press("g");
  await tab.keyboard.press("t");
  await tab.locator("[data-row]").first().waitFor();
  await tab.keyboard.press("j");
  await tab.keyboard.press("j");
  await tab.keyboard.press("Enter");
  await tab.locator(".msg").first().waitFor();
  expect(odd).toEqual([]);
});

test.skipIf(isWithoutBrowser)("a task is made and moved, and what is refused says why", async () => {
  const folder = await stagedHome();
  const { tab, at, odd } = await open(folder);
  await tab.goto(at("board"));
  await tab.getByRole("button", { name: "New task" }).click();
  await tab.getByLabel("Title").fill("Mail a receipt");
  await tab.getByRole("button", { name: "Create" }).click();
  await tab.locator(".card", { hasText: "Mail a receipt" }).click();
  await tab.locator(".acts").getByRole("button", { name: "In review" }).click();
  await tab.getByRole("region", { name: "In review" }).getByText("Mail a receipt").waitFor();
  await tab.locator(".card h3", { hasText: "Refund a payment" }).click();
  await tab.getByRole("heading", { name: "Refund a payment", level: 2 }).waitFor();
  await tab.getByLabel("Assign to").fill("no such part!");
  await tab.getByRole("button", { name: "Assign", exact: true }).click();
  await tab.locator(".acts [role=alert]").waitFor();
  expect(odd).toEqual([]);
});

test.skipIf(isWithoutBrowser)("axe finds nothing in any view, light and dark", async () => {
  const folder = await stagedHome();
  const found: string[] = [];
  for (const scheme of ["light", "dark"] as const) {
    const { tab, at } = await open(folder, { scheme });
    await tab.evaluate(axe.source);
    for (const view of [...VIEWS, "thread", "task"]) {
      await tab.goto(at({ thread: "threads", task: "board" }[view] ?? view));
      if (view === "thread") await tab.getByText("Cart shows tax").first().click();
      if (view === "task") await tab.locator(".card h3", { hasText: "Refund a payment" }).click();
      await tab
        .locator({ thread: ".msg", task: ".acts" }[view] ?? ".pane")
        .first()
        .waitFor();
      const { violations } = (await tab.evaluate("axe.run({ resultTypes: ['violations'] })")) as {
        violations: { id: string; nodes: { html: string }[] }[];
      };
      found.push(...violations.map(({ id, nodes }) => `${scheme} ${view}: ${id} ${nodes[0]?.html.slice(0, 120)}`));
    }
    await closeOpened();
  }
  expect(found).toEqual([]);
});

test.skipIf(isWithoutBrowser)("nothing that agents write runs, loads, or leads elsewhere than to the web and to mail", async () => {
  const folder = chatty(await homeWith("web"));
  const web = worldAt(folder, { part: "web" });
  await perform(web, operations.start_session, { session_id: "payloads" });
  // A subject with control characters is refused before any page sees it.
  const line = (text: string): string => text.replaceAll("\u0001", " ").replace(/\s+/g, " ").slice(0, 100) || "-";
  const { threadId } = await perform(web, operations.send, { to: ["human"], subject: "Payloads", body: "They follow." });
  for (const [at, payload] of PAYLOADS.entries()) {
    await perform(web, operations.reply, { threadId, body: `${payload}\n`, to: ["human"] });
    if (at % 2 === 0)
      await perform(web, operations.send, { to: ["human"], subject: line(payload), body: payload, needsHuman: at % 4 === 0 });
    if (at % 3 === 0) await perform(web, operations.create_task, { title: line(payload), description: payload });
    await perform(web, operations.append_memory, { content: payload });
  }
  const { tab, at, odd } = await open(folder);
  const check = async (what: string, text: string): Promise<void> => {
    await tab.getByText(text).first().waitFor();
    const links = (await tab.evaluate(
      "[...document.querySelectorAll('.md-body a')].map((a) => [a.getAttribute('href'), a.rel, a.target])",
    )) as string[][];
    for (const [href = "", rel, target] of links) {
      expect(href, what).toMatch(/^(https?:\/\/|mailto:)/i);
      expect([rel, target]).toEqual(["noopener noreferrer", "_blank"]);
    }
    const made = await tab.evaluate(
      "document.querySelectorAll('.md-body :is(script, img, iframe, object, embed, form, input, style, svg, math, video, audio, link, meta, base)').length",
    );
    expect(made, what).toBe(0);
    expect(
      await tab.evaluate(
        "[...document.querySelectorAll('.md-body *')].flatMap((each) => each.getAttributeNames()).filter((name) => /^on|^style$|^srcdoc$/.test(name))",
      ),
    ).toEqual([]);
  };
  await check("the inbox", "Waiting for your answer");
  await tab.goto(at(`threads/${threadId}`));
  await check("a thread", "Payloads");
  await tab.getByRole("button", { name: "Show earlier messages" }).click();
  await tab.locator(".msg").nth(59).waitFor();
  await tab.getByRole("button", { name: "Show earlier messages" }).click();
  await tab.locator(".msg").nth(84).waitFor();
  await check("a long thread", "Payloads");
  await tab.goto(at("board"));
  await check("the board", "Session payloads");
  await tab.locator(".card").nth(3).click();
  await check("a task", "History");
  await tab.goto(at("memory/part%20web"));
  await tab.locator(".text .md-body").waitFor();
  await check("a memory", "What web remembers");
  await tab.goto(at("search/script"));
  await check("a search", "found");
  expect(odd).toEqual([]);
  expect(await tab.evaluate("globalThis.ran")).toBeUndefined();
  expect(PAYLOADS.length).toBeGreaterThanOrEqual(80);
});

test.skipIf(isWithoutBrowser)("a broken file is named with its path, and everything else works", async () => {
  const folder = await homeWith("web");
  const web = worldAt(folder, { part: "web" });
  const { threadId } = await perform(web, operations.send, { to: ["human"], subject: "Whole", body: "Readable." });
  const { messageId, threadId: broken } = await perform(web, operations.send, { to: ["human"], subject: "Broken", body: "Soon not." });
  const names = fs.readdirSync(path.join(folder, ".relay"), { recursive: true }) as string[];
  for (const name of names.filter((each) => each.endsWith(`${messageId}.md`)))
    fs.writeFileSync(path.join(folder, ".relay", name), "---\nno: [end\n");
  const { tab, at } = await open(folder);
  await tab.getByText("cannot be read").first().click();
  await tab.locator(".chg code").first().waitFor();
  expect(await tab.locator(".chg code").allTextContents()).toEqual([expect.stringContaining(broken)]);
  await tab.goto(at(`threads/${threadId}`));
  await tab.getByText("Readable.").waitFor();
});
