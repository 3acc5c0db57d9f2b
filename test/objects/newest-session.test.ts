/** Which session a call means where it names none, by the ids of all. */
import { expect, test } from "vitest";
import { newestOpen } from "../../protocol/objects/session/newest-open.ts";
import { type Session, sessionId } from "../../protocol/objects/session/session.ts";
import { fc } from "../rig/properties.ts";

const DAY_MS = 86_400_000;
const from = Date.parse("2026-01-01T00:00:00.000Z");

/** A session of a day, begun at some time of it, or a moment after its end. */
const session = fc
  .record({ day: fc.nat(6), ms: fc.nat(DAY_MS + 50), number: fc.nat(900), isOpen: fc.boolean(), isOthers: fc.boolean() })
  .map(({ day, ms, number, isOpen, isOthers }) => {
    const startedAt = new Date(from + day * DAY_MS + ms).toISOString();
    const name = new Date(from + day * DAY_MS).toISOString().slice(0, 10);
    return { isOpen, session: { id: isOthers ? `shop-${number}` : sessionId(name, number + 1, "K3F9"), startedBy: "web", startedAt } };
  });

test("the newest session that goes on is found without those of earlier days", () => {
  const property = fc.property(fc.uniqueArray(session, { selector: (each) => each.session.id, maxLength: 30 }), (all) => {
    const open = new Map(all.filter(({ isOpen }) => isOpen).map((each) => [each.session.id, each.session as Session]));
    const openOf = (ids: readonly string[]): Session[] => ids.flatMap((id) => open.get(id) ?? []);
    const found = newestOpen(
      all.map((each) => each.session.id),
      openOf,
      () => true,
    );
    const newest = (some: Iterable<Session>): string =>
      [...some].reduce((last, { startedAt }) => (startedAt > last ? startedAt : last), "");
    expect(newest(found)).toBe(newest(open.values()));
  });
  fc.assert(property);
});

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
