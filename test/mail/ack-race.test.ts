/** Mail that comes while its part acks: what that part was not shown stays unread. SPEC.md, "Inbox". */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { openConnection } from "../../mcp/connection.ts";
import { type AnyOperation, operations } from "../../protocol/index.ts";
import { type Answer, act } from "../rig/clones.ts";
import { count } from "../rig/counts.ts";
import { chatty, homeWith } from "../rig/home.ts";
import { work } from "../rig/processes.ts";

const ROUNDS = count(40, 200);
let folder: string;
let threadId: string;
beforeEach(async () => {
  folder = chatty(await homeWith("web", "api"));
  ({ threadId } = await act(folder, "api", "send", { to: ["web"], subject: "talk", body: "b" }));
});

/** SPEC.md, "With only a shell". */
const RECIPE = "list=$(ls inbox/web/new/m-*.md); printf '%s\\n' $list; mv $list inbox/web/read/";
const idsIn = ({ messages }: Answer): string[] => messages.map(({ messageId }: { messageId: string }) => messageId);

/** Looks and acks, each time by another way. @param between runs from the look until the ack is done @returns ids that were shown */
async function ackEachWay(goesOn: (at: number) => boolean, between: (at: number) => Promise<unknown>[]): Promise<Set<string>> {
  const connection = openConnection({ home: path.join(folder, ".relay"), part: "web" });
  const web = (operation: AnyOperation, args: Record<string, unknown> = {}): Promise<Answer> =>
    connection.call(operation, args, new AbortController().signal);
  const shown = new Set<string>();
  const saw = (ids: readonly string[]): readonly string[] => {
    for (const id of ids) shown.add(id);
    return ids;
  };
  for (let at = 0; goesOn(at); at += 1) {
    const seen = at % 5 < 4 ? saw(idsIn(await web(at % 2 === 0 ? operations.next : operations.inbox))) : [];
    const ways: (() => Promise<unknown>)[] = [
      () => web(operations.ack, { threadId }).catch(() => {}),
      () => web(operations.ack, { all: true }),
      () => (seen.length === 0 ? Promise.resolve() : web(operations.ack, { messageIds: seen })),
      () => web(operations.reply, { threadId, body: `${at}` }),
      async () => {
        const printed = execFileSync("sh", ["-c", `${RECIPE} 2>/dev/null || true`], { cwd: path.join(folder, ".relay"), encoding: "utf8" });
        saw(printed.split("\n").map((name) => path.basename(name, ".md")));
      },
    ];
    await Promise.all([...between(at), (ways[at % 5] as () => Promise<unknown>)()]);
    if (at % 5 === 0) saw(idsIn(await web(operations.next, { ack: "shown" })));
  }
  await connection.close();
  return shown;
}

/** Every message that web has acked was shown to it, and none is lost. */
async function expectSeen(shown: ReadonlySet<string>, sent: number): Promise<void> {
  const { unread } = await act(folder, "web", "inbox");
  const read = path.join(folder, ".relay/inbox/web/read");
  const acked = fs.readdirSync(read).flatMap((day) => fs.readdirSync(path.join(read, day)));
  expect(acked.map((name) => path.basename(name, ".md")).filter((id) => !shown.has(id))).toEqual([]);
  expect(acked.length).toBeGreaterThan(10);
  expect(acked.length + unread).toBe(sent + 1);
}

const letter = (sender: number, at: string | number): [string, Record<string, unknown>] =>
  sender % 2 === 0
    ? ["send", { to: ["web"], subject: `${sender}`, body: `${at}` }]
    : ["reply", { threadId, to: ["web"], body: `${sender} ${at}` }];

test("eight senders write while a part acks by thread, all, list, answer and hand: it acks nothing that it was not shown", async () => {
  const senders = [...Array(8).keys()];
  const shown = await ackEachWay(
    (at) => at < ROUNDS,
    (at) => senders.map((sender) => act(folder, "api", ...(letter(sender, at) as [keyof typeof operations, Record<string, unknown>]))),
  );
  await expectSeen(shown, 8 * ROUNDS);
});

test("eight processes write meanwhile", async () => {
  let running = 8;
  const times = count(8, 50);
  const codes = [...Array(8).keys()].map(async (sender) => {
    const [name, input] = letter(sender, "#");
    const code = await work("sender", [folder, "api", name, JSON.stringify(input), String(times)]).ended;
    running -= 1;
    return code;
  });
  const shown = await ackEachWay(
    (at) => running > 0 || at % 5 > 0,
    // Calls that wait for no disk let the loop of events hear of nothing else.
    () => [new Promise((resolve) => setImmediate(resolve))],
  );
  expect(await Promise.all(codes)).toEqual(Array(8).fill(0));
  await expectSeen(shown, 8 * times);
});
