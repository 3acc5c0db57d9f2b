/** Into which file of a project the lines for a host go: none that is made hides one that somebody wrote. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { type HostName, hostOf } from "../../protocol/agents/hosts/index.ts";
import { applySetup, planSetup } from "../../protocol/setup/files/set-up-agent.ts";
import { worldAt } from "../rig/home.ts";
import { repository, scratch } from "../rig/scratch.ts";

const BLOCK = "## Relay\n\n- Look at your inbox.";
const FILES = ["CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "GEMINI.md"];

/** A project with some files, for which hosts are set up. @returns the files that have the lines then */
function linesIn(
  hosts: readonly HostName[],
  given: Record<string, string>,
): { code: string; has: string[]; remove(host: HostName): string[] } {
  const code = repository();
  const world = worldAt(code, { env: { HOME: scratch() } });
  for (const [name, text] of Object.entries(given)) {
    fs.mkdirSync(path.dirname(path.join(code, name)), { recursive: true });
    if (text.startsWith("-> ")) fs.symlinkSync(text.slice(3), path.join(code, name));
    else fs.writeFileSync(path.join(code, name), text);
  }
  const options = {
    starter: { program: "relay", args: [] },
    part: null,
    channel: false,
    allow: false,
    block: BLOCK,
    skill: "<!-- Kept by `relay setup` -->\n",
  };
  const act = (host: HostName, remove: boolean): string[] => {
    applySetup(planSetup(world, hostOf(host), options, remove ? [hostOf(host)] : null));
    return FILES.filter((name) => fs.existsSync(path.join(code, name)) && fs.readFileSync(path.join(code, name), "utf8").includes(BLOCK));
  };
  const has = hosts.map((host) => act(host, false)).at(-1) ?? [];
  return { code, has, remove: (host) => act(host, true) };
}

const OF_EARLIER = `<!-- relay: begin (kept by \`relay setup\`) -->\n${BLOCK}\n<!-- relay: end -->\n`;

test.each<[HostName[], Record<string, string>, string[]]>([
  [["claude"], {}, ["AGENTS.md"]],
  [["claude"], { "AGENTS.md": "# Rules\n" }, ["AGENTS.md"]],
  [["claude"], { "CLAUDE.md": "# Rules\n" }, ["CLAUDE.md"]],
  [["claude"], { ".claude/CLAUDE.md": "# Rules\n", "AGENTS.md": "# Rules\n" }, [".claude/CLAUDE.md"]],
  [["claude"], { "CLAUDE.local.md": "# Mine\n" }, ["CLAUDE.local.md"]],
  [["claude"], { "CLAUDE.md": "@AGENTS.md\n", "AGENTS.md": "# Rules\n" }, ["AGENTS.md"]],
  [["claude", "codex"], { "CLAUDE.md": "@AGENTS.md\n\nMore.\n", "AGENTS.md": "# Rules\n" }, ["AGENTS.md"]],
  [["claude"], { "CLAUDE.md": OF_EARLIER, "AGENTS.md": "# Rules\n" }, ["AGENTS.md"]],
  [["codex"], {}, ["AGENTS.md"]],
  [["codex"], { "CLAUDE.md": "# Rules\n" }, []],
  [["codex", "claude"], { "CLAUDE.md": "# Rules\n", "AGENTS.md": OF_EARLIER }, ["CLAUDE.md"]],
  [["gemini", "claude"], { "CLAUDE.md": "# Rules\n" }, ["CLAUDE.md", "GEMINI.md"]],
])("%j, set up where there is %j: the lines are in %j", (hosts, given, expected) => {
  expect(linesIn(hosts, given).has).toEqual(expected);
});

test("a CLAUDE.md that is a link to AGENTS.md stays one", () => {
  const { code, has, remove } = linesIn(["claude"], { "AGENTS.md": "# Rules\n", "CLAUDE.md": "-> AGENTS.md" });
  expect([has, remove("claude"), fs.readlinkSync(path.join(code, "CLAUDE.md"))]).toEqual([["CLAUDE.md", "AGENTS.md"], [], "AGENTS.md"]);
});

test("the lines that two hosts share go when the second of them is taken out", () => {
  const { has, remove } = linesIn(["claude", "codex"], { "AGENTS.md": "# Rules\n" });
  expect([has, remove("claude"), remove("codex")]).toEqual([["AGENTS.md"], ["AGENTS.md"], []]);
});
