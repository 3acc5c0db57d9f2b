import * as z from "zod/mini";
import { requestWords } from "../../home/artifact/finish-review.ts";
import type { Faults as FaultList } from "../../home/broken-files.ts";
import { isShownWhole, isSilent, noteWhole } from "../../home/message/mail.ts";
import { originsOf } from "../../home/note-origins.ts";
import { ofThread, unreadIds } from "../../home/part/inbox-files.ts";
import { isAssignment } from "../../home/task/hand-over.ts";
import { readMessage } from "../../home/thread/read-message.ts";
import { readThread } from "../../home/thread/threads.ts";
import { boardOf } from "../../home/turn/board.ts";
import { lastShown, readTold, writeTold } from "../../home/turn/told.ts";
import { ackGiven } from "../../home/wake/ack-mail.ts";
import { noteHeardBy, noteSeenBy } from "../../home/wake/drive-wake.ts";
import { compareNewest, type MessageLocation, parseMessageId } from "../../objects/format/id.ts";
import { flag, maybe } from "../../objects/format/schema.ts";
import { messagePath } from "../../objects/message/message.ts";
import { isEnded } from "../../objects/message/thread.ts";
import { boardNews } from "../../objects/turn/turn.ts";
import { defineOperation } from "../../operation.ts";
import type { World } from "../../world.ts";
import { Brief, Faults } from "../shapes.ts";
import { withFaults } from "../with-faults.ts";
import { briefOf } from "./inbox.ts";

/** What is new for a part. Lists that would be empty are absent. */
export const Turn = {
  unread: z.number(),
  messages: z.array(z.extend(Brief, { closed: z.optional(z.boolean()) })),
  left: z.optional(z.number()),
  reviews: z.optional(z.array(z.object({ id: z.string(), artifact: z.string(), name: z.string(), version: z.number(), from: z.string() }))),
  tasks: z.optional(
    z.array(
      z.object({
        ...{ id: z.string(), title: z.string(), state: z.string(), until: z.optional(z.string()) },
        ...{ blockedBy: z.optional(z.array(z.string())), waiting: z.optional(z.array(z.string())) },
      }),
    ),
  ),
  happened: z.optional(z.array(z.string())),
  acked: z.optional(z.array(z.string())),
  problems: Faults,
};

/** The argument that acks what the last turn showed. */
export const ackShown = () => maybe(z.enum(["shown"]).check(z.describe("ack what the last one showed whole")));

/** Bodies of one answer, in bytes: the first message is whole whatever it has. */
const BODY_BYTES = 16_384;

/** Says what is new for a part: the beginning of its turn. */
export const next = defineOperation({
  name: "next",
  tool: "room",
  summary: "What is new for you: mail, whole; reviews asked of you; your tasks; what happened",
  when: "Begin each turn: all that is new for you, whole. ack: also ack what the last one showed.",
  effect: "read",
  identity: "reader",
  onlyNow: true,
  words: true,
  input: () => ({ all: flag("what you were shown before, too"), ack: ackShown() }),
  output: () => Turn,
  example: {},
  async run(world, { all, ack }, { part }) {
    const acked = ack === undefined ? {} : ackLast(world, part);
    return { ...acked, ...turnOf(world, part, { all: all === true }) };
  },
});

/** Acks what the last turn of a part showed whole, as far as it is unread. */
export function ackLast(world: World, part: string): { acked?: string[]; warning?: string } {
  const acked = lastShown(world, part, unreadIds(world.home().store, part));
  const problem = ackGiven(world, part, acked);
  return problem === null ? { acked } : { warning: problem };
}

/** Whether the board says all that a text says: that a review is asked for, or a task is to be claimed. */
type SaidByBoard = (text: string) => boolean;

/** Options of a turn: the threads whose mail it tells, alone; `all` tells everything again. */
interface Asked {
  all?: boolean;
  /** Whole ids. */
  threads?: readonly string[] | undefined;
  /** Tells all that a part has to do just now, whatever it was told, and notes nothing. */
  isStanding?: boolean;
}

/** The unread mail of a part that it was not shown whole, oldest first: what is to be shown, and what the board says already. */
export function freshMail(
  world: World,
  part: string,
  unread: readonly string[],
  { all, threads }: Asked,
  isSaid?: SaidByBoard,
): { fresh: string[]; said: string[] } {
  const asked = threads === undefined ? unread : threads.flatMap((thread) => ofThread(unread, thread));
  const ids = all === true ? asked : asked.filter((id) => !isShownWhole(world, part, id));
  const said = (isSaid === undefined ? [] : ids).filter((id) => {
    const location = parseMessageId(id) as MessageLocation;
    return isSaid?.(readMessage(world.home().store, location, messagePath(location), [])?.body.trimEnd() ?? "");
  });
  const isOther = new Set(said);
  return { fresh: [...new Set(ids)].filter((id) => !isOther.has(id)).sort((a, b) => compareNewest(b, a)), said };
}

/**
 * Makes a part's turn. Once it was received it counts as told, which `confirmGiven` does: at a later call of the connection, or when the
 * command has written it.
 */
export function turnOf(world: World, part: string, asked: Asked) {
  const { store } = world.home();
  const unread = unreadIds(store, part);
  const problems: FaultList = [];
  const isStanding = asked.isStanding === true;
  const before = isStanding ? null : readTold(world, part);
  const told = asked.threads === undefined ? boardTold(world, part, asked.all === true, problems, before) : null;
  const { fresh, said } = freshMail(world, part, unread, isStanding ? { all: true } : asked, told?.isSaid);
  const originOf = originsOf(world);
  const messages: z.infer<typeof Turn.messages> = [];
  let looked = 0;
  let left = BODY_BYTES;
  for (const id of fresh) {
    const found = briefOf(world, part, id, true, originOf, problems);
    if (found !== null) {
      const size = Buffer.byteLength(found.body);
      if (size > left && messages.length > 0) break;
      left -= size;
      messages.push({ ...found.brief, body: found.body, ...(isOver(world, id) ? { closed: true } : {}) });
    }
    looked += 1;
  }
  const { reviews = [], tasks = [], happened = [] } = told?.news ?? {};
  const rest = fresh.length - looked;
  const mail = [...said, ...messages.map(({ messageId }) => messageId)];
  if (messages.length > 0 && !isStanding) noteHeardBy(world, part);
  if (world.me.how !== "viewer" && !isStanding) {
    const confirm = (now: World): void => {
      noteSeenBy(now, part, mail);
      noteWhole(now, part, mail);
      const last = readTold(now, part);
      const after = { board: told?.told ?? last?.board ?? {}, mail: mail.length === 0 ? (last?.mail ?? []) : mail };
      if (JSON.stringify(after) !== JSON.stringify(last)) writeTold(now, part, after);
    };
    if (mail.length > 0 || told?.isChanged === true) world.connection.given = { root: store.root, confirm };
  }
  return withFaults(
    {
      unread: unread.length,
      messages,
      ...(rest > 0 ? { left: rest } : {}),
      ...(reviews.length > 0 ? { reviews } : {}),
      ...(tasks.length > 0 ? { tasks } : {}),
      ...(happened.length > 0 ? { happened } : {}),
    },
    problems,
  );
}

/** Whether the thread of a message takes no answer. */
function isOver(world: World, id: string): boolean {
  const location = parseMessageId(id) as MessageLocation;
  const status = readThread(world.home().store, location, [location], [])?.status;
  return status !== undefined && isEnded(status);
}

function boardTold(world: World, part: string, all: boolean, faults: FaultList, before = readTold(world, part)) {
  const isMain = part === world.home().config().main;
  const board = boardOf(world, faults, before?.board["session"]);
  const { news, told } = boardNews(board, { part, isMain, told: before?.board ?? null, all });
  const asked = new Set(board.reviews.filter(({ status, reviewer }) => status === "pending" && reviewer === part).map(requestWords));
  const own = board.tasks.filter(({ assignee }) => assignee === part);
  const isSaid: SaidByBoard | undefined =
    asked.size + own.length === 0 ? undefined : (text) => asked.has(text) || own.some(({ id }) => isAssignment(text, id));
  return { news, told, isSaid, isChanged: JSON.stringify(told) !== JSON.stringify(before?.board) };
}

/** Whether there is anything new that a part is to act on. @param unread the ids of its unread mail */
export function isCalled(world: World, part: string, unread: readonly string[]): boolean {
  const { news, isSaid } = boardTold(world, part, false, []);
  return news.calls || freshMail(world, part, unread, {}, isSaid).fresh.some((id) => !isSilent(world, id));
}
