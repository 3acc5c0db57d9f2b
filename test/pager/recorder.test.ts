import { once } from "node:events";
import { expect, test, vi } from "vitest";
import { createRecorder } from "../../pager/recorder.ts";
import { createRemoteAsker } from "../../protocol/sync/sync/ask-remote.ts";
import { pauseAfter, syncHome } from "../../protocol/sync/sync/sync-home.ts";
import { drivenClock, untilInTime } from "../rig/clock/driven.ts";
import { act, cloneOf, shared, shop } from "../rig/clones.ts";
import { settle, worldAt } from "../rig/home.ts";
import { bellFor, startPager } from "../rig/pagers.ts";
import { startRelay } from "../rig/processes.ts";
import { until } from "../rig/scratch.ts";

const configure = (code: string, lines: string): string => settle(code, `${lines}\n`);
const send = (code: string, subject: string) => act(code, "web", "send", { to: ["api"], subject, body: "b" });

test("pagers that sync carry mail from one clone to another, and ring for it there", async () => {
  const { hub, code: one } = await shop("web", "api");
  configure(one, "record: { debounce_s: 0.2 }\nsync: { auto: true, every_s: 1 }");
  await act(one, undefined, "sync");
  const two = await cloneOf(hub);
  // That it syncs by itself came by sync, and waits for somebody's word here.
  await act(two, undefined, "config_accept");
  const bell = await bellFor(two, ["api"]);
  const clock = drivenClock();
  const pagers = [await startPager(one, [], clock.env), await startPager(two, [], clock.env)];
  await send(one, "across");
  await untilInTime("the nudge on the other side", clock, () => bell.nudges().length > 0);
  expect(bell.nudges()).toMatchObject([{ part: "api", unread: 1 }]);
  const { messages } = await act(two, "api", "inbox");
  await act(two, "api", "ack", { messageId: messages[0].messageId });
  await untilInTime("the ack comes back", clock, async () => (await act(one, "api", "inbox")).unread === 0);
  for (const pager of pagers) await pager.end();
  await act(one, undefined, "sync");
  await act(two, undefined, "sync");
  await act(one, undefined, "sync");
  expect(shared(two)).toEqual(shared(one));
});

test("a push of one clone is in another within seconds, however seldom that syncs, and a still remote is asked seldom", async () => {
  const { hub, code: one } = await shop("web", "api");
  await act(one, undefined, "sync");
  const two = await cloneOf(hub);
  let nowMs = 0;
  const asker = createRemoteAsker(() => nowMs);
  const { commit } = await syncHome(worldAt(two), { timeoutMs: 60_000 });
  asker.synced(commit, true);
  expect(asker.dueMs()).toBe(3_000);
  expect(await asker.hasMoved(worldAt(two))).toBe(false);
  await send(one, "across");
  await act(one, undefined, "sync");
  expect(await asker.hasMoved(worldAt(two))).toBe(true);
  nowMs += 10 * 60_000;
  asker.synced(commit, false);
  expect(asker.dueMs()).toBe(60_000);
  const child = startRelay(two, ["sync", "--watch", "--every-seconds", "3600"]);
  await until("the first", async () => (await act(two, "api", "inbox")).unread === 1);
  await send(one, "again");
  await act(one, undefined, "sync");
  await until("the second, for which no sync was due", async () => (await act(two, "api", "inbox")).unread === 2);
  child.kill("SIGINT");
  await once(child, "exit");
});

test("a pager syncs as seldom as relay.yml says, though that is more seldom than a remote that fails is asked", async () => {
  const { code } = await shop("web", "api");
  configure(code, "record: { auto: false }\nsync: { auto: true, every_s: 3600 }");
  const world = worldAt(code);
  const synced: number[] = [];
  let nowS = 0;
  const begunMs = performance.now();
  const clock = vi.spyOn(performance, "now").mockImplementation(() => begunMs + nowS * 1_000);
  try {
    const recorder = createRecorder(world, (type) => void (type === "synced" && synced.push(nowS)));
    for (nowS of [0, 601, 3_599, 3_601, 7_200, 7_202]) {
      await send(code, `at ${nowS}`);
      recorder.check(world);
      // What a look began is waited for.
      await recorder.close();
    }
  } finally {
    clock.mockRestore();
  }
  expect(synced).toEqual([0, 3_601, 7_202]);
});

test("the pause doubles with each failure, up to ten minutes, and is never shorter than what was asked for", () => {
  const pauses = (everyS: number): number[] => [0, 1, 2, 5, 2_000].map((failures) => pauseAfter(failures, everyS * 1_000) / 1_000);
  expect(pauses(30)).toEqual([30, 60, 120, 600, 600]);
  expect(pauses(400)).toEqual([400, 600, 600, 600, 600]);
  expect(pauses(3_600)).toEqual([3_600, 3_600, 3_600, 3_600, 3_600]);
});
