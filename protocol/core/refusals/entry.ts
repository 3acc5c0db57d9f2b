/** The entries of the catalogue of refusals, and the words of a surface for arguments and calls. */

import { placeWords } from "../format/shell-word.ts";

/** Exit codes of the command line, by kind of refusal. spec/commands.md, "Exit codes". */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  refused: 4,
  noHome: 5,
  disk: 6,
  format: 7,
  timeout: 8,
  offline: 9,
  noRemote: 10,
  remote: 11,
  login: 12,
  interrupted: 130,
} as const;

/** The surface where a sentence is read. A sentence takes all names of arguments and calls from it. */
export interface Surface {
  /** One of two wordings: for a caller of tools (MCP, the library), or for somebody at a command line. */
  on(tools: string, commands: string): string;
  /** An argument as it is given there: `depends_on`, or `--depends-on`. */
  argument(name: string): string;
  /** The operation that was called; null where none is known. */
  operation: string | null;
  /** The words of its command, such as `task claim`. */
  command: string;
  /** A whole command that works, to be typed; null where arguments are given by name. */
  example: string | null;
}

/** The words of MCP and of the library. */
export const TOOLS: Surface = {
  on: (tools) => tools,
  argument: (name) => name,
  operation: null,
  command: "",
  example: null,
};

/** One code of the catalogue. */
export interface Entry<D> {
  exit: number;
  /**
   * The sentences: what is wrong, what was expected, what was given, what to do next. On one line, each at most 25 words,
   * the last ended by a period. A test holds them to that.
   */
  say(data: D, surface: Surface): string;
  /** The exact words of a tool that agents of the relay plugin know; `say` is then its `advice`. Null where it has none. */
  exact?(data: D): string | null;
}

/** An entry whose type of data is known. */
export const entry = <D>(exit: number, say: Entry<D>["say"], exact?: Entry<D>["exact"]): Entry<D> => ({
  exit,
  say,
  ...(exact === undefined ? {} : { exact }),
});

/** A value as it was given. */
export const quote = (value: unknown): string => JSON.stringify(value) ?? "nothing";
/** Several values as they were given. */
export const quoteAll = (values: readonly unknown[]): string => values.map(quote).join(", ");
/** What was perhaps meant. */
export const nearestHint = (nearest: readonly string[]): string => (nearest.length === 0 ? "" : ` Nearest: ${nearest.join(", ")}.`);
/** How an agent of the office gives work to a member of its roster. */
export const giveWork = (member: string, on: Surface["on"]): string =>
  `A turn gives work to a member of its roster with ${on(
    `\`Send\` to ${quote(member)}, a tool of \`relay mcp --tools team\``,
    `\`relay office send ${placeWords([member])} TEXT\``,
  )}.`;
