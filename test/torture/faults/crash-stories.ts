/** Several commands after each other, because what one of them left unflushed may come back under the next. */
import type { Step } from "./crash-scene.ts";

/** Each begins in a home with parts main, web and api, where main sent web and api a message. */
export const STORIES: Readonly<Record<string, readonly Step[]>> = {
  "a thread until it is archived": [
    ({ threadId }) => ["reply", threadId, "an answer", "--part", "web"],
    ({ messageId }) => ["ack", messageId, "--part", "web"],
    ({ messageId }) => ["ack", messageId, "--part", "api"],
    (_at, [reply]) => ["ack", reply.messageId, "--part", "main"],
    (_at, [reply]) => ["ack", reply.messageId, "--part", "api"],
    ({ threadId }) => ["close", threadId, "--lesson", "what was learnt", "--part", "main"],
    ({ threadId }) => ["archive", threadId, "--part", "main"],
  ],
  "a task until it is done": [
    () => ["session", "start", "s-1"],
    () => ["task", "create", "One", "--part", "main"],
    (_at, [, { task_id }]) => ["task", "claim", task_id, "--part", "web"],
    (_at, [, { task_id }]) => ["task", "release", task_id, "--part", "web"],
    (_at, [, { task_id }]) => ["task", "claim", task_id, "--part", "api"],
    (_at, [, { task_id }]) => ["task", "update", task_id, "done", "--part", "api"],
  ],
  "parts and memories": [
    () => ["part", "add", "shop", "--about", "words"],
    () => ["memory", "append", "one", "--part", "web"],
    () => ["part", "rename", "web", "front"],
    () => ["memory", "append", "two", "--part", "front"],
    () => ["part", "remove", "shop"],
  ],
};
