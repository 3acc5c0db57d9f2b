/** The page as of an earlier moment: moved along the commits, marked, read only, and back. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import axe from "axe-core";
import { afterAll, afterEach, expect, test } from "vitest";
import { collectAnswers } from "../../dashboard/server/export/questions.ts";
import { operations, perform } from "../../protocol/index.ts";
import { createDispatch } from "../../protocol/office/files/create-dispatch.ts";
import { act } from "../rig/clones.ts";
import { endedDispatches, officeHome, playTurn, writeOffice } from "../rig/dispatches.ts";
import { worldAt } from "../rig/home.ts";
import { relay } from "../rig/processes.ts";
import { git, pathWithGit, put, repository, scratch, until } from "../rig/scratch.ts";
import { closeOpened, endBrowser, isWithoutBrowser, open, openFile } from "./browser.ts";
import { PAYLOADS } from "./payloads.ts";
import { ask, endServing, serve } from "./rig.ts";
import { writeUsage } from "./stage.ts";

afterEach(async () => {
  await closeOpened();
  await endServing();
});
afterAll(endBrowser);

/** A home of three commits: nothing but the parts, a thread and a task, and a second thread. */
async function recordedHome(): Promise<{ folder: string; commits: string[] }> {
  const folder = repository();
  await act(folder, undefined, "init", { parts: ["web", "api"] });
  const web = worldAt(folder, { part: "web" });
  const record = () => perform(web, operations.record, {});
  await record();
  await perform(web, operations.start_session, { session_id: "first" });
  await perform(web, operations.create_task, { title: "Write the parser" });
  await perform(web, operations.append_memory, { content: "Prices are in cents." });
  await perform(web, operations.send, { to: ["human"], subject: "The first thread", body: "Which field is it?" });
  await record();
  await perform(web, operations.append_memory, { content: "Taxes too." });
  await perform(web, operations.send, { to: ["human"], subject: "The second thread", body: "And then?" });
  await record();
  return { folder, commits: git(path.join(folder, ".relay"), "log", "--format=%H").trim().split("\n") };
}

/** Lays commits onto those of a home; the last one changes a memory. */
function layCommits(folder: string, count: number): void {
  const home = path.join(folder, ".relay");
  const branch = git(home, "symbolic-ref", "HEAD").trim();
  const began = Number(git(home, "log", "-1", "--format=%ct").trim());
  const commits = Array.from({ length: count }, (_, n) => {
    const from = n === 0 ? `from ${branch}^0\n` : "";
    const change = n === count - 1 ? "M 100644 inline memory/project.md\ndata 7\nLater.\n\n" : "";
    return `commit ${branch}\ncommitter Web <web@example.com> ${began + n + 1} +0000\ndata <<END\nrelay: ${n}\nEND\n${from}${change}\n`;
  });
  execFileSync("git", ["-C", home, "fast-import", "--quiet"], { input: commits.join("") });
}

test("an operation is asked of an earlier moment, and nothing is written there or to get there", async () => {
  const { folder, commits } = await recordedHome();
  const served = await serve(folder);
  const get = (name: string, at: string, input: unknown = {}) =>
    ask(served.port, {
      path: `${served.at}api/${name}?input=${encodeURIComponent(JSON.stringify(input))}&at=${encodeURIComponent(at)}`,
      headers: served.own,
    });
  const before = fs.readdirSync(path.join(folder, ".relay"), { recursive: true }).toString();
  const subjects = async (at: string) => (await get("threads", at)).json.threads.map(({ subject }: { subject: string }) => subject);
  expect(await subjects(commits[0] as string)).toEqual(["The second thread", "The first thread"]);
  expect(await subjects(commits[1] as string)).toEqual(["The first thread"]);
  for (const wrong of ["--output=x", "../..", "HEAD:relay.yml", "1999-01-01"])
    expect((await get("threads", wrong)).json).toMatchObject({ code: "unknown_commit" });
  expect((await get("wakes", commits[1] as string)).json).toMatchObject({ code: "past_is_fixed" });
  const write = await ask(served.port, {
    method: "POST",
    path: `${served.at}api/send?at=${commits[1]}`,
    headers: { ...served.own, Origin: `http://127.0.0.1:${served.port}`, "x-relay": "1", "content-type": "application/json" },
    body: JSON.stringify({ to: ["web"], subject: "s", body: "b" }),
  });
  expect(write.json).toMatchObject({ code: "past_is_fixed" });
  expect(fs.readdirSync(path.join(folder, ".relay"), { recursive: true }).toString()).toBe(before);
});

test("a question about now is answered while a search of the past goes on", async () => {
  const { folder, commits } = await recordedHome();
  // Git itself waits to give objects, until it may go on.
  const aside = scratch();
  const go = path.join(aside, "go");
  const script = `case "$*" in *cat-file*) touch '${aside}/asked'; while ! [ -e '${go}' ]; do sleep 0.05; done;; esac`;
  const served = await serve(folder, { env: { PATH: pathWithGit(script) } });
  const get = (name: string, input: unknown, at = "") =>
    ask(served.port, { path: `${served.at}api/${name}?input=${encodeURIComponent(JSON.stringify(input))}${at}`, headers: served.own });
  let isOver = false;
  const search = get("search", { query: "field" }, `&at=${commits[1]}`).finally(() => (isOver = true));
  await until("git is asked", () => fs.existsSync(path.join(aside, "asked")));
  for (const name of ["threads", "inbox", "status"]) expect((await get(name, {})).status).toBe(200);
  expect(isOver).toBe(false);
  // Many who ask the same are answered by one look, and each after it asked.
  const many = await Promise.all(Array.from({ length: 20 }, () => get("threads", {})));
  expect(many.map(({ json }) => json.threads.length)).toEqual(Array(20).fill(2));
  fs.writeFileSync(go, "");
  expect((await search).json.total).toBe(1);
});

test.skipIf(isWithoutBrowser)("the whole page moves to a moment by mouse and keyboard, says so, cannot write, and comes back", async () => {
  const { folder, commits } = await recordedHome();
  const { tab, at, odd, refused, context } = await open(folder);
  await tab.goto(at("memory/session%20first"));
  await tab.getByText("This session has no summary").waitFor();
  expect(refused).toEqual([]);
  await tab.goto(at("record"));
  const rows = tab.locator(".record .list button[data-row]");
  await rows.nth(1).waitFor();
  await rows.nth(1).click();
  const strip = tab.locator("section.past");
  await strip.waitFor();
  expect(await strip.innerText()).toContain("read only");
  // Between it and now: the second thread's message and the memory, with its text before and after.
  const since = tab.locator("section[aria-label='What changed']");
  await since.getByText("What changed between it and").waitFor();
  await since.locator("button", { hasText: /task Write the parser .*task-/ }).waitFor();
  // The commit changed it as well, and that may be listed first.
  await since.locator("button", { hasText: "memory" }).nth(1).click();
  await tab.locator(".diff .new", { hasText: "Taxes too." }).waitFor();
  // The moment stands in the address: a reload stays there, back and forward move along, and the link leads others there.
  expect(await tab.evaluate("location.hash")).toBe(`#/record?at=${commits[1]}`);
  await tab.reload();
  await strip.getByText(commits[1]?.slice(0, 7) as string).waitFor();
  await tab.goBack();
  await strip.waitFor({ state: "detached" });
  expect(await tab.locator(".rail .foot").innerText()).toContain("Live");
  await tab.goForward();
  await strip.waitFor();
  expect(await tab.locator(".rail .foot").innerText()).not.toContain("Live");
  const other = await context.newPage();
  await other.goto(at(`threads?at=${commits[1]}`));
  await other.locator(".threads a[data-row]", { hasText: "The first thread" }).waitFor();
  expect(await other.locator(".threads a[data-row]").count()).toBe(1);
  // A period ends at the moment, and not on the day of the reader.
  await other.clock.setFixedTime("2041-01-31T12:00:00Z");
  const counted = other.waitForRequest((request) => request.url().includes("/api/usage"));
  await other.goto(at(`usage?at=${commits[1]}`));
  expect(decodeURIComponent((await counted).url())).toMatch(/"since":"20[23]/);
  await other.goto(at(`now?at=${"0".repeat(40)}`));
  await other.locator("section.past [role=alert]").waitFor();
  await other.close();
  await tab.locator("button", { hasText: "memory" }).last().click();
  await tab.locator(".diff").waitFor();
  await tab.evaluate(axe.source);
  for (const [width, colorScheme] of [
    [1440, "light"],
    [390, "dark"],
  ] as const) {
    await tab.setViewportSize({ width, height: 900 });
    await tab.emulateMedia({ colorScheme });
    const { violations } = (await tab.evaluate("axe.run({ resultTypes: ['violations'] })")) as {
      violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
    };
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`)).toEqual([]);
    expect(await tab.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
  }
  await tab.setViewportSize({ width: 1440, height: 900 });
  await tab.keyboard.press("g");
  await tab.keyboard.press("t");
  await tab.locator(".threads a[data-row]").waitFor();
  expect(await tab.locator(".threads a[data-row]").allInnerTexts()).toEqual([expect.stringContaining("The first thread")]);
  await tab.locator(".threads a[data-row]").click();
  await tab.locator(".msg", { hasText: "Which field is it?" }).waitFor();
  expect(await tab.locator("textarea, .reply").count()).toBe(0);
  // The arrow goes to the record after.
  await tab.keyboard.press("ArrowRight");
  await tab.locator(".threads a[data-row]", { hasText: "The second thread" }).waitFor();
  expect(await tab.locator(".rail .foot").innerText()).toContain("Read only");
  await tab.keyboard.press("g");
  await tab.keyboard.press("n");
  await tab.getByText("presence unknown").first().waitFor();
  await tab.keyboard.press("Escape");
  await strip.waitFor({ state: "detached" });
  expect(await tab.locator(".rail .foot").innerText()).toContain("You write as");
  // A moment before the newest 200 commits: a given link marks its row, and shows what it changed.
  layCommits(folder, 230);
  const [second, first, none] = commits as [string, string, string];
  await tab.goto(at(`record?at=${first}`));
  await tab.reload();
  const marked = tab.locator(".record .list [aria-current=true]");
  await marked.getByText(first.slice(0, 7)).waitFor();
  await since.getByText("What it changed").waitFor();
  expect(await tab.locator(".record .list button[data-row]").count()).toBeLessThan(230);
  // The keys, the buttons and the line go on from there.
  for (const [key, there] of [
    ["ArrowLeft", none],
    ["ArrowRight", first],
    ["ArrowRight", second],
  ] as const) {
    await tab.keyboard.press(key);
    await marked.getByText(there.slice(0, 7)).waitFor();
  }
  await tab.getByLabel("Moment", { exact: true }).press("ArrowLeft");
  await marked.getByText(first.slice(0, 7)).waitFor();
  expect(await tab.getByLabel("Moment", { exact: true }).inputValue()).toBe("1");
  // Any two of the list are compared, whichever is the earlier one.
  await tab.keyboard.press("Escape");
  await tab.keyboard.press("d");
  const asked = (from: string, to: string) =>
    tab.waitForRequest((request) => decodeURIComponent(request.url()).includes(`diff?input={"from":"${from}","limit":200,"to":"${to}"}`));
  const earlier = asked(none, first);
  await tab.keyboard.press("End");
  await earlier;
  const later = asked(first, second);
  await tab.keyboard.press("ArrowUp");
  await later;
  await since.locator("button", { hasText: "memory" }).nth(1).click();
  await tab.locator(".diff .new", { hasText: "Taxes too." }).waitFor();
  expect(await since.getByText("Later.").count()).toBe(0);
  expect(odd).toEqual([]);
});

test("an export has the threads whatever the size of artifacts, names what does not fit, and has every conversation", async () => {
  const folder = await officeHome("web");
  endedDispatches(folder, 1);
  const web = worldAt(folder, { part: "web" });
  const { session_id: session } = await perform(web, operations.start_session, { session_id: "first" });
  const { threadId } = await perform(web, operations.send, { to: ["human"], subject: "Prices", body: "Which field is it?" });
  const [{ thread = "" } = {}] = (await perform(web, operations.office_tree, {})).conversations;
  const dispatch = (id: string): string =>
    path.join(folder, ".relay/dispatches", id.replace(/^t-(....)(..)(..)-/, "$1-$2-$3/"), "dispatch.md");
  for (let n = 10; n < 31; n += 1) {
    const id = `t-20260101-abcd${n}zz`;
    put(dispatch(id), fs.readFileSync(dispatch(thread), "utf8").replaceAll(thread, id));
  }
  for (let n = 0; n < 3; n += 1)
    await perform(web, operations.post_artifact, {
      session_id: session,
      name: "big",
      type: "document",
      content: `${n}${"a".repeat(400_000)}`,
    });
  await perform(web, operations.post_artifact, { session_id: session, name: "small", type: "document", content: "Small." });
  const { page } = await serve(folder);
  const { answers, leftOut } = await collectAnswers(page, null, 1_100_000);
  const listOf = (name: string, key: string) => (answers[name]?.[0]?.[1][key] ?? []) as Record<string, unknown>[];
  expect(listOf("threads", "threads")[0]).toMatchObject({ id: threadId, subject: "Prices" });
  expect(answers["show"]?.find(([input]) => input["threadId"] === threadId)?.[1]).toMatchObject({
    messages: [{ body: "Which field is it?" }],
  });
  const versions = (answers["get_artifact"] ?? []).map(([{ name, version }]) => `${name} ${version}`);
  expect(versions).toEqual(["big 3", "big 2", "small 1"]);
  expect(leftOut).toEqual(["version 1 of big (it would be larger than 1.1 MB)"]);
  expect(listOf("office_tree", "conversations")).toHaveLength(22);
  expect(answers["office_log"]).toHaveLength(22);
});

test.skipIf(isWithoutBrowser)(
  "the page of a moment is a file that opens from the disk, loads nothing, and runs nothing that agents wrote",
  async () => {
    const { folder, commits } = await recordedHome();
    const exported = path.join(folder, "page", "then");
    const { json } = await relay(folder, ["export", "--html", exported, "--at", commits[1] as string, "--json"]);
    expect(json).toMatchObject({ success: true, commit: commits[1], leftOut: [], file: path.join(exported, "index.html") });
    // What is there is not overwritten, and a moment that is none is refused.
    for (const at of [".relay/threads", ".relay/new/page", "", "-page"])
      expect([at, (await relay(folder, ["export", `--html=${at}`])).code]).toEqual([at, 2]);
    expect((await relay(folder, ["export", "--html", exported])).code).toBe(2);
    fs.symlinkSync(scratch(), path.join(folder, "way"));
    expect((await relay(folder, ["export", "--html", "way"])).code).toBe(4);
    expect((await relay(folder, ["export", "--html", `${exported}2`, "--at", "nothing"])).code).toBe(3);
    const then = await openFile(json.file);
    await then.tab.goto(then.at("threads"));
    await then.tab.locator(".threads a[data-row]").click();
    await then.tab.locator(".msg", { hasText: "Which field is it?" }).waitFor();
    expect(await then.tab.locator(".threads a[data-row]").count()).toBe(1);
    expect(await then.tab.locator("section.past").innerText()).toContain((commits[1] as string).slice(0, 7));
    expect(await then.tab.locator("textarea, .reply").count()).toBe(0);
    await then.tab.goto(then.at("board"));
    await then.tab.getByText("Tasks of other sessions are not in this file").waitFor();
    await then.tab.getByText("Write the parser").first().click();
    await then.tab.goto(then.at("memory/part%20web"));
    await then.tab.getByText("Prices are in cents.").waitFor();
    expect(await then.tab.getByText("Taxes too.").count()).toBe(0);
    // What only the home has is named where a person would look for it.
    await then.tab.getByText("Earlier versions are not in this file").waitFor();
    await then.tab.goto(then.at("record"));
    await then.tab.getByText("The changes of a commit are not in this file").waitFor();
    expect(await then.tab.locator("section.past").innerText()).toContain("relay search");
    // Nobody recorded who was here then.
    await then.tab.goto(then.at("now"));
    await then.tab.getByText("presence unknown").first().waitFor();
    expect(await then.tab.locator(".find").count()).toBe(0);
    await then.tab.keyboard.press("?");
    const keys = await then.tab.locator("dialog.help").innerText();
    expect(keys).toContain("next, previous row");
    expect(keys).not.toMatch(/reply|ack|search|the record before/);
    await then.tab.keyboard.press("Escape");
    await then.tab.goto(then.at("search/parser"));
    await then.tab.getByText("does not hold that").waitFor();
    expect(then.odd).toEqual([]);

    // Now with what tries to break out of it, in the texts and in the data itself.
    const web = worldAt(folder, { part: "web" });
    const breaking = ["</script><script>alert(1)</script>", "<!--<script>", "\u2028alert(1)", "]]>", "<img src=x onerror=alert(1)>"];
    for (const [n, payload] of [...breaking, ...PAYLOADS].entries())
      await perform(web, operations.send, {
        to: ["human"],
        subject: `p${n} ${payload.replaceAll(/[\s\p{Cc}]/gu, " ").slice(0, 100)}`,
        body: payload,
      });
    writeOffice(folder);
    await perform(worldAt(folder), operations.trust_office, {});
    const { dispatch } = createDispatch(worldAt(folder), { initiator: "human", recipient: "om", text: "Go on.", parent: null });
    playTurn(worldAt(folder), dispatch.id, "It is done.");
    writeUsage(folder);
    const now = (await relay(folder, ["export", "--html", `${exported}-now`, "--json"])).json;
    expect(now.commit).toBeNull();
    const { tab, at, odd } = await openFile(now.file);
    await tab.getByText("Wakes are not in this file").waitFor();
    await tab.goto(at("threads"));
    await tab.locator(".threads a[data-row]").first().waitFor();
    const ids = (await perform(web, operations.threads, { limit: 200 })).threads.map(({ id }) => id);
    expect(ids.length).toBe(breaking.length + PAYLOADS.length + 3);
    for (const id of ids) {
      await tab.goto(at(`threads/${id}`));
      await tab.locator(".msg").first().waitFor();
    }
    await tab.goto(at("office"));
    await tab.locator(".tbl a", { hasText: "office-manager" }).click();
    await tab.locator(".turn", { hasText: "It is done." }).waitFor();
    for (const by of ["Day", "Part", "Session", "Task", "Model"]) {
      await tab.goto(at("usage"));
      await tab.getByRole("button", { name: by, exact: true }).click();
      await tab.locator(`section[aria-label="Usage by ${by.toLowerCase()}"] tbody tr`).first().waitFor();
    }
    expect(await tab.getByRole("alert").count()).toBe(0);
    expect(await tab.locator("script").count()).toBe(2);
    expect(odd).toEqual([]);
  },
);
