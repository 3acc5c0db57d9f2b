/** Which session a call means where it names none, by the ids of all. */
import { expect, test } from "vitest";
import { newestOpen } from "../../protocol/board/nouns/newest-open.ts";
import { type Session, sessionId } from "../../protocol/board/nouns/session.ts";

test("days before the last two with one that goes on are not asked, and one that cannot be read, or is older than it says, ends nothing", () => {
  const made = (day: string, startedAt = `${day}T09:00:00.000Z`): Session => ({
    id: sessionId(day, 1, "K3F9"),
    startedBy: "web",
    startedAt,
  });
  const days = ["2026-01-05", "2026-01-04", "2026-01-03", "2026-01-02"];
  const asked = (all: readonly Session[], isRead = (_session: Session) => true): string[] => {
    const seen: string[] = [];
    const openOf = (ids: readonly string[]): Session[] => {
      seen.push(...ids);
      return all.filter(({ id }) => ids.includes(id));
    };
    newestOpen(["shop", ...all.map(({ id }) => id).sort()], openOf, isRead);
    return seen.map((id) => id.slice(0, 10));
  };
  const all = days.map((day) => made(day));
  expect(asked(all)).toEqual(["shop", ...days.slice(0, 2)]);
  expect(asked(all, ({ id }) => !id.startsWith("2026-01-05"))).toEqual(["shop", ...days.slice(0, 3)]);
  expect(asked([made("2026-01-05", "2020-01-01T09:00:00.000Z"), ...all.slice(1)])).toEqual(["shop", ...days.slice(0, 3)]);
});
