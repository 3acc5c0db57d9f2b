/** Pictures of every view, for people to look at. */
import fs from "node:fs";
import path from "node:path";
import { afterAll, afterEach, test } from "vitest";
import { OfficeStage } from "../rig/office-stage.ts";
import { git, until } from "../rig/scratch.ts";
import { closeOpened, endBrowser, isWithoutBrowser, open } from "./browser.ts";
import { recordedStage } from "./stage.ts";

afterEach(closeOpened);
afterAll(endBrowser);

/**
 * Where the pictures go: `RELAY_PICTURES=docs/dashboard npx vitest run test/dashboard/pictures.test.ts`. Where there are some, these
 * alone are taken again.
 */
const FOLDER = process.env["RELAY_PICTURES"] ?? "";

/** Each picture: the address, what is pressed there, and what it shows then. */
const PICTURES: readonly (readonly [name: string, address: string, there: string, ...press: string[]])[] = [
  ["now", "now", ".chg.wake"],
  ["threads", "threads", ".window .part"],
  ["thread", "threads", ".msg", ".part:has-text('Cart shows tax')"],
  ["board", "board", ".card .lease"],
  ["task", "board", ".acts", ".card:visible"],
  ["edit", "board", "form.send", ".card:has-text('Refund a payment')", "[data-key=e]"],
  ["graph", "board", ".graph .node", "button:has-text('Dependencies')"],
  ["artifact", "artifacts", ".msg", ".part:has-text('Design of refunds')"],
  ["changes", "artifacts/refunds%20Design%20of%20refunds", ".diff", ".seg button:visible >> nth=-1"],
  ["summary", "memory/session%20checkout", ".diff", "select[aria-label=Version]", "button:has-text('What changed since')"],
  ["office", "office", ".tbl"],
  ["conversation", "office", ".turn", ".tbl a:has-text('office-manager')"],
  ["usage", "usage", ".plot"],
  ["record", "record", ".diff", ".list [data-row] >> nth=1", "section[aria-label='What changed'] [data-row]:has-text('memory')"],
  ["past", "board?at=COMMIT", ".past .line-of-time"],
  ["search", "search/refund", ".item"],
];

test.skipIf(FOLDER === "" || isWithoutBrowser)("a picture of each view, wide and narrow, light and dark", async () => {
  fs.mkdirSync(FOLDER, { recursive: true });
  const there = new Set(fs.readdirSync(FOLDER).filter((name) => name.endsWith(".png")));
  const isWanted = (file: string): boolean => there.size === 0 || there.has(file);
  const folder = await recordedStage();
  const commit = git(path.join(folder, ".relay"), "log", "--format=%H").split("\n")[1] as string;
  const stage = await OfficeStage.open({}, folder);
  const asks = { tool: "AskQuestion", args: { question: "May I add a library for **rounding**? By hand it is some 60 lines.", wait_s: 0 } };
  stage.plan({
    om: [
      [
        {
          say: "I read the plan. The auditor looks at the sums, ",
          send: { member: "auditor", message: "Read the plan.", wait: false },
          quiet: true,
        },
        { say: "and one answer of yours decides how prices are rounded.", call: asks, quiet: true },
      ],
    ],
    "om/auditor": [[{ tick: "over" }, { say: "Read." }]],
  });
  const id = stage.give("om", "Refunds by Friday, with tests.");
  const runner = stage.run();
  await until("a question, and a turn that runs", () => stage.state(id).ends.length === 1 && stage.noted("ticked").length > 0);
  for (const scheme of ["light", "dark"] as const) {
    for (const [size, width, height] of [
      ["wide", 1440, 900],
      ["narrow", 390, 844],
    ] as const) {
      const wanted = PICTURES.filter(([name]) => isWanted(`${name}-${size}-${scheme}.png`));
      if (wanted.length === 0) continue;
      const { tab, at } = await open(folder, { width, height, scheme });
      for (const [name, address, shown, ...presses] of wanted) {
        await tab.goto(at(address.replace("COMMIT", commit)));
        for (const press of presses) {
          const target = tab.locator(press).first();
          await target.waitFor({ timeout: 20_000 });
          if (press.startsWith("select")) await target.selectOption({ index: 1 });
          else await target.click();
        }
        await tab
          .locator(shown)
          .first()
          .waitFor({ timeout: 20_000 })
          .catch(() => {});
        await tab.waitForLoadState("networkidle").catch(() => {});
        await tab.screenshot({ path: `${FOLDER}/${name}-${size}-${scheme}.png` });
      }
      await closeOpened();
    }
  }
  stage.release("over");
  runner.kill();
  await until("the runner ended", () => runner.exitCode !== null || runner.signalCode !== null);
});
