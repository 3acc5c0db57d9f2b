/** From nothing to two agents who talk, and wake each other, with nobody at their terminals. */
import { expect, test } from "vitest";
import { does, readsMail } from "../models/scripts.ts";
import { repository, until } from "../rig/scratch.ts";
import { describeWith, Stage } from "./stage.ts";

const ASK = "Ask api which field holds the price.";
const ANSWER = "It is amount, in cents.";

describeWith("claude", "codex")("Claude Code in one worktree and Codex in another", () => {
  test("talk and wake each other after nothing but the trust that they insist on", async () => {
    const stage = await Stage.open();
    const code = repository();
    // The worktree is there before the home is.
    const beside = stage.worktree(code, "api");
    stage.models.play(
      does(ASK, { tool: "send", args: { to: ["api"], subject: "The price", body: "Which field holds the price?" } }),
      readsMail(ANSWER),
    );

    // One command for each, and nothing before that.
    const claude = await stage.up(code, "web", ["claude"], "--setup", "--allow");
    const codex = await stage.up(beside, "api", ["codex", "Good morning."], "--setup", "--allow");
    await stage.equipped(code, "web");
    await claude.says(ASK);

    const learned = () => stage.models.turnsIn(code).some(({ seen }) => seen.results.some((text) => text.includes(ANSWER)));
    await until("the answer at Claude's model", learned);
    for (const part of ["web", "api"])
      await until("all is read", async () => (await stage.relay(code, "inbox", "--part", part)).messages.length === 0);
    expect(claude.met).toEqual(["folder", "server"]);
    expect(codex.met).toEqual(["folder", "hooks"]);
  });
});
