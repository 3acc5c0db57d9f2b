/** A fresh agent shows a prompt before it listens: mail that comes just then still reaches its model. */
import fs from "node:fs";
import { test } from "vitest";
import { readsMail } from "../models/scripts.ts";
import { repository, until } from "../rig.ts";
import { describeWith, Stage } from "./stage.ts";

describeWith("codex")("a Codex that was started this very moment", () => {
  test.each(["a", "b", "c"])("hears of mail that came while it started %s", async (n) => {
    const stage = await Stage.open();
    const code = repository();
    await stage.relay(code, "init", "web", "api");
    stage.models.play(readsMail("It is amount."));
    await stage.relay(code, "send", "api", "The price", "Which field holds the price?", "--part", "web");
    const argv = n === "b" ? ["codex", "Good morning."] : ["codex"];
    const t0 = Date.now();
    const codex = await stage.up(code, "api", argv, "--setup", "--allow");
    const log: string[] = [];
    let last = "";
    for (let i = 0; i < 220; i++) {
      const shown = codex.screen.shows();
      if (shown !== last) log.push(`--- ${Date.now() - t0}\n${shown.trimEnd()}`);
      last = shown;
      await new Promise((r) => setTimeout(r, 100));
    }
    log.push(`turns ${JSON.stringify(stage.models.turnsIn(code).map((t) => t.seen.news))}`);
    log.push(JSON.stringify((await stage.relay(code, "wakes", "--steps")).steps, null, 1));
    log.push(JSON.stringify(codex.met));
    fs.writeFileSync(`/tmp/pager2-fresh-${n}.txt`, log.join("\n"));
    await until("x", () => true);
  });
});
