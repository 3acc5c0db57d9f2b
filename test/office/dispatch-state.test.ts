/** What a dispatch is at, from its facts alone; and its pages and contexts. */
import { expect, test } from "vitest";
import { contextOf, randomOf, readContext, uuidOf } from "../../protocol/office/nouns/dispatch.ts";
import {
  type DispatchFacts,
  deriveState,
  isAtWork,
  mustWait,
  nextReason,
  runningTurn,
} from "../../protocol/office/nouns/dispatch-state.ts";
import { PAGE, pageOf, pagesOf } from "../../protocol/office/nouns/pages.ts";
import { OUTCOMES } from "../../protocol/office/nouns/turn.ts";
import { sha256 } from "../../protocol/store/digest.ts";
import { fc } from "../rig/properties.ts";

const NOTHING = { fromInitiator: false, question: false, reply: false };
const facts = (changes: Partial<DispatchFacts> & { outcomes?: readonly (typeof OUTCOMES)[number][]; runs?: boolean }): DispatchFacts => {
  const { outcomes = [], runs = false, ...rest } = changes;
  const ends = outcomes.map((outcome, at) => ({ turn: at + 1, outcome }));
  const turns = Array.from({ length: ends.length + (runs ? 1 : 0) }, (_, at) => ({ turn: at + 1 }));
  return { turns, ends, closed: null, untaken: NOTHING, childrenAtWork: 0, asks: false, ...rest };
};
const closed = { by: "web", at: "2026-01-31T09:30:00.000Z" };
const came = (what: Partial<DispatchFacts["untaken"]>): DispatchFacts["untaken"] => ({ ...NOTHING, ...what });

test.each([
  ["its text came", facts({ untaken: came({ fromInitiator: true }) }), "queued", "start"],
  ["it has none", facts({}), "idle", null],
  ["a turn runs", facts({ runs: true }), "running", null],
  ["a turn runs, and more came", facts({ runs: true, untaken: came({ fromInitiator: true }) }), "running", null],
  ["it replied", facts({ outcomes: ["ok"] }), "idle", null],
  ["it replied, and more came", facts({ outcomes: ["ok"], untaken: came({ fromInitiator: true }) }), "queued", "message"],
  ["a worker below works", facts({ outcomes: ["waiting"], childrenAtWork: 1 }), "waiting", null],
  ["one of two replied", facts({ outcomes: ["waiting"], childrenAtWork: 1, untaken: came({ reply: true }) }), "waiting", null],
  ["all replied", facts({ outcomes: ["waiting"], untaken: came({ reply: true }) }), "queued", "replies"],
  ["a worker below asks", facts({ outcomes: ["waiting"], childrenAtWork: 2, untaken: came({ question: true }) }), "queued", "question"],
  ["it asked", facts({ outcomes: ["waiting"], asks: true }), "waiting", null],
  ["it failed", facts({ outcomes: ["failed"] }), "failed", null],
  ["it failed, and a worker below replied", facts({ outcomes: ["timeout"], untaken: came({ reply: true }) }), "failed", null],
  ["it failed, and more came", facts({ outcomes: ["failed"], untaken: came({ fromInitiator: true }) }), "queued", "message"],
  ["it was interrupted", facts({ outcomes: ["ok", "interrupted"] }), "queued", "interrupted"],
  ["it was closed", facts({ runs: true, closed, untaken: came({ fromInitiator: true }) }), "closed", null],
] as const)("where %s", (_when, given, state, reason) => {
  expect([deriveState(given), nextReason(given)]).toEqual([state, reason]);
});

const anyFacts = fc
  .record({
    outcomes: fc.array(fc.constantFrom(...OUTCOMES), { maxLength: 4 }),
    runs: fc.boolean(),
    closed: fc.constantFrom(null, closed),
    untaken: fc.record({ fromInitiator: fc.boolean(), question: fc.boolean(), reply: fc.boolean() }),
    childrenAtWork: fc.nat(3),
    asks: fc.boolean(),
  })
  .map(facts);

test("whatever the facts: a turn is due exactly where it is queued, at most one runs, and what is open has a slot", () => {
  fc.assert(
    fc.property(anyFacts, (given) => {
      const state = deriveState(given);
      expect(nextReason(given) !== null).toBe(state === "queued");
      if (given.closed === null) expect(state === "running").toBe(runningTurn(given) !== null);
      expect(state === "closed").toBe(given.closed !== null);
      // Whoever wrote is heard, and whoever asks from below too.
      if (given.closed === null && (given.untaken.fromInitiator || given.untaken.question)) expect(isAtWork(state)).toBe(true);
      // Nothing of those below is lost by an end that counts as a reply.
      if (state === "waiting") expect(mustWait(given)).toBe(true);
      // It is a function of the facts, in whatever order they were read.
      expect(deriveState({ ...given, turns: [...given.turns].reverse(), ends: [...given.ends].reverse() })).toBe(state);
    }),
  );
});

test("the pages of a text are the text, and split no character", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom("a".repeat(PAGE - 1), "é", "😀", "b".repeat(PAGE), "\n"), { maxLength: 8 }), (pieces) => {
      const text = pieces.join("");
      const pages = Array.from({ length: pagesOf(text) }, (_, at) => pageOf(text, at + 1));
      expect(pages.join("")).toBe(text);
      expect(pages.every((page) => page.isWellFormed() && page.length <= PAGE + 1)).toBe(true);
    }),
  );
});

test("a context says who gave work to whom, and the same one leads to the same thread", () => {
  const context = contextOf("om", "shop/coding/lead", uuidOf(sha256("one")));
  expect(readContext(context)).toEqual({ initiator: "om", recipient: "shop/coding/lead" });
  expect(randomOf(context, sha256)).toMatch(/^[0-9a-hjkmnp-tv-z]{8}$/);
  for (const wrong of ["", "agent:om:shop/lead", context.replace("-4", "-5"), context.replace("om", ""), `${context} `])
    expect(readContext(wrong), wrong).toBeNull();
});
