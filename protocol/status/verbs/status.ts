import * as z from "zod/mini";
import { approvalsOf } from "../../board/files/approved-behind.ts";
import { findSession, listSessions } from "../../board/files/sessions.ts";
import type { TaskStatus } from "../../board/nouns/task.ts";
import { get_all_tasks } from "../../board/verbs/get-all-tasks.ts";
import { append } from "../../core/format/append.ts";
import { withoutUndefined } from "../../core/format/frontmatter.ts";
import { compareNewest, decodeTime, parseMessageId } from "../../core/format/id.ts";
import { LIMITS, maybe } from "../../core/format/schema.ts";
import type { Faults as FaultList } from "../../core/home/broken-files.ts";
import type { Caller } from "../../core/names.ts";
import { defineOperation } from "../../core/operation.ts";
import { Faults, Requests } from "../../core/shapes.ts";
import { withFaults } from "../../core/with-faults.ts";
import type { World } from "../../core/world.ts";
import { unreadIds } from "../../mail/files/inbox-files.ts";
import { noticesOf, notified } from "../../mail/files/notices.ts";
import { questions } from "../../mail/files/questions.ts";
import { ThreadBrief } from "../../mail/files/thread-brief.ts";
import { messagePath } from "../../mail/nouns/message.ts";
import { threads } from "../../mail/verbs/threads.ts";
import { whoami } from "../../mail/verbs/whoami.ts";
import { openRequests } from "../../removal/files/forget-message.ts";
import { originsOf } from "../../trust/files/note-origins.ts";
import { type Origin, originField, senderShown } from "../../trust/nouns/origin.ts";
import { usageToday } from "../../usage/files/short-usage.ts";
import { failingNotifies } from "../../wake/files/notify-list.ts";
import { livePagers } from "../../wake/files/who-rings.ts";
import { roster } from "./roster.ts";

const SHOWN = 8;

/** Requests to forget that are named. */
const REQUESTS = 10;

/** What waits for a person's decision. */
const Question = z.object({
  ...{ threadId: z.string(), messageId: z.string(), subject: z.string(), from: z.string(), at: z.string() },
  /** Where it came from, where not from here. */
  origin: z.optional(z.string()),
});

/** A way of telling people whose last try failed. */
const NotifyFailed = z.object({ name: z.string(), at: z.string(), detail: z.string() });

/** The current session, and how many of its tasks are where. `ready` can be started now. */
const Session = z.object({
  id: z.string(),
  todo: z.number(),
  in_progress: z.number(),
  in_review: z.number(),
  blocked: z.optional(z.number()),
  done: z.number(),
  ready: z.number(),
});

/** The whole room on one screen. */
export const status = defineOperation({
  name: "status",
  tool: "view",
  summary: "Show the project on one screen: parts, unread mail, tasks, the latest threads",
  when: "See the whole project: parts, unread mail, tasks, latest threads.",
  effect: "read",
  identity: "optional",
  warnsOfSettings: "held",
  output: () => ({
    ...whoami.output.shape,
    session: z.nullable(Session),
    /** The latest session, where it ended and none is open. */
    lastSession: z.optional(
      z.object({ id: z.string(), ...{ title: maybe(z.string()), endedAt: maybe(z.string()), endedBy: maybe(z.string()) } }),
    ),
    /** For the part that coordinates: approved work that the main branch lacks, and how to merge it. */
    unmerged: z.optional(z.array(z.string())),
    /** As `roster`; of a part with mail also how long its oldest waits; and, told by the command line and the dashboard, `dialog` where its terminal asks something, and the row that `asks`: data. */
    parts: z.array(
      z.extend(roster.output.shape.parts.def.element, {
        ...{ oldestUnreadAt: z.optional(z.string()), terminal: z.optional(z.string()), asks: z.optional(z.string()) },
      }),
    ),
    /** Unread messages to `human` that a person must decide, oldest first. */
    needsHuman: z.array(Question),
    /** Whether a process here wakes parts. */
    pager: z.boolean(),
    /** How people are told, where the last try failed. */
    notifyFailed: z.optional(z.array(NotifyFailed)),
    threads: z.array(ThreadBrief),
    /** What this machine's agents took today, where that is known: `usd` is without the calls that are `unknown`. */
    usage: z.optional(z.object({ calls: z.number(), usd: z.number(), unknown: z.number() })),
    /** Messages that somebody asked to forget and that this machine keeps until a person answers: the first ten. */
    forgotten: Requests,
    notices: z.optional(z.array(z.object({ part: z.string(), id: z.string(), at: z.string(), lines: z.array(z.string()) }))),
    problems: Faults,
  }),
  async run(world, _input, caller) {
    const { parts: listed } = await roster.run(world, {}, caller);
    const parts = listed.map((member) => ({ ...member, ...oldestOf(world, member) }));
    const latest = await threads.run(world, { limit: SHOWN }, caller);
    const problems = [...(latest.problems ?? [])];
    const session = await sessionOf(world, caller, problems);
    const [last] = session === null ? listSessions(world.home().store) : [];
    const isMain = session !== null && world.past === undefined && caller.part === world.home().config().main;
    const unmerged = isMain ? (await (await approvalsOf(world, session.id)).unmerged()).map(({ words }) => words) : [];
    const notices = notified(world).flatMap((part) => noticesOf(world, part).map((notice) => ({ part, ...notice })));
    const noticed = notices.length === 0 ? {} : { notices };
    const requests = openRequests(world.home().store, REQUESTS);
    const forgotten = requests.length === 0 ? {} : { forgotten: requests };
    const people = { needsHuman: questionsOf(world, problems), pager: livePagers(world, null).length > 0 };
    const today = usageToday(world);
    const failed = failingNotifies(world).map(({ name, at, detail }) => ({ name, at, detail }));
    const failing = failed.length === 0 ? {} : { notifyFailed: failed };
    return withFaults(
      {
        ...(await whoami.run(world, {}, caller)),
        session,
        ...(last === undefined
          ? {}
          : { lastSession: withoutUndefined({ id: last.id, title: last.title, endedAt: last.endedAt, endedBy: last.endedBy }) }),
        ...(unmerged.length === 0 ? {} : { unmerged }),
        parts,
        ...people,
        ...failing,
        threads: latest.threads,
        ...(today === null ? {} : { usage: today }),
        ...forgotten,
        ...noticed,
      },
      problems,
    );
  },
});

/** When the oldest message that a part has not acked was written, by its id. */
function oldestOf(world: World, { part, unread }: { part: string; unread: number }): { oldestUnreadAt?: string } {
  const [oldest] = unread === 0 ? [] : unreadIds(world.home().store, part).sort((a, b) => compareNewest(b, a));
  const location = oldest === undefined ? null : parseMessageId(oldest);
  return location === null ? {} : { oldestUnreadAt: new Date(decodeTime(location.token)).toISOString() };
}

/** What people must decide, as it is shown. @param faults gets what cannot be read */
function questionsOf(world: World, faults: FaultList): z.infer<typeof Question>[] {
  const originOf = originsOf(world);
  return questions(world, faults).map(({ thread, id, subject, from, at }) => {
    const location = parseMessageId(id);
    const origin: Origin = location === null ? { from: "unknown" } : originOf(messagePath(location));
    return { threadId: thread, messageId: id, subject, from: senderShown(from, origin), at, ...originField(origin) };
  });
}

async function sessionOf(world: World, caller: Caller, faults: FaultList): Promise<z.infer<typeof Session> | null> {
  const id = findSession(world, undefined);
  if (id === null) return null;
  const all = { session_id: id, limit: LIMITS.tasksPage };
  const { tasks } = await get_all_tasks.run(world, all, caller);
  const { total: ready, problems = [] } = await get_all_tasks.run(world, { ...all, ready: true }, caller);
  append(faults, problems);
  const number = (where: TaskStatus): number => tasks.filter((task) => task.status === where).length;
  const [todo, in_progress, in_review, blocked] = [number("todo"), number("in_progress"), number("in_review"), number("blocked")];
  return { id, todo, in_progress, in_review, ...(blocked === 0 ? {} : { blocked }), done: number("done"), ready };
}
