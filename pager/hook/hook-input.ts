/** The input that an agent gives its hooks. */

/** What an agent tells its hooks; all of it may be missing. */
export interface HookInput {
  session_id?: unknown;
  stop_hook_active?: unknown;
  /** Set inside of a subagent, which is no part. */
  agent_id?: unknown;
  /** Where the agent keeps its session; the first line of Codex says how it was begun. */
  transcript_path?: unknown;
  /** The calls of its models since it was told of a turn's end before, of one whose record nobody else reads. */
  calls?: unknown;
}
