/** Refusals about archives. */
import { EXIT, entry } from "../core/refusals/entry.ts";

/** Code → the exit code of a refusal, and its sentence by its data. */
export const REMOVAL_REFUSALS = {
  thread_not_closed: entry(
    EXIT.refused,
    (d: { threadId: string }, { on }) =>
      `thread ${d.threadId} is not closed, so it was not archived. Close it first: ${on("`close`", `\`relay close ${d.threadId}\``)}.`,
  ),
  thread_unread: entry(
    EXIT.refused,
    (d: { threadId: string; parts: string[] }, { on }) =>
      `thread ${d.threadId} was not archived, because ${d.parts.join(", ")} did not read all of its mail. ` +
      `Each of them acks it first: ${on("`ack` with its threadId", `\`relay ack --thread ${d.threadId}\``)}.`,
  ),
  not_archivable: entry(
    EXIT.refused,
    (d: { threadId: string; path: string; problem: string }) =>
      `thread ${d.threadId} cannot be archived, and stays as it is: ${d.path}: ${d.problem}. Run \`relay doctor\` to see what can be done.`,
  ),
};
