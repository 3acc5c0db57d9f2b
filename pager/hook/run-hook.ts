/**
 * The text of an agent's hooks at each turn: its part and its unread mail when a turn begins, and not to stop while
 * mail is unread. Never bodies, and never more than a few lines. spec/waking.md, "Waking by hooks".
 */

import type { Moment } from "../../protocol/agents/hosts/host.ts";
import { type HostName, hostOf } from "../../protocol/agents/hosts/index.ts";
import { withOwnHome } from "../../protocol/core/world.ts";
import type { World } from "../../protocol/index.ts";
import { ownName } from "../../protocol/mail/files/members.ts";
import { noteLife } from "../../protocol/mail/files/presence.ts";
import { noteHeardAtTurn } from "../../protocol/wake/files/drive-wake.ts";
import { clearOldHookMemory, type HookMemory, keepHookMemory, recallHookMemory } from "../../protocol/wake/files/hook-memory.ts";
import { leaseWake, reportWake } from "../../protocol/wake/files/lease-wake.ts";
import { announcement, HOW, many, midTurn, quoted, torn, type Unread, unreadOf } from "./announcement.ts";
import { heldForWork, heldLines } from "./held-work.ts";
import type { HookInput } from "./hook-input.ts";
import { isUnattended } from "./unattended.ts";

/** The end of a turn is held back so often in a row, for new mail each time. Claude Code itself allows eight. */
const HELD_IN_A_ROW = 3;

/**
 * The answer to a hook, as one line of JSON for stdout; null where there is nothing to say.
 * @param unused the part in the environment, where that does not say who the agent is
 */
export async function answerHook(
  shared: World,
  moment: Moment,
  agent: HostName,
  input: HookInput,
  unused?: string,
): Promise<string | null> {
  if (typeof input.agent_id === "string") return null;
  const { part: me } = shared.me;
  const part = me === null ? null : ownName(shared, me);
  const session = typeof input.session_id === "string" ? input.session_id : "";
  const { said: contradiction } = shared.me;
  if (part === null) {
    const unbound = unused === undefined ? UNBOUND : `${UNBOUND} ${notUsed(unused, agent)}`;
    return moment === "session-start" ? said(moment, agent, contradiction === undefined ? unbound : torn(contradiction)) : null;
  }
  noteLife(shared, part);
  const isAlone = isUnattended(shared.env, agent, input);
  // What one answer found out about the home it need not find out again for each message.
  const world = withOwnHome(shared);
  // Nobody looks on there: mail is named at the beginning, and no more.
  if (moment === "tool" && isAlone) return null;
  const unread = await unreadOf(world, part, moment === "tool");
  // Where nobody looks on, the last words are the answer that was asked for.
  if (moment === "stop" && isAlone) return null;
  if (moment === "stop") {
    const forMail = unread.ids.length === 0 ? null : held(world, agent, unread, session, input.stop_hook_active !== false);
    if (forMail !== null) return forMail;
    const forWork = heldForWork(world, part, session);
    return forWork === null ? null : goOn(agent, forWork);
  }
  if (moment === "session-start") clearOldHookMemory(world);
  const news = moment === "tool" ? midTurn(world, unread, session) : announcement(world, moment, unread, session, isAlone);
  if (news === null) return null;
  const text = moment === "session-start" ? [news, ...heldLines(world, part)].join("\n") : news;
  noticed(world, unread);
  const isOther = moment === "session-start" && unused !== undefined && unused !== part;
  return said(moment, agent, isOther ? `${text} ${notUsed(unused, agent)}` : text);
}

const UNBOUND =
  "This project uses Relay, and this worktree is not a part yet. To take part, ask your user for your part (`relay part here NAME`).";

const notUsed = (part: string, agent: HostName): string =>
  `RELAY_PART is ${quoted(part)}, but that does not make you this part: sessions of ${hostOf(agent).title} may share one process and its environment.`;

/**
 * Keeps an agent going while mail is unread: once for each message, and a few times in a row at the most.
 * @param active whether it goes on because of that already, or does not say
 */
export function held(world: World, agent: HostName, unread: Unread, session: string, active: boolean): string | null {
  const { part, count, ids, lines } = unread;
  const turns = recallHookMemory(world, part, session);
  const row = active ? turns.row : 0;
  const fresh = ids.filter((id) => !turns.held.includes(id));
  if (fresh.length === 0 || row >= HELD_IN_A_ROW) return null;
  const after: HookMemory = { ...turns, held: ids, row: row + 1 };
  // Who cannot remember holds back once, and then never while the agent goes on because of it.
  if (!keepHookMemory(world, part, session, after) && active) return null;
  noticed(world, unread);
  const reason = [`Relay: ${many(count)} for ${quoted(part)}. ${HOW} Or end your turn again to leave them for later.`, ...lines];
  return goOn(agent, reason.join("\n"));
}

/** Tells an agent not to end its turn. */
const goOn = (agent: HostName, reason: string): string => JSON.stringify(hostOf(agent).hooks?.goesOn(reason));

/** A running agent that is told of its mail need not be woken for it. */
function noticed(world: World, { part, ids }: Unread): void {
  try {
    const lease = leaseWake(world, part, "hook");
    if (lease.leased) reportWake(world, part, lease.wakeId, "noticed", undefined, "told at a turn of its session");
    noteHeardAtTurn(world, part, ids);
  } catch {
    // It may be woken once more, which is no harm.
  }
}

function said(moment: Moment, agent: HostName, text: string): string | null {
  const { hooks } = hostOf(agent);
  const event = hooks?.events.find(([, moments]) => moments.includes(moment))?.[0];
  return event === undefined ? null : JSON.stringify(hooks?.says(event, text));
}
