/** Whether nobody sits before an agent: a run that prints the answer to one question, and ends. spec/waking.md, "Waking by hooks". */

import { type HostName, hostOf } from "../../protocol/agents/hosts/index.ts";
import type { World } from "../../protocol/index.ts";
import { beginningOf } from "../../protocol/store/beside/user-file.ts";
import { startedByWords } from "../../protocol/store/process.ts";
import type { HookInput } from "./hook-input.ts";

const FIRST_LINE_BYTES = 65_536;

/** Whether the session of a hook was started to answer once. */
export function isUnattended(env: World["env"], agent: HostName, { transcript_path: record }: HookInput): boolean {
  const { once } = hostOf(agent);
  if (once === undefined) return false;
  const begin = () => (typeof record === "string" ? (beginningOf(record, FIRST_LINE_BYTES)?.split("\n")[0] ?? null) : null);
  return once.isAlone?.(env, begin) ?? startedByWords().slice(1).some(once.isOne);
}
