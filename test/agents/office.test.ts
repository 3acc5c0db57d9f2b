/** An office of real programs: a lead that gives work to two others, by Claude Code and by Codex each way. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { Seen } from "../models/seen.ts";
import { repository, until } from "../rig/rig.ts";
import { describeWith, Stage } from "./stage.ts";

type Program = "claude" | "codex";

/** An office of a lead and two workers, each run by a program. */
async function officeOf(stage: Stage, lead: Program, workers: Program): Promise<string> {
  const code = repository();
  await stage.relay(code, "init", "web");
  await stage.relay(code, "office", "init");
  for (const [name, program] of [
    ["office-manager", lead],
    ["developer", workers],
    ["reviewer", workers],
  ] as const) {
    const file = path.join(code, ".relay/org/agents", `${name}.md`);
    const text = fs.readFileSync(file, "utf8").replace(/^runner:.*\n/m, "");
    fs.writeFileSync(file, text.replace("---\n", `---\nrunner: ${program}\n`));
  }
  await stage.relay(code, "trust", "office");
  // Of the user's settings it reads none, so the scripted models are said where the program is.
  const provider = `model_providers.loopback={name="loopback",base_url="${stage.models.url}/v1",wire_api="responses"}`;
  const words = ["codex", "-c", provider, "-c", "model_provider=loopback", "-c", "model=scripted"];
  await stage.relay(code, "office", "runner", "codex", "--", ...words);
  return code;
}

const has = ({ news }: Seen, words: string): boolean => news.some((text) => text.includes(words));

const WAYS: [Program, Program][] = [
  ["claude", "codex"],
  ["codex", "claude"],
];

for (const [lead, workers] of WAYS) {
  describeWith("claude", "codex")(`a lead by ${lead}, workers by ${workers}`, () => {
    test("work goes down, replies come up, and the lead's reply is the person's", async () => {
      const stage = await Stage.open();
      const code = await officeOf(stage, lead, workers);
      stage.models.play((seen) => {
        if (has(seen, "Build the page.")) return [{ tool: "Send", args: { member: "developer", message: "Write it." } }];
        if (seen.results.some((text) => text.includes("written")))
          return [{ tool: "Send", args: { member: "reviewer", message: "Read it.", wait: false } }];
        if (has(seen, "Write it.")) return "written";
        if (has(seen, "Read it.")) return "read";
        if (has(seen, "Reply from reviewer")) return "The page is built.";
        return seen.results.length > 0 ? "I wait." : undefined;
      });
      const started = await stage.relay(code, "office", "start", "Build the page.", "--part", "web");
      const replied = async () => JSON.stringify(await stage.relay(code, "inbox", "--part", "web")).includes("The page is built.");
      await until("the reply", replied, 60_000).catch(async (error) => {
        const log = JSON.stringify(await stage.relay(code, "office", "log", started.context_id), null, 1);
        throw new Error(`${(error as Error).message}\n${log}\n${fs.readFileSync(path.join(code, ".relay/run/logs/office.jsonl"), "utf8")}`);
      });
      const log = await stage.relay(code, "office", "log", started.context_id);
      expect(log.turns).toHaveLength(2);
    });
  });
}
