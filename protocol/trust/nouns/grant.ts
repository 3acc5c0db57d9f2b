/** A grant: a command that may run on one machine for one copy of a project, as a whole value. spec/trust.md, "Grants". */
import { orElse } from "../../core/format/file-error.ts";

/** What a hook of an agent may run. Key order counts: the digest is over the text. */
export interface Grant {
  version: 1;
  purpose: "hook";
  /** The agent that it gates. */
  agent: string;
  moment: Hook;
  /** The program and its arguments, as they are given to the system. */
  argv: readonly string[];
  /** How long all commands of that moment may take together, in seconds. */
  timeout_s: number;
  /** Where it runs: at the top of the worktree that the call comes from. */
  folder: "worktree";
}

/** The grant of a hook's command. @param timeoutMs as its moment has it */
export const hookGrant = (agent: string, moment: Hook, command: string, timeoutMs: number): Grant => ({
  version: 1,
  purpose: "hook",
  agent,
  moment,
  argv: ["sh", "-c", command],
  timeout_s: timeoutMs / 1_000,
  folder: "worktree",
});

/** The text of a grant, of which the digest is made; one line. */
export const formatGrant = ({ version, purpose, agent, moment, argv, timeout_s, folder }: Grant): string =>
  JSON.stringify({ version, purpose, agent, moment, argv, timeout_s, folder });

/** A grant from its text; null for a text that is none. */
export function parseGrant(text: string): Grant | null {
  return orElse(null, () => {
    const grant = JSON.parse(text) as Grant;
    return formatGrant(grant) === text.trim() && grant.version === 1 && grant.purpose === "hook" ? grant : null;
  });
}

/** The moments of a task that a hook can gate. */
export type Hook = "before_task" | "after_task";

/** Both, in their order. */
export const HOOKS: readonly Hook[] = ["before_task", "after_task"];
