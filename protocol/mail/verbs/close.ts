import * as z from "zod/mini";
import { atMost, flag, LIMITS, maybe, prose } from "../../core/format/schema.ts";
import { defineOperation } from "../../core/operation.ts";
import { THREAD_STATUSES } from "../nouns/thread.ts";
import { setThreadStatus, ThreadStatusAnswer } from "./set-thread-status.ts";

/** A lesson as agents of RelayRoom give it. */
interface LessonParts {
  title?: string | undefined;
  kind?: string | undefined;
  body: string;
}

/** A lesson in parts as one text: `<title> (<kind>): <body>`. */
const lessonOf = ({ title, kind, body }: LessonParts): string =>
  `${[title, kind === undefined ? undefined : `(${kind})`].flatMap((each) => each ?? []).join(" ")}: ${body}`
    .replace(/^: /, "")
    .toWellFormed();

/** Sets a thread's status. */
export const close = defineOperation({
  name: "close",
  tool: "room",
  summary: "Set the status of a thread: closed, canceled, holding, answered or open",
  when: "Close, hold or reopen a thread. lesson: for the project's memory.",
  effect: "write",
  idempotent: true,
  identity: "writer",
  positionals: ["threadId", "status"],
  input: () => ({
    threadId: z.string().check(z.minLength(1), ...atMost(128)),
    status: z._default(z.enum(THREAD_STATUSES), "closed"),
    ack: flag("ack what you saw"),
    lesson: maybe(
      z
        .union([
          prose(LIMITS.lesson, ""),
          z
            .looseObject({ title: z.optional(z.string()), kind: z.optional(z.string()), body: z.string().check(z.minLength(1)) })
            .check(z.refine((parts) => lessonOf(parts).length <= LIMITS.lesson, `at most ${LIMITS.lesson} characters together`)),
        ])
        .check(z.describe("kept in memory/project.md")),
    ),
  }),
  unlisted: ["ack"],
  output: () => ThreadStatusAnswer.shape,
  example: { threadId: "t-20260131-k3f9x2ab", status: "closed" },
  run: (world, { threadId, status, ack, lesson }, caller) =>
    setThreadStatus(world, threadId, status, caller, { ack, lesson: typeof lesson === "object" ? lessonOf(lesson) : lesson }),
});
