/** Shell completion: short scripts that ask the command itself, so that they know the parts and threads there are. */
import type { Command } from "commander";
import { createWorld, members, operations, perform, refuse } from "../protocol/index.ts";
import { short } from "./style.ts";

const SCRIPTS: Record<string, string> = {
  bash: `_relay() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$(relay __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _relay relay git-relay
`,
  zsh: `#compdef relay git-relay
_relay() {
  local -a found
  found=(\${(f)"$(relay __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  compadd -a found
}
if [ "$funcstack[1]" = "_relay" ]; then _relay; else compdef _relay relay git-relay; fi
`,
  fish: `complete -c relay -f -a '(relay __complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
complete -c git-relay -f -a '(relay __complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
`,
};

/** The completion script of a shell. @throws Refusal `invalid_argument` */
export function completionScript(shell: string): string {
  const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
  if (script === undefined)
    throw refuse("invalid_argument", { argument: "shell", expected: Object.keys(SCRIPTS).join(", "), given: shell, example: "bash" });
  return script;
}

/** What may stand where the last of the words is being typed. */
export async function candidates(program: Command, words: readonly string[]): Promise<string[]> {
  const typed = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  const command = before.reduce<Command>((at, word) => at.commands.find((each) => each.name() === word) ?? at, program);
  const last = before.at(-1);
  const fits = (found: string[]): string[] => found.filter((word) => word.startsWith(typed));
  if (last === "--part" || last === "--to" || last === "--with") return fits(parts());
  if (last === "--thread") return fits(await threadIds());
  const option = command.options.find((each) => each.long === last);
  if (option?.argChoices !== undefined) return fits(option.argChoices);
  if (typed.startsWith("-")) return fits(command.options.flatMap((each) => each.long ?? []).concat("--help"));
  const visible = command.commands.filter((each) => !each.name().startsWith("__")).map((each) => each.name());
  if (visible.length > 0) return fits(visible);
  const place = command.registeredArguments[before.filter((word) => !word.startsWith("-")).length - depth(command)]?.name();
  if (place === "to" || place === "part" || place === "from") return fits(parts());
  if (place === "thread-id") return fits(await threadIds());
  if (place === "shell") return fits(Object.keys(SCRIPTS));
  return place === "status" ? fits(["closed", "canceled", "holding", "answered", "open"]) : [];
}

function depth(command: Command): number {
  return command.parent === null ? 0 : 1 + depth(command.parent);
}

function parts(): string[] {
  try {
    return members(createWorld()).map(({ part }) => part);
  } catch {
    return [];
  }
}

async function threadIds(): Promise<string[]> {
  try {
    const { threads } = (await perform(createWorld(), operations.threads, { limit: 50 })) as { threads: { id: string }[] };
    return threads.map(({ id }) => short(id));
  } catch {
    return [];
  }
}
