import { expect, test } from "vitest";
import { permitOf, type Spent, wakePolicy } from "../../protocol/core/config/wake-policy.ts";
import { doorbellLine, dueAt, leaseOver, reduce } from "../../protocol/wake/nouns/wake.ts";
import { formatStep, parseStep, stepOf, wakePath } from "../../protocol/wake/nouns/wake-record.ts";
import { IDLE, type WakeEvent, type WakeState } from "../../protocol/wake/nouns/wake-state.ts";
import { fc, runs } from "../rig/properties.ts";

const HOUR = 3_600_000;
const POLICY = wakePolicy({ budget: { per_hour: 4, home_minimum: 2, part_minimum: 1, urgent: 2 }, cooldown: { wakes: 3, within_s: 900 } });
const PARTS = ["one/a", "one/b", "one/c", "two/a", "two/b"];
const homeOf = (part: string): string => part.split("/")[0] as string;

/** What can happen, at random: `who` is one of three pagers. */
type Step =
  | { do: "send" | "ack" | "fetch" | "scan"; part: number; urgent: boolean }
  | { do: "lease" | "commit" | "kill" | "renew"; who: number; part: number }
  | { do: "report"; who: number; outcome: "typed" | "noticed" | "waiting" | "unreachable" | "released" }
  | { do: "pass"; ms: number };

const part = fc.nat(PARTS.length - 1);
const who = fc.nat(2);
const outcome = fc.constantFrom("typed" as const, "noticed" as const, "waiting" as const, "unreachable" as const, "released" as const);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom("send" as const, "scan" as const), part, urgent: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("ack" as const, "fetch" as const), part, urgent: fc.constant(false) }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constantFrom("lease" as const, "commit" as const), who, part }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("kill" as const, "renew" as const), who, part }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("report" as const), who, outcome }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("pass" as const), ms: fc.oneof(fc.nat(60_000), fc.nat(HOUR)) }) },
);

interface Mail {
  unread: number;
  unseen: boolean;
  fresh: boolean;
  urgent: boolean;
}
const NO_MAIL: Mail = { unread: 0, unseen: false, fresh: false, urgent: false };

/** A whole world in memory: what the disk and the processes would be. */
class Room {
  nowMs = Date.parse("2026-01-31T09:30:00Z");
  ids = 0;
  states = new Map<string, WakeState>(PARTS.map((name) => [name, IDLE]));
  mail = new Map(PARTS.map((name) => [name, { ...NO_MAIL }]));
  spent: (Spent & { wakeId: string })[] = [];
  renewed = new Map<string, number>();
  dead = new Set<string>();
  holds = new Map<number, { part: string; wakeId: string; name: string }>();
  lives = [0, 0, 0];
  /** Every delivery; `free` once something happened that allows another. */
  rung = new Map<string, { atMs: number; free: boolean }>();
  delivered: string[] = [];

  permit(name: string) {
    const { urgent } = this.mail.get(name) as { urgent: boolean };
    return permitOf({ nowMs: this.nowMs, home: homeOf(name), part: name, urgent, limitedUntilMs: null, spent: this.spent }, POLICY);
  }
  apply(name: string, event: WakeEvent): boolean {
    const before = this.states.get(name) as WakeState;
    const after = reduce(before, event, POLICY);
    if (after === null) return false;
    this.states.set(name, after);
    return true;
  }
  hold(name: string) {
    const state = this.states.get(name) as WakeState;
    const holder = state.kind === "leased" || state.kind === "typed" ? state.holder : null;
    return { gone: holder !== null && (holder === "" || this.dead.has(holder)), renewedMs: this.renewed.get(`${name} ${holder}`) ?? 0 };
  }
  scan(name: string, heard = false): void {
    this.ids += 1;
    const mail = this.mail.get(name) as Mail;
    this.apply(name, {
      kind: "scan",
      nowMs: this.nowMs,
      newId: `w-${this.ids}`,
      ...mail,
      heard,
      permit: this.permit(name),
      ...this.hold(name),
    });
    const state = this.states.get(name) as WakeState;
    if (state.kind === "expired") this.scan(name);
  }
  lease(pager: number, name: string): void {
    this.scan(name);
    const holder = `${pager}.${this.lives[pager]}`;
    const rung = pager === 2 ? "exec" : "tmux";
    const mail = this.mail.get(name) as { unread: number; urgent: boolean };
    const { unread, urgent } = mail;
    if (!this.apply(name, { kind: "lease", nowMs: this.nowMs, rung, holder, unread, urgent, ...this.hold(name) })) return;
    this.holds.set(pager, { part: name, wakeId: (this.states.get(name) as { wakeId: string }).wakeId, name: holder });
  }
  commit(pager: number): void {
    const held = this.holds.get(pager);
    if (held === undefined) return;
    this.scan(held.part);
    const state = this.states.get(held.part) as WakeState;
    const permit = this.permit(held.part);
    if (state.kind !== "leased" || state.wakeId !== held.wakeId || !permit.ok) return;
    if (!this.apply(held.part, { kind: "commit", nowMs: this.nowMs, wakeId: held.wakeId })) return;
    // Never two deliveries of one wake, and never a second for mail that one was delivered for, before its re-fire.
    expect(this.delivered).not.toContain(held.wakeId);
    this.delivered.push(held.wakeId);
    (this.mail.get(held.part) as Mail).fresh = false;
    const last = this.rung.get(held.part);
    if (last !== undefined && !last.free) expect(this.nowMs - last.atMs).toBeGreaterThanOrEqual(POLICY.refireMs);
    this.rung.set(held.part, { atMs: this.nowMs, free: false });
    this.checkBudget(held.part, state.urgent, permit.pot);
    this.spent.push({ atMs: this.nowMs, home: homeOf(held.part), part: held.part, pot: permit.pot, wakeId: held.wakeId });
  }
  /** Counted here in another way than the policy does. */
  checkBudget(name: string, urgent: boolean, pot: Spent["pot"]): void {
    const hour = this.spent.filter(({ atMs }) => this.nowMs - atMs < HOUR);
    const ordinary = hour.filter((each) => each.pot !== "urgent").length;
    const ofPart = hour.filter((each) => each.part === name).length;
    const ofHome = hour.filter((each) => each.home === homeOf(name)).length;
    if (ordinary >= POLICY.perHour) {
      const guaranteed = ofPart < POLICY.partMinimum || ofHome < POLICY.homeMinimum;
      expect(guaranteed || (urgent && hour.length - ordinary < POLICY.urgent), "the budget was exceeded").toBe(true);
      expect(pot).toBe(guaranteed ? "minimum" : "urgent");
    }
    const recent = this.spent.filter((each) => each.part === name && this.nowMs - each.atMs < POLICY.cooldownMs).length;
    expect(recent, "the cooldown was broken").toBeLessThan(POLICY.cooldownWakes);
  }
  report(pager: number, kind: "typed" | "noticed" | "waiting" | "unreachable" | "released"): void {
    const held = this.holds.get(pager);
    if (held === undefined) return;
    this.ids += 1;
    const before = this.states.get(held.part) as WakeState;
    const accepted = this.apply(held.part, {
      kind: "report",
      nowMs: this.nowMs,
      newId: `w-${this.ids}`,
      wakeId: held.wakeId,
      outcome: kind,
      reason: "test",
    });
    const active = "wakeId" in before && before.wakeId === held.wakeId;
    if (!active) expect(accepted, "a stale report was taken").toBe(false);
    const after = this.states.get(held.part) as WakeState;
    if (before.kind === "typed" && after.kind === "owed") {
      (this.rung.get(held.part) as { free: boolean }).free = true;
      this.spent = this.spent.filter(({ wakeId }) => wakeId !== held.wakeId);
    }
    if (kind !== "waiting") this.holds.delete(pager);
  }
  run(each: Step): void {
    switch (each.do) {
      case "send":
      case "ack":
      case "fetch":
      case "scan": {
        const name = PARTS[each.part] as string;
        const mail = this.mail.get(name) as Mail;
        if (each.do === "send")
          this.mail.set(name, { unread: mail.unread + 1, unseen: true, fresh: true, urgent: mail.urgent || each.urgent });
        if (each.do === "ack") this.mail.set(name, { ...NO_MAIL });
        if (each.do === "fetch") this.mail.set(name, { ...mail, unseen: false, fresh: false, urgent: false });
        this.scan(name, each.do === "fetch");
        const last = this.rung.get(name);
        if (last !== undefined && (each.do === "ack" || each.do === "fetch")) last.free = true;
        this.checkMinimum(name);
        break;
      }
      case "lease":
        this.lease(each.who, PARTS[each.part] as string);
        break;
      case "commit":
        this.commit(each.who);
        break;
      case "renew": {
        const held = this.holds.get(each.who);
        if (held !== undefined) this.renewed.set(`${held.part} ${held.name}`, this.nowMs);
        break;
      }
      case "kill":
        this.dead.add(`${each.who}.${this.lives[each.who]}`);
        this.lives[each.who] = (this.lives[each.who] as number) + 1;
        // A process that was only suspended goes on under its old name.
        if (each.part % 2 === 0) this.holds.delete(each.who);
        break;
      case "report":
        this.report(each.who, each.outcome);
        break;
      case "pass":
        this.nowMs += each.ms;
    }
  }
  checkMinimum(name: string): void {
    const state = this.states.get(name) as WakeState;
    const ofPart = this.spent.filter((each) => each.part === name && this.nowMs - each.atMs < HOUR).length;
    if (state.kind === "suppressed") expect(ofPart, "a part was denied its minimum").toBeGreaterThanOrEqual(POLICY.partMinimum);
    const { unread } = this.mail.get(name) as { unread: number };
    if (unread === 0) expect(["idle", "settled"]).toContain(state.kind);
    else expect(["idle", "settled", "expired"]).not.toContain(state.kind);
  }
  /** From now on one pager does its work, and time passes: whatever is unread is delivered, or was and is owed again. */
  settleDown(): void {
    this.dead = new Set(["0.0", "1.0", "2.0", ...this.dead]);
    this.lives = [1_000, 1_000, 1_000];
    this.holds.clear();
    const waiting = PARTS.filter((name) => (this.mail.get(name) as { unread: number }).unread > 0);
    const from = this.nowMs;
    const reached = new Set<string>();
    for (let round = 0; round < 40 && reached.size < waiting.length; round += 1) {
      for (const name of waiting) {
        const before = this.delivered.length;
        this.lease(0, name);
        this.commit(0);
        if (this.holds.has(0)) this.report(0, "typed");
        if (this.delivered.length > before) reached.add(name);
      }
      this.nowMs += 300_000;
    }
    expect([...reached].sort(), `within ${(this.nowMs - from) / HOUR} h`).toEqual(waiting.sort());
  }
}

test("over long random histories: one wake a batch, the budget holds, each part has its minimum, nothing is lost", () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 20, maxLength: 300 }), (history) => {
      const room = new Room();
      for (const each of history) room.run(each);
      room.settleDown();
    }),
    { numRuns: runs(10_000) },
  );
});

test("a clock that is set back by hours makes nothing wait for hours", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: HOUR, max: 48 * HOUR }), (history, back) => {
      const room = new Room();
      for (const each of history) room.run(each);
      room.nowMs -= back;
      for (const [name, last] of room.rung) {
        last.atMs = Math.min(last.atMs, room.nowMs);
        // Owed again before the clock was set back.
        last.free ||= !["typed", "noticed"].includes((room.states.get(name) as WakeState).kind);
      }
      room.spent = [];
      room.settleDown();
    }),
    { numRuns: runs(5_000) },
  );
});

const scanned = (more: Partial<Extract<WakeEvent, { kind: "scan" }>>): WakeEvent => ({
  kind: "scan",
  nowMs: 1_000_000,
  newId: "w-new",
  unread: 1,
  unseen: true,
  fresh: more.unseen ?? true,
  heard: false,
  urgent: false,
  permit: { ok: true, pot: "budget" },
  gone: false,
  renewedMs: 0,
  ...more,
});
const follow = (state: WakeState, ...events: WakeEvent[]): WakeState =>
  events.reduce((at, event) => reduce(at, event, wakePolicy()) as WakeState, state);
const leased = (nowMs: number, rung: "tmux" | "exec" = "tmux", holder = "a"): WakeEvent => ({
  kind: "lease",
  nowMs,
  rung,
  holder,
  unread: 1,
  urgent: false,
  gone: false,
  renewedMs: 0,
});

test("a committed wake of a lost holder can be finished in a terminal, under its own id, and by no other rung", () => {
  const typed = follow(IDLE, scanned({}), leased(1_000_000), { kind: "commit", nowMs: 1_000_100, wakeId: "w-new" });
  expect(reduce(typed, leased(1_010_000, "tmux", "b"), wakePolicy()), "held").toBeNull();
  const later: WakeEvent = { ...(leased(1_010_000, "tmux", "b") as Extract<WakeEvent, { kind: "lease" }>), gone: true };
  expect(reduce(typed, { ...later, rung: "exec" }, wakePolicy())).toBeNull();
  // No terminal shows how far a command came.
  const ran = follow(IDLE, scanned({}), leased(1_000_000, "exec"), { kind: "commit", nowMs: 1_000_100, wakeId: "w-new" });
  expect(reduce(ran, { ...later, rung: "exec" }, wakePolicy())).toBeNull();
  const resumed = follow(typed, later);
  expect(resumed).toMatchObject({ kind: "typed", wakeId: "w-new", holder: "b", resumed: true });
  expect(reduce(resumed, { kind: "commit", nowMs: 1_010_001, wakeId: "w-new" }, wakePolicy()), "no second right").toBeNull();
  const gone: WakeEvent = {
    kind: "report",
    nowMs: 1_010_002,
    newId: "w-2",
    wakeId: "w-new",
    outcome: "unreachable",
    reason: "nothing_left",
  };
  expect(follow(resumed, gone), "the re-fire does the rest").toMatchObject({ kind: "typed", reported: true });
});

test("a lease is over once its time is, and where it was taken by a clock that was far ahead", () => {
  const isOver = (leasedMs: number): boolean => leaseOver({ leasedMs }, 1_000_000, { gone: false, renewedMs: 0 }, wakePolicy());
  expect([1_000_000 - 45_000, 1_000_000 - 44_999, 1_005_000, 1_005_001, 1_000_000 + HOUR].map(isOver)).toEqual([
    ...[true, false, false],
    ...[true, true],
  ]);
});

test("fetched mail that is left unread for ten minutes is owed again, and stays so until it is rung", () => {
  const noticed = follow(
    IDLE,
    scanned({}),
    leased(1_000_000),
    { kind: "commit", nowMs: 1_000_000, wakeId: "w-new" },
    scanned({ unseen: false }),
  );
  expect(noticed).toMatchObject({ kind: "noticed", fetched: true });
  const nowMs = 1_600_000;
  expect(follow(noticed, scanned({ unseen: false, nowMs: nowMs - 1 })).kind).toBe("noticed");
  const owed = follow(
    noticed,
    scanned({ unseen: false, nowMs }),
    scanned({ unseen: false, nowMs, newId: "w-2" }),
    scanned({ unseen: false, nowMs }),
  );
  expect(owed).toMatchObject({ kind: "owed", wakeId: "w-2" });
  const permit = { ok: false, reason: "budget", untilMs: nowMs + 5 } as const;
  const kept = follow(owed, scanned({ unseen: false, nowMs, permit }), scanned({ unseen: false, nowMs: nowMs + 5, newId: "w-3" }));
  expect(kept).toMatchObject({ kind: "owed", wakeId: "w-3" });
  const held = follow(kept, leased(nowMs + 5), scanned({ unseen: false, nowMs: nowMs + 5 }));
  expect(held.kind).toBe("leased");
  const lost = follow(
    held,
    scanned({ unseen: false, nowMs: nowMs + 50_005, newId: "w-4" }),
    scanned({ unseen: false, nowMs: nowMs + 50_005 }),
  );
  expect(lost).toMatchObject({ kind: "owed", wakeId: "w-4" });
  const rung = follow(
    lost,
    leased(nowMs + 50_005),
    { kind: "commit", nowMs: nowMs + 50_005, wakeId: "w-4" },
    scanned({ unseen: false, nowMs: nowMs + 50_006 }),
  );
  expect(rung.kind, "one more nudge, and no other before its own re-fire").toBe("typed");
  expect(follow(rung, scanned({ unread: 0, unseen: false })).kind).toBe("settled");
});

test("fetched mail needs no nudge; new mail after it does, at once or as late as the policy says", () => {
  const noticed = follow(IDLE, scanned({}), scanned({ unseen: false }));
  expect(noticed).toMatchObject({ kind: "noticed", fetched: true });
  const nowMs = 1_010_000;
  expect(follow(noticed, scanned({ unread: 2, fresh: false, nowMs })).kind).toBe("noticed");
  expect(follow(noticed, scanned({ unread: 2, nowMs: nowMs - 1 })).kind, "a burst is one").toBe("noticed");
  expect(follow(noticed, scanned({ unread: 2, nowMs }), scanned({ unread: 2, nowMs })).kind).toBe("owed");
  const policy = wakePolicy({ again_s: 60, debounce_s: 5 });
  expect(reduce(noticed, scanned({ unread: 2, nowMs: 1_059_999 }), policy)?.kind).toBe("noticed");
  const expired = reduce(noticed, scanned({ unread: 2, nowMs: 1_060_000 }), policy) as WakeState;
  expect(expired.kind).toBe("expired");
  expect(reduce(expired, scanned({ nowMs: 1_060_000 }), policy)).toMatchObject({ kind: "owed", notBeforeMs: 1_065_000 });
  expect(dueAt(noticed, policy, 1_000_000)).toBe(1_060_000);
  expect(dueAt(noticed, policy, 1_060_000), "no file changes, and nothing is due before").toBe(1_600_000);
});

test("a part that looked at some of its mail heard the doorbell; one that looked at none did not", () => {
  const rung = follow(IDLE, scanned({}), leased(1_000_000), { kind: "commit", nowMs: 1_000_000, wakeId: "w-new" });
  expect(follow(rung, scanned({ heard: true, fresh: false })).kind, "not said yet whether it came").toBe("typed");
  const typed = follow(rung, { kind: "report", nowMs: 1_000_000, newId: "", wakeId: "w-new", outcome: "typed" });
  expect(follow(typed, scanned({ unread: 2 })).kind).toBe("typed");
  const heard = follow(typed, scanned({ unread: 2, heard: true, fresh: false }));
  expect(heard).toMatchObject({ kind: "noticed", fetched: true });
  expect(follow(heard, scanned({ unread: 2, fresh: false, nowMs: 1_010_000 })).kind, "it was told of the other").toBe("noticed");
  expect(follow(heard, scanned({ unread: 3, nowMs: 1_010_000 })).kind).toBe("expired");
});

test("a part that no rung reaches is tried later each time, and at once when mail is urgent only the first time", () => {
  let state: WakeState = follow(IDLE, scanned({}));
  let nowMs = 1_000_000;
  const pauses: number[] = [];
  for (let round = 0; round < 8; round += 1) {
    const { wakeId } = state as { wakeId: string };
    state = follow(state, leased(nowMs), { kind: "report", nowMs, newId: "w-a", wakeId, outcome: "unreachable", reason: "no_pane" });
    expect(reduce(state, leased(nowMs), wakePolicy()), "tried").toBeNull();
    const from = nowMs;
    while (reduce(state, leased(nowMs), wakePolicy()) === null) {
      nowMs += 1_000;
      state = follow(state, scanned({ nowMs }));
    }
    pauses.push((nowMs - from) / 1_000);
  }
  expect(pauses).toEqual([30, 60, 120, 240, 480, 600, 600, 600]);
});

test("every state is read back, and none that lacks something or has something else in its place", () => {
  const rung = {
    wakeId: "w-1",
    sinceMs: 1,
    rung: "tmux",
    holder: "1-2-3-4",
    leasedMs: 2,
    unread: 1,
    urgent: false,
    tried: [],
    fails: 0,
  } as const;
  const about = { wakeId: "w-1", sinceMs: 1, atMs: 2 };
  const all: WakeState[] = [
    IDLE,
    { kind: "owed", ...about, tried: ["channel"], fails: 1, notBeforeMs: 3 },
    { kind: "leased", ...rung, tried: [] },
    { kind: "typed", ...rung, tried: [], atMs: 3, reported: true, resumed: false },
    { kind: "noticed", ...about, rung: null, fetched: true },
    { kind: "settled", wakeId: "w-1", atMs: 2 },
    { kind: "expired", ...about },
    { kind: "suppressed", ...about, reason: "budget", untilMs: 9 },
  ];
  for (const state of all) {
    const record = { n: 7, atMs: 1_000_000, state };
    expect(parseStep(formatStep(record))).toEqual(record);
    expect(stepOf(wakePath("shop/api", 7).split("/").at(-1) as string)).toBe(7);
    for (const name of Object.keys(state)) {
      if (["kind", "urgent", "reason", "reported", "resumed"].includes(name) || (name === "rung" && state.kind === "noticed")) continue;
      for (const value of [undefined, null, {}, [7]])
        expect(parseStep(JSON.stringify({ ...JSON.parse(formatStep(record)), [name]: value })), `${state.kind} ${name}`).toBeNull();
    }
  }
  for (const torn of ["", "{", "null", "[]", '{"n":1}', '{"n":1,"kind":"other"}', '{"n":1,"kind":"toString"}'])
    expect(parseStep(torn)).toBeNull();
});

test("the doorbell is one line that a shell would not run as anything", () => {
  const line = doorbellLine("shop/api", 3, "w-k3f9x2ab");
  expect(line).toMatch(/^[A-Za-z0-9 :,./-]+$/);
  expect(line.length).toBeLessThan(120);
});
