/** Agents give a call of a tool the time that a `wait` takes where it is not told how long. */
import path from "node:path";
import { expect, test } from "vitest";
import { does } from "../models/scripts.ts";
import { repository, until } from "../rig/scratch.ts";
import { describeWith, Stage } from "./stage.ts";

const HOSTS = ["claude", "codex", "gemini", "opencode", "copilot", "qwen", "pi"] as const;
const SAY = "Wait for mail.";

describeWith(...HOSTS)("agents that wait", () => {
  test("give a call its time", async () => {
    const stage = await Stage.open();
    const code = repository();
    stage.trustFolder(path.dirname(code));
    stage.models.play(does(SAY, { tool: "wait" }));
    for (const host of HOSTS) {
      const folder = stage.worktree(code, host);
      const person = await stage.up(folder, host, [host, ...(host === "copilot" ? ["--allow-tool=relay"] : [])], "--setup", "--allow");
      await stage.equipped(folder, host);
      await person.says(SAY);
    }
    const heard = (host: string) => stage.models.turnsIn(path.join(path.dirname(code), host)).flatMap(({ seen }) => seen.results);
    for (const host of HOSTS) expect(await until(host, () => heard(host)[0])).toContain("Nothing came.");
  });
});
