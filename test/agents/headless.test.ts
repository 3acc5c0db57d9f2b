/** A run without a terminal prints the answer to its question, whatever lies in the inbox. */
import { expect, test } from "vitest";
import type { AgentName } from "../models/seen.ts";
import { repository } from "../rig/scratch.ts";
import { describeWith, Stage } from "./stage.ts";

const RUNS: [AgentName, string[]][] = [
  ["claude", ["-p"]],
  ["codex", ["exec", "--dangerously-bypass-hook-trust"]],
  ["gemini", ["-p"]],
  ["opencode", ["run"]],
  ["copilot", ["-s", "-p"]],
  ["qwen", ["-p"]],
  ["pi", ["-p"]],
];

for (const [agent, args] of RUNS) {
  describeWith(agent)(`${agent} without a terminal`, () => {
    test("hears of unread mail at the start, and prints the answer to its question", async () => {
      const stage = await Stage.open();
      const web = repository();
      await stage.relay(web, "init", "web", "api");
      await stage.relay(web, "part", "here", "web");
      await stage.relay(web, "setup", agent, "--yes");
      await stage.relay(web, "send", "web", "Rename the field", "Please do.", "--part", "api");
      stage.trustFolder(web);
      stage.models.play(({ news }) => (news.join("\n").includes("six times seven") ? "It is 42." : "I leave the mail alone."));

      const ended = await stage.run(web, agent, ...args, "What is six times seven?");
      expect(ended.stdout.trim()).toBe("It is 42.");
      expect(ended.code).toBe(0);
      const [first, ...rest] = stage.models.turnsIn(web);
      expect([first?.seen.system, ...(first?.seen.news ?? [])].join("\n")).toContain("1 unread message");
      expect(rest).toEqual([]);
    });
  });
}
