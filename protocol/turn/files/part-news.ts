/** What is new for a part: its mail, and what the board has for it. spec/messages.md, "A turn". */

import { requestsOf } from "../../board/files/finish-review.ts";
import { isAssignment } from "../../board/files/hand-over.ts";
import { ageOf } from "../../core/format/age.ts";
import { addTo } from "../../core/format/append.ts";
import { compareNewest, shortOf } from "../../core/format/id.ts";
import type { Faults } from "../../core/home/broken-files.ts";
import type { AnyOperation } from "../../core/operation.ts";
import { type World, worldOfCall } from "../../core/world.ts";
import { ofThread, unreadIds } from "../../mail/files/inbox-files.ts";
import { isItself, isSeen, isShownWhole, isSilent } from "../../mail/files/mail.ts";
import { ownName } from "../../mail/files/members.ts";
import { whereaboutsOf } from "../../mail/files/presence.ts";
import { messageOf } from "../../mail/files/read-message.ts";
import { readTold } from "../../mail/files/told.ts";
import { boardNews, endedWords, isThrough, openOn, owedOn } from "../nouns/turn.ts";
import { boardOf } from "./board.ts";

/** Tells whether the board says all that a text says: that a review is asked for, or a task is to be claimed. */
export type SaidByBoard = (text: string) => boolean;

/** The mail that a turn tells: of some threads alone, or everything again. */
export interface MailAsked {
  all?: boolean;
  /** Whole ids. */
  threads?: readonly string[] | undefined;
}

/** Bytes of a body that a client gets whole; of a longer one it gets the beginning, once, and by `show` the rest. */
export const CLIENT_BYTES = 21_000;

/** The body of a message without the blanks at its end; empty where it cannot be read. */
export const bodyOf = (world: World, id: string): string => messageOf(world.home().store, id)?.body.trimEnd() ?? "";

/** The unread mail of a part that it was not shown whole, oldest first: what is to be shown, and what the board says already. */
export function freshMail(
  world: World,
  part: string,
  unread: readonly string[],
  { all, threads }: MailAsked,
  isSaid?: SaidByBoard,
): { fresh: string[]; said: string[] } {
  const asked = threads === undefined ? unread : threads.flatMap((thread) => ofThread(unread, thread));
  const isCutForGood = (id: string): boolean =>
    world.connection.lasting && isSeen(world, part, id) && Buffer.byteLength(bodyOf(world, id)) > CLIENT_BYTES;
  const ids = all === true ? asked : asked.filter((id) => !isShownWhole(world, part, id) && !isCutForGood(id));
  const said = (isSaid === undefined ? [] : ids).filter((id) => isSaid?.(bodyOf(world, id)));
  const isOther = new Set(said);
  return { fresh: [...new Set(ids)].filter((id) => !isOther.has(id)).sort((a, b) => compareNewest(b, a)), said };
}

/** What the board tells a part that is new to it, and what the part has to do and waits for. */
export function boardTold(world: World, part: string, all: boolean, faults: Faults, before = readTold(world, part)) {
  const isMain = part === world.home().config().main;
  const board = boardOf(world, faults, before?.board["session"]);
  const { news, told } = boardNews(board, { part, main: world.home().config().main, told: before?.board ?? null, all });
  // A request that was answered or withdrawn asks for nothing more.
  const asked = board.reviews.filter(({ reviewer }) => reviewer === part);
  const own = board.tasks.filter(({ assignee }) => assignee === part);
  const ownOf = new Map<string | undefined, string[]>();
  for (const { id } of own) addTo(ownOf, shortOf(id), id);
  const isRequest = requestsOf(asked, board.reviews);
  const isSaid: SaidByBoard | undefined =
    asked.length + own.length === 0
      ? undefined
      : (text) =>
          isRequest(text) || (ownOf.get(/`relay task claim (\S+)`\.\s*$/.exec(text)?.[1]) ?? []).some((id) => isAssignment(text, id));
  const owed = (): string[] => owedOn(board, part, world.home().config().main);
  const open = (isWhole = isMain): string[] => openOn(board, part, isWhole, (other) => absenceOf(world, other));
  const isFirst = before === null;
  return {
    news,
    told,
    isFirst,
    isMain,
    session: board.session,
    ended: board.session === null && board.ended !== undefined ? endedWords(board, part) : undefined,
    isThrough: !isMain && isThrough(board, part),
    owed,
    open,
    isSaid,
    isChanged: JSON.stringify(told) !== JSON.stringify(before?.board),
  };
}

/**
 * Tells whether the answer of an operation ends with word of something new for its caller, so that nobody waits on without it.
 * @param name the part that called; never of one that does not begin its turns with `next`
 */
export function isNewBeside(shared: World, { endsWithNews }: AnyOperation, name: string): boolean {
  if (endsWithNews !== true || shared.past !== undefined) return false;
  const world = worldOfCall(shared);
  const part = ownName(world, name);
  if (part === null || !isItself(world, part) || readTold(world, part) === null) return false;
  return calledFor(world, part, unreadIds(world.home().store, part)) !== null;
}

/** Words that say of a part that it is away; empty of one that is at work or waits. */
function absenceOf(world: World, part: string): string {
  const { presence, seenAt = "" } = whereaboutsOf(world, part);
  if (presence === "never") return " (never seen here)";
  return presence === "idle" ? ` (idle, seen ${ageOf(seenAt, world.now())})` : "";
}

/** Lists what a part waits for, and from whom; where that is nothing, and its leader is away, word of the leader, unless the session has ended. */
export function openFor(world: World, part: string): string[] {
  const { open, session, isMain, ended } = boardTold(world, part, false, []);
  // A part that waits for nothing of its own hears what the others do.
  const own = open();
  const listed = own.length > 0 || isMain ? own : open(true);
  const { main } = world.home().config();
  const away = absenceOf(world, main);
  if (listed.length > 0 || isMain || away === "" || ended !== undefined) return listed;
  return [`word of ${main}${away}${session === null ? "; no session is open" : ""}`];
}

/** Says of what there is that nothing more need be waited for. */
export const NOW = "now";

/**
 * Says whether there is anything new that a part is to act on.
 * @param unread the ids of its unread mail
 * @returns `NOW`; or, where that may wait until the board is quiet, what happened on it; null where there is nothing
 */
export function calledFor(world: World, part: string, unread: readonly string[]): string | null {
  const { news, isSaid } = boardTold(world, part, false, []);
  if (freshMail(world, part, unread, {}, isSaid).fresh.some((id) => !isSilent(world, id))) return NOW;
  return news.calls ? (news.waits ? news.happened.join("\n") : NOW) : null;
}
