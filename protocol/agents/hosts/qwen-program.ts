/** Qwen Code as a program that runs one turn and ends. Its events are those of Claude Code. */
import { claudeProgram } from "./claude-program.ts";
import { CALL_SECONDS, type Prepared, type Program, SERVER, serversWith } from "./program.ts";
import { asNumber, asObject, objectIn, type Reading } from "./reading.ts";

/** The tools of its own that it has with `--bare`. */
export const QWEN_TOOLS = ["read_file", "edit", "notebook_edit", "run_shell_command"];

/** The program. */
export const qwenProgram: Program = {
  command: "qwen",
  countsSession: true,
  readsAnyway: { ".qwen/.env": null, ".env": null },

  prepare({ folder, program, prompt, model, tools = QWEN_TOOLS, maxTurns, resumes, newSession, server, envelope, env }): Prepared {
    const session = resumes ?? newSession;
    const servers = serversWith(server, { trust: true, timeout: CALL_SECONDS * 1_000, alwaysLoadTools: true });
    const without = QWEN_TOOLS.filter((tool) => !tools.includes(tool));
    const argv = [
      ...program,
      ...["-o", "stream-json"],
      ...(model === undefined ? [] : ["-m", model]),
      ...(resumes === null ? ["--session-id", session] : ["--resume", session]),
      // No settings, hooks, files or servers of the project, and neither agents nor questions.
      ...["--bare", "--mcp-config", `${folder}/mcp.json`, "--allowed-mcp-server-names", SERVER, "--approval-mode", "yolo"],
      ...without.flatMap((tool) => ["--exclude-tools", tool]),
      ...(maxTurns === undefined ? [] : ["--max-session-turns", String(maxTurns)]),
      ...(prompt.trim() === "" ? [] : ["--system-prompt", prompt]),
    ];
    return { argv, env, files: { stdin: envelope, "mcp.json": JSON.stringify(servers) }, session };
  },

  read(reading, line): Reading {
    const next = claudeProgram.read(reading, line);
    const event = objectIn(line);
    if (event === null) return next;
    // What was read from the cache is a part of its input.
    if (event["type"] === "assistant") {
      const { input_tokens: input } = asObject(asObject(event["message"])["usage"]);
      return { ...next, contextTokens: asNumber(input) || reading.contextTokens };
    }
    const { input_tokens: input } = asObject(event["usage"]);
    return event["type"] === "result" && next.usage !== undefined
      ? { ...next, usage: { ...next.usage, inputTokens: asNumber(input) } }
      : next;
  },

  said: claudeProgram.said,
};
