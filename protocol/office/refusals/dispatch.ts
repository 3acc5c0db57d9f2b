/** Refusals about dispatches. */
import { EXIT, entry, giveWork, quote, quoteAll } from "../../core/refusals/entry.ts";

/** Code → the exit code of a refusal, and its sentence by its data. */
export const DISPATCH_REFUSALS = {
  unknown_member: entry(
    EXIT.notFound,
    (d: { given: string; members: string[] }, { on }) =>
      `${quote(d.given)} is not in your roster, so nothing was sent. Expected ${d.members.length === 0 ? "nobody: it is empty" : `one of ${quoteAll(d.members)}`}. ` +
      `${on("`ListTeamMembers`", "`relay office members`")} says what each is for.`,
  ),
  routing: entry(EXIT.refused, (d: { from: string; to: string; member?: string | undefined }, { on }) =>
    d.member !== undefined
      ? `mail from ${quote(d.from)} to ${quote(d.to)} is no work, so nothing was sent. ${giveWork(d.member, on)}`
      : `${quote(d.from)} cannot give work to ${quote(d.to)}, so nothing was sent. Work goes from a lead to its own members, and from people to leads. ` +
        "`relay office show` lists who leads whom.",
  ),
  not_permitted: entry(
    EXIT.refused,
    (d: { who: string; problem: string }) =>
      `${quote(d.who)} may not do this: ${d.problem}. \`relay office show\` lists who may give work to whom.`,
  ),
  unauthenticated: entry(
    EXIT.refused,
    (d: { problem: string }, { on }) =>
      `Relay does not know who calls: ${d.problem}. ${on("Use the server that the launch of your turn configured", "Run the command in a turn")}, or say who you are with ${on("`agent_id`", "`--part`")}.`,
  ),
  conversation_closed: entry(
    EXIT.refused,
    (d: { context_id: string }, { on }) =>
      `the conversation ${d.context_id} is closed, so nothing was sent. Begin another: ${on("`Send` without context_id", "`relay office start`")}.`,
  ),
  not_found: entry(
    EXIT.notFound,
    (d: { context_id: string }, { on }) =>
      `no conversation ${quote(d.context_id)}. Expected the context_id of an answer of ${on("`Send`", "`relay office start`")}, or the id of its thread.`,
  ),
  recipient_mismatch: entry(
    EXIT.refused,
    (d: { context_id: string; given: string; expected: string }) =>
      `the conversation ${d.context_id} is with ${quote(d.expected)}, not with ${quote(d.given)}, so nothing was sent. ` +
      `Use ${quote(d.expected)}, or leave context_id out to begin another.`,
  ),
  slot_limit: entry(
    EXIT.refused,
    (d: { most: number; open: string[] }, { on }) =>
      `you have ${d.most} conversations at work already, the most that you may: ${d.open.join(", ")}. ` +
      `Wait for a reply, or close one with ${on("`CloseConversation`", "`relay office stop`")}.`,
  ),
  cycle: entry(
    EXIT.refused,
    (d: { given: string; requestor: string }) =>
      `${quote(d.given)} waits for this very work, so it cannot be sent any of it. Ask your requestor, ${quote(d.requestor)}.`,
  ),
};
