/** What people see of teams, the pool, and trust. */
import { many, type Printers, plain, plainLine, type Style, table } from "./style.ts";

interface Agent {
  id: string;
  name: string;
  emoji: string;
  description: string;
  tags?: string[];
}

function agentTable(list: Agent[], style: Style): string {
  return table(
    list.map(({ id, name, emoji, description, tags = [] }) => [
      { text: id, paint: style.bold },
      `${plainLine(emoji)} ${plainLine(name)}`,
      { text: tags.map(plainLine).join(" "), paint: style.dim },
      plainLine(description),
    ]),
    style,
  );
}

interface Command {
  id: string;
  agent: string;
  hook: string;
  command: string;
  trusted: boolean;
}

/** A command with all of its lines: what a person trusts must be what they saw. */
function commandText({ id, agent, hook, command, trusted }: Command, style: Style): string {
  const state = trusted ? style.green("trusted") : style.yellow("waiting");
  const lines = plain(command)
    .split("\n")
    .map((row) => `    ${row}`)
    .join("\n");
  return `${style.bold(id)}  ${state}  ${agent} ${style.dim(hook)}\n${lines}`;
}

/** The printers of these operations, by name. */
export const teamPrinters: Printers = {
  list_agents: ({ agents }, style) =>
    agents.length === 0 ? style.dim("No team. `relay team suggest` proposes one.") : agentTable(agents, style),
  list_pool_agents: ({ agents }, style) => (agents.length === 0 ? style.dim("The pool is empty.") : agentTable(agents, style)),
  team_suggest: ({ agents }, style) =>
    agents.length === 0
      ? style.dim("Nobody in the pool fits; `relay pool` lists it.")
      : `${table(
          agents.map(({ id, name, emoji, reason }: Agent & { reason: string }) => [
            { text: id, paint: style.bold },
            `${plainLine(emoji)} ${plainLine(name)}`,
            plainLine(reason),
          ]),
          style,
        )}\n${style.dim(`take them: relay team write ${agents.map(({ id }: Agent) => id).join(" ")}`)}`,
  team_write: ({ path, agents, pool }, style) =>
    [
      ...(pool === null ? [] : [`${style.green("Made")} ${pool}; edit it by hand`]),
      ...(path === null ? [] : [`${style.green("Wrote")} ${path}: ${agents.join(", ")}`]),
    ].join("\n") || "The pool is there already.",
  trust: ({ commands, accepted }, style) => {
    if (commands.length === 0) return style.dim("No hook commands.");
    const waiting = commands.filter(({ trusted }: Command) => !trusted).length;
    const last =
      waiting > 0
        ? style.dim(
            `${many(waiting, "command")} waiting. Read each; then: relay trust ${commands.find(({ trusted }: Command) => !trusted).id}`,
          )
        : style.dim("All trusted on this machine.");
    const done = accepted.length === 0 ? [] : [`${style.green("Trusted")} ${accepted.join(", ")}`];
    return [...commands.map((command: Command) => commandText(command, style)), ...done, last].join("\n");
  },
};
