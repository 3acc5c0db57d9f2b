/** Claude Code as a program that runs one turn and ends: `claude -p`. */
import { CALL_SECONDS, type Prepared, type Program, SERVER, serversWith } from "./program.ts";
import {
  asNumber,
  asObject,
  asObjects,
  asText,
  called,
  firstLine,
  isLimit,
  type Json,
  objectIn,
  type Reading,
  withCall,
  withEnd,
  withoutCall,
} from "./reading.ts";

/** What an agent may use unless its file says otherwise. */
const TOOLS = ["Read", "Edit", "Write", "Bash", "Glob", "Grep"];

/** The program. */
export const claudeProgram: Program = {
  command: "claude",

  prepare(start): Prepared {
    const { folder, program, prompt, model, maxTurns, resumes, newSession, server, envelope, env } = start;
    const { tools = TOOLS } = start;
    const own = server.tools.map((tool) => `mcp__${SERVER}__${tool}`);
    const session = resumes ?? newSession;
    const argv = [
      ...program,
      "-p",
      ...["--output-format", "stream-json", "--verbose"],
      ...(model === undefined ? [] : ["--model", model]),
      ...(resumes === null ? ["--session-id", session] : ["--resume", session]),
      // No other server, no settings or texts of the project, and nothing that could ask.
      ...["--strict-mcp-config", "--mcp-config", `${folder}/mcp.json`, "--setting-sources", ""],
      ...["--tools", tools.join(",")],
      ...["--allowedTools", [...own, ...tools].join(",")],
      ...["--permission-mode", "dontAsk"],
      ...(prompt.trim() === "" ? [] : ["--system-prompt-file", `${folder}/prompt.md`]),
      ...(maxTurns === undefined ? [] : ["--max-turns", String(maxTurns)]),
    ];
    return {
      argv,
      env: {
        ...env,
        MCP_TOOL_TIMEOUT: String(CALL_SECONDS * 1_000),
        // It waits for the server, and does not begin without its tools.
        MCP_CONNECTION_NONBLOCKING: "0",
        MCP_CONNECT_TIMEOUT_MS: "30000",
        CLAUDE_CODE_MCP_ALLOWLIST_ENV: "1",
      },
      files: { stdin: envelope, "mcp.json": JSON.stringify(serversWith(server, { type: "stdio" })), "prompt.md": prompt },
      session,
    };
  },

  read(reading, line): Reading {
    const event = objectIn(line);
    if (event === null) return reading;
    const { type, subtype } = event;
    if (type === "system" && subtype === "api_retry") return { ...reading, isRetrying: true };
    const going = { ...reading, isRetrying: false };
    if (type === "system" && subtype === "init") {
      const found = asObjects(event["mcp_servers"]).find(({ name }) => name === SERVER);
      return { ...going, session: asText(event["session_id"]), tools: found?.["status"] === "connected" ? "connected" : "missing" };
    }
    const content = asObjects(asObject(event["message"])["content"]);
    if (type === "assistant")
      return content
        .filter((piece) => piece["type"] === "tool_use")
        .reduce<Reading>((before, { id, name }) => withSend(withCall(before, id), id, name), {
          ...going,
          steps: going.steps + 1,
          contextTokens: inputOf(asObject(asObject(event["message"])["usage"])) || going.contextTokens,
        });
    if (type === "user")
      return content
        .filter((piece) => piece["type"] === "tool_result")
        .reduce<Reading>((before, piece) => withoutCall(before, piece["tool_use_id"]), going);
    return type === "result" ? ended(going, event) : going;
  },

  said: (event) => (event["type"] === "assistant" ? asObjects(asObject(event["message"])["content"]).map(saidBy) : []),
};

/** A piece of a message of its model, for people. */
const saidBy = (piece: Json): string =>
  piece["type"] === "tool_use" ? called(piece["name"], piece["input"]) : (asText(piece["text"]) ?? "");

/** The tokens that a model was given, by what its provider counted. */
const inputOf = (usage: ReturnType<typeof asObject>): number =>
  ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"].reduce((sum, key) => sum + asNumber(usage[key]), 0);

/** The reading with a Send more, where the call is one: it makes one call after the other. */
const withSend = (reading: Reading, id: unknown, name: unknown): Reading =>
  name === `mcp__${SERVER}__Send` ? { ...reading, sends: [...reading.sends, String(id)] } : reading;

/** Its last event. An error of its provider says that it is a success and an error, so the error counts. */
function ended(reading: Reading, event: ReturnType<typeof asObject>): Reading {
  const text = asText(event["result"]) ?? asText(asObject(event["error"])["message"]) ?? "";
  const isOk = event["subtype"] === "success" && event["is_error"] === false;
  const usage = asObject(event["usage"]);
  const cost = event["total_cost_usd"];
  const status = asNumber(event["api_error_status"]);
  const denied = asObjects(event["permission_denials"]).flatMap((denial) => asText(denial["tool_name"]) ?? []);
  return {
    ...withEnd(reading, isOk),
    session: asText(event["session_id"]) ?? reading.session,
    text: isOk ? text : "",
    ...(isOk ? {} : { problem: firstLine(text) || String(event["subtype"]) }),
    isLimited: !isOk && ([429, 529].includes(status) || (status === 0 && isLimit(text))),
    denied,
    usage: {
      inputTokens: inputOf(usage),
      cachedInputTokens: asNumber(usage["cache_read_input_tokens"]),
      outputTokens: asNumber(usage["output_tokens"]),
      ...(typeof cost === "number" ? { costUsd: cost } : {}),
    },
  };
}
