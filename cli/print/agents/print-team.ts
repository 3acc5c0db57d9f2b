/** Prints for people: teams. */
import { placeWords } from "../../../protocol/core/format/shell-word.ts";
import type { Printer } from "../style.ts";
import { table } from "../table.ts";
import { plainLine } from "../words.ts";

/** The agents of the pool that fit a goal, a line each with the reason. */
export const printTeamSuggest: Printer<"team_suggest"> = ({ agents }, style) =>
  agents.length === 0
    ? style.dim("No agent of the pool fits; `relay pool` lists them.")
    : `${table(
        agents.map(({ id, name, emoji, reason }) => [
          { text: id, paint: style.bold },
          `${plainLine(emoji)} ${plainLine(name)}`,
          plainLine(reason),
        ]),
        style,
      )}\n${style.dim(`take them: relay team write ${placeWords(agents.map(({ id }) => id))}`)}`;

/** Where a team was written and who is in it, and whether a pool was made. */
export const printTeamWrite: Printer<"team_write"> = ({ path, agents, pool }, style) =>
  [
    ...(pool === null ? [] : [`${style.green("Made")} ${pool}; edit it by hand`]),
    ...(path === null ? [] : [`${style.green("Wrote")} ${path}: ${agents.join(", ")}`]),
  ].join("\n") || "The pool exists already.";
