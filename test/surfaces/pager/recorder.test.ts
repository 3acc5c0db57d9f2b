import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { act, cloneOf, commits, lastSubject, shared, shop } from "../../rig/clones.ts";
import { bellFor, quietly, startPager } from "../../rig/pagers.ts";
import { git, until } from "../../rig/rig.ts";

const configure = (code: string, lines: string): void => fs.appendFileSync(path.join(code, ".relay/relay.yml"), `${lines}\n`);
/** How many messages the commits of a home say that they brought. */
const recordedMessages = (code: string): number =>
  [...git(path.join(code, ".relay"), "log", "--format=%s").matchAll(/(\d+) messages?/g)].reduce((sum, [, each]) => sum + Number(each), 0);
const send = (code: string, subject: string) => act(code, "web", "send", { to: ["api"], subject, body: "b" });

test("a pager records once things are quiet, and what is left when it ends", async () => {
  const { code } = await shop("web", "api");
  configure(code, "record: { debounce_s: 0.2 }");
  const before = commits(code);
  const pager = await startPager(code);
  await send(code, "one");
  await send(code, "two");
  expect(await pager.said("recorded")).toMatchObject({ commit: expect.stringMatching(/^[0-9a-f]{40}/) });
  await until("both messages are recorded", () => recordedMessages(code) === 2);
  const recorded = commits(code);
  expect(recorded).toBeGreaterThan(before);
  await quietly(4_000);
  expect(commits(code)).toBe(recorded);
  await send(code, "the last word");
  expect(await pager.end()).toBe(0);
  expect(lastSubject(code)).toBe("relay: 1 message (web)");
});

test("it does not where relay.yml says no", async () => {
  const { code } = await shop("web", "api");
  configure(code, "record: { auto: false }");
  const before = commits(code);
  const pager = await startPager(code);
  await send(code, "one");
  await quietly(3_500);
  await pager.end();
  expect(commits(code)).toBe(before);
});

test("pagers that sync carry mail from one clone to another, and ring for it there", async () => {
  const { hub, code: one } = await shop("web", "api");
  configure(one, "record: { debounce_s: 0.2 }\nsync: { auto: true, every_s: 1 }");
  await act(one, undefined, "sync");
  const two = await cloneOf(hub);
  // That it syncs by itself came by sync, and waits for somebody's word here.
  await act(two, undefined, "config_accept");
  const bell = await bellFor(two, ["api"]);
  const pagers = [await startPager(one), await startPager(two)];
  await send(one, "across");
  await until("the nudge on the other side", () => bell.nudges().length > 0);
  expect(bell.nudges()).toMatchObject([{ part: "api", unread: 1 }]);
  const { messages } = await act(two, "api", "inbox");
  await act(two, "api", "ack", { messageId: messages[0].messageId });
  await until("the ack comes back", async () => (await act(one, "api", "inbox")).unread === 0);
  for (const pager of pagers) await pager.end();
  await act(one, undefined, "sync");
  await act(two, undefined, "sync");
  await act(one, undefined, "sync");
  expect(shared(two)).toEqual(shared(one));
});
