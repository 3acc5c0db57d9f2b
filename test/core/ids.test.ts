import { expect, test } from "vitest";
import {
  ALPHABET,
  compareInThread,
  compareNewest,
  dayOf,
  decodeTime,
  encodeTime,
  type MessageLocation,
  messageId,
  parseMessageId,
  parseThreadId,
  threadId,
} from "../../protocol/core/format/id.ts";
import { nearest, partProblem } from "../../protocol/core/names.ts";
import { inboxNew, partOfInbox } from "../../protocol/mail/nouns/part.ts";
import { fc } from "../rig/properties.ts";

const random = (length: number) => fc.string({ unit: fc.constantFrom(...ALPHABET), minLength: length, maxLength: length });
const time = fc.integer({ min: 0, max: Date.parse("2500-01-01") });
const message: fc.Arbitrary<MessageLocation> = fc
  .record({ time, thread: random(8), n: fc.integer({ min: 1, max: 999_999_999 }), at: time, tail: random(5) })
  .map(({ time: began, thread, n, at, tail }) => ({ day: dayOf(began), random: thread, n, token: encodeTime(at) + tail }));

test("ids and their inverses", () => {
  fc.assert(
    fc.property(message, (location) => {
      expect(parseMessageId(messageId(location))).toEqual(location);
      expect(parseThreadId(threadId(location))).toEqual({ day: location.day, random: location.random });
    }),
  );
});

test("times sort as their texts do, and come back", () => {
  fc.assert(
    fc.property(time, time, (a, b) => {
      expect(decodeTime(encodeTime(a))).toBe(a);
      expect(Math.sign(a - b)).toBe(encodeTime(a) < encodeTime(b) ? -1 : encodeTime(a) > encodeTime(b) ? 1 : 0);
    }),
  );
});

test("the order in a thread, and newest first, are total", () => {
  fc.assert(
    fc.property(message, message, (a, b) => {
      expect(compareInThread(a, b) + compareInThread(b, a)).toBe(0);
      if (messageId(a) !== messageId(b))
        expect(compareNewest(messageId(a), messageId(b)) + compareNewest(messageId(b), messageId(a))).toBe(0);
    }),
  );
});

test("an id of a time to come stays on top for no longer than the day of its thread", () => {
  const nowMs = Date.now();
  const ms = { now: nowMs, before: nowMs - 1_000, yesterday: nowMs - 86_400_000, later: Date.parse("3084-01-01") };
  const id = (began: number, at: number): string =>
    messageId({ day: dayOf(began), random: "abcdefgh", n: 1, token: `${encodeTime(at)}00000` });
  const sorted = [
    id(ms.now, ms.now),
    // Its thread says that it is of a day to come, and its message does not.
    id(ms.later, ms.before),
    // A reply of a time to come to a thread of yesterday.
    id(ms.yesterday, ms.later),
    id(ms.yesterday - 86_400_000, ms.yesterday - 86_400_000),
    // Among themselves they stand as they say.
    id(ms.later, ms.later + 1),
    id(ms.later, ms.later),
  ];
  expect([...sorted].reverse().sort(compareNewest)).toEqual(sorted);
});

test("other text is not taken for an id", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const location = parseMessageId(text);
      if (location !== null) expect(messageId(location)).toBe(text);
      const thread = parseThreadId(text);
      if (thread !== null) expect(threadId(thread)).toBe(text);
    }),
  );
  for (const text of [
    ...["m-20260131-k3f9x2ab-0-1kg9p6je0abcde", "m-20260131-k3f9x2ab-1-1kg9p6je0abcdi", "m-20261331-k3f9x2ab-1-1kg9p6je0abcde"],
    ...["T-20260131-k3f9x2ab", "t-20260131-k3f9x2ab\n", "t-20260131-../../ab"],
  ]) {
    expect(parseMessageId(text), text).toBeNull();
    expect(parseThreadId(text), text).toBeNull();
  }
});

test.each(["web", "a", "main", "shop/api/tests", "A_b-9", "x".repeat(64)])("%s is a part", (id) => {
  expect(partProblem(id)).toBeNull();
  expect(partOfInbox(inboxNew(id))).toBe(id);
});

test.each([
  ...String.raw`/abs|a/|a//b|a/b/c/d|..|a/..|.git|a.b|a b|a\b|CON|nul|x/Com1|new|a/read|TMP|sent|x |x.|é|-x|_x|`.split("|"),
  ...["e\u0301", "x".repeat(65), "a\0b", "\u202eweb"],
])("%j is no part", (id) => {
  expect(partProblem(id)).not.toBeNull();
  expect(partOfInbox(inboxNew(id))).toBeNull();
});

test("every part id is one path below its folder, whatever is typed", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[A-Za-z0-9_/.\\-]{1,40}$/)), (id) => {
      if (partProblem(id) !== null) return;
      expect(id.split("/").every((segment) => /^[A-Za-z0-9][\w-]*$/.test(segment))).toBe(true);
    }),
  );
});

test("the nearest names", () => {
  expect(nearest("wbe", ["main", "web", "api", "human"])).toEqual(["web"]);
  expect(nearest("bakend", ["backend", "frontend"])).toEqual(["backend"]);
  expect(nearest("sto", ["storefront", "api"])).toEqual(["storefront"]);
  expect(nearest("zzzzzz", ["web", "api"])).toEqual([]);
  // To compare it would take its length times theirs.
  expect(nearest(`web${"x".repeat(10_000)}`, [`web${"x".repeat(9_999)}`])).toEqual([]);
  // Names of two letters are near only where one begins the other, or has its letters.
  const known = ["pm", "fe", "be", "web", "main"];
  expect(["zz", "mp", "we"].map((name) => nearest(name, known))).toEqual([[], ["pm"], ["web"]]);
  expect(["fe", "bee"].map((name) => nearest(name, ["pm", "be", "web"]))).toEqual([[], ["be"]]);
});
