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

const VIEWS = ["now", "threads", "board", "artifacts", "memory", "office", "usage", "search/price", "broken", "more"];
/** What is chosen or pressed in a view, and what is there then. */
const DEEPER: Readonly<Record<string, readonly [view: string, press: string, there: string]>> = {
  thread: ["threads", ".part:has-text('Cart shows tax')", ".msg"],
  task: ["board", ".card:has-text('Refund a payment')", ".acts"],
  graph: ["board", "button:has-text('What waits for what')", ".graph .node"],
  artifact: ["artifacts", ".part:has-text('Design of refunds')", ".msg"],
  changes: ["artifacts/refunds%20Design%20of%20refunds", "button:has-text('Side by side')", ".diff"],
  parts: ["usage", "button:text-is('Part')", ".bars"],
  summary: ["memory", ".part:has-text('checkout')", ".text"],
};

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
    ["a", "Artifacts"],
    ["m", "Memory"],
    ["o", "Office"],
    ["u", "Usage"],
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

test.skipIf(isWithoutBrowser)(
  "axe finds nothing in any view, in both schemes and at three sizes, and nothing is wider than the page",
  async () => {
    const folder = await stagedHome();
    const found: string[] = [];
    const { tab, at } = await open(folder);
    await tab.evaluate(axe.source);
    for (const view of [...VIEWS, ...Object.keys(DEEPER)]) {
      const [address, press, there] = DEEPER[view] ?? [view, "", ".pane"];
      await tab.setViewportSize({ width: 1440, height: 900 });
      await tab.goto(at(address));
      if (press !== "") await tab.locator(press).first().click();
      await tab.locator(there).first().waitFor();
      for (const [width, height, scheme] of [
        [1440, 900, "light"],
        [1024, 768, "dark"],
        [390, 844, "light"],
        [390, 844, "dark"],
      ] as const) {
        await tab.setViewportSize({ width, height });
        await tab.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
        const { violations } = (await tab.evaluate("axe.run({ resultTypes: ['violations'] })")) as {
          violations: { id: string; nodes: { html: string }[] }[];
        };
        found.push(...violations.map(({ id, nodes }) => `${width} ${scheme} ${view}: ${id} ${nodes[0]?.html.slice(0, 160)}`));
      }
      for (const width of [360, 720, 1100, 2560]) {
        await tab.setViewportSize({ width, height: 800 });
        const wider = (await tab.evaluate(WIDER)) as string[];
        found.push(...wider.map((each) => `${width} ${view}: wider than the page: ${each}`));
      }
    }
    expect(found).toEqual([]);
  },
);

/** What stands out of the page to the right, and out of nothing that scrolls or cuts. */
const WIDER = `[document.documentElement, document.querySelector("main"), ...document.querySelectorAll(".pane")]
  .filter((each) => each && each.scrollWidth > each.clientWidth + 1)
  .map((each) => each.tagName + "." + each.className + " " + each.scrollWidth + " > " + each.clientWidth)`;

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
