import fs from "node:fs";
import path from "node:path";
import axe from "axe-core";
import { afterAll, afterEach, expect, test } from "vitest";
import { operations, perform } from "../../protocol/index.ts";
import { createDispatch } from "../../protocol/office/files/create-dispatch.ts";
import { playTurn, writeOffice } from "../rig/dispatches.ts";
import { chatty, homeWith, worldAt } from "../rig/home.ts";
import { OfficeStage } from "../rig/office-stage.ts";
import { relayProcess } from "../rig/processes.ts";
import { put, until } from "../rig/scratch.ts";
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
  graph: ["board", "button:has-text('Dependencies')", ".graph .node"],
  artifact: ["artifacts", ".part:has-text('Design of refunds')", ".msg"],
  changes: ["artifacts/refunds%20Design%20of%20refunds", "button:has-text('Side by side')", ".diff"],
  parts: ["usage", "button:text-is('Part')", ".bars"],
  summary: ["memory", ".part:has-text('checkout')", ".text"],
};

test.skipIf(isWithoutBrowser)("a message of another process appears, and the title counts it", async () => {
  const folder = await homeWith("web", "api");
  const { tab, at, odd, context } = await open(folder);
  await tab.getByText("Nobody has written here yet").waitFor();
  await tab.goto(at("record"));
  await tab.locator(".empty code", { hasText: "git init && relay init" }).waitFor();
  await tab.goto(at("threads"));
  await tab.getByRole("link", { name: "Write the first message" }).click();
  await tab.locator("#send-to:focus").waitFor();
  await tab.keyboard.press("Escape");
  const body = "The price. 3 &euro; &amp;lt; &semi; &copyfoo; &nosuch; `&copy;`";
  await relayProcess(folder, ["send", "human", "Which field?", body, "--part", "web"]);
  await tab.getByText("Which field?").waitFor();
  await until("the title counts it", async () => (await tab.title()).startsWith("(1) Now"));
  await tab.goto(at("threads"));
  await tab.locator(".window .part", { hasText: "web: The price." }).click();
  // The browser itself reads names of characters, and only those that Markdown knows.
  await tab.getByText("The price. 3 € &lt; ; &copyfoo; &nosuch; &copy;", { exact: true }).waitFor();
  // One page of a profile asks for all of them.
  const other = await context.newPage();
  await other.goto(at("threads"));
  await other.locator(".window .part", { hasText: "Which field?" }).waitFor();
  await other.route("**/api/threads?*", (route) => route.abort());
  await until("a page that is answered nothing shows what the first one was answered", async () => {
    await perform(worldAt(folder, { part: "web" }), operations.send, { to: ["api"], subject: "For both", body: "-" });
    return (await other.locator(".window .part", { hasText: "For both" }).count()) > 0;
  });
  await other.close();
  // What the person sent has its receipts, which change as the message is read.
  const human = worldAt(folder, { part: "human" });
  const { threadId, messageId } = await perform(human, operations.send, { to: ["api"], subject: "Which unit?", body: "Cents?" });
  await tab.goto(at("now"));
  await tab.getByRole("button", { name: "Sent" }).click();
  const row = tab.locator(".sent", { hasText: "Which unit?" });
  await row.getByText("api: stored").waitFor();
  const api = worldAt(folder, { part: "api" });
  await perform(api, operations.show, { threadId });
  await row.getByText("api: fetched").waitFor();
  await perform(api, operations.ack, { messageIds: [messageId] });
  await row.getByText("api: acked").waitFor();
  await perform(api, operations.reply, { threadId, body: "Cents." });
  await row.getByText("api: replied").waitFor();
  // Without a session, the first task starts one; a card has the id that the command prints and takes.
  await tab.goto(at("board"));
  await tab.getByRole("button", { name: "New task" }).click();
  await tab.keyboard.type("Write the parser");
  await tab.keyboard.press("Enter");
  await tab.locator(".toast", { hasText: "Write the parser" }).waitFor();
  await tab.locator(".card.sel").waitFor();
  const id = await tab.locator(".card .id").textContent();
  const { task } = await perform(worldAt(folder, { part: "web" }), operations.show_task, { task_id: id as string });
  expect(task.title).toBe("Write the parser");
  // The page that is answered nothing may have asked by itself as well.
  expect(odd.filter((each) => !each.endsWith("net::ERR_FAILED"))).toEqual([]);
});

test.skipIf(isWithoutBrowser)("a refused change of a task says why", async () => {
  const folder = await stagedHome();
  const { tab, at, odd } = await open(folder);
  await tab.goto(at("board"));
  await tab.locator(".card h3", { hasText: "Refund a payment" }).click();
  await tab.getByRole("heading", { name: "Refund a payment", level: 2 }).waitFor();
  // Who neither made it nor has it cannot move it, and is told who has it.
  await tab.locator(".acts").getByRole("button", { name: "To do" }).click();
  await tab.locator(".acts [role=alert]", { hasText: "api has it now" }).waitFor();
  // A card is dragged from column to column, and what was done is taken back.
  const column = (name: string) => tab.getByRole("region", { name, exact: true });
  const title = "Prices per country";
  await perform(worldAt(folder, { part: "human" }), operations.create_task, { title: "Dragged", priority: "low" });
  await column("To do").getByText("Dragged").dragTo(column("In review"));
  await column("In review").getByText("Dragged").waitFor();
  await tab.locator(".toast", { hasText: "in review now" }).getByRole("button", { name: "Undo" }).click();
  await column("To do").getByText("Dragged").waitFor();
  // What is blocked says why, and what is called off says so; both are taken back.
  await column("To do").getByText("Dragged").click();
  await tab.getByRole("button", { name: "Block", exact: true }).click();
  await tab.keyboard.type("The table is missing.");
  await tab.keyboard.press("Enter");
  await column("In progress").locator(".card", { hasText: "blocked The table is missing." }).waitFor();
  await tab.getByRole("button", { name: "Cancel the task" }).click();
  await tab.getByLabel("Reason").fill("Not needed");
  await tab.getByRole("form", { name: "Cancel the task" }).getByRole("button", { name: "Cancel the task" }).click();
  await tab.getByText('canceled "Not needed"').waitFor();
  await column("Done").locator(".card", { hasText: "Dragged" }).getByText("canceled", { exact: true }).waitFor();
  await tab.locator(".toast", { hasText: "canceled now" }).getByRole("button", { name: "Undo" }).click();
  await column("In progress").locator(".card", { hasText: "blocked The table is missing." }).waitFor();
  // A task that a person makes is chosen and seen, whatever is filtered and however many stand before it; the head of its column stays.
  for (let n = 0; n < 50; n += 1)
    await perform(worldAt(folder, { part: "main" }), operations.create_task, { title: `Of many ${n}`, priority: "high" });
  const pick = (label: string, value: string) => tab.locator(".filters").getByLabel(label).selectOption(value);
  await pick("Part", "human");
  await until("only mine is left", async () => (await tab.locator(".card").count()) === 1);
  await pick("Part", "");
  await pick("Priority", "high");
  await column("To do").getByText("Of many 39").waitFor();
  await tab.getByRole("button", { name: "New task" }).click();
  await tab.keyboard.type("The last of all");
  await tab.keyboard.press("Enter");
  await tab.locator(".toast", { hasText: "The last of all" }).waitFor();
  const own = column("To do").locator(".card.sel", { hasText: "The last of all" });
  const [head, card] = [await column("To do").getByRole("heading", { level: 2 }).boundingBox(), await own.boundingBox()];
  expect((head?.y ?? 0) > 40 && (card?.y ?? 900) < 840).toBe(true);
  await pick("Priority", "");
  await pick("Session", "checkout");
  await tab.getByText("No task is on the board").waitFor();
  await pick("Session", "refunds");
  // Where a lease ended, a person takes the task over.
  const web = worldAt(folder, { part: "web" });
  const { tasks } = await perform(web, operations.get_all_tasks, { ready: true });
  await perform(web, operations.claim_task, { task_id: tasks.find((task) => task.title === title)?.id as string, lease_s: 1 });
  const ended = tab.locator(".card", { hasText: title }).filter({ hasText: /lease ended \d+ s ago/ });
  await ended.click();
  await tab.reload();
  await ended.waitFor();
  await tab.getByRole("heading", { name: title, level: 2 }).waitFor();
  await tab.getByRole("button", { name: "Take over" }).click();
  await tab.locator("aside .lease", { hasText: "human" }).waitFor();
  expect(odd).toEqual([]);
});

test.skipIf(isWithoutBrowser)("the views of a busy day show what the home has, and a review is given at the page", async () => {
  const folder = await stagedHome();
  const untilMs = Date.now() + 3_600_000;
  const docs = worldAt(folder, { part: "docs" });
  await perform(docs, operations.event, { type: "limited", detail: { resetAt: new Date(untilMs).toISOString() } });
  const long = `${"A line of a long text.\n\n".repeat(1_000)}The end of it.`;
  await perform(worldAt(folder, { part: "web" }), operations.send, { to: ["human"], subject: "A long one", body: long });
  const { tab, at, odd, stop } = await open(folder, { locale: "de-DE", asks: { tests: "Do you *trust* <b>this</b> folder?" } });
  // The room: unread mail, limits, and wakes with what became of them.
  const room = tab.locator("aside[aria-label=Room]");
  const row = (part: string) => room.locator(".part").filter({ has: tab.locator(".who", { hasText: part }) });
  await row("docs").getByText("limited until").waitFor();
  await row("web").getByText("9 unread").waitFor();
  await row("api").getByText("waiting for you").waitFor();
  await row("api").getByText("Refund a payment", { exact: true }).waitFor();
  // What stands in a terminal is read here, and answered there.
  expect(await room.locator(".part .who").first().textContent()).toBe("tests");
  await row("tests").getByText("Do you *trust* <b>this</b> folder?").waitFor();
  await tab.locator(".needs code", { hasText: "relay attach tests" }).waitFor();
  const content = `Whole, **or** in parts? ${"-".repeat(9_000)}`;
  await perform(worldAt(folder, { part: "api" }), operations.broadcast_thinking, { content });
  await row("api").getByText("Whole, or in parts?").waitFor();
  await row("api").getByText("tokens today").waitFor();
  await tab.locator(".needs code", { hasText: "relay pager start" }).waitFor();
  await tab.locator(".needs").getByText("Reply").click();
  await tab.locator(".ask textarea:focus").waitFor();
  expect(await tab.locator(".mail", { hasText: "Please review" }).textContent()).not.toContain("relay review");
  // A review that waits is answered where it is read.
  await tab.locator(".needs").getByText("Open the review").click();
  const review = tab.getByRole("article", { name: "Review of Design of refunds" });
  await review.locator(".diff").getByText("one call for each part").waitFor();
  await tab.keyboard.type("Name the **currency**.");
  await review.getByRole("button", { name: "Request changes" }).click();
  await review.waitFor({ state: "detached" });
  await tab.locator(".toast:has-text('You requested changes.') a[href$='Design%20of%20refunds']").waitFor();
  await room.getByText("no pager runs").waitFor();
  await room.getByText("2 of 60 wakes").waitFor();
  for (const words of ["ringing", "settled"]) await room.getByText(words, { exact: true }).waitFor();
  // The mail of another part is only looked at.
  await tab.locator("section[aria-label=Inbox] select").selectOption("web");
  await tab.locator(".mail", { hasText: "Run 6 of the tests" }).waitFor();
  expect(await tab.locator(".mail button, .reply").count()).toBe(0);

  await tab.goto(at("threads"));
  const threads = tab.locator(".window .part");
  await tab.getByLabel("Part", { exact: true }).selectOption("docs");
  await tab.getByLabel("Status").selectOption("answered");
  await tab.getByText("No thread matches").waitFor();
  await tab.getByLabel("Part", { exact: true }).selectOption("");
  await until("the answered one is listed", async () => (await threads.allInnerTexts()).join().includes("Cart shows tax"));
  await tab.getByLabel("Status").selectOption("");
  // What is unread comes first, and what only tells of reviews is folded.
  await until("an unread one is the first", async () => (await threads.first().locator(".unread").count()) === 1);
  const notice = threads.filter({ hasText: "Please review Design of refunds, version 1" });
  expect(await notice.count()).toBe(0);
  await tab.getByRole("button", { name: /of notices$/ }).click();
  await notice.waitFor();
  // A request for a review leads to the artifact, and has no command.
  await notice.click();
  await tab.locator(".msg a[href$='/artifacts/%20Design%20of%20refunds']").waitFor();
  expect(await tab.locator(".msg").first().textContent()).not.toContain("relay review");
  for (let n = 0; n < 35; n += 1) await perform(docs, operations.send, { to: ["api"], subject: `Page ${n}`, body: "-" });
  await tab.reload();
  await until("more than the first page is unread first", async () => (await threads.nth(3).locator(".unread").count()) === 1);
  await threads.filter({ hasText: "A long one" }).click();
  expect(await tab.getByText("The end of it.").count()).toBe(0);
  await tab.getByRole("button", { name: /^Show all/ }).click();
  await tab.locator("pre.plain", { hasText: "The end of it." }).waitFor();

  await perform(worldAt(folder, { part: "web" }), operations.event, { type: "composing" });
  await tab.locator(".writing", { hasText: "web is writing" }).waitFor();

  // A lease counts down.
  await tab.goto(at("board"));
  const lease = tab.locator(".card .lease .nowrap");
  const left = (await lease.textContent()) as string;
  expect(left).toMatch(/^(\d+:)?\d\d:\d\d$/);
  await until("a second has gone", async () => (await lease.textContent()) !== left);

  await tab.getByLabel("Priority").selectOption("low");
  await until("one task is left", async () => (await tab.locator(".card").count()) === 1);

  await tab.goto(at("artifacts/refunds%20Design%20of%20refunds"));
  await tab.locator(".msg", { hasText: "Name the currency." }).getByText("changes requested").waitFor();
  await tab.getByLabel("Reviewer").selectOption("tests");
  await tab.getByRole("article", { name: "Review by tests" }).getByText("in review").waitFor();

  // The chart and the table have the same numbers, with dates in the reader's language.
  await tab.goto(at("usage"));
  await tab.locator(".columns rect").last().waitFor();
  const bars = await tab.locator(".columns title").allTextContents();
  const lines = tab.locator(".tbl tbody tr");
  const cells = await lines.evaluateAll((all) => all.map((each) => [0, 6].map((column) => each.children[column]?.textContent)));
  expect(bars).toHaveLength(30);
  expect(bars.reverse().slice(0, cells.length)).toEqual(cells.map(([day, cost]) => `${day}: ${cost}`));
  expect(bars[0]).toContain(new Intl.DateTimeFormat("de-DE", { month: "short", day: "numeric" }).format(new Date()));

  // The page goes on by itself when the server comes back, and shows what was written meanwhile.
  const start = await stop();
  await tab.getByText("The server does not answer.").first().waitFor();
  await perform(worldAt(folder, { part: "web" }), operations.send, { to: ["human"], subject: "Meanwhile", body: "-" });
  await start();
  await tab.locator(".live", { hasText: "Live" }).waitFor();
  await tab.goto(at("now"));
  await tab.locator(".mail", { hasText: "Meanwhile" }).waitFor();
  expect(odd.filter((each) => !each.startsWith("console Failed to load resource: net::ERR_"))).toEqual([]);
});

test.skipIf(isWithoutBrowser)("axe finds nothing in any view in both schemes, and nothing is wider than the page at any size", async () => {
  const folder = await stagedHome();
  const found: string[] = [];
  const { tab, at, refused } = await open(folder);
  await tab.evaluate(axe.source);
  for (const view of [...VIEWS, ...Object.keys(DEEPER)]) {
    const [address, press, there] = DEEPER[view] ?? [view, "", ".pane"];
    await tab.setViewportSize({ width: 1440, height: 900 });
    await tab.goto(at(address));
    if (press !== "") await tab.locator(press).first().click();
    await tab.locator(there).first().waitFor();
    found.push(...((await tab.locator("body").innerText()).match(/\bfences?\b|\bleases?\b(?! ended)|wake ?id/gi) ?? []));
    // What stands beside each view is looked at in the first one, in both schemes and sizes.
    for (const [width, height, scheme] of view === "now" ? LOOKS : LOOKS.slice(0, 2)) {
      await tab.setViewportSize({ width, height });
      await tab.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
      const { violations } = (await tab.evaluate("axe.run({ resultTypes: ['violations'] })")) as {
        violations: { id: string; nodes: { html: string }[] }[];
      };
      found.push(...violations.map(({ id, nodes }) => `${width} ${scheme} ${view}: ${id} ${nodes[0]?.html.slice(0, 160)}`));
    }
    for (const width of [360, 720, 1024, 1100, 2560]) {
      await tab.setViewportSize({ width, height: 800 });
      const wider = (await tab.evaluate(WIDER)) as string[];
      found.push(...wider.map((each) => `${width} ${view}: wider than the page: ${each}`));
    }
  }
  expect(found).toEqual([]);
  // Nothing is asked that the browser would report as an error: no picture without the link, no office where there is none.
  expect(refused).toEqual([]);
});

/** Each view is examined in these: light and wide, dark and narrow; the first one also the other way round. */
const LOOKS = [
  [1440, 900, "light"],
  [390, 844, "dark"],
  [1024, 768, "dark"],
  [390, 844, "light"],
] as const;

/** What stands out of the page to the right, and out of nothing that scrolls or cuts. */
const WIDER = `[document.documentElement, document.querySelector("main"), ...document.querySelectorAll(".pane")]
  .filter((each) => each && each.scrollWidth > each.clientWidth + 1)
  .map((each) => each.tagName + "." + each.className + " " + each.scrollWidth + " > " + each.clientWidth)`;

test.skipIf(isWithoutBrowser)("nothing that agents write runs, loads, or leads elsewhere than to the web and to mail", async () => {
  const folder = chatty(await homeWith("web"));
  const web = worldAt(folder, { part: "web" });
  await perform(web, operations.start_session, { session_id: "payloads" });
  // A subject with control characters is refused before any page sees it.
  const line = (text: string, length = 100): string => text.replaceAll("\u0001", " ").replace(/\s+/g, " ").slice(0, length).trim() || "-";
  const { threadId } = await perform(web, operations.send, { to: ["human"], subject: "Payloads", body: "They follow." });
  const all = PAYLOADS.join("\n\n");
  const usage: string[] = [];
  for (const [at, payload] of PAYLOADS.entries()) {
    await perform(web, operations.reply, { threadId, body: `${payload}\n`, to: ["human"] });
    const tags = [line(payload, 32)];
    if (at % 2 === 0)
      await perform(web, operations.send, { to: ["human"], subject: line(payload), body: payload, needsHuman: at % 4 === 0, tags });
    if (at % 3 === 0) await perform(web, operations.create_task, { title: line(payload), description: payload });
    if (at % 5 === 0) await perform(web, operations.post_artifact, { name: line(payload), type: "document", content: payload });
    await perform(web, operations.append_memory, { content: payload });
    const said = { part: line(payload), session: line(payload), task: line(payload), model: line(payload) };
    usage.push(JSON.stringify({ id: `x:${at}`, at: new Date().toISOString(), agent: "claude", ...said, input: 10 + at }));
  }
  const month = path.join(folder, ".relay/usage", new Date().toISOString().slice(0, 7));
  put(path.join(month, "abcdefgh.jsonl"), `${usage.join("\n")}\n{"broken": "<img src=x onerror=alert(1)>"}\n`);
  for (const content of ["All of them.", all]) await perform(web, operations.post_artifact, { name: "All", type: "design", content });
  const { artifacts } = await perform(web, operations.list_artifacts, {});
  const whole = artifacts.find(({ name }) => name === "All") as { id: string };
  const { review_id } = await perform(web, operations.request_review, { artifact_id: whole.id, reviewer: "human" });
  await perform(worldAt(folder, { part: "human" }), operations.submit_review, { review_id, status: "changes_requested", comments: all });
  for (const summary of [all, `${all}\n\nTwice.`]) await perform(web, operations.save_session_summary, { session_id: "payloads", summary });
  writeOffice(folder);
  fs.appendFileSync(path.join(folder, ".relay/org/agents/auditor.md"), all);
  await perform(worldAt(folder), operations.trust_office, {});
  const { dispatch } = createDispatch(worldAt(folder), { initiator: "human", recipient: "om", text: all, parent: null });
  playTurn(worldAt(folder), dispatch.id, all);

  const { tab, at, odd, context } = await open(folder);
  // Where a link leads to the web, the person who opens it goes there: nothing answers here, and the address is written down.
  const opened: string[] = [];
  await context.route(/^https?:(?!\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\/)/, (route) => route.abort());
  context.on("page", (page) => {
    opened.push(page.url());
    void page.close().catch(() => {});
  });
  const check = async (what: string, there: string): Promise<void> => {
    await tab.locator(there).first().waitFor();
    const links = (await tab.evaluate(
      "[...document.querySelectorAll('.md-body a')].map((a) => [a.getAttribute('href'), a.rel, a.target])",
    )) as string[][];
    for (const [href = "", rel, target] of links) {
      expect(href, what).toMatch(/^(https?:\/\/|mailto:)/i);
      expect([rel, target]).toEqual(["noopener noreferrer", "_blank"]);
    }
    expect(await tab.evaluate(MADE), what).toBe(0);
    expect(await tab.evaluate(HANDLERS), what).toEqual([]);
    await tab.evaluate(CLICK_EACH);
  };
  await check("the inbox", ".ask");
  await tab.goto(at(`threads/${threadId}`));
  await check("a thread", ".msg");
  for (const last of [59, 84]) {
    await tab.getByRole("button", { name: "Show earlier messages" }).click();
    await tab.locator(".msg").nth(last).waitFor();
  }
  await check("a long thread", ".msg");
  await tab.goto(at("board"));
  await check("the board", ".card");
  await tab.locator(".card").nth(3).click();
  await check("a task", ".acts");
  await tab.goto(at("artifacts"));
  await tab.locator(".art:has-text('All')").first().click();
  await check("an artifact and its review", ".msg .md-body");
  await tab.getByRole("button", { name: "Changes", exact: true }).click();
  await check("what changed", ".diff .new");
  await tab.getByRole("button", { name: "Side by side" }).click();
  await check("what changed, side by side", ".diff .new");
  await tab.goto(at("memory/part%20web"));
  await check("a memory", ".text .md-body");
  await tab.goto(at("memory/session%20payloads"));
  await check("a summary", ".text .md-body");
  await tab.getByLabel("Version").selectOption({ index: 1 });
  await check("a summary as it was", ".diff .new");
  await tab.goto(at(`office/${dispatch.id}`));
  await check("a turn of the office", ".turn .md-body");
  await tab.goto(at("usage"));
  await tab.getByLabel("Period").selectOption("");
  for (const by of ["Part", "Session", "Task", "Model"]) {
    await tab.getByRole("button", { name: by, exact: true }).click();
    await check(`usage by ${by}`, `section[aria-label="Usage by ${by.toLowerCase()}"] tbody tr`);
  }
  await tab.goto(at("search/script"));
  await check("a search", ".item");
  expect(odd.filter((each) => !/^visit https?:/.test(each))).toEqual([]);
  expect(opened.filter((url) => !/^(https?:|about:blank|chrome-error:|$)/.test(url))).toEqual([]);
  expect(await tab.evaluate("globalThis.ran")).toBeUndefined();
  expect(PAYLOADS.length).toBeGreaterThanOrEqual(80);
});

/** Clicks every link that a text has, each address once. */
const CLICK_EACH = `document.querySelectorAll(".md-body a").forEach((link) => {
  globalThis.clicked ??= new Set();
  if (!clicked.has(link.href)) link.click();
  clicked.add(link.href);
})`;
/** Elements that no text of an agent may become. */
const MADE =
  "document.querySelectorAll(':is(.md-body, .part, .item, .card, .tbl, .diff) :is(script, img, iframe, object, embed, form, input, style, math, video, audio, link, meta, base)').length";
const HANDLERS =
  "[...document.querySelectorAll('.md-body *')].flatMap((each) => each.getAttributeNames()).filter((name) => /^on|^style$|^srcdoc$/.test(name))";

test.skipIf(isWithoutBrowser)("an office at work: what a turn prints, a question that is answered, and a stop", async () => {
  const folder = await homeWith("web");
  const stage = await OfficeStage.open({}, folder);
  const asks = { tool: "AskQuestion", args: { question: "May I add a library?", wait_s: 0 } };
  stage.plan({ om: [[{ tick: "go" }, { call: asks }, { say: "asked" }], [{ say: "Thanks." }], [{ hold: "never" }]] });
  stage.limits({ idle_s: 60 });
  const { tab, at, odd } = await open(folder);
  const id = stage.give("om", "Refunds by Friday.");
  const runner = stage.run();
  await tab.goto(at("office"));
  await tab.locator(".tbl a", { hasText: "office-manager" }).click();
  const isPrinted = () =>
    until("what it prints", async () => /\.{20,}/.test((await tab.locator(".live-text").first().textContent()) ?? ""));
  await isPrinted();
  // Whoever opens the page late sees what was printed before.
  await tab.reload();
  await isPrinted();
  stage.release("go");
  await tab.locator("aside .ask").getByText("May I add a library?").waitFor();
  await tab.getByRole("cell", { name: "asks you" }).waitFor();
  await tab.keyboard.press("r");
  await tab.keyboard.type("Yes.");
  await tab.keyboard.press("Control+Enter");
  await tab.locator(".turn").getByText("Thanks.").waitFor();
  await tab.locator("aside h2:text-is('office-manager')").waitFor();
  expect(await tab.locator(".tbl a", { hasText: "office-manager" }).count()).toBe(1);
  await tab.locator("aside .ask").waitFor({ state: "detached" });
  stage.more(id, "More.");
  await tab.locator(".turn", { hasText: "Turn 3" }).getByText("runs").waitFor();
  await tab.getByRole("button", { name: "Stop" }).click();
  await tab.locator(".toast", { hasText: "office-manager is stopped." }).waitFor();
  await tab.locator("aside").getByText("closed").first().waitFor();
  runner.kill();
  await tab.locator(".cmd", { hasText: "relay office run" }).waitFor();
  // What others have is listed after this clone's own, by pages of 20.
  const own = path.join(folder, ".relay/dispatches", id.replace(/^t-(....)(..)(..)-/, "$1-$2-$3/"));
  for (let n = 10; n < 34; n += 1) {
    const [other, name] = [`t-20260101-abcd${n}zz`, path.join(folder, `.relay/dispatches/2026-01-01/abcd${n}zz`)];
    put(path.join(name, "dispatch.md"), fs.readFileSync(path.join(own, "dispatch.md"), "utf8").replaceAll(id, other));
  }
  await tab.goto(at("office"));
  const listed = (count: number) => until(`${count} are listed`, async () => (await tab.locator(".tbl tbody a").count()) === count);
  await listed(20);
  await tab.getByRole("button", { name: "Older ones" }).click();
  await listed(5);
  await tab.getByRole("button", { name: "Newer ones" }).click();
  await listed(20);
  expect(odd).toEqual([]);
});

test.skipIf(isWithoutBrowser)("a broken file is named with its path, and everything else works", async () => {
  const folder = await homeWith("web");
  const web = worldAt(folder, { part: "web" });
  const { threadId } = await perform(web, operations.send, { to: ["human"], subject: "Whole", body: "Readable." });
  const { messageId, threadId: broken } = await perform(web, operations.send, { to: ["human"], subject: "Broken", body: "Soon not." });
  const names = fs.readdirSync(path.join(folder, ".relay"), { recursive: true }) as string[];
  for (const name of names.filter((each) => each.endsWith(`${messageId}.md`)))
    fs.writeFileSync(path.join(folder, ".relay", name), "---\nno: [end\n");
  const { tab, at, context } = await open(folder);
  // What no hint tells is asked for again: after 20 s, and where a look passes over folders after 60 s.
  const later = await context.newPage();
  const asked: string[] = [];
  later.on("request", (request) => asked.push(/api\/(\w+)/.exec(request.url())?.[1] ?? ""));
  const times = (name: string, count: number) => until(name, () => asked.filter((each) => each === name).length === count);
  await later.clock.install();
  await later.goto(at("usage"));
  await times("usage", 1);
  await later.getByText("No model call was counted").waitFor();
  await later.clock.fastForward(30_000);
  await times("status", 2);
  expect(asked.filter((each) => each === "usage")).toHaveLength(1);
  await later.clock.fastForward(45_000);
  await times("usage", 2);
  await later.close();
  await tab.getByText("cannot be read").first().click();
  await tab.locator(".chg code").first().waitFor();
  expect(await tab.locator(".chg code").allTextContents()).toEqual([expect.stringContaining(broken)]);
  await tab.goto(at(`threads/${threadId}`));
  await tab.getByText("Readable.", { exact: true }).waitFor();
});

test.skipIf(isWithoutBrowser)("a notification tells of new mail to the person while the page is out of sight", async () => {
  const folder = await homeWith("web", "api");
  const web = worldAt(folder, { part: "web" });
  const send = (to: string, subject: string) => perform(web, operations.send, { to: [to], subject, body: "-" });
  const { tab, context, odd } = await open(folder);
  await context.grantPermissions(["notifications"]);
  await tab.evaluate(NOTE_NOTICES);
  await tab.keyboard.press("?");
  await tab.getByLabel("Desktop notifications").check();
  await tab.keyboard.press("Escape");
  await send("human", "In sight");
  await until("it is counted", async () => (await tab.title()).startsWith("(1)"));
  await tab.evaluate("Object.defineProperty(document, 'visibilityState', { value: 'hidden' })");
  await send("api", "For another part");
  await send("human", "Out of sight");
  await until("it is told", async () => ((await tab.evaluate("noted")) as string[]).length > 0);
  await tab.getByText("Out of sight").first().waitFor();
  expect(await tab.evaluate("noted")).toEqual([["Relay: project", "2 unread messages"]]);
  expect(odd).toEqual([]);
});

/** Notes each notification that the page shows. */
const NOTE_NOTICES = `globalThis.noted = [];
globalThis.Notification = class extends Notification {
  constructor(title, options) {
    super(title, options);
    noted.push([title, options.body]);
  }
};`;
