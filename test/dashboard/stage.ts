/** A home as it looks in the middle of a day: mail, tasks, a session with a summary, memories. */
import { operations, perform } from "../../protocol/index.ts";
import { homeWith, worldAt } from "../rig/rig.ts";

/** Makes it. Gives the folder that holds it. */
export async function stagedHome(): Promise<string> {
  const folder = await homeWith("web", "api", "docs", "tests");
  const as = (part: string) => worldAt(folder, { part });
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
  await perform(as("main"), operations.append_memory, { content: "Prices are amounts in cents, with an ISO currency." });
  for (let n = 1; n <= 6; n += 1)
    await perform(as("tests"), operations.send, { to: ["web"], subject: `Run ${n} of the tests`, body: `${n} of 212 fail.` });
  await perform(as("web"), operations.ack, { threadId: asked.threadId }).catch(() => {});
  return folder;
}
