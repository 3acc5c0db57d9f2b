/** pi as a program that runs one turn and ends. */
import { CALL_SECONDS, type Prepared, type Program, serversWith } from "./program.ts";
import {
  asNumber,
  asObject,
  asObjects,
  asText,
  called,
  type Json,
  objectIn,
  type Reading,
  withAnswer,
  withCall,
  withEnd,
  withoutCall,
  withProblem,
} from "./reading.ts";

/** The tools of its own. */
export const PI_TOOLS = ["read", "bash", "edit", "write", "grep", "find", "ls"];

const keepsIn = (kept: string) => ({ PI_CODING_AGENT_DIR: `${kept}/pi` });

/** The program. Its settings and its sessions lie in one folder, which therefore stays the same for all turns of a dispatch. */
export const piProgram: Program = {
  command: "pi",
  countsSteps: true,
  keepsIn,

  prepare({ kept, program, prompt, model, tools, resumes, newSession, server, envelope, env }): Prepared {
    const session = resumes ?? newSession;
    const servers = serversWith(server, { exposure: "direct", timeout: CALL_SECONDS });
    const argv = [
      ...program,
      ...["-p", "--mode", "json"],
      ...(model === undefined ? [] : ["--model", model]),
      ...(resumes === null ? ["--session-id", session] : ["--session", session]),
      // Nothing of the project's, and no extension but the one that reaches servers.
      ...["--no-extensions", "-e", "builtin:mcp", "--no-context-files", "--no-skills", "--no-prompt-templates", "--no-approve"],
      ...(tools === undefined ? [] : tools.length === 0 ? ["--no-builtin-tools"] : ["--tools", tools.join(",")]),
      ...(prompt.trim() === "" ? [] : ["--system-prompt", prompt]),
    ];
    return {
      argv,
      env: { ...env, ...keepsIn(kept) },
      files: { stdin: envelope },
      keptFiles: { "pi/mcp.json": JSON.stringify(servers) },
      session,
    };
  },

  read(reading, line): Reading {
    const event = objectIn(line);
    if (event === null) return reading;
    const message = asObject(event["message"]);
    switch (event["type"]) {
      case "session":
        return { ...reading, session: asText(event["id"]) };
      case "tool_execution_start":
        return withCall(reading, event["toolCallId"]);
      case "tool_execution_end":
        return withoutCall(reading, event["toolCallId"]);
      case "auto_retry_start":
        return { ...reading, isRetrying: true };
      case "message_end":
        return message["role"] === "assistant" ? answered(reading, message) : reading;
      case "agent_settled":
        return withEnd(reading, reading.problem === undefined && event["aborted"] !== true);
      default:
        return reading;
    }
  },

  said({ type, message: given }) {
    const message = asObject(given);
    if (type !== "message_end" || message["role"] !== "assistant") return [];
    return asObjects(message["content"]).map((piece) => asText(piece["text"]) ?? called(piece["name"], piece["arguments"]));
  },
};

/** An answer of its model. One that failed ends with exit code 0, and it asks some of them again. */
function answered(reading: Reading, message: Json): Reading {
  const content = asObjects(message["content"]);
  const usage = asObject(message["usage"]);
  const cached = asNumber(usage["cacheRead"]);
  const given = asNumber(usage["input"]) + cached + asNumber(usage["cacheWrite"]);
  const said = {
    ...withAnswer(reading, given, cached, asNumber(usage["output"])),
    isRetrying: false,
    text: content.some(({ type }) => type === "toolCall") ? "" : content.map((piece) => asText(piece["text"]) ?? "").join(""),
  };
  const hasFailed = message["stopReason"] === "error" || message["stopReason"] === "aborted";
  if (!hasFailed) return { ...said, problem: undefined, isLimited: false };
  return withProblem(said, asText(message["errorMessage"]) ?? "its model gave no answer");
}
