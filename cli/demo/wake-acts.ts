/** The act of waking: an idle agent in a terminal is nudged when mail comes, reads, and answers. */
import type { Act, Stage } from "./stage.ts";

/** Stands for an agent: draws a prompt, and at each line that is typed looks at its mail, answers, and acks. */
export const AGENT = `
import { spawnSync } from "node:child_process";
import { createInterface } from "node:readline";

const relay = (...args) => {
  const { stdout } = spawnSync(process.execPath, [process.argv[2], ...args, "--json"], { encoding: "utf8" });
  return JSON.parse(stdout);
};
const terminal = createInterface({ input: process.stdin, output: process.stdout, prompt: "> " });
terminal.on("line", (line) => {
  if (line.trim() === "") return terminal.prompt();
  for (const { messageId, threadId, subject } of relay("inbox").messages) {
    console.log("I was nudged, and read: " + subject);
    relay("reply", threadId, process.argv[3] ?? "It is done. You woke me with: " + line);
    relay("ack", messageId);
  }
  terminal.prompt();
});
process.on("SIGTERM", () => process.exit(0));
console.log("An agent, idle.");
terminal.prompt();
`;

const wake: Act = {
  title: "api is idle in a terminal and has no turn in which to read mail; a pager wakes it",
  async play(stage) {
    if (!stage.has("tmux")) {
      stage.say("tmux is not installed here, so this act is left out.");
      return;
    }
    stage.lay("agent.mjs", AGENT);
    const program = [process.execPath, "../agent.mjs", stage.command];
    stage.relay("api", "up", "--part", "api", "--", ...program);
    stage.relay("shop", "pager", "start");
    try {
      stage.relay("docs", "send", "api", "Are the prices in?", "Answer when you are.", "--part", "docs");
      stage.relay("docs", "wait", "--timeout", "60", "--part", "docs");
      stage.relay("shop", "wakes", "--with", "api");
    } finally {
      ended(stage);
    }
  },
};

function ended(stage: Stage): void {
  stage.relay("shop", "pager", "stop");
  stage.relay("shop", "down", "api");
}

/** The acts of waking, in order. */
export const wakeActs: readonly Act[] = [wake];
