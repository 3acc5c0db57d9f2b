/** The word for what a part does, and its place among the parts. */
import { expect, test } from "vitest";
import { doingOf, type Part } from "../../dashboard/web/state/doing.ts";

const NOW_MS = Date.parse("2026-03-01T12:00:00Z");
const ago = (minutes: number): string => new Date(NOW_MS - minutes * 60_000).toISOString();
const failed = ["failed", "left", "released"].map((became) => ({ part: "web", became }));

test.each<[word: string, part: Partial<Part>, stories?: typeof failed, asking?: string[]]>([
  ["at a prompt", { presence: "working", terminal: "dialog", limitedUntil: ago(-5) }],
  ["at a prompt", { unread: 1, presence: "idle", wake: { state: "kept back", reason: "dialog" } }],
  ["stuck", { presence: "idle", task: "T", seenAt: ago(15) }],
  ["stuck", { presence: "idle", unread: 1 }, failed],
  ["waiting for you", { presence: "working", seenAt: ago(1) }, [], ["web"]],
  ["idle with mail", { presence: "idle", unread: 2, seenAt: ago(20) }, failed.slice(1)],
  ["working", { presence: "working", task: "T", seenAt: ago(1) }],
  ["waiting for mail", { presence: "waiting", task: "T", seenAt: ago(30) }],
  ["idle", { presence: "idle", seenAt: ago(20) }],
  ["offline", { presence: "idle", online: false, seenAt: ago(20) }],
  ["never seen", { presence: "never", online: false }],
])("%s", (word, part, stories = [], asking = []) => {
  const whole: Part = { part: "web", online: true, main: false, you: false, unread: 0, agent: null, ...part };
  expect(doingOf(whole, stories, new Set(asking), NOW_MS).word).toBe(word);
});
