/** One box finds each kind of what a home holds, and opens it where it is shown, by the keyboard alone. */
import fs from "node:fs";
import path from "node:path";
import { afterAll, afterEach, expect, test } from "vitest";
import { operations, perform } from "../../protocol/index.ts";
import { createDispatch } from "../../protocol/office/files/create-dispatch.ts";
import { officeHome, playTurn } from "../rig/dispatches.ts";
import { worldAt } from "../rig/home.ts";
import { until } from "../rig/scratch.ts";
import { closeOpened, endBrowser, isWithoutBrowser, open } from "./browser.ts";
import { PAYLOADS } from "./payloads.ts";

afterEach(closeOpened);
afterAll(endBrowser);

test.skipIf(isWithoutBrowser)("each kind is found by one box, and opened by the keyboard with the right thing chosen", async () => {
  const folder = await officeHome("web", "api");
  const web = worldAt(folder, { part: "web" });
  const payload = `${PAYLOADS.slice(0, 12).join(" ")}\u202e needle`;
  await perform(web, operations.start_session, { session_id: "first" });
  await perform(web, operations.send, { to: ["api"], subject: "A message", body: payload });
  await perform(web, operations.create_task, { title: "A task", description: payload });
  const { artifact_id } = await perform(web, operations.post_artifact, { name: "An artifact", type: "design", content: payload });
  const { review_id } = await perform(web, operations.request_review, { artifact_id, reviewer: "api" });
  const api = worldAt(folder, { part: "api" });
  await perform(api, operations.submit_review, { review_id, status: "approved", comments: payload });
  await perform(api, operations.append_memory, { content: payload });
  await perform(web, operations.write_memory, { key: "all", content: payload });
  await perform(web, operations.save_session_summary, { session_id: "first", summary: payload });
  const { dispatch } = createDispatch(web, { initiator: "web", recipient: "om", text: "A dispatch", parent: null });
  playTurn(web, dispatch.id, "", { outcome: "failed", problem: "needle" });
  fs.appendFileSync(path.join(folder, ".relay/org/agents/auditor.md"), `${payload}\n`);
  const config = path.join(folder, ".relay/relay.yml");
  fs.writeFileSync(config, fs.readFileSync(config, "utf8").replace(/^( +)api:.*$/m, "$1api: { about: needle }"));

  const { tab, odd, refused } = await open(folder);
  await tab.getByRole("heading", { name: "Now", level: 1 }).waitFor();
  /** Each kind, a word of its row, where it leads, and what is chosen there. */
  const kinds: readonly (readonly [kind: string, row: string, view: string, chosen: string])[] = [
    ["message", "A message", "Threads", '.part.sel:has-text("A message")'],
    ["task", "A task", "Board", '.card.sel:has-text("A task")'],
    ["artifact", "An artifact", "Artifacts", '.part.sel:has-text("An artifact")'],
    ["review", "An artifact", "Artifacts", '.part.sel:has-text("An artifact")'],
    ["memory", "Memory of api", "Memory", '.part.sel:has-text("api")'],
    ["memory", "Memory of the project", "Memory", '.part.sel:has-text("The project")'],
    ["summary", "Summary of first", "Memory", '.part.sel:has-text("first")'],
    ["office", "A dispatch", "Office", 'tr.sel:has-text("A dispatch")'],
    ["position", "auditor", "Office", 'tr.sel:has-text("auditor")'],
    ["part", "api", "Now", '.part.sel:has-text("api")'],
  ];
  const rows = tab.locator(".hit");
  for (const [kind, row, view, chosen] of kinds) {
    await tab.keyboard.press("/");
    await tab.locator("#search-field:focus").waitFor();
    await tab.keyboard.press("Control+A");
    await tab.keyboard.type("needle");
    await rows.nth(kinds.length - 1).waitFor();
    await tab.keyboard.press("Enter");
    await tab.locator(".hit:focus").waitFor();
    const at = await until(`${kind}: ${row}`, async () => {
      const texts = await rows.allInnerTexts();
      return texts.findIndex((text) => text.startsWith(kind) && text.includes(row)) + 1;
    });
    for (let step = 1; step < at; step += 1) await tab.keyboard.press("j");
    await tab.keyboard.press("Enter");
    await tab.getByRole("heading", { name: view, level: 1, exact: true }).waitFor();
    await tab.locator(chosen).waitFor();
  }
  // One kind alone, with its sender and the words that were found.
  await tab.keyboard.press("/");
  await tab.locator("#search-field").fill("needle");
  await tab.getByRole("button", { name: "Messages" }).click();
  await rows.filter({ hasText: "A task" }).waitFor({ state: "detached" });
  await rows.first().locator("mark", { hasText: "needle" }).waitFor();
  await rows.filter({ hasText: "A message" }).getByText("web", { exact: true }).waitFor();
  expect(await tab.evaluate("globalThis.ran")).toBeUndefined();
  expect({ odd, refused }).toEqual({ odd: [], refused: [] });
});
