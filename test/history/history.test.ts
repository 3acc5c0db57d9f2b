/** The checker of histories sees each fault that is planted. */
import { expect, test } from "vitest";
import { check, type Entry } from "./history.ts";
import type { Survey } from "./survey.ts";

const A = "m-20260131-aaaaaaaa-1-01kg9x2m4aaaaa";
const B = "m-20260131-bbbbbbbb-1-01kg9x2m4bbbbb";
const message = (id: string, body: string, to: string[]) => ({ id, thread: `t-${id.slice(2, 19)}`, from: "api", to, subject: "s", body });

/** `api` sent A to web and db and B to web; web saw both, acked A and looked again; a third send died. */
const LOG: Entry[] = [
  { phase: "invoked", call: "1", at: 1, kind: "send", part: "api", mark: "first" },
  { phase: "answered", call: "1", at: 2, messageId: A },
  { phase: "invoked", call: "2", at: 3, kind: "send", part: "api", mark: "second" },
  { phase: "answered", call: "2", at: 4, messageId: B },
  { phase: "invoked", call: "3", at: 5, kind: "inbox", part: "web" },
  { phase: "answered", call: "3", at: 6, unread: [A, B] },
  { phase: "invoked", call: "4", at: 7, kind: "ack", part: "web", ids: [A] },
  { phase: "answered", call: "4", at: 8, moved: [{ part: "web", messageId: A }] },
  { phase: "invoked", call: "5", at: 9, kind: "inbox", part: "web" },
  { phase: "answered", call: "5", at: 10, unread: [B] },
  { phase: "invoked", call: "6", at: 11, kind: "send", part: "api", mark: "third" },
];
const disk = (): Survey => ({
  messages: [message(A, "first", ["web", "db"]), message(B, "second", ["web"])],
  unread: new Map([
    ["web", [B]],
    ["db", [A]],
  ]),
  acked: new Map([["web", [A]]]),
  pending: [],
});
const withAnswer = (call: string, answer: Partial<Entry>): Entry[] =>
  LOG.map((entry) => (entry.phase === "answered" && entry.call === call ? ({ ...entry, ...answer } as Entry) : entry));

test.each<[string, RegExp, (there: Survey) => unknown]>([
  ["a message gone from its thread", /^lost: second was answered/, (there) => there.messages.pop()],
  ["a message gone from an inbox", /^lost: .* inbox of db/, (there) => there.unread.set("db", [])],
  ["a message twice in its thread", /^doubled: second is/, (there) => there.messages.push(message(`${B}x`, "second", []))],
  ["two messages with one id", /one id/, (there) => there.messages.push(message(B, "third", ["web"]))],
  ["a message twice in an inbox", /^doubled: .* for web/, (there) => there.unread.set("web", [B, B])],
  ["a message unread and acked", /^doubled: .* 1 times unread and 1 times acked/, (there) => there.unread.set("web", [A, B])],
  ["an ack that came back", /^came back/, (there) => [there.unread.set("web", [A, B]), there.acked.delete("web")]],
  ["an ack that nobody made", /^nobody acked .* db/, (there) => [there.unread.delete("db"), there.acked.set("db", [A])]],
  ["a message in a stranger's inbox", /to whom nobody sent it/, (there) => there.unread.set("db", [A, B])],
  ["a message that nobody sent", /^nobody wrote/, (there) => there.messages.push(message("m-x", "forged", []))],
])("it sees %s", (_name, fault, plant) => {
  const there = disk();
  plant(there);
  expect(check(LOG, there).some((each) => fault.test(each))).toBe(true);
});

test.each<[string, RegExp, Entry[]]>([
  ["an acked message shown as unread later", /^came back: web saw/, withAnswer("5", { unread: [A, B] })],
  ["a message that an inbox did not show", /^missed: web/, withAnswer("5", { unread: [] })],
  [
    "a message acked twice",
    /^acked 2 times/,
    [
      ...LOG,
      { phase: "invoked", call: "7", at: 12, kind: "ack", part: "web", ids: [A] },
      { phase: "answered", call: "7", at: 13, moved: [{ part: "web", messageId: A }] },
    ],
  ],
  [
    "a refused message that is there",
    /^refused, and there/,
    [...LOG.slice(0, 1), { phase: "refused", call: "1", at: 2, code: "busy" }, ...LOG.slice(2)],
  ],
  ["an answer that names another message", /^lost: first was answered/, withAnswer("1", { messageId: B })],
])("it sees %s", (_name, fault, log) => {
  expect(check(log, disk()).some((each) => fault.test(each))).toBe(true);
});
