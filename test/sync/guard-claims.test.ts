/** Claims that come in the place of others, and unread mail whose place another file takes, before the guard. spec/git.md, "Guard". */
import { expect, test } from "vitest";
import { type ClaimRecord, claimPath, decisionPath, formatClaim } from "../../protocol/board/nouns/claim.ts";
import { formatResult, resultPath } from "../../protocol/board/nouns/review.ts";
import { type MessageLocation, parseMessageId } from "../../protocol/core/format/id.ts";
import { messagePath } from "../../protocol/mail/nouns/message.ts";
import { readPath, unreadPath } from "../../protocol/mail/nouns/part.ts";
import { keptPath } from "../../protocol/sync/nouns/merge.ts";
import { guarded, idOf, merged } from "../rig/merging.ts";

const S = "2026-01-31-001-K3F9";
const ID = "task-k3f9x2ab7q";
const AT = claimPath(S, ID, 1);
const record = (agent: string, more: Partial<ClaimRecord> = {}): ClaimRecord => ({
  ...{ task: ID, fence: 1, kind: "claim", agent, at: "2026-01-31T10:00:00.000Z", nonce: agent.repeat(3).slice(0, 8) },
  ...more,
});
const tree = (claim: ClaimRecord, ...more: string[]): Map<string, string> =>
  new Map([[AT, idOf(formatClaim(claim))], ...more.map((path) => [path, idOf(formatClaim(claim))] as const)]);

test.each([
  ["as sure as the one that is here", record("web"), record("api"), "web"],
  ["less sure", record("web"), record("api", { provisional: true }), "web"],
  ["surer", record("web", { provisional: true }), record("api"), "api"],
])("a claim that came with the number of another, and is %s", (_what, mine, yours, agent) => {
  const [had, came] = [tree(mine), tree(yours)];
  const [stays, givesWay] = (agent === "web" ? [had, came] : [came, had]).map((each) => each.get(AT) as string) as [string, string];
  const now = guarded(had, came);
  expect([now.get(AT), now.get(keptPath(AT, givesWay))]).toEqual([stays, givesWay]);
});

test("a claim that the remote confirmed stands, though a push takes the confirmation away", () => {
  const mine = record("web", { provisional: true });
  const had = tree(mine, decisionPath(S, mine, "confirmed"));
  const now = guarded(had, tree(record("api")));
  expect(now.get(AT)).toBe(had.get(AT));
});

test.each([
  ["a provisional one of another agent", record("web", { provisional: true })],
  ["nothing that can be read", null],
])("a record stands whatever is pushed in its place, where before it lies %s", (_what, before) => {
  const second = record("api", { fence: 2 });
  const chain = (first: string, other: ClaimRecord): Map<string, string> =>
    new Map([
      [AT, idOf(first)],
      [claimPath(S, ID, 2), idOf(formatClaim(other))],
    ]);
  const had = chain(before === null ? "no header" : formatClaim(before), second);
  const now = guarded(had, chain(formatClaim(record("web", { nonce: "forged" })), record("web", { fence: 2, nonce: "forged" })));
  expect(now.get(claimPath(S, ID, 2))).toBe(had.get(claimPath(S, ID, 2)));
});

test.each([AT, resultPath(S, "review-k3f9x2ab7q")])("%s is gone beside its name only where it cannot be read", (path) => {
  const whole =
    path === AT
      ? formatClaim(record("web"))
      : formatResult({ status: "approved", by: "api", at: "2026-01-31T10:00:00.000Z", comments: "" });
  for (const [text, isGone] of [
    ["", true],
    ["?", true],
    [whole, false],
  ] as const) {
    const id = idOf(text);
    const now = guarded(new Map([[path, id]]), new Map([[keptPath(path, id), id]]));
    expect(now.has(path), text).toBe(!isGone);
  }
});

const MESSAGE = "m-20260131-k3f9x2ab-1-1kg9p6je0abcde";
const KEY = parseMessageId(MESSAGE) as MessageLocation;
const UNREAD = unreadPath("web", MESSAGE);
const config = (part: string): [string, string] => [
  "relay.yml",
  idOf(`format: 2\nproject: { id: p, name: s }\nmain: main\nparts:\n  main: {}\n  ${part}\n`),
];
const mail = (...paths: string[]): [string, string][] => [messagePath(KEY), ...paths].map((path) => [path, idOf("a message")]);
const had = new Map([config("web: {}"), ...mail(UNREAD)]);

test.each<[what: string, came: [string, string][], isBack: boolean]>([
  ["its ack", [config("web: {}"), ...mail(readPath("web", MESSAGE, KEY.day))], false],
  ["an ack of other bytes", [config("web: {}"), ...mail(), [readPath("web", MESSAGE, KEY.day), idOf("x".repeat(500_000))]], true],
  ["itself, under the part's new name", [config("page: { formerly: [web] }"), ...mail(unreadPath("page", MESSAGE))], false],
  [
    "other bytes under the part's new name",
    [config("page: { formerly: [web] }"), ...mail(), [unreadPath("page", MESSAGE), idOf("0")]],
    true,
  ],
  ["an ack of other bytes there", [config("page: { formerly: [web] }"), ...mail(), [readPath("page", MESSAGE, KEY.day), idOf("0")]], true],
])("of an unread name whose place %s took", (_what, came, isBack) => {
  expect(guarded(had, new Map(came)).has(UNREAD)).toBe(isBack);
  expect(merged(had, new Map([...had, ["memory/project.md", idOf("# new\n")]]), new Map(came)).has(UNREAD)).toBe(isBack);
});
