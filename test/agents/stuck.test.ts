/** An agent that was woken and stands at a dialog is shown as such, whoever woke it. */
import { test } from "vitest";
import { readsMail } from "../models/scripts.ts";
import { repository, until } from "../rig/scratch.ts";
import { describeWith, Stage } from "./stage.ts";

describeWith("claude")("Claude Code, woken by its hook where it may not use Relay's tools", () => {
  test("stands at a dialog, and status says so", async () => {
    const stage = await Stage.open();
    const code = repository();
    await stage.relay(code, "init", "web", "api");
    await stage.relay(code, "setup", "claude", "--part", "web", "--yes");
    await stage.relay(code, "pager", "start");
    stage.models.play(readsMail("It is amount."));
    const person = await stage.up(code, "web", ["claude"]);
    person.leaves = "tool";
    await stage.equipped(code, "web");
    await person.says("Good morning.");
    await until("its first turn", () => stage.models.turns.length > 0);

    await stage.relay(code, "send", "web", "The price", "Which field holds the price?", "--part", "api");
    await until("the dialog", () => /Do you want to proceed\?|Enter to stay in auto mode/.test(person.screen.shows()));
    const shown = async () => (await stage.run(code, "relay", "status")).stdout;
    await until("status to say so", async () => /web.*its terminal shows a question/.test(await shown()));
  });
});
