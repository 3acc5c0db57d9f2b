/** What is committed for Gemini CLI keeps nobody from working who has no Relay. */
import path from "node:path";
import { expect, test } from "vitest";
import { git, repository, scratch } from "../rig/scratch.ts";
import { describeWith, Stage } from "./stage.ts";

describeWith("gemini")("a teammate without Relay", () => {
  test("works in a clone of what was set up and committed", async () => {
    const stage = await Stage.open();
    const code = repository();
    await stage.relay(code, "init", "web");
    await stage.relay(code, "setup", "gemini", "--part", "web", "--yes");
    git(code, "add", "--all");
    git(code, "commit", "--quiet", "--message", "Set Gemini CLI up");

    const teammate = await Stage.open({ hasRelay: false });
    const clone = path.join(scratch(), "clone");
    git(code, "clone", "--quiet", code, clone);
    teammate.trustFolder(clone);
    teammate.models.play(() => "It is 42.");
    const ended = await teammate.run(clone, "gemini", "-p", "What is six times seven?");
    expect(ended).toMatchObject({ code: 0, stdout: "It is 42.\n" });
  });
});
