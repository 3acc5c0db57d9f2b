/** A fresh agent shows its prompt before it listens, and then its dialogs: mail that comes meanwhile is told to its model once. */
import { expect, test } from "vitest";
import { readsMail } from "../models/scripts.ts";
import { repository, until } from "../rig/scratch.ts";
import { describeWith, Stage } from "./stage.ts";

describeWith("codex")("Codex, started while mail waits", () => {
  test.each([[["codex"]], [["codex", "Good morning."]]])("as %j: it reads its mail, and no doorbell is entered twice", async (argv) => {
    const stage = await Stage.open();
    const code = repository();
    await stage.relay(code, "init", "web", "api");
    await stage.relay(code, "send", "api", "The price", "Which field holds the price?", "--part", "web");
    stage.models.play(readsMail("It is amount."));
    await stage.up(code, "api", argv, "--setup", "--allow");
    // Who looked into its inbox here would have read its mail for it.
    const unread = async () => (await stage.relay(code, "roster")).parts.find(({ part }: { part: string }) => part === "api").unread;
    await until("all is read", async () => (await unread()) === 0);
    const told = stage.models.turnsIn(code).flatMap(({ seen }) => seen.news.flatMap((text) => text.match(/Wake w-\w+/g) ?? []));
    expect(new Set(told).size).toBe(told.length);
  });
});
