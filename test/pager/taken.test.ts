/** A doorbell counts as delivered only where its agent took it: a line that got lost is typed again, and one that was taken never is. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Ring } from "../../pager/rung.ts";
import { newMemory } from "../../pager/tmux/doorbell.ts";
import { tmuxRung } from "../../pager/tmux/tmux-typing.ts";
import { until } from "../rig/scratch.ts";
import { endTerminals, hasTmux, Person, ringOf, StubAgent, Terminal } from "../rig/terminal.ts";

afterEach(endTerminals);

describe.skipIf(!hasTmux)("a line in a terminal", () => {
  let terminal: Terminal;
  let agent: StubAgent;
  beforeEach(async () => {
    terminal = new Terminal();
    agent = await StubAgent.start(terminal, "web", "codex");
  });
  /** The rung as one pager has it, ring after ring of one wake. */
  const rungs = () => tmuxRung(agent.target, "auto", { memory: newMemory() });
  /** What each further ring of a wake that was committed is. */
  const again = (ring: Ring): Ring => ({ ...ring, resumed: true, commit: () => false });
  const forgotten = () => agent.log().filter(({ forgot }) => forgot !== undefined);

  test("that a program threw away before it listened is typed again, and entered once", async () => {
    const [ring, rung] = [ringOf(), rungs()];
    await agent.tell("deaf");
    expect(await rung.ring(ring)).toEqual({ kind: "waiting", reason: "no_echo" });
    await agent.tell("quiet");
    expect(await rung.ring(again(ring))).toEqual({ kind: "typed" });
    expect(agent.submitted()).toEqual([ring.line]);
    expect(await rung.ring(again(ring))).toMatchObject({ kind: "typed" });
    expect(agent.submitted()).toEqual([ring.line]);
    expect(ring.commits).toBe(1);
  });

  test("that left the input and came to nothing is typed again, so often and no more; then it did not reach the part", async () => {
    const [ring, rung] = [ringOf(), rungs()];
    await agent.tell("forget");
    expect(await rung.ring(ring)).toEqual({ kind: "waiting", reason: "not_taken" });
    expect(await rung.ring(again(ring))).toEqual({ kind: "waiting", reason: "not_taken" });
    expect(await rung.ring(again(ring))).toEqual({ kind: "waiting", reason: "not_taken" });
    expect(await rung.ring(again(ring))).toEqual({ kind: "unreachable", reason: "not_taken" });
    expect(forgotten()).toHaveLength(3);
    const next = ringOf();
    await agent.tell("quiet");
    expect(await rung.ring(next)).toEqual({ kind: "typed" });
    expect(agent.submitted()).toEqual([next.line]);
  });

  test("that stands in the input after Enter is entered once more", async () => {
    const ring = ringOf();
    await agent.tell("once");
    expect(await rungs().ring(ring)).toEqual({ kind: "typed" });
    expect(agent.submitted()).toEqual([ring.line]);
  });

  test("that a person removed is theirs, and is not typed again", async () => {
    const person = await new Person(terminal).attached();
    const [ring, rung] = [ringOf(), rungs()];
    await agent.tell("deaf");
    // Who attached just now has pressed a key just now.
    const ringing = until("they are quiet", async () => JSON.stringify(await rung.ring(ring)).includes("person_typing") === false);
    await until("the text is typed", () => terminal.tmux("display-message", "-p", "-t", agent.pane, "#{@relay_typed}") === ring.wakeId);
    person.press("BSpace");
    await ringing;
    await agent.tell("quiet");
    await until("it is over", async () => (await rung.ring(again(ring))).kind === "typed");
    expect(agent.submitted()).toEqual([]);
  });

  test("that another pager typed is not typed again by who takes over", async () => {
    const ring = ringOf();
    await agent.tell("deaf");
    await rungs().ring(ring);
    await agent.tell("quiet");
    expect(await rungs().ring(again(ring))).toMatchObject({ kind: "typed" });
    expect(agent.submitted()).toEqual([]);
  });
});
