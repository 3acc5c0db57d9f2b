/** Gemini CLI as a program that runs one turn and ends. */
import { CALL_SECONDS, type Prepared, type Program, SERVER, serversWith } from "./program.ts";
import { asNumber, asObject, asText, called, objectIn, type Reading, withCall, withEnd, withoutCall, withProblem } from "./reading.ts";

/** Its tools that are a further channel to agents, or ask a person. */
export const GEMINI_CHANNELS = ["invoke_agent", "ask_user"];

const keepsIn = (kept: string) => ({ GEMINI_CLI_HOME: `${kept}/gemini` });

/** The program. Its settings and its sessions lie in one folder, which therefore stays the same for all turns of a dispatch. */
export const geminiProgram: Program = {
  command: "gemini",
  keepsIn,
  readsAnyway: { ".gemini/.env": null },

  prepare({ folder, kept, program, prompt, model, tools, maxTurns, resumes, newSession, server, envelope, env }): Prepared {
    const session = resumes ?? newSession;
    const settings = {
      ...serversWith(server, { trust: true, timeout: CALL_SECONDS * 1_000 }),
      tools:
        tools === undefined ? { exclude: GEMINI_CHANNELS } : { core: [...tools, ...server.tools.map((tool) => `mcp_${SERVER}_${tool}`)] },
      ...(maxTurns === undefined ? {} : { model: { maxSessionTurns: maxTurns } }),
      ...(env["GEMINI_API_KEY"] === undefined ? {} : { security: { auth: { selectedType: "gemini-api-key" } } }),
      privacy: { usageStatisticsEnabled: false },
      advanced: { ignoreLocalEnv: true },
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
    };
    const argv = [
      ...program,
      ...(model === undefined ? [] : ["-m", model]),
      ...["-o", "stream-json"],
      ...(resumes === null ? ["--session-id", session] : ["--resume", session]),
      ...["--skip-trust", "--allowed-mcp-server-names", SERVER],
    ];
    return {
      argv,
      env: {
        ...env,
        ...keepsIn(kept),
        // Its launcher takes no notice of signals, and its child would work on.
        GEMINI_CLI_NO_RELAUNCH: "true",
        ...(prompt.trim() === "" ? {} : { GEMINI_SYSTEM_MD: `${folder}/prompt.md` }),
      },
      files: { stdin: envelope, "prompt.md": prompt },
      keptFiles: { "gemini/.gemini/settings.json": JSON.stringify(settings) },
      session,
    };
  },

  read(reading, line): Reading {
    const event = objectIn(line);
    if (event === null) return reading;
    switch (event["type"]) {
      case "init":
        return { ...reading, session: asText(event["session_id"]) };
      case "message":
        return event["role"] === "assistant" ? { ...reading, text: reading.text + (asText(event["content"]) ?? "") } : reading;
      case "tool_use":
        return withCall(reading, event["tool_id"]);
      case "tool_result":
        // What it said before the answer of a tool is not its final text.
        return { ...withoutCall(reading, event["tool_id"]), text: "", steps: reading.steps + 1 };
      case "result":
        return ended(reading, event);
      default:
        return reading;
    }
  },

  said(event) {
    if (event["type"] === "tool_use") return [called(event["tool_name"], event["parameters"])];
    return event["type"] === "message" && event["role"] === "assistant" ? [asText(event["content"]) ?? ""] : [];
  },
};

function ended(reading: Reading, event: ReturnType<typeof asObject>): Reading {
  const isOk = event["status"] === "success";
  const stats = asObject(event["stats"]);
  const problem = asText(asObject(event["error"])["message"]) ?? "it ended with an error";
  return {
    ...withEnd(isOk ? reading : withProblem(reading, problem), isOk),
    usage: {
      inputTokens: asNumber(stats["input_tokens"]),
      cachedInputTokens: asNumber(stats["cached"]),
      outputTokens: asNumber(stats["output_tokens"]),
    },
  };
}
