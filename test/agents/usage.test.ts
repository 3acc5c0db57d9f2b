/** What the real agents' own records say of their calls is what the model counted, to the token. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { Charged } from "../models/models.ts";
import type { AgentName, Counted, Seen } from "../models/seen.ts";
import { repository, until } from "../rig/scratch.ts";
import { describeWith, Stage } from "./stage.ts";

/** Other numbers for each request, so that one that is counted twice, or left out, changes every sum. */
const counts = ({ agent }: Seen, serial: number): Counted => ({
  input: 1_000 + serial * 101,
  cached: 200 + serial * 7,
  written5m: agent === "claude" ? 30 + serial : 0,
  written1h: agent === "claude" ? 11 + serial : 0,
  output: 50 + serial * 3,
  reasoning: agent === "claude" ? 0 : 5 + serial,
});

/** The sums of what a model counted, in the fields of `relay usage`. */
const sumOf = (charged: readonly Charged[]) => {
  const sum = (of: (one: Charged) => number): number => charged.reduce((all, one) => all + of(one), 0);
  return {
    calls: charged.length,
    input: sum(({ input, cached, written5m, written1h }) => input - cached - written5m - written1h),
    cached: sum(({ cached }) => cached),
    written: sum(({ written5m, written1h }) => written5m + written1h),
    written1h: sum(({ written1h }) => written1h),
    output: sum(({ output }) => output),
    reasoning: sum(({ reasoning }) => reasoning),
  };
};

/** A user's home with a project, and what its scripted models do. */
async function project(agent: AgentName) {
  const stage = await Stage.open();
  stage.models.counts = counts;
  const web = repository();
  for (const name of ["a.txt", "b.txt"]) fs.writeFileSync(path.join(web, name), "hello\n");
  await stage.relay(web, "init", "web", "api");
  await stage.relay(web, "part", "here", "web");
  const run = async (...args: string[]): Promise<string> => {
    const ended = await stage.run(web, agent, ...args);
    expect(ended.code, ended.stderr).toBe(0);
    return ended.stdout;
  };
  return { stage, web, run };
}

describeWith("claude")("the calls of Claude Code", () => {
  test("of subagents, a resume, a compaction, a fork and after refusals, each once", async () => {
    const { stage, web, run } = await project("claude");
    const reads = ["a.txt", "b.txt"].map((name) => ({ tool: "Read", args: { file_path: path.join(web, name) } }));
    stage.models.play(({ news, tools }) => {
      const asked = news.join("\n");
      if (asked.includes("BOTH FILES")) return reads;
      if (asked.includes("SOMEBODY ELSE") && tools.some(({ name }) => name === "Agent"))
        return [{ tool: "Agent", args: { description: "look", prompt: "BOTH FILES, please", subagent_type: "general-purpose" } }];
      // It asks again where an answer is no summary.
      return asked.includes("TEXT ONLY") ? "<summary>Files were read.</summary>" : "Fine.";
    });
    const once = ["-p", "--output-format", "json", "--dangerously-skip-permissions"];
    const { session_id: id } = JSON.parse(await run(...once, "BOTH FILES")) as { session_id: string };
    await run(...once, "--resume", id, "SOMEBODY ELSE");
    const before = stage.models.charged.length;
    await run(...once, "--resume", id, "/compact");
    const compacted = stage.models.charged.slice(before);
    expect(compacted).toHaveLength(1);
    await run(...once, "--resume", id, "BOTH FILES again");
    await run(...once, "--resume", id, "--fork-session", "Go on.");
    let refused = 0;
    stage.models.fails = () => (refused++ < 2 ? 429 : undefined);
    await run(...once, "--resume", id, "And on.");

    await stage.relay(web, "usage", "collect");
    await stage.relay(web, "usage", "collect");
    const { total, rows } = await stage.relay(web, "usage", "--by", "part");
    // The call that writes the summary stands in no record: it is told as one that is not known.
    const known = stage.models.charged.filter((one) => one !== compacted[0]);
    expect(total).toMatchObject({ ...sumOf(known), calls: known.length + 1, unknown: 1 });
    expect(rows.map(({ key }: { key: string }) => key)).toEqual(["web"]);
  });

  test("by its hook at the end of a turn, and no second time", async () => {
    const { stage, web, run } = await project("claude");
    await stage.relay(web, "setup", "claude", "--yes");
    stage.models.play(() => "Fine.");
    await run("-p", "Say something.");
    const { total } = await stage.relay(web, "usage");
    expect(total).toMatchObject(sumOf(stage.models.charged.filter(({ isTurn }) => isTurn)));
    expect(total.calls).toBeGreaterThan(0);
    expect(await stage.relay(web, "usage", "collect")).toMatchObject({ calls: 0, skipped: [] });
  });
});

describeWith("codex")("the calls of Codex", () => {
  test("of a resume, a fork and after a refusal, each once", async () => {
    const { stage, web, run } = await project("codex");
    stage.models.play(({ news, tools }) => {
      const shell = tools.find(({ name }) => /shell|exec/.test(name))?.name ?? "shell";
      return news.join("\n").includes("RUN IT") ? [{ tool: shell, args: { command: ["true"], cmd: "true" } }] : "Fine.";
    });
    const first = await run("exec", "--json", "RUN IT");
    const id = /"thread_id":"([^"]+)"/.exec(first)?.[1] as string;
    await run("exec", "resume", "--json", id, "RUN IT again");
    await run("exec", "fork", "--json", id, "Go on.");
    let refused = 0;
    stage.models.fails = () => (refused++ < 1 ? 429 : undefined);
    await run("exec", "resume", "--json", id, "And on.");

    await stage.relay(web, "usage", "collect");
    await stage.relay(web, "usage", "collect");
    const { total } = await stage.relay(web, "usage", "--by", "model");
    expect(total).toMatchObject(sumOf(stage.models.charged));
  });
});

describeWith("gemini")("the calls of Gemini CLI", () => {
  test("of a tool's call and a resume, each once", async () => {
    const { stage, web, run } = await project("gemini");
    stage.trustFolder(web);
    stage.models.play(({ news }) =>
      news.join("\n").includes("READ IT") ? [{ tool: "read_file", args: { file_path: path.join(web, "a.txt") } }] : "Fine.",
    );
    const first = await run("-o", "json", "-p", "READ IT");
    const id = /"session_id": *"([^"]+)"/.exec(first)?.[1] as string;
    await run("-o", "json", "--resume", id, "-p", "Go on.");

    await stage.relay(web, "usage", "collect");
    const { total, rows } = await stage.relay(web, "usage", "--by", "model");
    expect(total).toMatchObject(sumOf(stage.models.charged));
    expect(rows.map(({ key }: { key: string }) => key)).toEqual(["gemini-2.5-flash"]);
  });
});

for (const agent of ["claude", "codex", "gemini", "opencode", "copilot", "qwen", "pi"] as const) {
  describeWith(agent)(`the turns of an office by ${agent}`, () => {
    test("in one session, each call once, for its dispatch, and what each turn used by itself", async () => {
      const { stage, web } = await project(agent);
      await stage.relay(web, "office", "init", "--runner", agent);
      await stage.loopback(web);
      stage.models.play(({ news }) => (news.join("\n").includes("WHO") ? { tool: "ListTeamMembers", args: {} } : "Fine."));
      const { context_id: context } = await stage.relay(web, "office", "start", "WHO is there?", "--part", "web");
      const log = () => stage.relay(web, "office", "log", context);
      const ended = (turns: number) =>
        until(`${turns} turns ended`, async () => (await log()).turns.filter(({ ended }: { ended: unknown }) => ended).length === turns);
      await ended(1);
      // What a program asks besides, such as for a title, stands in no record of OpenCode's.
      const charged = () => stage.models.charged.filter(({ isTurn }) => isTurn);
      const first = charged().length;
      const { thread } = (await log()).conversation as { thread: string };
      await stage.relay(web, "reply", thread, "WHO else?", "--part", "web");
      await ended(2);
      const counted = async (): Promise<void> => {
        const { total, rows } = await stage.relay(web, "usage", "--by", "dispatch");
        // Some hosts keep no word of how long a cache is kept.
        const kept = ["opencode", "copilot"].includes(agent) ? { written1h: 0 } : {};
        expect(total).toMatchObject({ ...sumOf(charged()), ...kept });
        expect(rows.map(({ key }: { key: string }) => key)).toEqual([thread]);
      };
      await counted();
      const sum = (some: readonly Charged[]): number => some.reduce((all, { input }) => all + input, 0);
      const [, day = "", random = ""] = /^t-(\d{8})-(\w+)$/.exec(thread) ?? [];
      const at = path.join(web, ".relay/dispatches", `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}`, random, "turns");
      const used = [1, 2].map((turn) => /^input_tokens: (\d+)$/m.exec(fs.readFileSync(path.join(at, `${turn}.end.md`), "utf8"))?.[1]);
      // Copilot CLI prints no tokens: its record alone has them.
      if (agent !== "copilot") expect(used.map(Number)).toEqual([sum(charged().slice(0, first)), sum(charged().slice(first))]);
      // Whoever reads the records once more counts nothing again, and takes nothing from the dispatch.
      await stage.relay(web, "usage", "collect");
      await counted();
    });
  });
}
