/** Copilot CLI as a program that runs one turn and ends. */
import { CALL_SECONDS, type Prepared, type Program, SERVER, serversWith } from "./program.ts";
import { asObject, asObjects, asText, called, objectIn, type Reading, withCall, withEnd, withoutCall, withProblem } from "./reading.ts";

/** Its tools that are a further channel to agents, or ask a person. */
export const COPILOT_CHANNELS = ["task", "read_agent", "list_agents", "write_agent", "ask_user"];

const keepsIn = (kept: string) => ({ COPILOT_HOME: `${kept}/copilot` });

/** The program. Its settings and its sessions lie in one folder, which therefore stays the same for all turns of a dispatch. */
export const copilotProgram: Program = {
  command: "copilot",
  countsSteps: true,
  keepsIn,

  prepare({ kept, program, prompt, model, tools, resumes, newSession, server, envelope, env }): Prepared {
    const session = resumes ?? newSession;
    const servers = serversWith(server, { type: "local", tools: ["*"], timeout: CALL_SECONDS * 1_000 });
    const hasPrompt = prompt.trim() !== "";
    const offered = tools === undefined ? [] : [...tools, ...server.tools.map((tool) => `${SERVER}-${tool}`)];
    const argv = [
      ...program,
      ...["--output-format", "json"],
      ...(model === undefined ? [] : ["--model", model]),
      ...(resumes === null ? ["--session-id", session] : [`--resume=${session}`]),
      ...["--disable-builtin-mcps", "--no-custom-instructions", "--no-ask-user", "--no-auto-update", "--no-remote", "--allow-all"],
      `--excluded-tools=${COPILOT_CHANNELS.join(",")}`,
      ...(tools === undefined ? [] : [`--available-tools=${offered.join(",")}`]),
      ...(hasPrompt ? ["--agent", SERVER] : []),
    ];
    return {
      argv,
      env: { ...env, ...keepsIn(kept) },
      files: { stdin: envelope },
      keptFiles: {
        "copilot/mcp-config.json": JSON.stringify(servers),
        ...(hasPrompt
          ? { [`copilot/agents/${SERVER}.agent.md`]: `---\nname: ${SERVER}\ndescription: Works here.\n---\n\n${prompt}\n` }
          : {}),
      },
      session,
    };
  },

  read(reading, line): Reading {
    const event = objectIn(line);
    if (event === null) return reading;
    const data = asObject(event["data"]);
    switch (event["type"]) {
      case "session.mcp_server_status_changed":
        if (data["serverName"] !== SERVER || data["status"] === "pending") return reading;
        return { ...reading, tools: data["status"] === "connected" ? "connected" : "missing" };
      case "assistant.message": {
        const calls = asObjects(data["toolRequests"]);
        const said = { ...reading, steps: reading.steps + 1, text: calls.length === 0 ? (asText(data["content"]) ?? "") : "" };
        return calls.reduce<Reading>((before, { toolCallId }) => withCall(before, toolCallId), said);
      }
      case "tool.execution_complete":
        return withoutCall(reading, data["toolCallId"]);
      case "session.error":
        return withProblem(reading, asText(data["message"]) ?? "it ended with an error", data["statusCode"]);
      case "result":
        return { ...withEnd(reading, event["exitCode"] === 0), session: asText(event["sessionId"]) };
      default:
        return reading;
    }
  },

  said({ type, data: given }) {
    const data = asObject(given);
    if (type !== "assistant.message") return [];
    return [asText(data["content"]) ?? "", ...asObjects(data["toolRequests"]).map((call) => called(call["name"], call["arguments"]))];
  },
};
