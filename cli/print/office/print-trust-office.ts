/** Prints for people: what an office would run, whole, because a person trusts what they saw. */

import { shellWord } from "../../../protocol/core/format/shell-word.ts";
import type { Printer } from "../style.ts";
import { table } from "../table.ts";
import { many, plainLine } from "../words.ts";

/** What an office would run on this machine, what changed of it, and whether it is trusted. */
export const printTrustOffice: Printer<"trust_office"> = ({ runs, commands, environment, changed, trusted }, style) => {
  const rows = runs.map(({ position, program, model, tools, isolation }) => [
    { text: position, paint: style.bold },
    plainLine(model === null ? program : `${program} (${model})`),
    plainLine(tools === null ? "its own tools" : tools.length === 0 ? "no tools" : tools.join(", ")),
    isolation === "worktree" ? "a worktree of its own" : "",
  ]);
  const started = commands.map(({ program, argv, file }) => {
    const words = argv.map(shellWord).join(" ");
    const found = argv.length === 0 ? "no command was named" : file === null ? "not found" : file === argv[0] ? "" : plainLine(file);
    return [{ text: `${program} is`, paint: style.dim }, plainLine(words), { text: found, paint: style.dim }];
  });
  const variables = style.dim(`Agents get these variables of yours: ${environment.join(", ")}`);
  const end = trusted
    ? style.green(`Trusted on this machine: ${many(runs.length, "position")}. A change of a file asks again.`)
    : style.yellow("Not trusted on this machine. Read the files in .relay/org; then: relay trust office");
  return [
    table(rows, style),
    table(started, style),
    variables,
    ...changed.map((path) => `${style.yellow("changed")} ${plainLine(path)}`),
    end,
  ].join("\n");
};
