/** Unread mail before the guard: only what each clone can check out as the message takes its place. spec/git.md, "Guard". */
import { expect, test } from "vitest";
import { type MessageLocation, parseMessageId } from "../../protocol/core/format/id.ts";
import { messagePath } from "../../protocol/mail/nouns/message.ts";
import { readPath, unreadPath } from "../../protocol/mail/nouns/part.ts";
import { guarded, idOf, merged } from "../rig/merging.ts";

const ID = "m-20260131-k3f9x2ab-1-1kg9p6je0abcde";
const KEY = parseMessageId(ID) as MessageLocation;
const UNREAD = unreadPath("web", ID);
const config = (part: string): [string, string] => [
  "relay.yml",
  idOf(`format: 2\nproject: { id: p, name: s }\nmain: main\nparts:\n  main: {}\n  ${part}\n`),
];
const mail = (...paths: string[]): [string, string][] => [messagePath(KEY), ...paths].map((path) => [path, idOf("a message")]);
const had = new Map([config("web: {}"), ...mail(UNREAD)]);

test.each<[what: string, came: [string, string][], isBack: boolean]>([
  ["its ack", [config("web: {}"), ...mail(readPath("web", ID, KEY.day))], false],
  ["an ack of other bytes", [config("web: {}"), ...mail(), [readPath("web", ID, KEY.day), idOf("x".repeat(500_000))]], true],
  ["itself, under the part's new name", [config("page: { formerly: [web] }"), ...mail(unreadPath("page", ID))], false],
  ["other bytes under the part's new name", [config("page: { formerly: [web] }"), ...mail(), [unreadPath("page", ID), idOf("0")]], true],
  ["an ack of other bytes there", [config("page: { formerly: [web] }"), ...mail(), [readPath("page", ID, KEY.day), idOf("0")]], true],
])("of an unread name whose place %s took", (_what, came, isBack) => {
  expect(guarded(had, new Map(came)).has(UNREAD)).toBe(isBack);
  expect(merged(had, new Map([...had, ["memory/project.md", idOf("# new\n")]]), new Map(came)).has(UNREAD)).toBe(isBack);
});
