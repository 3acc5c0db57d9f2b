/** What a scripted model sees of a request, whichever agent sent it, and what it answers. */

/** The agents whose protocols are spoken. */
export type AgentName = "claude" | "codex" | "gemini" | "opencode" | "copilot" | "qwen" | "pi";

/** A tool as the model is offered it. */
export interface SeenTool {
  /** Its name without what the agent puts before it: `inbox`. */
  name: string;
  /** The MCP server it comes from; null for one of the agent's own. */
  server: string | null;
  /** What stands in the request for it: name, description and schema. */
  wire: unknown;
}

/** A request, in words that are the same for all agents. */
export interface Seen {
  agent: AgentName;
  /** The working directory that the agent tells its model; "" where it tells none. */
  cwd: string;
  tools: SeenTool[];
  /** Instructions that stand before the conversation. */
  system: string;
  /** Everything in the conversation so far, in order. */
  texts: string[];
  /** What came since the model spoke last: prompts, what hooks added, results of tools. */
  news: string[];
  /** Of those, the results of tools. */
  results: string[];
}

/** A call of a tool of Relay's, by its own name. */
export interface Call {
  tool: string;
  args?: Record<string, unknown>;
}

/** The tokens that a model says it counted for one request. Its input holds what was read from the cache, and what was written to it. */
export interface Counted {
  input: number;
  cached: number;
  /** Written to the cache, for five minutes and for an hour. Only Claude's protocol tells them. */
  written5m: number;
  written1h: number;
  output: number;
  /** Of the output. */
  reasoning: number;
}

/** What a model answers: words, or calls. */
export type Answer = string | Call | Call[];

/** A scripted model; undefined where it has nothing to say to what it sees, a promise where it thinks for long. */
export type Script = (seen: Seen) => Answer | undefined | Promise<Answer>;

/** What of a conversation is of no role of its own in one protocol or another. */
export interface Item {
  by: "model" | "other";
  text: string;
  isResult: boolean;
}

/** The part of a conversation that came after the model's last word. */
export function newsOf(items: readonly Item[]): { texts: string[]; news: string[]; results: string[] } {
  const spoke = items.findLastIndex(({ by }) => by === "model");
  const news = items.slice(spoke + 1);
  return {
    texts: items.map(({ text }) => text),
    news: news.map(({ text }) => text),
    results: news.filter(({ isResult }) => isResult).map(({ text }) => text),
  };
}

/** A tool's name and server from `mcp__relay__inbox`, `mcp_relay_inbox`, `relay_inbox` or `relay-inbox`. */
export function toolNamed(wireName: string, wire: unknown): SeenTool {
  const parts = /^(?:mcp__?([^_]+)__?|(relay|office)[_-])(.+)$/.exec(wireName);
  return { name: parts?.[3] ?? wireName, server: parts?.[1] ?? parts?.[2] ?? null, wire };
}

/** A call of Relay's as an agent's model names it. @throws Error where the model was not offered it */
export function offered({ tools }: Seen, { tool }: Call): SeenTool {
  const found = tools.find(({ name, server }) => server === "relay" && name === tool) ?? tools.find(({ name }) => name === tool);
  if (found === undefined) throw new Error(`the model was not offered the tool ${tool}, but ${tools.map(({ name }) => name).join(", ")}`);
  return found;
}

/** The calls of an answer; none where it is words. */
export const callsOf = (answer: Answer): Call[] => (typeof answer === "string" ? [] : Array.isArray(answer) ? answer : [answer]);
