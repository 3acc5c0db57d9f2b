import * as z from "zod/mini";
import { noticesOf, notified } from "../home/notices.ts";
import type { Caller } from "../home/parts.ts";
import { findSession } from "../home/sessions.ts";
import type { Faults as FaultList } from "../home/threads.ts";
import { LIMITS } from "../objects/schema.ts";
import { defineOperation } from "../operation.ts";
import type { World } from "../world.ts";
import { roster } from "./roster.ts";
import { Faults, withFaults } from "./shapes.ts";
import { getAllTasks } from "./task-list.ts";
import { ThreadBrief, threads } from "./threads.ts";
import { whoami } from "./whoami.ts";

const SHOWN = 8;

/** The current session, and how many of its tasks are where. `ready` can be started now. */
const Session = z.object({
  id: z.string(),
  todo: z.number(),
  in_progress: z.number(),
  in_review: z.number(),
  done: z.number(),
  ready: z.number(),
});

/** The whole room on one screen. */
export const status = defineOperation({
  name: "status",
  tool: null,
  command: "status",
  summary: "Show the room on one screen: who is there, unread mail, tasks, the latest threads",
  when: "An overview for people.",
  effect: "read",
  idempotent: true,
  identity: "optional",
  home: true,
  positionals: [],
  input: () => z.object({}),
  output: () =>
    z.object({
      ...whoami.output.shape,
      session: z.nullable(Session),
      parts: roster.output.shape.parts,
      threads: z.array(ThreadBrief),
      notices: z.optional(z.array(z.object({ part: z.string(), id: z.string(), at: z.string(), lines: z.array(z.string()) }))),
      problems: Faults,
    }),
  example: {},
  async run(world, _input, caller) {
    const { parts } = await roster.run(world, {}, caller);
    const latest = await threads.run(world, { limit: SHOWN }, caller);
    const problems = [...(latest.problems ?? [])];
    const session = await sessionOf(world, caller, problems);
    const notices = notified(world).flatMap((part) => noticesOf(world, part).map((notice) => ({ part, ...notice })));
    const told = notices.length === 0 ? {} : { notices };
    return withFaults({ ...(await whoami.run(world, {}, caller)), session, parts, threads: latest.threads, ...told }, problems);
  },
});

async function sessionOf(world: World, caller: Caller, faults: FaultList): Promise<z.infer<typeof Session> | null> {
  const id = findSession(world, undefined);
  if (id === null) return null;
  const all = { session_id: id, limit: LIMITS.tasksPage };
  const { tasks } = await getAllTasks.run(world, all, caller);
  const { total: ready, problems = [] } = await getAllTasks.run(world, { ...all, ready: true }, caller);
  faults.push(...problems);
  const counted = { todo: 0, in_progress: 0, in_review: 0, done: 0 };
  for (const { status: where } of tasks) counted[where as keyof typeof counted] += 1;
  return { id, ...counted, ready };
}
