/** Clocks that are wrong, or jump: ids stay unique, every reader sees one order, nothing is lost. */
import { expect, test } from "vitest";
import { operations, perform } from "../../protocol/index.ts";
import { count, TIMEOUT_MS } from "../counts.ts";
import { homeWith, relay, work, worldAt } from "../rig.ts";

const HOUR = 3_600_000;
const CLOCKS: [part: string, ahead: number, back: number][] = [
  ["a", HOUR, 0],
  ["b", -HOUR, 0],
  ["c", 400 * 24 * HOUR, 0],
  ["d", 0, 300_000],
  ["e", 0, 0],
];

test(
  "writers an hour and a year apart, and one whose clock steps back",
  async () => {
    const folder = await homeWith(...CLOCKS.map(([part]) => part));
    const times = count(25, 400);
    const { threadId } = (await perform(worldAt(folder, { part: "main" }), operations.send, {
      to: ["*"],
      subject: "clocks",
      body: "0",
    })) as { threadId: string };
    const workers = CLOCKS.map(([part, ahead, back]) =>
      work("clocked", [folder, part, threadId, String(times), String(ahead), String(back)]),
    );
    expect(await Promise.all(workers.map(({ ended }) => ended))).toEqual(CLOCKS.map(() => 0));
    const answered = workers.flatMap(({ lines }) => lines.map((line) => line.messageId as string));
    expect(new Set(answered).size).toBe(CLOCKS.length * times);

    const read = async (now: () => number): Promise<{ messageId: string; body: string }[]> => {
      const all: { messageId: string; body: string }[] = [];
      let cursor: string | null = null;
      do {
        const page: { messages: { messageId: string; body: string }[]; cursor: string | null } = (await perform(
          worldAt(folder, { now }),
          operations.show,
          {
            threadId,
            limit: 200,
            ...(cursor === null ? {} : { cursor }),
          },
        )) as never;
        all.unshift(...page.messages);
        cursor = page.cursor;
      } while (cursor !== null);
      return all;
    };
    const orders = await Promise.all(CLOCKS.map(([, ahead]) => read(() => Date.now() + ahead)));
    for (const order of orders) expect(order).toEqual(orders[0]);
    const seen = (orders[0] ?? []).map(({ messageId }) => messageId);
    expect(seen.toSorted()).toEqual([...answered, seen[0] as string].toSorted());
    // What one writer wrote stands in the order in which it wrote it, though its clock stepped back.
    const own = (orders[0] ?? []).map(({ body }) => body).filter((body) => body.startsWith("d "));
    expect(own).toEqual(own.toSorted((a, b) => Number(a.slice(2)) - Number(b.slice(2))));
    expect((await relay(folder, ["inbox", "--part", "main", "--json"])).json.unread).toBe(CLOCKS.length * times);
  },
  TIMEOUT_MS,
);
