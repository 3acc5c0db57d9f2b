// @ts-check
/**
 * A bot that answers mail: it says once in each thread that it has it, and acks what it read. Ctrl-C ends it.
 *
 *     node answer-mail.mjs web
 */
import { createWorld, operations, perform, Refusal } from "git-relay";

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => stop.abort());

// The part that this bot is. Its home is found from the working directory upward.
const world = createWorld({ part: process.argv[2], signal: stop.signal });
// Two bots that answer every message would never end.
const answered = new Set();
// What a bot before it was shown, and did not ack.
let { messages } = await perform(world, operations.next, { all: true });

while (!stop.signal.aborted) {
  try {
    for (const { messageId, threadId, from, subject } of messages) {
      if (!answered.has(threadId)) {
        await perform(world, operations.reply, { threadId, to: [from], body: `I have it: ${subject}`, idempotency_key: messageId });
        answered.add(threadId);
        console.log(`answered ${from}: ${subject}`);
      }
      await perform(world, operations.ack, { messageIds: [messageId] });
    }
    // Mail that came meanwhile is there at once; else the call waits for it, at the most so long.
    ({ messages } = await perform(world, operations.wait, { timeoutSeconds: 50 }));
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== "interrupted") throw error;
  }
}
