/** Codex as a program that runs one turn and ends: `codex exec`. */

import { TOKEN_VARIABLE } from "../../core/names.ts";
import { CALL_SECONDS, type Prepared, type Program, SERVER } from "./program.ts";
import {
  asNumber,
  asObject,
  asText,
  called,
  firstLine,
  objectIn,
  type Reading,
  withCall,
  withEnd,
  withoutCall,
  withProblem,
} from "./reading.ts";

/** A text as TOML has it: the escapes of JSON are among its own, but for the control character that JSON leaves as it is. */
const toml = (text: string): string => JSON.stringify(text).replaceAll("\u007f", "\\u007f");
const tomlList = (items: readonly string[]): string => `[${items.map(toml).join(",")}]`;
/** The program. */
export const codexProgram: Program = {
  command: "codex",
  countsSteps: true,
  countsSession: true,

  prepare({ program, cwd, commitsIn, prompt, model, tools, resumes, server, envelope, env }): Prepared {
    const [command = "", ...args] = server.argv;
    const { [TOKEN_VARIABLE]: token, ...plain } = server.env;
    const settings = [
      `command=${toml(command)}`,
      `args=${tomlList(args)}`,
      `env={${Object.entries(plain)
        .map(([name, value]) => `${toml(name)}=${toml(value)}`)
        .join(",")}}`,
      // By its name: a value would stand in the list of processes.
      `env_vars=${tomlList([TOKEN_VARIABLE])}`,
      // It does not begin without the tools.
      "required=true",
      "startup_timeout_sec=30",
      `tool_timeout_sec=${CALL_SECONDS}`,
      "supports_parallel_tool_calls=true",
      'default_tools_approval_mode="approve"',
    ];
    const hasShell = tools === undefined || tools.length > 0;
    const set = (words: string): string[] => ["-c", words];
    const argv = [
      ...program,
      "exec",
      ...(resumes === null ? [] : ["resume"]),
      ...["--json", "--skip-git-repo-check", "--ignore-user-config"],
      ...(model === undefined ? [] : ["-m", model]),
      ...set('sandbox_mode="workspace-write"'),
      ...(commitsIn.length === 0 ? [] : set(`sandbox_workspace_write.writable_roots=${tomlList(commitsIn)}`)),
      ...set('approval_policy="never"'),
      ...set(`mcp_servers.${SERVER}={${settings.join(",")}}`),
      ...(prompt.trim() === "" ? [] : set(`developer_instructions=${toml(prompt)}`)),
      ...set("project_doc_max_bytes=0"),
      ...set('web_search="disabled"'),
      ...set('shell_environment_policy.inherit="core"'),
      ...set("analytics.enabled=false"),
      ...["multi_agent", "goals", "apps", "plugins", ...(hasShell ? [] : ["shell_tool", "unified_exec"])].flatMap((feature) => [
        "--disable",
        feature,
      ]),
      ...(resumes === null ? ["-C", cwd] : [resumes]),
      "-",
    ];
    return {
      argv,
      env: { ...env, ...(token === undefined ? {} : { [TOKEN_VARIABLE]: token }) },
      files: { stdin: envelope },
      session: resumes ?? undefined,
    };
  },

  read(reading, line): Reading {
    const event = objectIn(line);
    if (event === null) return reading;
    const item = asObject(event["item"]);
    switch (event["type"]) {
      case "thread.started":
        // It begins no thread while a server that it requires is not there.
        return { ...reading, session: asText(event["thread_id"]), tools: "connected" };
      case "item.started":
        return isCall(item["type"]) ? withCall(reading, item["id"]) : reading;
      case "item.completed":
        if (item["type"] === "agent_message") return { ...reading, text: asText(item["text"]) ?? "" };
        return isCall(item["type"]) ? { ...withoutCall(reading, item["id"]), steps: reading.steps + 1 } : reading;
      case "turn.completed": {
        const usage = asObject(event["usage"]);
        const [inputTokens, cachedInputTokens, outputTokens] = ["input_tokens", "cached_input_tokens", "output_tokens"].map((key) =>
          asNumber(usage[key]),
        ) as [number, number, number];
        return { ...withEnd(reading, true), usage: { inputTokens, cachedInputTokens, outputTokens } };
      }
      case "turn.failed": {
        const problem = asText(asObject(event["error"])["message"]) ?? "the turn failed";
        return { ...withProblem(reading, problem), last: "error" };
      }
      case "error":
        return { ...reading, problem: firstLine(asText(event["message"]) ?? "") };
      default:
        return reading;
    }
  },

  said({ type, item: given }) {
    const item = asObject(given);
    if (type === "item.completed") return [asText(item["text"]) ?? ""];
    return type === "item.started" ? [called(item["tool"] ?? item["type"], item["command"] ?? item["arguments"])] : [];
  },
};

/** Whether an item of its stream is a call that it waits for. */
const isCall = (type: unknown): boolean => type === "mcp_tool_call" || type === "command_execution";
