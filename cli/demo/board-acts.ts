/** The acts of the board: a session of work, from its plan to its summary. */
import { refuse } from "../../protocol/core/refusal.ts";
import type { Act } from "./stage.ts";

const plan: Act = {
  title: "main begins a session, and plans two tasks; one waits for the other",
  play(stage) {
    stage.relay("shop", "session", "start");
    const checkout = ["task", "create", "Take the payment", "Cards first; a refused card says why.", "--priority", "high"];
    stage.note("task", found(stage.relay("shop", ...checkout), /^Created (\w+)/m));
    const guide = ["task", "create", "Write the guide", "--depends-on", stage.noted("task")];
    stage.note("guide", found(stage.relay("shop", ...guide), /^Created (\w+)/m));
    stage.relay("shop", "task", "list");
  },
};

/** Who races: each twice, because not even a part's own second process may win beside the first. */
const RACERS = ["shop", "web", "api", "shop", "web", "api"];
/** The part of each worktree. */
const partOf = (where: string): string => (where === "shop" ? "main" : where);

const claim: Act = {
  title: `${RACERS.length} processes want the same task at the same moment`,
  async play(stage) {
    const args = ["task", "claim", stage.noted("task")];
    const printed = await stage.race(RACERS.map((where) => ({ where, args })));
    const winners = RACERS.filter((_where, at) => printed[at]?.startsWith("Claimed"));
    if (winners.length !== 1) throw refuse("internal", { reason: `${winners.length} processes won the claim` });
    const winner = winners[0] as string;
    stage.note("winner", winner);
    stage.say(`Exactly one of ${RACERS.length}: ${partOf(winner)}. One exclusive create of claims/${stage.noted("task")}/1.md decided it.`);
  },
};

const review: Act = {
  title: "The winner posts its result; another agent reviews each version",
  play(stage) {
    const author = stage.noted("winner");
    const reviewer = author === "shop" ? "api" : "shop";
    const post = (content: string): string => {
      const args = ["artifact", "post", "checkout", content, "--type", "design", "--task", stage.noted("task")];
      const artifact = found(stage.relay(author, ...args), /^Posted (\w+)/m);
      return found(stage.relay(author, "review", "request", artifact, partOf(reviewer)), / for review (\w+)/);
    };
    const first = post("# Checkout\n\nCard, then a receipt.\n");
    stage.relay(reviewer, "inbox");
    stage.relay(reviewer, "review", "submit", first, "changes_requested", "A refused card shows nothing.");
    const second = post("# Checkout\n\nCard, then a receipt. A refused card says why.\n");
    stage.relay(reviewer, "review", "submit", second, "approved");
    stage.shell(author, "cd .relay/sessions/*/artifacts/checkout-*/ && diff 1.md 2.md || true");
    stage.relay(author, "task", "update", stage.noted("task"), "done", "--fence", "1");
  },
};

const next: Act = {
  title: "The second task can start now: web claims it over MCP, as an agent does",
  async play(stage) {
    await stage.call("web", "get_all_tasks", { ready: true });
    const { fence } = await stage.call("web", "claim_task", { task_id: stage.noted("guide") });
    await stage.call("web", "write_memory", { key: "checkout", content: "A refused card says why." });
    await stage.call("web", "update_task", { task_id: stage.noted("guide"), status: "done", fence });
  },
};

const end: Act = {
  title: "The session ends with a summary, drafted from the board; a task is a file that people can read",
  play(stage) {
    stage.relay("shop", "next");
    stage.relay("shop", "session", "end", "--template");
    stage.relay("shop", "session", "end", "--summary", "# Payment\n\nCards are taken, and a refused one says why. Open: receipts by mail.");
    stage.shell("shop", `cat .relay/sessions/*/tasks/task-${stage.noted("task")}*.md`);
  },
};

/** The acts of the board, in order. */
export const boardActs: readonly Act[] = [plan, claim, review, next, end];

function found(printed: string, wanted: RegExp): string {
  const match = wanted.exec(printed)?.[1];
  if (match === undefined) throw refuse("internal", { reason: `expected ${wanted} in ${JSON.stringify(printed)}` });
  return match;
}
