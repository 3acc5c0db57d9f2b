/** What the real agents' own records say of their calls is what the model counted, to the token. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { Charged } from "../models/models.ts";
import type { Counted, Seen } from "../models/seen.ts";
import { repository } from "../rig/rig.ts";
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
async function project(agent: "claude" | "codex" | "gemini") {
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
      return "Fine.";
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
