/** What Codex and its user write into its settings stays, whenever Relay sets it up and whenever it is taken out. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { repository, until } from "../rig/scratch.ts";
import { describeWith, Stage } from "./stage.ts";

/** The lines that are not of Relay's table, without empty ones. */
function foreign(text: string): string[] {
  let isOurs = false;
  return text.split("\n").filter((line) => {
    if (line.startsWith("[")) isOurs = line === "[mcp_servers.relay]";
    return !isOurs && line.trim() !== "" && !line.startsWith("# relay:");
  });
}

/** The user's own hook, at an event of Relay's. */
const HOOKS = { hooks: { Stop: [{ hooks: [{ type: "command", command: "true" }] }] } };

describeWith("codex")("the settings of Codex", () => {
  test("keep what codex mcp, its dialogs and its terminal wrote, through setup twice and --remove", async () => {
    const stage = await Stage.open();
    const code = repository();
    const config = path.join(stage.env["CODEX_HOME"] as string, "config.toml");
    const hooks = path.join(stage.env["CODEX_HOME"] as string, "hooks.json");
    const text = () => fs.readFileSync(config, "utf8");
    fs.writeFileSync(config, `# the user's own words\n${text()}`);
    fs.writeFileSync(hooks, JSON.stringify(HOOKS, null, 4));
    const session = async () => {
      const person = stage.start(code, "codex", "Good morning.");
      const turns = stage.models.turns.length;
      await until("its first turn", () => stage.models.turns.length > turns);
      person.screen.keys("C-c");
      person.screen.keys("C-c");
      await person.leave();
      return person.met;
    };

    await stage.relay(code, "init", "web");
    await stage.relay(code, "setup", "codex", "--part", "web", "--yes");
    await stage.run(code, "codex", "mcp", "add", "other", "--", "echo", "hi");
    expect(await session()).toEqual(["folder", "hooks"]);
    const after = text();
    expect(after).toContain("[mcp_servers.other]");
    expect(after).toMatch(/trust_level = "trusted"/);

    await stage.relay(code, "setup", "codex", "--part", "web", "--yes");
    expect(text()).toBe(after);
    expect(await session()).toEqual([]);
    await stage.run(code, "codex", "mcp", "remove", "other");
    const before = foreign(text());
    await stage.relay(code, "setup", "codex", "--remove", "--yes");
    expect(text()).not.toContain("mcp_servers.relay]");
    expect(foreign(text())).toEqual(before);
    expect(text()).toMatch(/^# the user's own words\n/);
    expect(fs.readFileSync(hooks, "utf8")).toBe(JSON.stringify(HOOKS, null, 4));
    expect((await stage.run(code, "codex", "mcp", "list")).code).toBe(0);
  });
});
