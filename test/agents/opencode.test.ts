/** OpenCode: its plug-in says in a turn what hooks of others say, and wakes an idle session without tmux and without a pager. */
import { expect, test } from "vitest";
import { readsMail } from "../models/scripts.ts";
import { repository, until } from "../rig/scratch.ts";
import { describeWith, Stage } from "./stage.ts";

describeWith("opencode")("OpenCode", () => {
  test("knows who it is, and is woken by its own plug-in", async () => {
    const stage = await Stage.open();
    const code = repository();
    await stage.relay(code, "init", "web", "api");
    await stage.relay(code, "setup", "opencode", "--part", "web", "--yes");
    stage.models.play(readsMail("It is amount."));
    const person = stage.start(code, "opencode");
    await person.says("Good morning.");
    const told = () => stage.models.turnsIn(code).flatMap(({ seen }) => seen.texts.join("\n"));
    await until("its first turn", () => told().some((text) => text.includes('You are part "web"')));

    await stage.relay(code, "send", "web", "The price", "Which field holds the price?", "--part", "api");
    const unread = async () => (await stage.relay(code, "roster")).parts.find(({ part }: { part: string }) => part === "web").unread;
    await until("all is read", async () => (await unread()) === 0);
    expect((await stage.relay(code, "inbox", "--part", "api")).messages).toHaveLength(1);
    await stage.relay(code, "setup", "opencode", "--remove", "--yes");
    expect((await stage.relay(code, "setup", "opencode", "--check")).checks).toMatchObject([{ state: "unknown" }]);
  });
});
