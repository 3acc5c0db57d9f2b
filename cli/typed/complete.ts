/** Shell completion: short scripts that ask the command itself, so that they know the parts, threads and tasks there are. */
import type { Command } from "commander";
import { type AnyOperation, createWorld, operations, perform } from "../../protocol/index.ts";
import { members, refuse } from "../../protocol/internal.ts";
import { short } from "../print/words.ts";

const SCRIPTS: Record<string, string> = {
  // Lines as they are: `compgen -W` would expand each as a word of the shell, commands in it included.
  bash: `_relay() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do COMPREPLY+=("$line"); done < <(relay __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
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

/** The completion script of a shell. @throws Refusal `usage` */
export function completionScript(shell: string): string {
  const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
  if (script === undefined)
    throw refuse("usage", {
      problem: `<shell>: expected ${Object.keys(SCRIPTS).join(", ")}, given ${JSON.stringify(shell)}.`,
      help: "Example: `relay completion bash`.",
    });
  return script;
}

/** What there is of a kind, as it would be typed. */
type Known = () => Promise<string[]>;

// biome-ignore lint/suspicious/noExplicitAny: each caller knows the shape that its operation answers.
const listed = async (operation: AnyOperation, input: object, list: (answer: any) => string[]): Promise<string[]> =>
  list(await perform(createWorld(), operation, input));

const parts: Known = async () => members(createWorld()).map(({ part }) => part);
const threads: Known = () =>
  listed(operations.threads, { limit: 50 }, (answer) => answer.threads.map(({ id }: { id: string }) => short(id)));
const tasks: Known = () =>
  listed(operations.get_all_tasks, { limit: 200 }, (answer) => answer.tasks.map(({ id }: { id: string }) => short(id)));
const sessions: Known = () => listed(operations.list_sessions, {}, (answer) => answer.sessions);
const artifacts = (field: "id" | "name"): Known => {
  return () => listed(operations.list_artifacts, {}, (answer) => answer.artifacts.map((each: Record<string, string>) => each[field]));
};
const reviews: Known = () =>
  listed(operations.list_reviews, { open: true }, (answer) => answer.reviews.map(({ id }: { id: string }) => id));
const pool: Known = () => listed(operations.list_pool_agents, {}, (answer) => answer.agents.map(({ id }: { id: string }) => id));
const hooks: Known = () => listed(operations.trust, {}, (answer) => answer.commands.map(({ id }: { id: string }) => id));

/** What may follow a flag. */
const AFTER_FLAG: Record<string, Known> = {
  "--part": parts,
  "--to": parts,
  "--with": parts,
  "--of": parts,
  "--assignee": parts,
  "--reviewer": parts,
  "--thread": threads,
  "--task": tasks,
  "--depends-on": tasks,
  "--parent-task-id": tasks,
  "--session": sessions,
};

/** What may stand at a place, by its name. */
const AT_PLACE: Record<string, Known> = {
  to: parts,
  part: parts,
  from: parts,
  "agent-id": parts,
  reviewer: parts,
  "thread-id": threads,
  "task-id": tasks,
  "session-id": sessions,
  name: artifacts("name"),
  "artifact-id": artifacts("id"),
  "review-id": reviews,
  agents: pool,
  accept: hooks,
  shell: async () => Object.keys(SCRIPTS),
};

/** Names that mean the same to every shell, typed as they are: what others wrote is never offered otherwise. */
const PLAIN = /^[\w./:@+-]+$/;

/** What may stand where the last of the words is being typed: names that need no quoting. */
export async function candidates(program: Command, words: readonly string[]): Promise<string[]> {
  return (await known(program, words)).filter((word) => PLAIN.test(word));
}

async function known(program: Command, words: readonly string[]): Promise<string[]> {
  const typed = words.at(-1) ?? "";
  const fits = (found: readonly string[]): string[] => found.filter((word) => word.startsWith(typed));
  const { command, places, flag } = readTyped(program, words.slice(0, -1));
  if (flag !== null) return fits(command.options.find(({ long }) => long === flag)?.argChoices ?? (await quietly(AFTER_FLAG[flag])));
  if (typed.startsWith("-")) return fits(command.options.flatMap(({ long }) => long ?? []).concat("--help"));
  const visible = command.commands.filter((each) => !each.name().startsWith("__")).map((each) => each.name());
  if (visible.length > 0) return fits(visible);
  const all = command.registeredArguments;
  const place = all[places] ?? (all.at(-1)?.variadic === true ? all.at(-1) : undefined);
  return fits(place?.argChoices ?? (await quietly(AT_PLACE[place?.name() ?? ""])));
}

/** What was typed before: the command, how many of its places are filled, and the flag that waits for its value. */
function readTyped(program: Command, before: readonly string[]): { command: Command; places: number; flag: string | null } {
  let command = program;
  let places = 0;
  let flag: string | null = null;
  for (const word of before) {
    const within = command.commands.find((each) => each.name() === word);
    if (flag !== null) flag = null;
    else if (word.startsWith("-")) flag = command.options.some(({ long, required }) => long === word && required) ? word : null;
    else if (within !== undefined) command = within;
    else places += 1;
  }
  return { command, places, flag };
}

/** Without a home there is nothing to offer, and nobody to complain to. */
async function quietly(known: Known | undefined): Promise<string[]> {
  try {
    return (await known?.()) ?? [];
  } catch {
    return [];
  }
}
