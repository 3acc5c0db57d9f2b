/** A home as it looks in the middle of a day: mail, tasks, artifacts with reviews, sessions with summaries, memories, wakes, usage. */
import fs from "node:fs";
import path from "node:path";
import { operations, perform, type World } from "../../protocol/index.ts";
import { formatUsage, type UsageLine } from "../../protocol/usage/nouns/usage-line.ts";
import { homeWith, worldAt } from "../rig/home.ts";
import { repository } from "../rig/scratch.ts";

const PARTS = ["web", "api", "docs", "tests"];

/** Makes it. Gives the folder that holds it. */
export const stagedHome = async (): Promise<string> => stage(await homeWith(...PARTS));

/** Makes it with three commits: as it began, with its mail and tasks, and with one more message and a longer memory. */
export async function recordedStage(): Promise<string> {
  const folder = repository();
  await perform(worldAt(folder), operations.init, { parts: PARTS });
  const record = () => perform(worldAt(folder), operations.record, {});
  await record();
  await stage(folder);
  await record();
  const web = worldAt(folder, { part: "web" });
  await perform(web, operations.append_memory, { content: "Taxes are shown in the cart." });
  await perform(web, operations.send, { to: ["human"], subject: "Taxes are shown", body: "From the country of the card." });
  await record();
  return folder;
}

/** Fills a home. */
async function stage(folder: string): Promise<string> {
  const as = (part: string) => worldAt(folder, { part });
  for (const summary of ["# Checkout\n\nThe cart was built.", "# Checkout\n\nThe cart was built, and pays."])
    await perform(as("main"), operations.save_session_summary, { session_id: "checkout", summary });
  await perform(as("main"), operations.end_session, { session_id: "checkout" });
  await perform(as("main"), operations.start_session, { session_id: "refunds" });
  const first = await perform(as("main"), operations.create_task, { title: "Take the payment", priority: "high" });
  const refund = await perform(as("main"), operations.create_task, {
    title: "Refund a payment",
    priority: "critical",
    depends_on: [first.task_id],
    description: "Refund **only** what was not shipped.\n\n- keep the line items at capture\n- one call for each part",
  });
  await perform(as("main"), operations.create_task, { title: "Guide: refunds", depends_on: [refund.task_id], assignee: "docs" });
  await perform(as("main"), operations.create_task, { title: "Prices per country", priority: "low" });
  await perform(as("api"), operations.claim_task, { task_id: first.task_id });
  await perform(as("api"), operations.update_task, { task_id: first.task_id, status: "done" });
  await perform(as("api"), operations.claim_task, { task_id: refund.task_id });
  const asked = await perform(as("api"), operations.send, {
    to: ["human"],
    subject: "Refund of a partly shipped order: whole amount, or what was not shipped?",
    body: "The provider can do both. Whole is one call; the part needs the line items kept at capture. `refund.ts` waits for this.",
    needsHuman: true,
    urgent: true,
  });
  await perform(as("api"), operations.send, { to: ["web", "main"], subject: "Which field is the price?", body: "`amount` or `total`?" });
  const table = "| way | calls | needs |\n|---|---|---|\n| whole order | 1 | nothing new |\n| what was not shipped | 2 | line items |";
  const talk = await perform(as("web"), operations.send, {
    to: ["api", "human"],
    subject: "Cart shows tax",
    body: `Both are possible:\n\n${table}\n`,
    tags: ["cart", "tax"],
  });
  await perform(as("api"), operations.reply, {
    threadId: talk.threadId,
    body: "> what was not shipped\n\nwould be easier to show: see ![cart](http://127.0.0.1:1/cart.png).\n\n```\nnpm test\n```",
  });
  await perform(as("docs"), operations.send, {
    to: ["human"],
    subject: "Guide: refunds",
    body: "The page is up; two sentences wait for your answer.",
  });
  const freeze = await perform(as("human"), operations.send, {
    to: ["web", "docs", "tests"],
    subject: "Freeze on Friday",
    body: "Nothing is merged after noon; what is ready goes out on Monday.",
  });
  await perform(as("web"), operations.show, { threadId: freeze.threadId });
  await perform(as("docs"), operations.ack, { messageIds: [freeze.messageId] });
  await perform(as("main"), operations.append_memory, { content: "Prices are amounts in cents, with an ISO currency." });
  for (let n = 1; n <= 6; n += 1)
    await perform(as("tests"), operations.send, { to: ["web"], subject: `Run ${n} of the tests`, body: `${n} of 212 fail.` });
  await perform(as("web"), operations.ack, { threadId: asked.threadId }).catch(() => {});
  await posted(as, refund.task_id);
  await woken(folder, as);
  writeUsage(folder);
  return folder;
}

/** Two versions of a design with their reviews, and a report. */
async function posted(as: (part: string) => World, task: string): Promise<void> {
  const design = { name: "Design of refunds", type: "design" as const, task_id: task };
  const lines = [
    ...["# Refunds", "", "A refund takes back what was paid.", "", "- one call for each payment", "- the amount in cents", ""],
    ...["## Errors", "", "A card that is refused says why.", "", "## Words", "", "Refund, part, capture."],
  ];
  const first = await perform(as("api"), operations.post_artifact, { ...design, content: `${lines.join("\n")}\n` });
  const asked = await perform(as("api"), operations.request_review, { artifact_id: first.artifact_id, reviewer: "web" });
  await perform(as("web"), operations.submit_review, {
    review_id: asked.review_id,
    status: "changes_requested",
    comments: "Say what happens with **parts** that were shipped.",
  });
  const changed = lines.flatMap((line) =>
    line === "- one call for each payment"
      ? ["- one call for each part that was not shipped", "- the line items are kept at capture"]
      : [line],
  );
  const second = await perform(as("api"), operations.post_artifact, { ...design, content: `${changed.join("\n")}\n` });
  await perform(as("api"), operations.request_review, { artifact_id: second.artifact_id, reviewer: "human" });
  await perform(as("tests"), operations.post_artifact, { name: "Tests of refunds", type: "report", content: "3 of 212 fail." });
}

/** Wakes in each of their states. */
async function woken(folder: string, as: (part: string) => World): Promise<void> {
  const ring = async (part: string): Promise<void> => {
    const { wakeId } = await perform(worldAt(folder), operations.wake_lease, { part, rung: "hook" });
    if (wakeId !== undefined) await perform(worldAt(folder), operations.wake_commit, { part, wakeId });
  };
  await ring("api");
  const { messages } = await perform(as("api"), operations.inbox, {});
  await perform(as("api"), operations.ack, { messageIds: messages.map(({ messageId }) => messageId) });
  await ring("web");
}

const MODELS = [
  ["api", "codex", "gpt-5-codex"],
  ["web", "claude", "claude-opus-4-5"],
  ["main", "claude", "claude-opus-4-5"],
  ["docs", "gemini", "a-model-of-ours"],
] as const;
const DAY_MS = 86_400_000;

/** What agents used in two weeks, as their hooks would have collected it. */
export function writeUsage(folder: string): void {
  for (let n = 0; n < 14 * MODELS.length; n += 1) {
    const [part, agent, model] = MODELS[n % MODELS.length] as (typeof MODELS)[number];
    const daysAgo = Math.floor(n / MODELS.length);
    const at = new Date(Date.now() - daysAgo * DAY_MS).toISOString();
    const size = daysAgo % 7 === 5 ? 0.1 : 1 + ((n * 7) % 5) / 4;
    const [input, cached, written, output] = [40_000, 210_000, 20_000, 9_000].map((tokens) => Math.round(tokens * size)) as [
      number,
      number,
      number,
      number,
    ];
    const tokens = { input, cached, written, written1h: 0, output, reasoning: Math.round(output / 4) };
    const line: UsageLine = { id: `${agent}:${n}`, at, agent, model, part, session: "refunds", run: "s", tokens };
    const file = path.join(folder, ".relay/usage", at.slice(0, 7), "abcdefgh.jsonl");
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.appendFileSync(file, `${formatUsage(line)}\n`);
  }
}
