/** The groups of commands, and under which heading help lists each. */
import type { Command } from "commander";

/** What the commands of a group are about. */
export const GROUPS: Record<string, string> = {
  part: "Add, rename, remove and list parts",
  session: "Begin, list, sum up and end sessions",
  plan: "Put a plan of tasks on the board",
  task: "Create, claim, update and list tasks",
  artifact: "Post and read results",
  review: "Request and submit reviews",
  memory: "Read and write memories",
  message: "Messages of a session",
  state: "Save and show the state of a session's leader",
  wake: "Deliver a wake: for pagers, hooks and servers",
  notify: "Tell a person, by a command or a webhook",
  config: "Show, accept and restore the configuration",
  team: "Propose and write a session's team",
  office: "Who may give work to whom, and what each does now: make, check, start and stop the office",
};

/** The heading of what is in no other list. */
export const OTHERS = "More:";
/** Under which heading help lists a command. */
const HEADINGS: [heading: string, names: readonly string[]][] = [
  ["The home:", ["init", "setup", "status", "roster", "whoami", "part", "doctor", "config", "info", "watch", "dashboard", "export"]],
  ["Messages:", ["next", "send", "reply", "inbox", "ack", "show", "threads", "search", "close", "reopen", "archive", "wait", "event"]],
  ["The board:", ["session", "plan", "task", "artifact", "review", "memory", "message", "state", "think"]],
  ["Agents:", ["agents", "pool", "team", "trust", "office", "usage"]],
  ["Waking:", ["pager", "up", "attach", "down", "wakes", "wake", "notify", "hook"]],
  ["Git:", ["record", "sync", "undo", "forget", "clone", "log", "diff", "stats", "check"]],
];

/** Puts every command under its heading; help shows headings in the order in which their first commands come. */
export function underHeadings(program: Command): void {
  const rank = (command: Command): number => {
    const found = HEADINGS.findIndex(([, names]) => names.includes(command.name()));
    return found === -1 ? HEADINGS.length : found;
  };
  (program.commands as Command[]).sort((a, b) => rank(a) - rank(b));
  for (const command of program.commands) command.helpGroup(HEADINGS[rank(command)]?.[0] ?? OTHERS);
}
