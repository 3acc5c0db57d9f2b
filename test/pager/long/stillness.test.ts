/** A terminal that waits for a person is not asked about every second: the time of its device says that it shows what it showed. */
import { describe, expect, test } from "vitest";
import { readPane } from "../../../pager/tmux/pane.ts";
import { isStill, stillness } from "../../../pager/tmux/stillness.ts";
import { until } from "../../rig/scratch.ts";
import { endTerminals, hasTmux, StubAgent, Terminal } from "../../rig/terminal.ts";

/** Longer than the spans in which the system tells the time of a terminal. */
const LATER_MS = 60_000;

describe.skipIf(!hasTmux || process.platform !== "linux")("a terminal", () => {
  const stillOf = async (terminal: Terminal, pane: string) => {
    const lookedMs = Date.now();
    const look = await readPane({ server: { name: terminal.socket }, id: pane, pid: 0 });
    return look === null ? null : stillness(look.tty, look.pid, lookedMs);
  };

  test("is still once nothing was written for a while, and no longer as soon as something is", async () => {
    const terminal = new Terminal();
    try {
      const agent = await StubAgent.start(terminal);
      agent.keys("h", "a");
      await until("it shows them", () => terminal.shows(agent.pane).includes("> ha"));
      const still = await until("it is still", () => stillOf(terminal, agent.pane));
      expect(isStill(still)).toBe(true);
      agent.keys("l");
      await until("it shows it", () => terminal.shows(agent.pane).includes("> hal"));
      expect(isStill(still)).toBe(false);
      expect(isStill({ ...still, untilMs: 0 })).toBe(false);
      await agent.exit();
      expect(isStill(still)).toBe(false);
    } finally {
      endTerminals();
    }
  });

  test("never is where the system itself shows what is typed", async () => {
    const terminal = new Terminal();
    try {
      const pane = terminal.window(["cat"]);
      const lookedMs = Date.now() + LATER_MS;
      const look = await until("it is there", () => readPane({ server: { name: terminal.socket }, id: pane, pid: 0 }));
      expect(await stillness(look.tty, look.pid, lookedMs)).toBeNull();
      const raw = terminal.window(["sh", "-c", "stty raw -echo; exec cat"]);
      const other = await until("it is there", () => readPane({ server: { name: terminal.socket }, id: raw, pid: 0 }));
      await until("it echoes no more", async () => (await stillness(other.tty, other.pid, lookedMs)) !== null);
      // Of another process's terminal nothing is known.
      expect(await stillness(other.tty, look.pid, lookedMs)).toBeNull();
    } finally {
      endTerminals();
    }
  });
});
