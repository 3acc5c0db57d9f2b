/** Agents give a call of a tool the time that a `wait` takes where it is not told how long. */
import path from "node:path";
import { expect, test } from "vitest";
import { does } from "../models/scripts.ts";
import { repository, until } from "../rig/scratch.ts";
import { describeWith, Stage } from "./stage.ts";

for (const host of ["claude", "codex", "gemini", "opencode", "copilot", "qwen", "pi"] as const)
  describeWith(host)(host, () => {
    test("gives a wait its time", async () => {
      const stage = await Stage.open();
      const code = repository();
      stage.trustFolder(path.dirname(code));
      stage.models.play(does("Wait for mail.", { tool: "wait" }));
      const person = await stage.up(code, "web", [host, ...(host === "copilot" ? ["--allow-tool=relay"] : [])], "--setup", "--allow");
      await stage.equipped(code, "web");
      await person.says("Wait for mail.");
      expect(await until("its end", () => stage.models.turnsIn(code).flatMap(({ seen }) => seen.results)[0])).toContain("Nothing came.");
    });
  });
