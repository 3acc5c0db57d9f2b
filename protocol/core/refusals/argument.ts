/** Refusals about arguments and callers. */
import { shellWord } from "../format/shell-word.ts";
import { nearest } from "../names.ts";
import { EXIT, entry, nearestHint, quote, type Surface } from "./entry.ts";

/** What is wrong with one argument, and a value that would be right. */
export interface ArgumentFault {
  argument: string;
  expected: string;
  given: unknown;
  example: unknown;
}

const isNothing = (given: unknown): boolean => given === undefined || given === null || (Array.isArray(given) && given.length === 0);

/** An example of the argument, or of the whole command. */
function exampleFor({ argument, example }: ArgumentFault, surface: Surface): string {
  if (surface.example !== null) return ` Example: \`${surface.example}\`.`;
  return example === undefined || example === null ? "" : ` Example: ${argument} = ${quote(example)}.`;
}

/** The one of several words that was perhaps meant. */
function meant(given: unknown, expected: string): string {
  const choices = expected.startsWith("one of ") ? expected.slice("one of ".length).split(", ") : [];
  const [near] = typeof given === "string" ? nearest(given, choices) : [];
  return near === undefined ? "" : ` Did you mean ${near}?`;
}

/** A sentence with its period, where it has none. */
const ended = (sentence: string): string => (/[.?]$/.test(sentence) ? sentence : `${sentence}.`);

/** Code → the exit code of a refusal, and its sentence by its data. */
export const ARGUMENT_REFUSALS = {
  invalid_argument: entry(EXIT.usage, (d: ArgumentFault, surface) => {
    const name = surface.argument(d.argument);
    // Another argument that the text names.
    const expected = d.expected.replace(/`(\w+)`/g, (_all, other: string) => surface.argument(other));
    const example = exampleFor(d, surface);
    return isNothing(d.given)
      ? `${name} is ${surface.on("required", "missing")}: expected ${expected.replace(" (it is required)", "")}.${example}`
      : `${name}: expected ${expected}, given ${quote(d.given)}.${meant(d.given, d.expected)}${example}`;
  }),
  unknown_argument: entry(
    EXIT.usage,
    (d: { argument: string; nearest: string[]; known: string[] }) =>
      `unknown argument ${quote(d.argument)}.${nearestHint(d.nearest)} Use one of: ${d.known.join(", ")}.`,
  ),
  usage: entry(EXIT.usage, (d: { problem: string; help: string }) => `${ended(d.problem)} ${ended(d.help)}`),
  who_are_you: entry(EXIT.usage, (d: { operation: string; parts: string[] }, { on, command }) => {
    const someone = d.parts.find((part) => part !== "main" && part !== "human") ?? d.parts[0] ?? "web";
    return `${on(d.operation, `\`relay ${command}\``)} needs to know which part you are. Parts: ${d.parts.join(", ")}. ${on(
      "Pass yours as agent_id, and ask your user if you do not know it.",
      `Use --part ${someone}, or set RELAY_PART=${someone}, or run \`relay part here ${someone}\` once in this worktree.`,
    )}`;
  }),
  bound_elsewhere: entry(
    EXIT.refused,
    (d: { boundTo: string; given: string }, { on }) =>
      `this connection belongs to part ${quote(d.boundTo)}, so it cannot act as ${quote(d.given)}. ${on("Leave agent_id out", "Leave the part out")}, or start another connection: \`relay mcp --part ${shellWord(d.given)}\`.`,
  ),
  ambiguous_id: entry(
    EXIT.usage,
    (d: { given: string; candidates: string[]; count: number }) =>
      `${quote(d.given)} fits ${d.count} ids: ${d.candidates.join(", ")}${d.count > d.candidates.length ? ` and ${d.count - d.candidates.length} more` : ""}. Give more of the id.`,
  ),
  tool_not_allowed: entry(
    EXIT.refused,
    (d: { tool: string; agent: string; allowed: string[] }) =>
      `agent ${quote(d.agent)} may not use ${d.tool}: the "tools" that a person accepted for it are ${d.allowed.join(", ")}. ` +
      "Use one of these or a tool for mail. A person can change the agent's definition, and accept that with `relay trust`.",
  ),
  past_is_fixed: entry(
    EXIT.refused,
    (d: { operation: string }) => `${d.operation} changes the home, and an earlier commit cannot change. Leave \`--at\` out.`,
  ),
  interrupted: entry(EXIT.interrupted, (d: { state: string }) => `interrupted: ${d.state}. Run it again to go on.`),
  internal: entry(
    EXIT.failed,
    (d: { reason: string }) =>
      `this is a fault in Relay, not in what you did: ${d.reason}. Please report it; RELAY_DEBUG=1 on the command line shows where it happened.`,
  ),
};
