/** Prints for people: the setup of an agent. */
import type { Answer, Printer, Style } from "../style.ts";
import { many, plainLine } from "../words.ts";

const DONE = { create: "Made", change: "Changed", delete: "Removed", same: "Unchanged" } as const;

const PLANNED = { create: "Would make", change: "Would change", delete: "Would remove", same: "Unchanged" } as const;

type Shown = Answer<"setup">["files"][number];

type Checked = NonNullable<Answer<"setup">["checks"]>[number];

/** The files that an agent's setup wrote or removed, what is still to do, and the result of each check. */
export const printSetup: Printer<"setup"> = (
  { written, removed, agent, files, part, partBefore, partIn, notes, checks, text },
  style,
  input,
) => {
  if (text !== undefined) return text.trimEnd();
  if (checks !== undefined) return checkLines(checks, style);
  const words = written ? DONE : PLANNED;
  const isSeen = input["seen"] === true;
  const touched = files.filter(({ change }) => change !== "same").length;
  const named = isSeen
    ? [style.green(`${removed ? "Removed Relay from" : "Wrote"} ${many(touched, "file")}.`)]
    : files.map(({ path, change }) => `${change === "same" ? style.dim(words[change]) : style.green(words[change])} ${plainLine(path)}`);
  const none = removed && files.length === 0 ? [`Relay is not set up for ${agent ?? "any agent here"}.`] : [];
  const name = style.bold(part ?? "");
  const who =
    part === null
      ? []
      : partIn === "entries"
        ? [`The entries name the part: --part ${name}.`]
        : removed
          ? [`This worktree is still ${name}; \`relay part here --unset\` forgets that.`]
          : [written || part === partBefore ? `You are ${name} in this worktree.` : `This worktree would be ${name}.`];
  // What is to be done stands first; who was asked before has seen the rest.
  const told = input["told"] as readonly string[] | undefined;
  const noteLines = notes.filter((note) => told?.includes(note) !== true).map((note) => `${style.yellow("•")} ${plainLine(note)}`);
  const diff = isSeen || (removed && written) ? [] : files.flatMap((file) => diffLines(file, style));
  return [...named, ...none, ...who, ...noteLines, ...bounded(diff, input["most"] as number | undefined, style)].join("\n");
};

/** The changed lines of a file, below its name. */
function diffLines({ path, diff }: Shown, style: Style): string[] {
  const lines = diff.split("\n").filter((line) => line !== "");
  if (lines.length === 0) return [];
  const paint = (line: string): string => (line.startsWith("+") ? style.green : line.startsWith("-") ? style.red : style.dim)(line);
  return ["", style.dim(plainLine(path)), ...lines.map((line) => `  ${paint(line)}`)];
}

/** A line of a settings file that names a program to run. */
const RUNS = /\b(?:command|bash)"?\s*[:=]/;

/**
 * The first lines of a diff, how many more there are, and of these the programs that an agent will start; so that a question after
 * them stands on the same screen.
 */
function bounded(lines: string[], most: number | undefined, style: Style): string[] {
  if (most === undefined || lines.length <= most) return lines;
  const rest = lines.slice(most);
  const programs = rest.filter((line) => RUNS.test(line)).map((line) => line.replace(/ {2,}/g, " "));
  const more = `  … ${rest.length} more lines${programs.length === 0 ? "" : "; of these, what the agent will start:"}`;
  return [...lines.slice(0, most), style.dim(more), ...new Set(programs)];
}

/** Each thing that was checked, below its agent's name and its worktree, where that is another one. */
function checkLines(checks: readonly Checked[], style: Style): string {
  if (checks.length === 0) return "Relay is not set up here, and no known agent is on the PATH. To set one up: relay setup claude";
  const signs = { ok: style.green("✓"), wrong: style.red("✗"), unknown: style.yellow("?") };
  const nameOf = ({ agent, worktree }: Checked): string => `${agent}${worktree === undefined ? "" : ` in ${plainLine(worktree)}`}`;
  return [...new Set(checks.map(nameOf))]
    .flatMap((name) => [
      style.bold(name),
      ...checks
        .filter((check) => nameOf(check) === name)
        .map(
          ({ state, what, detail, remedy }) =>
            `  ${signs[state]} ${what}: ${plainLine(detail)}${remedy === undefined ? "" : style.dim(` → ${plainLine(remedy)}`)}`,
        ),
    ])
    .join("\n");
}
