import fs from "node:fs";
import { afterAll, afterEach, test } from "vitest";
import { closeOpened, endBrowser, isWithoutBrowser, open } from "./browser.ts";
import { stagedHome } from "./stage.ts";

afterEach(closeOpened);
afterAll(endBrowser);

/** Where the pictures go: `RELAY_PICTURES=docs/dashboard npx vitest run test/dashboard/pictures.test.ts`. */
const FOLDER = process.env["RELAY_PICTURES"] ?? "";

test.skipIf(FOLDER === "" || isWithoutBrowser)("a picture of each view, wide and narrow, light and dark", async () => {
  fs.mkdirSync(FOLDER, { recursive: true });
  const folder = await stagedHome();
  for (const scheme of ["light", "dark"] as const) {
    for (const [size, width, height] of [
      ["wide", 1440, 900],
      ["narrow", 390, 844],
    ] as const) {
      const { tab, at } = await open(folder, { width, height, scheme });
      const shoot = async (name: string): Promise<void> => {
        await tab.waitForLoadState("networkidle").catch(() => {});
        await tab.screenshot({ path: `${FOLDER}/${name}-${size}-${scheme}.png` });
      };
      for (const view of ["now", "threads", "board", "memory", "office", "search/price"]) {
        await tab.goto(at(view));
        await tab.waitForTimeout(500);
        await shoot(view.split("/")[0] as string);
      }
      await tab.goto(at("threads"));
      await tab.getByText("Cart shows tax").first().click();
      await tab.waitForSelector(".msg");
      await shoot("thread");
      await tab.goto(at("board"));
      await tab.waitForSelector(".card");
      await tab.locator(".card:visible").first().click();
      await tab.waitForSelector(".acts");
      await shoot("task");
      await closeOpened();
    }
  }
});
