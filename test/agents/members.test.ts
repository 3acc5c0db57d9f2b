/** Members of hosts that talk, are woken while they idle, and hear of urgent mail in the middle of a turn. */
import path from "node:path";
import { expect, test } from "vitest";
import { does, readsMail } from "../models/scripts.ts";
import type { Answer } from "../models/seen.ts";
import { repository, until } from "../rig/scratch.ts";
import { describeWith, Stage } from "./stage.ts";

const ASK = "Ask api which field holds the price.";
const ANSWER = "It is amount, in cents.";

for (const host of ["claude", "codex", "gemini", "opencode", "copilot", "qwen", "pi"] as const)
  describeWith(host)(host, () => {
    test("wakes a member that idles, which hears in mid-turn of what is urgent and answers the other", async () => {
      const stage = await Stage.open();
      const code = repository();
      const beside = stage.worktree(code, "api");
      // With its dialog answered Gemini CLI would end, to be started again.
      stage.trustFolder(path.dirname(code));
      // The model that is asked for the price thinks until something urgent has come.
      let goOn = (_: Answer): void => {};
      const thinks = new Promise<Answer>((resolve) => (goOn = resolve));
      let isAsked = false;
      stage.models.play(
        does(ASK, { tool: "send", args: { to: ["api"], subject: "The price", body: "Which field holds the price?" } }),
        ({ cwd, news }) => {
          if (cwd !== beside || isAsked || !news.some((text) => /\b1 unread/.test(text))) return undefined;
          isAsked = true;
          return thinks;
        },
        readsMail(ANSWER),
      );
      // One after the other: two that begin in a new home at once stand in each other's way.
      const start = async (folder: string, part: string, line: string) => {
        const person = await stage.up(folder, part, [host, ...(host === "copilot" ? ["--allow-tool=relay"] : [])], "--setup", "--allow");
        await stage.equipped(folder, part);
        await person.says(line);
      };
      const heard = (folder: string) =>
        stage.models
          .turnsIn(folder)
          .flatMap(({ seen }) => [seen.system, ...seen.news])
          .join("\n");
      await start(beside, "api", "Good morning.");
      await until("its name", () => heard(beside).includes('You are part "api"'));
      await start(code, "web", ASK);
      await until("a question", () => isAsked);
      await stage.relay(code, "send", "api", "The build is red", "Stop.", "--urgent", "--part", "web");
      goOn({ tool: "inbox" });

      await until("the urgent mail", () => heard(beside).includes("Relay: urgent mail"));
      await until("the answer", () => heard(code).includes(ANSWER));
      for (const part of ["web", "api"])
        await until("all is read", async () => (await stage.relay(code, "inbox", "--part", part)).messages.length === 0);
      for (const folder of [code, beside]) await stage.relay(folder, "setup", host, "--remove", "--yes");
      const { checks } = await stage.relay(code, "setup", host, "--check");
      expect(checks.filter(({ state }: { state: string }) => state !== "unknown")).toEqual([]);
    });
  });
