/** What a program says in the lines that it prints, for people who look on. Programs print JSON; a line that is none is its own words. */
import { asObject, asObjects, asText, objectIn } from "./reading.ts";

/** Characters of one saying; the reply has the whole text. */
const LENGTH = 400;

/** The words of a line; empty for one that says nothing to people. */
export function saidIn(line: string): string {
  const event = objectIn(line);
  if (event === null) return line.slice(0, LENGTH);
  // Claude Code: a message of its model, in pieces.
  const pieces = event["type"] === "assistant" ? asObjects(asObject(event["message"])["content"]) : [];
  const words = pieces.map((piece) =>
    piece["type"] === "tool_use" ? called(piece["name"], piece["input"]) : (asText(piece["text"]) ?? ""),
  );
  // Codex: an item that is done or begun.
  const item = asObject(event["item"]);
  if (event["type"] === "item.completed") words.push(asText(item["text"]) ?? "");
  if (event["type"] === "item.started") words.push(called(item["tool"] ?? item["type"], item["command"] ?? item["arguments"]));
  // Gemini CLI: a message of its model, or a tool that it uses.
  if (event["type"] === "message" && event["role"] === "assistant") words.push(asText(event["content"]) ?? "");
  if (event["type"] === "tool_use") words.push(called(event["tool_name"], event["parameters"]));
  return words
    .filter((each) => each.trim() !== "")
    .map((each) => each.slice(0, LENGTH))
    .join("\n");
}

/** A call of a tool in one line. */
function called(name: unknown, given: unknown): string {
  const tool = asText(name) ?? "";
  if (tool === "") return "";
  const first = typeof given === "object" && given !== null ? Object.values(given).find((each) => typeof each === "string") : given;
  return `> ${tool} ${String(first ?? "")
    .replace(/\s+/g, " ")
    .slice(0, 120)}`.trim();
}
