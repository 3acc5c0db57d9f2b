/** A turn: what is new for a part, and what it owes. spec/messages.md, "A turn". */

import * as z from "zod/mini";
import { approvalsOf } from "../../board/files/approved-behind.ts";
import { readArtifact } from "../../board/files/artifacts.ts";
import { changeSince, mainBranch, readingOf } from "../../board/files/commits.ts";
import { noteMemoryTold, unknownMemory } from "../../board/files/known-memory.ts";
import { listTasks } from "../../board/files/list-tasks.ts";
import { commitsBeside, listReviews } from "../../board/files/read-review.ts";
import { findSession } from "../../board/files/sessions.ts";
import { readTask } from "../../board/files/task-files.ts";
import { orElse } from "../../core/format/file-error.ts";
import {
  compareInThread,
  compareNewest,
  type MessageLocation,
  messageId,
  parseMessageId,
  shortNames,
  shortOf,
} from "../../core/format/id.ts";
import { maybe } from "../../core/format/schema.ts";
import type { Faults as FaultList } from "../../core/home/broken-files.ts";
import { Brief, Faults } from "../../core/shapes.ts";
import { withFaults } from "../../core/with-faults.ts";
import type { World } from "../../core/world.ts";
import { isOfEnded } from "../../mail/asks.ts";
import { ackGiven } from "../../mail/files/ack-mail.ts";
import { unreadIds } from "../../mail/files/inbox-files.ts";
import { isItself, noteCut, noteWhole } from "../../mail/files/mail.ts";
import { isSamePart, nameNow } from "../../mail/files/members.ts";
import { messageOf, readMessage } from "../../mail/files/read-message.ts";
import { messageKeys, readThread } from "../../mail/files/threads.ts";
import { lastShown, readTold, writeTold } from "../../mail/files/told.ts";
import { cutAtWord, messagePath, preview } from "../../mail/nouns/message.ts";
import { isEnded } from "../../mail/nouns/thread.ts";
import { subjectsOf } from "../../mail/verbs/ack.ts";
import { briefOf } from "../../mail/verbs/inbox.ts";
import { originsOf } from "../../trust/files/note-origins.ts";
import { noteHeardBy, noteSeenBy } from "../../wake/files/drive-wake.ts";
import { boardTold, bodyOf, CLIENT_BYTES, freshMail, type MailAsked, type SaidByBoard } from "../files/part-news.ts";
import { ANSWER, isAllDone, type OwnTask, type ReviewAsked } from "../nouns/turn.ts";

/** What is new for a part. Lists that would be empty are absent. */
export const Turn = {
  /** The part, at its first turn. */
  you: z.optional(z.string()),
  unread: z.number(),
  messages: z.array(
    z.extend(Brief, {
      closed: z.optional(z.boolean()),
      toAll: z.optional(z.boolean()),
      answers: z.optional(z.object({ from: z.string(), words: z.optional(z.string()) })),
    }),
  ),
  left: z.optional(z.number()),
  reviews: z.optional(
    z.array(
      z.object({
        ...{ id: z.string(), artifact: z.string(), name: z.string(), version: z.number(), from: z.string() },
        ...{
          task: z.optional(z.string()),
          ...{ merges: z.optional(z.string()), waiting: z.optional(z.array(z.string())) },
          commit: z.optional(z.string()),
          since: z.optional(z.string()),
          path: z.optional(z.string()),
          read: z.optional(z.string()),
          changed: z.optional(z.string()),
          said: z.optional(z.string()),
        },
      }),
    ),
  ),
  tasks: z.optional(
    z.array(
      z.object({
        ...{ id: z.string(), title: z.string(), state: z.string(), until: z.optional(z.string()) },
        ...{ blockedBy: z.optional(z.array(z.string())), reason: z.optional(z.string()), waiting: z.optional(z.array(z.string())) },
        merge: z.optional(z.array(z.string())),
      }),
    ),
  ),
  happened: z.optional(z.array(z.string())),
  /** Of the project's memory what the part does not know: `key: text`, or `key …` where that is long. */
  memory: z.optional(z.array(z.string())),
  acked: z.optional(z.array(z.string())),
  ackedSubjects: z.optional(z.array(z.string())),
  earlier: z.optional(z.number()),
  owes: z.optional(z.array(z.string())),
  /** For the part that coordinates: that no session is open. */
  noSession: z.optional(z.boolean()),
  /** The part that coordinates, to one that has nothing left to do. */
  through: z.optional(z.string()),
  /** That the last session is over, where none is open. */
  ended: z.optional(z.string()),
  /** For the part that coordinates: what was approved, and is to be merged. */
  unmerged: z.optional(z.array(z.string())),
  problems: Faults,
};

/** The argument that acks what the last turn showed. */
export const ackShown = () => maybe(z.enum(["shown"]).check(z.describe("ack what the last one showed whole")));

/** Bodies of one answer, in bytes: the first message is whole whatever it has. In a file a longer body is cut. */
const BODY_BYTES = 16_384;
const FILE_BYTES = 3_000;
/** Bodies have fewer bytes where the board has more characters to tell than these, but never fewer than the others. */
const BOARD_CHARACTERS = 4_000;
const BODY_LEAST = 6_000;
/** Acks what the last turn of a part showed whole, as far as it is unread. */
export function ackLast(world: World, part: string): { acked?: string[]; ackedSubjects?: string[]; warning?: string } {
  const acked = lastShown(world, part, unreadIds(world.home().store, part));
  const problem = ackGiven(world, part, acked);
  return problem === null ? { acked, ackedSubjects: subjectsOf(world, acked) } : { warning: problem };
}

/** The turn of a part with what git says: how to read what it is to review, and, where nothing is new for who leads, what is to be merged. */
export async function wholeTurn(world: World, part: string, asked: Asked) {
  const turn = turnOf(world, part, asked);
  const { messages, reviews, tasks, happened } = turn;
  const session = part === world.home().config().main && asked.threads === undefined ? findSession(world, undefined) : null;
  const isNew = messages.length > 0 || (reviews ?? tasks ?? happened) !== undefined;
  const isEnding = happened?.some(isAllDone) === true;
  const unmerged = session === null || (isNew && !isEnding) ? [] : await (await approvalsOf(world, session)).unmerged();
  return { ...(await withReading(world, turn)), ...(unmerged.length === 0 ? {} : { unmerged: unmerged.map(({ words }) => words) }) };
}

/**
 * A turn in which each review of code has the command that shows it, and each ready task the commits that it needs and the main branch lacks.
 * @param known those of some reviews, by id
 */
export async function withReading<T extends { reviews?: readonly ReviewAsked[]; tasks?: readonly OwnTask[] | undefined }>(
  world: World,
  whole: T,
  known: Readonly<Record<string, Reading>> = {},
): Promise<T> {
  const { reviews } = whole;
  const isReady = whole.tasks?.some(({ state }) => state === "ready") === true;
  if (reviews === undefined && !isReady) return whole;
  const session = findSession(world, undefined);
  const tasks = session === null || !isReady ? undefined : await withCommits(world, session, whole.tasks);
  const turn = tasks === undefined ? whole : { ...whole, tasks };
  if (reviews === undefined) return turn;
  const all = session === null ? [] : listReviews(world, session, []);
  const readingFor = async ({ id, name, task, commit, since }: ReviewAsked): Promise<Reading> => {
    if (commit === undefined || known[id] !== undefined) return known[id] ?? {};
    const changed = since === undefined ? undefined : await changeSince(world, since, commit);
    return { read: await readingOf(world, commit, commitsBeside(all, { name, task })), ...(changed === undefined ? {} : { changed }) };
  };
  const read: ReviewAsked[] = [];
  for (const each of reviews) read.push({ ...each, ...(await readingFor(each)) });
  return { ...turn, reviews: read };
}

/** Some tasks of a part; of ready ones that waited for others' work with what is to be merged: the main branch, and what is approved, and not in it. */
async function withCommits(world: World, session: string, tasks: readonly OwnTask[] = []): Promise<OwnTask[] | undefined> {
  const all = new Map(listTasks(world, session, []).map((task) => [task.id, task]));
  const needed = (task: OwnTask): string[] =>
    task.state !== "ready" ? [] : (all.get(task.id)?.dependsOn ?? []).filter((id) => all.get(id)?.assignee !== all.get(task.id)?.assignee);
  if (tasks.every((task) => needed(task).length === 0)) return undefined;
  const unmerged = await (await approvalsOf(world, session)).unmerged();
  const main = await mainBranch(world);
  return tasks.map((task) => {
    const of = new Set(needed(task));
    const commits = unmerged.filter((each) => each.task !== undefined && of.has(each.task)).map(({ commit }) => commit.slice(0, 7));
    // The branch of a part may lack what the main branch has; who leads is on that.
    const isBehind = of.size > 0 && main !== null && nameNow(world, all.get(task.id)?.assignee ?? "") !== world.home().config().main;
    const merge = [...(isBehind ? [main] : []), ...commits];
    return merge.length === 0 ? task : { ...task, merge };
  });
}

/** The commands that show the code of a review. */
export type Reading = Pick<ReviewAsked, "read" | "changed">;

/** Options of a turn: the threads whose mail it tells, alone; `all` tells everything again. */
interface Asked extends MailAsked {
  /** What the turn itself did before: tasks that it ended. */
  merged?: readonly string[];
  /** Tells all that a part has to do just now, whatever it was told, and notes nothing. */
  isStanding?: boolean;
  /** Messages that are not told, because they were read. */
  read?: readonly string[];
}

/** Characters of a message that a reply to it is told with. */
const QUOTED = 80;

/** Who wrote the message that another one answers, and the beginning of that, unless it is told beside it; null of one that begins a thread. */
function answeredBy(world: World, id: string, part: string, told: readonly string[]): { from: string; words?: string } | null {
  const { store } = world.home();
  const location = parseMessageId(id) as MessageLocation;
  const keys = location.n === 1 ? [] : messageKeys(store, location);
  const by = readMessage(store, location, messagePath(location), [])?.from;
  for (const key of keys
    .filter((each) => compareInThread(each, location) < 0)
    .reverse()
    .slice(0, ANSWERS)) {
    const message = readMessage(store, key, messagePath(key), []);
    if (message === null || message.from === by) continue;
    const words = preview(message.body, QUOTED + 1);
    const short = words.length <= QUOTED ? words : `${cutAtWord(words, QUOTED)} …`;
    return {
      from: isSamePart(world, message.from, part) ? "you" : message.from,
      ...(told.includes(messageId(key)) ? {} : { words: short }),
    };
  }
  return null;
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
  // What else is told takes its part of an answer, which clients cut where it is too long.
  const board = isStanding ? 0 : JSON.stringify(told?.news ?? "").length;
  let left = isStanding ? FILE_BYTES : Math.max(BODY_LEAST, BODY_BYTES - Math.max(0, board - BOARD_CHARACTERS));
  const cut: string[] = [];
  const shown = fresh.filter((id) => asked.read?.includes(id) !== true);
  for (const id of shown) {
    const found = briefOf(world, part, id, true, originOf, problems);
    if (found !== null) {
      const path = isStanding ? messagePath(parseMessageId(id) as MessageLocation) : "";
      const size = Buffer.byteLength(found.body);
      if (size > left && messages.length > 0) break;
      const room = Math.max(left, CLIENT_BYTES - board);
      const isCut = !isStanding && world.connection.lasting && size > room;
      const most = isCut ? room : isStanding && size > FILE_BYTES ? FILE_BYTES / 2 : undefined;
      const rest = isCut ? `show ${shortNames([id])(id)}, then ack it by this id` : path;
      const body = most === undefined ? found.body : `${cutAtWord(found.body, most)} … (${rest})`;
      if (isCut) cut.push(id);
      left -= size;
      const answers = answeredBy(world, id, part, fresh);
      messages.push({
        ...found.brief,
        body,
        ...(isOver(world, id) ? { closed: true } : {}),
        ...(isShared(world, id) ? { toAll: true } : {}),
        ...(answers === null ? {} : { answers }),
      });
    }
    looked += 1;
  }
  const { reviews = [], tasks = [] } = told?.news ?? {};
  const happened = [...(asked.merged ?? []), ...(told?.news.happened ?? [])];
  if (isStanding && told?.ended !== undefined) happened.push(told.ended);
  const memory = told === null ? { told: [], digests: [] } : unknownMemory(world, part);
  const isNew = fresh.length + reviews.length + tasks.length + happened.length + memory.told.length > 0;
  // A part that comes late learns from its old mail that the session is over.
  const isOld = messages.some(({ messageId }) => isOfEnded(store, messageOf(store, messageId)));
  const isPending = new Set(fresh.length === 0 ? before?.mail : []);
  const isNow = new Set([...fresh, ...said]);
  const earlier = unread.filter((id) => !isNow.has(id) && !isPending.has(id)).length;
  const owes = isNew || told === null ? [] : [...told.owed(), ...waitingMail(world, part, unread, told.isSaid)];
  const rest = shown.length - looked + (told?.news.left ?? 0);
  const mail = [...said, ...messages.map(({ messageId }) => messageId).filter((id) => !cut.includes(id))];
  if (messages.length > 0 && !isStanding) noteHeardBy(world, part);
  if (isItself(world, part) && !isStanding) {
    const confirm = (now: World): void => {
      noteCut(now, part, cut);
      noteSeenBy(now, part, [...mail, ...cut]);
      noteWhole(now, part, mail);
      noteMemoryTold(now, part, memory.digests);
      const last = readTold(now, part);
      const after = { board: told?.told ?? last?.board ?? {}, mail: messages.length === 0 ? [...(last?.mail ?? []), ...mail] : mail };
      if (JSON.stringify(after) !== JSON.stringify(last)) writeTold(now, part, after);
    };
    if (mail.length + cut.length + memory.digests.length > 0 || told?.isChanged === true)
      world.connection.given = { root: store.root, confirm };
  }
  return withFaults(
    {
      ...(told?.isFirst === true && !isStanding ? { you: part } : {}),
      unread: unread.length,
      messages,
      ...(rest > 0 ? { left: rest } : {}),
      ...(reviews.length > 0
        ? { reviews: reviews.map((each, at) => withContent(world, told?.session ?? null, each, isStanding, at)) }
        : {}),
      ...(tasks.length > 0 ? { tasks } : {}),
      ...(happened.length > 0 ? { happened } : {}),
      ...(memory.told.length > 0 ? { memory: memory.told } : {}),
      ...(earlier > 0 ? { earlier } : {}),
      ...(owes.length > 0 ? { owes } : {}),
      ...(told?.isThrough === true && messages.length > 0 && earlier === 0 && told.owed().length === 0
        ? { through: world.home().config().main }
        : {}),
      ...(!isNew && told?.session === null && told.isMain ? { noSession: true } : {}),
      ...(told?.ended !== undefined && (!isNew || (isOld && !happened.includes(told.ended))) ? { ended: told.ended } : {}),
    },
    problems,
  );
}

/** Messages that a line names as not answered; more are counted in `earlier`. */
const ANSWERS = 3;

/** Unread mail that was shown before, oldest first, but for what the board says, what takes no answer or is of an ended session, and what answers the part. */
const waitingMail = (world: World, part: string, unread: readonly string[], isSaid: SaidByBoard | undefined): string[] => {
  const oldest = [...unread]
    .sort((a, b) => compareNewest(b, a))
    .slice(0, ANSWERS)
    .filter(
      (id) =>
        isSaid?.(bodyOf(world, id)) !== true &&
        !isOver(world, id) &&
        !isOfEnded(world.home().store, messageOf(world.home().store, id)) &&
        !isAnswerTo(world, id, part),
    );
  const short = shortNames(oldest);
  return oldest.flatMap((id) => subjectsOf(world, [id]).map((subject) => `${ANSWER}${subject} (${short(id)})`));
};

/** Characters of what an author says of handed-in work. */
const SAID = 1_000;
/** Of so many reviews; of the others less is said. */
const SAID_WHOLE = 4;

/** Characters of what the task of a review asks for. */
const WANTED = 400;

/**
 * A review with what its task asks for, where the reviewer answered no version before, and what its author says of the artifact, where it is
 * code; else with the file that is to be read.
 */
function withContent(world: World, session: string | null, review: ReviewAsked, isFile: boolean, at: number): ReviewAsked {
  const most = at < SAID_WHOLE ? SAID : SAID / 10;
  return orElse(review, () => {
    const { commit, task = "", since } = review;
    const { content, path } = readArtifact(world, session as string, review.artifact);
    const words = commit === undefined ? "" : content.trim();
    const wanted = since ? "" : readTask(world, session as string, task)?.description;
    const said = [
      wanted && `Task: ${wanted.length > WANTED ? `${cutAtWord(wanted, WANTED)} …` : wanted}`,
      words &&
        `Handed in: ${words.length <= most ? words : `${cutAtWord(words, most)} … (${isFile ? path : `relay review show ${shortOf(review.id)}`})`}`,
    ].filter(Boolean);
    return { ...review, ...(commit === undefined ? { path } : {}), said: said.join("\n") || undefined };
  });
}

/** Tells whether a message answers in a thread that a part began. */
function isAnswerTo(world: World, id: string, part: string): boolean {
  const location = parseMessageId(id) as MessageLocation;
  const thread = location.n === 1 ? null : readThread(world.home().store, location, [location], []);
  return thread !== null && isSamePart(world, thread.createdBy, part);
}

/** Tells whether a message went to several parts. */
function isShared(world: World, id: string): boolean {
  const message = messageOf(world.home().store, id);
  return message !== null && (message.broadcast === true || message.to.length > 1);
}

/** Tells whether the thread of a message takes no answer. */
function isOver(world: World, id: string): boolean {
  const location = parseMessageId(id) as MessageLocation;
  const status = readThread(world.home().store, location, [location], [])?.status;
  return status !== undefined && isEnded(status);
}
