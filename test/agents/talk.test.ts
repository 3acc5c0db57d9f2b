/** From nothing to two agents who talk, and wake each other, with nobody at their terminals. */
import { expect, test } from "vitest";
import { does, readsMail } from "../models/scripts.ts";
import { repository, until } from "../rig.ts";
import { describeWith, Stage } from "./stage.ts";

const ASK = "Ask api which field holds the price.";
const ANSWER = "It is amount, in cents.";

describeWith("claude", "codex")("Claude Code in one worktree and Codex in another", () => {
  test("talk and wake each other after nothing but the trust that they insist on", async () => {
    const stage = await Stage.open();
    const code = repository();
    const beside = stage.worktree(code, "api");
    stage.models.play(
      does(ASK, { tool: "send", args: { to: ["api"], subject: "The price", body: "Which field holds the price?" } }),
      readsMail(ANSWER),
    );
    const began = performance.now();

    await stage.relay(code, "init", "web", "api");
    await stage.relay(code, "setup", "claude", "--part", "web", "--allow", "--yes");
    await stage.relay(beside, "setup", "codex", "--part", "api", "--allow", "--yes");
    await stage.relay(code, "pager", "start");
    const codex = await stage.up(beside, "api", "codex");
    const claude = await stage.up(code, "web", "claude");
    await claude.says(ASK);

    const learned = () => stage.models.turnsIn(code).some(({ seen }) => seen.results.some((text) => text.includes(ANSWER)));
    await until("the answer at Claude's model", learned);
    for (const part of ["web", "api"])
      await until("all is read", async () => (await stage.relay(code, "inbox", "--part", part)).messages.length === 0);
    expect(performance.now() - began).toBeLessThan(60_000);
    expect(claude.met).toEqual(["folder", "server"]);
    expect(codex.met).toEqual(["folder", "hooks"]);
  });
});
