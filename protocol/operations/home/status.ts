import * as z from "zod/mini";
import type { Faults as FaultList } from "../../home/broken-files.ts";
import { openRequests } from "../../home/message/forget-message.ts";
import { questions } from "../../home/message/questions.ts";
import { originsOf } from "../../home/note-origins.ts";
import { failingNotifies } from "../../home/notify/notify-list.ts";
import { unreadIds } from "../../home/part/inbox-files.ts";
import { noticesOf, notified } from "../../home/part/notices.ts";
import { findSession } from "../../home/session/sessions.ts";
import { usageToday } from "../../home/usage/short-usage.ts";
import { livePagers } from "../../home/wake/who-rings.ts";
import { append } from "../../objects/format/append.ts";
import { compareNewest, decodeTime, parseMessageId } from "../../objects/format/id.ts";
import { LIMITS } from "../../objects/format/schema.ts";
import { messagePath } from "../../objects/message/message.ts";
import type { Caller } from "../../objects/part/part.ts";
import type { TaskStatus } from "../../objects/task/task.ts";
import { type Origin, originField, senderShown } from "../../objects/tree/origin.ts";
import { defineOperation } from "../../operation.ts";
import type { World } from "../../world.ts";
import { ThreadBrief } from "../message/thread-brief.ts";
import { threads } from "../message/threads.ts";
import { roster } from "../part/roster.ts";
import { whoami } from "../part/whoami.ts";
import { Faults, Requests } from "../shapes.ts";
import { get_all_tasks } from "../task/get-all-tasks.ts";
import { withFaults } from "../with-faults.ts";

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
