/** Everything that a person does at the page is done by the keyboard alone, and the focus is seen and never lost. */
import type { Page as Tab } from "playwright-core";
import { afterAll, afterEach, expect, test } from "vitest";
import { homeWith } from "../rig/home.ts";
import { until } from "../rig/scratch.ts";
import { closeOpened, endBrowser, isWithoutBrowser, open } from "./browser.ts";
import { recordedStage } from "./stage.ts";

afterEach(closeOpened);
afterAll(endBrowser);

/** What is wrong with the focus; empty where it is on something that is seen, with a line round it. */
const FOCUS = `(() => {
  const at = document.activeElement;
  if (at === null || at === document.body) return "the focus is lost";
  const { outlineStyle, outlineWidth } = getComputedStyle(at);
  const { width, height, bottom, top } = at.getBoundingClientRect();
  const isSeen = outlineStyle !== "none" && parseFloat(outlineWidth) > 0 && width > 0 && height > 0 && bottom > 0 && top < innerHeight;
  return isSeen ? "" : "the focus is not seen: " + at.outerHTML.slice(0, 160);
})()`;
/** More steps than any view has from its beginning to its end. */
const MOST_TABS = 120;

/** The hands on the keyboard: each key is followed by a look at the focus. */
function handsOn(tab: Tab) {
  const seen = async (after: string): Promise<void> => {
    let wrong = "";
    const look = async (): Promise<boolean> => {
      wrong = (await tab.evaluate(FOCUS)) as string;
      return wrong === "";
    };
    await until("the focus", look).catch(() => expect(wrong, `after ${after}`).toBe(""));
  };
  const press = async (...keys: string[]): Promise<void> => {
    for (const key of keys) {
      await tab.keyboard.press(key);
      await seen(key);
    }
  };
  const isAt = (selector: string): Promise<boolean> =>
    tab
      .locator(`${selector}:focus`)
      .count()
      .then((count) => count > 0);
  const goBy = async (key: string, selector: string): Promise<void> => {
    for (let n = 0; n < MOST_TABS; n += 1) {
      if (await isAt(selector)) return;
      await press(key);
    }
    throw new Error(`${key} never came to ${selector}`);
  };
  return { press, seen, goBy, type: (text: string) => tab.keyboard.type(text), tabTo: (selector: string) => goBy("Tab", selector) };
}

test.skipIf(isWithoutBrowser)("a day at the page by the keyboard alone", async () => {
  const [folder, other] = [await recordedStage(), await homeWith("shop")];
  const { tab, odd } = await open(folder, {}, [other]);
  const { press, seen, goBy, tabTo, type } = handsOn(tab);
  const said = (words: string) => tab.locator(".toast", { hasText: words }).waitFor();
  const heading = (name: string) => tab.getByRole("heading", { name, level: 1, exact: true });
  // The second letter has its time; where the machine let it pass, a person types both again.
  const goTo = async (letter: string, name: string): Promise<void> => {
    await until(name, async () => {
      await tab.keyboard.press("g");
      await tab.keyboard.press(letter);
      return (await heading(name).count()) > 0;
    });
    await seen(`g ${letter}`);
  };
  await tab.locator(".ask [id^=reply-]").waitFor();
  await press("Tab");

  // A question is answered: r, the text, and Ctrl with Enter. Escape only leaves the field.
  await press("r");
  await type("Only what was not shipped.");
  await press("Escape", "r", "Control+Enter");
  await tab.locator(".ask [id^=reply-]").waitFor({ state: "detached" });
  // A row is read, replied to, and its thread closed and opened again.
  await goBy("j", "[data-row]:has-text('Guide: refunds')");
  await press("Enter");
  await tab.locator(".msg").first().waitFor();
  await press("r");
  await type("Both are good.");
  await press("Control+Enter");
  await said("Your answer was sent.");
  await tab.locator(".msg", { hasText: "Both are good." }).waitFor();
  await press("Escape", "x");
  await said("The thread is closed.");
  await press("Escape");
  await goTo("n", "Now");
  // A row is acked.
  const rows = tab.locator(".mail .item");
  await rows.first().waitFor();
  const unread = await rows.count();
  await press("j", "e");
  await said("You have read “");
  await until("it is acked", async () => (await rows.count()) === unread - 1);

  // A new message. Escape closes it, and what was written is there again.
  await press("c");
  await type("web");
  await press("Tab");
  await type("Which unit?");
  await press("Escape");
  await tab.locator("form.send").waitFor({ state: "detached" });
  await press("c", "Tab", "Tab");
  await type("Cents?");
  await press("Control+Enter");
  await tab.locator(".msg", { hasText: "Cents?" }).waitFor();
  await press("Escape");
  await goTo("n", "Now");
  await tabTo("[data-choice=sent]");
  await press("Enter");
  await tab.locator(".sent", { hasText: "Which unit?" }).getByText("web: stored").waitFor();

  // A task is made, edited, moved and assigned.
  await goTo("b", "Board");
  await tab.locator(".card").first().waitFor();
  await press("c");
  await type("Mail a receipt");
  await press("Enter");
  await tab.locator(".card", { hasText: "Mail a receipt" }).waitFor();
  await tab.locator(".acts").waitFor();
  await press("e", "Control+a");
  await type("Mail the receipt");
  await press("Tab");
  await type("As a file, too.");
  await press("Control+Enter");
  await tab.getByRole("heading", { name: "Mail the receipt", level: 2 }).waitFor();
  await press("m", "Tab", "Tab", "Enter");
  await tab.getByRole("region", { name: "In review" }).getByText("Mail the receipt").waitFor();
  await press("a");
  await type("docs");
  await tab.locator(".chg", { hasText: "assigned to docs" }).waitFor();
  await tab.locator(".chg", { hasText: "title changed, description changed" }).waitFor();
  await press("Escape", "Escape");
  await tab.locator(".acts").waitFor({ state: "detached" });

  // What changed in an artifact.
  await goTo("a", "Artifacts");
  await tab.locator(".art").first().waitFor();
  await goBy("j", "[data-row]:has-text('Design of refunds')");
  await press("Enter");
  await tabTo("[data-choice=inline]");
  await press("Enter");
  await tab.locator(".diff .new").first().waitFor();

  // A step into the past, one more, and back.
  await goTo("r", "Record");
  await tab.locator(".record .list [data-row]").nth(1).waitFor();
  await press("j", "j", "Enter");
  await tab.locator("section.past").waitFor();
  await tab.locator("section[aria-label='What changed'] [data-row]").first().waitFor();
  await goTo("n", "Now");
  await press("ArrowLeft");
  await tab.getByText("presence unknown").first().waitFor();
  await until("nothing was sent yet", async () => (await tab.locator(".mail, .ask").count()) === 0);
  await press("Escape");
  await tab.locator("section.past").waitFor({ state: "detached" });

  // A search, and what it found.
  await press("/");
  await heading("Search").waitFor();
  await type("as a file");
  await tab.locator(".hit", { hasText: "Mail the receipt" }).waitFor();
  await press("Escape", "j", "Enter");
  await tab.getByRole("heading", { name: "Mail the receipt", level: 2 }).waitFor();
  await press("/", "Control+a");
  await type("nothing has this");
  await tab.getByText("Nothing found for").waitFor();
  await press("Escape");

  // The settings: letters are turned off, and on again.
  await press("?");
  await tabTo("[type=checkbox]");
  await press("Space", "Escape");
  await tab.locator("dialog").waitFor({ state: "detached" });
  await press("g", "t");
  await heading("Search").waitFor();
  await tabTo("button.last");
  await press("Enter");
  await tabTo("[type=checkbox]");
  await press("Space", "Escape");
  await goTo("t", "Threads");

  // Another home.
  await goBy("Shift+Tab", "summary");
  await press("Enter");
  await tabTo("a.place:not([aria-current])");
  await tab.keyboard.press("Enter");
  await tab.getByText("Nobody has written here yet").waitFor();
  expect(odd).toEqual([]);
});
