// @ts-check
/**
 * Prints who waits for whom: each message of an open thread that somebody it was sent to has not acked yet. Reads only.
 *
 *     node who-waits.mjs
 */
import { asViewer, createWorld, operations, perform } from "git-relay";

// What a viewer reads counts as seen by nobody.
const world = asViewer(createWorld());
// Who acked or answered a message, or closed its thread, keeps nobody waiting.
const waiting = new Set(["stored", "noticed", "fetched"]);
/** @type {string | undefined} */
let cursor;

do {
  const page = await perform(world, operations.threads, { status: "open", limit: 30, cursor });
  for (const { id, subject } of page.threads) {
    const { messages } = await perform(world, operations.show, { threadId: id, limit: 30 });
    for (const { from, at, receipts } of messages) {
      for (const { part, state } of receipts) {
        if (waiting.has(state)) console.log(`${from} waits for ${part} since ${at}: ${subject} (${state})`);
      }
    }
  }
  cursor = page.cursor ?? undefined;
} while (cursor !== undefined);
