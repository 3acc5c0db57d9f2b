/** OpenCode as a program that runs one turn and ends: `opencode run`. */
import { CALL_SECONDS, type Prepared, type Program, SERVER } from "./program.ts";
import { asNumber, asObject, asText, called, type Json, objectIn, type Reading, withAnswer, withProblem } from "./reading.ts";

/** The tools of its own that an agent of an office may have: no other is a further channel to agents, or asks a person. */
export const OPENCODE_TOOLS = ["read", "edit", "bash", "glob", "grep", "list", "webfetch", "todowrite", "todoread"];

/** The program. What it is told stands in one variable, over the settings of its user. It imports plug-ins of a project also where it is told to read none. */
export const opencodeProgram: Program = {
  command: "opencode",
  countsSteps: true,
  readsAnyway: {
    ...Object.fromEntries([".opencode/plugin", ".opencode/plugins"].map((name) => [name, null])),
    // A name may be written with escapes.
    ...Object.fromEntries(
      ["", ".opencode/"].flatMap((at) => [`${at}opencode.json`, `${at}opencode.jsonc`]).map((name) => [name, /plugin|\\u/i]),
    ),
  },

  prepare({ program, prompt, model, tools = OPENCODE_TOOLS, resumes, server, envelope, env }): Prepared {
    const allowed = [`${SERVER}_*`, ...tools].map((tool) => [tool, "allow"]);
    const permission = { "*": "deny", ...Object.fromEntries(allowed), external_directory: "allow", doom_loop: "allow" };
    const settings = {
      mcp: {
        relay: { enabled: false },
        [SERVER]: { type: "local", command: server.argv, environment: server.env, enabled: true, timeout: CALL_SECONDS * 1_000 },
      },
      agent: { [SERVER]: { mode: "primary", ...(prompt.trim() === "" ? {} : { prompt }), permission } },
    };
    return {
      argv: [
        ...program,
        ...["run", "--format", "json", "--agent", SERVER],
        ...(model === undefined ? [] : ["-m", model]),
        ...(resumes === null ? [] : ["-s", resumes]),
      ],
      env: {
        ...env,
        OPENCODE_CONFIG_CONTENT: JSON.stringify(settings),
        OPENCODE_DISABLE_PROJECT_CONFIG: "1",
        OPENCODE_PURE: "1",
        OPENCODE_DISABLE_AUTOUPDATE: "1",
      },
      files: { stdin: envelope },
      session: resumes ?? undefined,
    };
  },

  read(reading, line): Reading {
    const event = objectIn(line);
    if (event === null) return reading;
    const part = asObject(event["part"]);
    const going = { ...reading, session: asText(event["sessionID"]) ?? reading.session };
    switch (event["type"]) {
      case "text":
        return { ...going, text: going.text + (asText(part["text"]) ?? "") };
      case "tool_use":
        return { ...going, text: "" };
      case "step_finish":
        return stepped(going, part);
      case "error": {
        const error = asObject(event["error"]);
        const data = asObject(error["data"]);
        const problem = asText(data["message"]) ?? asText(error["name"]) ?? "it ended with an error";
        return { ...withProblem(going, problem, data["statusCode"]), last: "error" };
      }
      default:
        return going;
    }
  },

  said({ type, part: given }) {
    const part = asObject(given);
    if (type === "tool_use") return [called(part["tool"], asObject(part["state"])["input"])];
    return type === "text" ? [asText(part["text"]) ?? ""] : [];
  },
};

/** A step: its input is without what was read from the cache, and its output without its thoughts. */
function stepped(reading: Reading, part: Json): Reading {
  const tokens = asObject(part["tokens"]);
  const cache = asObject(tokens["cache"]);
  const cached = asNumber(cache["read"]);
  const given = asNumber(tokens["input"]) + cached + asNumber(cache["write"]);
  const said = withAnswer(reading, given, cached, asNumber(tokens["output"]) + asNumber(tokens["reasoning"]));
  return part["reason"] === "tool-calls" ? said : { ...said, last: "ok" };
}
