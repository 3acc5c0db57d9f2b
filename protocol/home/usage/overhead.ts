/** What Relay adds to the context of an agent's session, as the build counted it. spec/commands.md, "stats". */
import fs from "node:fs";
import path from "node:path";
import * as z from "zod/mini";

/** The folder that the build wrote; where this runs from sources there is none. */
declare const RELAY_FOLDER: string;

const tokens = z.int().check(z.gte(0));

/** Counts of tokens by one tokenizer; a model's own count differs by some. */
export const Overhead = z.object({
  /** The name of the tokenizer. */
  tokenizer: z.string(),
  /** By what an agent is served: the groups of tools, what serves them, how many tools, their list, and the server's instructions. */
  served: z.array(z.object({ groups: z.string(), by: z.string(), tools: tokens, toolTokens: tokens, instructions: tokens })),
  /** What `setup` writes into `CLAUDE.md`, `AGENTS.md` or `GEMINI.md`. */
  lines: tokens,
  /** What the hook says at the start of a session that has no mail. */
  sessionStart: tokens,
  /** What the hook says at a turn when one short message is unread. */
  nudge: tokens,
});

/** Reads the counts; undefined where Relay runs from its sources, or the table is missing or spoiled. */
export function readOverhead(): z.infer<typeof Overhead> | undefined {
  if (typeof RELAY_FOLDER === "undefined") return undefined;
  try {
    return Overhead.parse(JSON.parse(fs.readFileSync(path.join(RELAY_FOLDER, "overhead.json"), "utf8")));
  } catch {
    return undefined;
  }
}
