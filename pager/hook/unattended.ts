/** Whether nobody sits before an agent: a run that prints the answer to one question, and ends. spec/waking.md, "Waking by hooks". */
import type { World } from "../../protocol/index.ts";
import { beginningOf, type HostName, hostOf, startedByWords } from "../../protocol/internal.ts";
import type { HookInput } from "./hook-input.ts";

/** Where Claude Code has a person before it. */
const ATTENDED = ["cli", "claude-vscode", "claude-desktop"];
const FIRST_LINE_BYTES = 65_536;

/** Whether the session of a hook was started to answer once. */
export function isUnattended(env: World["env"], agent: HostName, input: HookInput): boolean {
  if (agent === "claude") {
    const entry = env["CLAUDE_CODE_ENTRYPOINT"];
    if (entry !== undefined && !ATTENDED.includes(entry)) return true;
  }
  if (agent === "codex") {
    const source = codexSource(input.transcript_path);
    if (source !== null) return source === "exec";
  }
  return startedByWords().slice(1).some(hostOf(agent).once.isOne);
}

/** How a session of Codex was begun, by the first line of its own record; null where that does not say it. */
function codexSource(transcript: unknown): string | null {
  const text = typeof transcript === "string" ? beginningOf(transcript, FIRST_LINE_BYTES) : null;
  return /"source"\s*:\s*"(\w+)"/.exec(text?.split("\n")[0] ?? "")?.[1] ?? null;
}
