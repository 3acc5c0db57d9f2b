/** Many processes write into one thread: every reply is there, and every reader sees one and the same order. */
import path from "node:path";
import { expect, test } from "vitest";
import { operations, perform } from "../../protocol/index.ts";
import { survey } from "../history/survey.ts";
import { count, FULL } from "../rig/counts.ts";
import { homeWith, worldAt } from "../rig/home.ts";
import { connect, relay, work } from "../rig/processes.ts";

const WRITERS = ["a", "b", "c", "d", "e", "f", "g", "h"];
const EACH = count(75, 200);

interface Page {
  messages: { messageId: string; body: string }[];
  cursor: string | null;
}

/** Pages through a thread from its newest page to its oldest; gives the messages from old to new. */
async function readAll(show: (cursor: string | null) => Promise<Page>): Promise<Page["messages"]> {
  const all: Page["messages"] = [];
  for (let cursor: string | null = null, first = true; first || cursor !== null; first = false) {
    const page: Page = await show(cursor);
    all.unshift(...page.messages);
    // Over a connection no cursor means that there is none.
    cursor = page.cursor ?? null;
  }
  return all;
}

test(`8 processes write ${EACH} replies each into one thread`, async () => {
  const folder = await homeWith(...WRITERS);
  const { threadId } = await perform(worldAt(folder, { part: "main" }), operations.send, {
    to: ["*"],
    subject: "All here?",
    body: "start",
  });
  // In full, half of them write to everyone, for which every message is read to know the participants.
  const workers = WRITERS.map((part, at) => {
    const to = at % 2 === 0 || !FULL ? { to: ["main"] } : {};
    return work("sender", [folder, part, "reply", JSON.stringify({ threadId, body: `${part} #`, ...to }), String(EACH)]);
  });
  for (const worker of workers) expect(await worker.ended, worker.stderr()).toBe(0);
  const answered = workers.flatMap(({ lines }) => lines.filter((line) => "round" in line));
  expect(answered.filter(({ success }) => success !== true)).toEqual([]);

  const ids = answered.map(({ messageId }) => messageId);
  expect(new Set(ids).size).toBe(WRITERS.length * EACH);
  const disk = survey(path.join(folder, ".relay"));
  expect(disk.messages.map(({ body }) => body).sort()).toEqual(
    ["start", ...WRITERS.flatMap((part) => Array.from({ length: EACH }, (_, at) => `${part} ${at}`))].sort(),
  );
  for (const [part, unread] of disk.unread) {
    expect(unread.sort()).toEqual(disk.messages.flatMap(({ id, to }) => (to.includes(part) ? [id] : [])).sort());
  }

  // Three readers of different kinds and page sizes, and what the disk says.
  const world = worldAt(folder);
  const server = await connect(folder, { args: ["--part", "a"] });
  const readers = await Promise.all([
    readAll(async (cursor) => (await perform(world, operations.show, { threadId, limit: 61, cursor })) as unknown as Page),
    readAll((cursor) => server.call("show", { threadId, limit: 200, cursor })),
    readAll(
      async (cursor) =>
        (await relay(folder, ["show", threadId as string, "--limit", "200", ...(cursor === null ? [] : ["--cursor", cursor]), "--json"]))
          .json,
    ),
  ]);
  await server.close();
  const written = disk.messages.map(({ id }) => id);
  for (const messages of readers) {
    expect(messages).toHaveLength(written.length);
    // Over a connection a message has its short name, where no other of the page has it.
    for (const [at, { messageId }] of messages.entries()) expect(`-${written[at]}-`).toContain(`-${messageId}-`);
  }
  // Whoever writes one after the other is read in that order.
  for (const part of WRITERS) {
    const own = (readers[0] as Page["messages"]).flatMap(({ body }) => (body.startsWith(`${part} `) ? [Number(body.slice(2))] : []));
    expect(own).toEqual(Array.from({ length: EACH }, (_, at) => at));
  }
});
