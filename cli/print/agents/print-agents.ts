/** Prints for people: agents. */
import type { Answer, Printer, Style } from "../style.ts";
import { boundedTable } from "../table.ts";
import { plainLine } from "../words.ts";

/** An agent of a list. */
type Agent = Pick<Answer<"list_pool_agents">["agents"][number], "id" | "name" | "emoji" | "description"> & { tags?: string[] };

function agentTable(list: Agent[], style: Style): string {
  return boundedTable(
    list.map(({ id, name, emoji, description, tags = [] }) => [
      { text: id, paint: style.bold },
      `${plainLine(emoji)} ${plainLine(name)}`,
      { text: tags.map(plainLine).join(" "), paint: style.dim },
      plainLine(description),
    ]),
    style,
  );
}

/** The agents of a session's team, a line each. */
export const printListAgents: Printer<"list_agents"> = ({ agents }, style) =>
  agents.length === 0 ? style.dim("No team. `relay team suggest` proposes one.") : agentTable(agents, style);

/** The agents of the pool, a line each. */
export const printListPoolAgents: Printer<"list_pool_agents"> = ({ agents }, style) =>
  agents.length === 0 ? style.dim("The pool is empty.") : agentTable(agents, style);
