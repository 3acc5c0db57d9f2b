import fs from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { Ring } from "../../pager/rung.ts";
import { tmuxRung } from "../../pager/tmux/tmux-typing.ts";
import { count } from "../rig/counts.ts";
import { pause } from "../rig/hurt.ts";
import { type Worker, work } from "../rig/processes.ts";
import { until } from "../rig/scratch.ts";
import { endTerminals, hasTmux, Person, ringOf, StubAgent, Terminal } from "../rig/terminal.ts";

afterEach(endTerminals);

const SENTENCE = "do not send this";
/** A ring takes about this long on an idle pane. */
const RING_MS = 900;

describe.skipIf(!hasTmux)("typing into a terminal", () => {
  test(`a person who types at a random moment: no sentence of theirs is ever submitted, ${count(10, 200)} tries`, async () => {
    const terminal = new Terminal();
    const agent = await StubAgent.start(terminal);
    const person = await new Person(terminal).attached();
    const rung = tmuxRung(agent.target);
    const lines: string[] = [];
    let entered = 0;
    for (let round = 0; round < count(10, 200); round += 1) {
      const ring = ringOf();
      lines.push(ring.line);
      await until("a first look that finds nobody typing", async () => (await typesNow(agent)) === false);
      const ringing = rung.ring(ring);
      await pause(Math.random() * RING_MS);
      for (const letter of SENTENCE) {
        person.type(letter);
        if (Math.random() < 0.3) await pause(Math.random() * 60);
      }
      const outcome = await ringing;
      if (outcome.kind === "typed") {
        entered += 1;
        await until("the nudge", () => agent.submitted().includes(ring.line));
      } else expect(outcome.kind).toBe("waiting");
      await until("all that was typed is there", () =>
        agent.terminal.shows(agent.pane).replace(/\s/g, "").includes(SENTENCE.replace(/\s/g, "")),
      );
      // Nobody sends it later, either.
      if (round % 10 === 0) expect(await rung.ring(ring)).toMatchObject({ kind: "waiting" });
      agent.keys("C-u");
      await until("it is cleared", () => /^>$/m.test(terminal.shows(agent.pane)));
    }
    expect(agent.submitted().filter((line) => !lines.includes(line))).toEqual([]);
    expect(new Set(agent.submitted()).size).toBe(agent.submitted().length);
    expect(agent.submitted().length).toBe(entered);
  });

  test(`a pager killed between the text and Enter, ${count(3, 100)} rounds: never twice, never stuck`, async () => {
    const terminal = new Terminal();
    const agent = await StubAgent.start(terminal);
    for (let round = 0; round < count(3, 100); round += 1) {
      const ring = ringOf();
      const right = path.join(agent.folder, `right-${round}`);
      const pager = startRinger(agent, ring, right);
      await until("the text or its Enter", () => agent.terminal.shows(agent.pane).includes(ring.wakeId));
      await pause(Math.random() * 550);
      pager.child.kill("SIGKILL");
      await pager.ended;
      // The successor has the same wake, and no right to begin it anew.
      const outcome = await tmuxRung(agent.target).ring({ ...ring, commit: () => !fs.existsSync(right) });
      expect(outcome.kind).toBe("typed");
      await until("the nudge", () => agent.submitted().includes(ring.line));
      expect(agent.submitted().filter((line) => line === ring.line)).toHaveLength(1);
    }
    expect(agent.submitted()).toHaveLength(count(3, 100));
  });

  test(`two pagers, one part, ${count(5, 500)} rounds: one nudge each`, async () => {
    const terminal = new Terminal();
    const agent = await StubAgent.start(terminal);
    const rungs = [tmuxRung(agent.target), tmuxRung(agent.target)];
    for (let round = 0; round < count(5, 500); round += 1) {
      const ring = ringOf();
      const outcomes = await Promise.all(rungs.map(async (rung) => pause(Math.random() * 600).then(() => rung.ring(ring))));
      expect(outcomes.map(({ kind }) => kind)).toContain("typed");
      await until("the nudge", () => agent.submitted().includes(ring.line));
    }
    expect(agent.submitted()).toHaveLength(count(5, 500));
  });

  test("a pager stopped between the text and Enter, whose wake another finished, presses nothing when it goes on", async () => {
    const terminal = new Terminal();
    const agent = await StubAgent.start(terminal);
    const ring = ringOf();
    const right = path.join(agent.folder, "right");
    const pager = startRinger(agent, ring, right);
    await until("the text", () => agent.terminal.shows(agent.pane).includes(ring.wakeId));
    pager.child.kill("SIGSTOP");
    const successor = tmuxRung(agent.target);
    expect(await successor.ring({ ...ring, commit: () => false })).toMatchObject({ kind: "typed" });
    const next = ringOf();
    expect(await successor.ring(next)).toEqual({ kind: "typed" });
    pager.child.kill("SIGCONT");
    await pager.ended;
    await until("both nudges", () => agent.submitted().length >= 2);
    expect(agent.submitted()).toEqual([ring.line, next.line]);
  });
});

function startRinger(agent: StubAgent, ring: Ring, right: string): Worker {
  return work("ringer", [agent.terminal.socket, agent.target.home, ring.part, ring.wakeId, ring.line, right]);
}

/** Whether a person pressed a key just now, as the rung sees it. */
async function typesNow(agent: StubAgent): Promise<boolean> {
  const outcome = await tmuxRung(agent.target).ring(ringOf("web", { commit: () => false }));
  return outcome.kind === "waiting" && outcome.reason === "person_typing";
}
