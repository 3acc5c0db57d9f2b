/** Codex sessions share one background server, which keeps the environment of the first: who each is goes by where it works. */
import { expect, test } from "vitest";
import { repository, until } from "../rig/scratch.ts";
import { describeWith, Stage } from "./stage.ts";

/** What a session is told and finds out of itself. */
async function learned(stage: Stage, cwd: string): Promise<{ hook: string; tool: string }> {
  const result = await until(`whoami in ${cwd}`, () => stage.models.turnsIn(cwd).flatMap(({ seen }) => seen.results)[0]);
  const told = stage.models
    .turnsIn(cwd)
    .flatMap(({ seen }) => seen.news)
    .join("\n");
  return { hook: /You are part "(\w+)"/.exec(told)?.[1] ?? told, tool: /\\?"part\\?":\\?"(\w+)/.exec(result)?.[1] ?? result };
}

describeWith("codex")("sessions of Codex in two worktrees and in another repository", () => {
  for (const order of [
    ["web", "api", "book"],
    ["book", "api", "web"],
  ]) {
    test(`know who they are when they start in the order ${order.join(", ")}`, async () => {
      const stage = await Stage.open();
      const shop = repository();
      const api = stage.worktree(shop, "api");
      const other = repository();
      await stage.relay(shop, "init", "web", "api");
      await stage.relay(shop, "part", "here", "web");
      await stage.relay(api, "part", "here", "api");
      await stage.relay(other, "init", "book");
      await stage.relay(other, "part", "here", "book");
      await stage.relay(shop, "setup", "codex", "--yes");
      stage.models.play(({ results }) => (results.length > 0 ? "I know." : { tool: "whoami" }));

      const folders: Record<string, string> = { web: shop, api, book: other };
      for (const part of order) {
        const cwd = folders[part] as string;
        // Two begin as parts of tmux, the third by hand.
        if (part === "book") stage.start(cwd, "codex", "Who are you?");
        else await stage.up(cwd, part, ["codex", "Who are you?"]);
        expect(await learned(stage, cwd)).toEqual({ hook: part, tool: part });
      }
    });
  }
});
