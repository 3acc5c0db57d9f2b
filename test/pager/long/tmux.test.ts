import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { tmuxRung } from "../../../pager/tmux/tmux-typing.ts";
import { builtWorker } from "../../rig/built.ts";
import { until } from "../../rig/scratch.ts";
import { endTerminals, hasTmux, Person, ringOf, StubAgent, Terminal, watchedTmux } from "../../rig/terminal.ts";

afterEach(endTerminals);

describe.skipIf(!hasTmux)("the rung of tmux", () => {
  let terminal: Terminal;
  let agent: StubAgent;
  beforeEach(async () => {
    terminal = new Terminal();
    agent = await StubAgent.start(terminal);
  });

  test("a half-typed line is never touched, and the status line says that mail waits", async () => {
    const ring = ringOf();
    agent.keys("-l", "please do not");
    await until("the text", () => terminal.shows(agent.pane).includes("do not"));
    expect(await tmuxRung(agent.target).ring(ring)).toEqual({ kind: "waiting", reason: "half_typed" });
    expect(terminal.shows(agent.pane)).toMatch(/^> please do not$/m);
    expect(agent.submitted()).toEqual([]);
    expect(ring.commits).toBe(0);
    expect(terminal.tmux("display-message", "-p", "-t", agent.pane, "#{@relay_waiting}")).toBe("half_typed");
  });

  test("a permission dialog is never answered, however long it stays", async () => {
    const ring = ringOf();
    let now = 0;
    const rung = tmuxRung(agent.target, "auto", { now: () => now });
    await agent.tell("dialog");
    for (; now < 3_600_000; now += 1_200_000) expect(await rung.ring(ring)).toEqual({ kind: "waiting", reason: "dialog" });
    expect(agent.log().filter(({ dialog }) => dialog)).toEqual([]);
    expect(ring.commits).toBe(0);
    await agent.tell("quiet");
    expect(await rung.ring(ring)).toEqual({ kind: "typed" });
  });

  test("a pane in copy mode is left alone", async () => {
    const ring = ringOf();
    terminal.tmux("copy-mode", "-t", agent.pane);
    expect(await tmuxRung(agent.target).ring(ring)).toEqual({ kind: "waiting", reason: "copy_mode" });
    terminal.tmux("send-keys", "-t", agent.pane, "-X", "cancel");
    expect(await tmuxRung(agent.target).ring(ring)).toEqual({ kind: "typed" });
  });

  test("a streaming pane waits for two minutes, and is then typed into", async () => {
    const ring = ringOf();
    let now = 0;
    const rung = tmuxRung(agent.target, "auto", { now: () => now });
    await agent.tell("stream");
    expect(await rung.ring(ring)).toEqual({ kind: "waiting", reason: "streaming" });
    now = 119_999;
    expect(await rung.ring(ring)).toEqual({ kind: "waiting", reason: "streaming" });
    expect(ring.commits).toBe(0);
    now = 120_000;
    expect(await rung.ring(ring)).toEqual({ kind: "typed" });
    await until("the nudge", () => agent.submitted().length > 0);
    expect(agent.submitted()).toEqual([ring.line]);
  });

  test("a streaming pane is only told in the status line when the policy says so", async () => {
    const ring = ringOf();
    let now = 0;
    const rung = tmuxRung(agent.target, "auto", { now: () => now, policy: { streaming: "notify" } });
    await agent.tell("stream");
    await rung.ring(ring);
    now = 600_000;
    expect(await rung.ring(ring)).toEqual({ kind: "waiting", reason: "streaming" });
    expect(terminal.tmux("display-message", "-p", "-t", agent.pane, "#{@relay_waiting}")).toBe("streaming");
    await agent.tell("quiet");
    expect(await rung.ring(ring)).toEqual({ kind: "typed" });
  });

  test("control characters never reach the terminal, nor does a second line", async () => {
    const ring = ringOf();
    ring.line = `/${ring.line}\u001b[201~\rrm -rf x\n\u0003\u0085 and \u202eso on;`;
    expect(await tmuxRung(agent.target).ring(ring)).toMatchObject({ kind: "typed" });
    await until("the nudge", () => agent.submitted().length > 0);
    expect(agent.submitted()).toHaveLength(1);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be there.
    expect(agent.submitted()[0]).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
    expect(agent.submitted()[0]).toMatch(/^Relay: .* rm -rf x and so on$/);
  });

  test("a pane that is gone, and a server that is gone, cannot be reached", async () => {
    terminal.window(["sleep", "1000"]);
    await agent.exit();
    expect(await tmuxRung(agent.target).ring(ringOf())).toMatchObject({ kind: "unreachable", reason: "no_pane" });
    terminal.kill();
    expect(await tmuxRung(agent.target).ring(ringOf())).toMatchObject({ kind: "unreachable", reason: "no_pane" });
  });

  test("a bare shell is never typed into; an agent that a shell started is", async () => {
    const shell = terminal.window(["sh"]);
    const mark = (pane: string, part: string) => {
      terminal.tmux("set-option", "-p", "-t", pane, "@relay_part", part);
      terminal.tmux("set-option", "-p", "-t", pane, "@relay_home", agent.folder);
    };
    mark(shell, "api");
    await until("the shell", () => terminal.shows(shell).trim() !== "");
    terminal.tmux("send-keys", "-t", shell, "-l", "PS1='> '");
    terminal.tmux("send-keys", "-t", shell, "Enter");
    await until("the prompt", () => /^>$/m.test(terminal.shows(shell)));
    const ring = ringOf("api");
    const rung = tmuxRung({ ...agent.target, part: "api" });
    expect(await rung.ring(ring)).toMatchObject({ kind: "unreachable", reason: "no_agent" });
    expect(ring.commits).toBe(0);
    terminal.tmux("send-keys", "-t", shell, "-l", `${process.execPath} ${builtWorker("agent")} ${agent.folder}`);
    terminal.tmux("send-keys", "-t", shell, "Enter");
    await until("the agent", () => terminal.shows(shell).includes("A stub agent."));
    expect(await rung.ring(ring)).toEqual({ kind: "typed" });
  });

  test("a person who typed just now is waited for, and a pane that moved is found", async () => {
    const person = await new Person(terminal).attached();
    person.type("x");
    await until("the key", () => terminal.shows(agent.pane).includes("> x"));
    person.press("BSpace");
    await until("it is gone", () => !terminal.shows(agent.pane).includes("> x"));
    const rung = tmuxRung(agent.target);
    const ring = ringOf();
    expect(await rung.ring(ring)).toEqual({ kind: "waiting", reason: "person_typing" });
    await until("the person rests", async () => (await rung.ring(ring)).kind === "typed");
    terminal.window(["sleep", "1000"]);
    terminal.tmux("break-pane", "-d", "-s", agent.pane, "-n", "elsewhere");
    const next = ringOf();
    await until("typed again", async () => (await rung.ring(next)).kind === "typed");
    await until("both", () => agent.submitted().length === 2);
    expect(agent.submitted()).toEqual([ring.line, next.line]);
  });

  test("a successor finds exactly the doorbell in the input and presses Enter, without a right of its own", async () => {
    const ring = ringOf("web", { commit: () => false });
    agent.keys("-l", ring.line);
    await until("the line", () => terminal.shows(agent.pane).includes(ring.wakeId));
    expect(await tmuxRung(agent.target).ring(ring)).toEqual({ kind: "typed" });
    await until("the nudge", () => agent.submitted().length > 0);
    expect(agent.submitted()).toEqual([ring.line]);
  });

  test("a doorbell that an earlier wake left is entered for the next, once the right is taken", async () => {
    const [earlier, ring] = [ringOf(), ringOf()];
    agent.keys("-l", earlier.line);
    await until("the line", () => terminal.shows(agent.pane).includes(earlier.wakeId));
    expect(await tmuxRung(agent.target).ring({ ...ring, commit: () => false })).toEqual({ kind: "waiting", reason: "not_committed" });
    expect(await tmuxRung(agent.target).ring(ring)).toEqual({ kind: "typed" });
    await until("the nudge", () => agent.submitted().length > 0);
    expect(agent.submitted()).toEqual([earlier.line]);
  });

  test.each(["", " "])("a doorbell that a person continued, after %j, is theirs: no Enter, for its own wake or the next", async (blank) => {
    const [ring, next] = [ringOf(), ringOf()];
    agent.keys("-l", `${ring.line}${blank}secret`);
    await until("the line", () => terminal.shows(agent.pane).includes("secret"));
    expect(await tmuxRung(agent.target).ring(ring)).toEqual({ kind: "waiting", reason: "half_typed" });
    expect(await tmuxRung(agent.target).ring(next)).toEqual({ kind: "waiting", reason: "half_typed" });
    expect(agent.submitted()).toEqual([]);
  });

  test("an idle pane is nudged once, with Enter 500 ms after the text, and by commands that check the pane themselves", async () => {
    const { PATH, calls } = watchedTmux();
    const before = process.env["PATH"];
    process.env["PATH"] = PATH;
    const ring = ringOf();
    const began = Date.now();
    try {
      expect(await tmuxRung(agent.target).ring(ring)).toEqual({ kind: "typed" });
    } finally {
      process.env["PATH"] = before;
    }
    await until("the nudge", () => agent.submitted().length > 0);
    expect(agent.submitted()).toEqual([ring.line]);
    expect(agent.log().at(-1).at - began).toBeGreaterThanOrEqual(500);
    expect(ring.commits).toBe(1);
    const lines = calls();
    const keys = lines.filter((line) => /send-keys|paste-buffer|\bsend\b|pasteb/.test(line));
    expect(keys).toHaveLength(2);
    for (const line of keys) {
      const words = line.split("\t");
      const at = words.indexOf("if-shell");
      expect(words.slice(at, at + 3)).toEqual(["if-shell", "-F", "-t"]);
      // The keys are in what the check allows, and nowhere before it.
      expect(words.findIndex((word) => /send-keys|paste-buffer/.test(word))).toBe(at + 5);
      expect(words[at + 4]).toContain("#{pane_in_mode}");
    }
    expect(keys.join("\n").match(/send-keys -t %\d+ \S+/g)).toEqual([expect.stringMatching(/ Enter$/)]);
  });

  describe("the pane changes between the text and Enter", () => {
    const typedIn = async (during: () => unknown) => {
      const ring = ringOf();
      const rung = tmuxRung(agent.target);
      const ringing = rung.ring(ring);
      await until("the text", () => terminal.shows(agent.pane).replace(/\s/g, "").includes(ring.wakeId));
      during();
      return { ring, rung, outcome: await ringing };
    };
    const tmux = (...args: string[]) => void terminal.tmux(...args);
    const sibling = () => terminal.tmux("split-window", "-d", "-P", "-F", "#{pane_id}", "-t", agent.pane, "--", "sleep", "1000");

    test.each<[string, () => unknown]>([
      ["narrower", () => tmux("resize-window", "-t", agent.pane, "-x", "33", "-y", "17")],
      ["zoomed", () => [sibling(), tmux("resize-pane", "-Z", "-t", agent.pane)]],
      ["moved to a window of its own", () => [sibling(), tmux("break-pane", "-d", "-s", agent.pane, "-n", "else")]],
      [
        "given another name and title",
        () => [
          tmux("rename-window", "-t", agent.pane, "##(touch owned) ##{pane_id}'\"; x"),
          tmux("select-pane", "-t", agent.pane, "-T", "> half | typed ##(touch owned)"),
        ],
      ],
    ])("it is %s: entered once", async (_what, during) => {
      const { ring, rung, outcome } = await typedIn(during);
      // A line that was drawn anew may be found by the next ring only.
      let last = outcome;
      await until("it is entered", async () => {
        if (last.kind !== "typed") last = await rung.ring(ring);
        return last.kind === "typed";
      });
      await until("the nudge", () => agent.submitted().length > 0);
      expect(await rung.ring(ring)).toMatchObject({ kind: "typed" });
      expect(agent.submitted()).toEqual([ring.line]);
      expect(ring.commits).toBe(1);
    });

    test("a person scrolls: it waits, and is entered once when that is over", async () => {
      const { ring, rung, outcome } = await typedIn(() => tmux("copy-mode", "-t", agent.pane));
      expect(outcome).toMatchObject({ kind: "waiting", reason: "copy_mode" });
      expect(agent.submitted()).toEqual([]);
      tmux("send-keys", "-t", agent.pane, "-X", "cancel");
      expect(await rung.ring(ring)).toMatchObject({ kind: "typed" });
      await until("the nudge", () => agent.submitted().length > 0);
      expect(agent.submitted()).toEqual([ring.line]);
    });

    test("a person adds to it: it is theirs, and nothing is entered", async () => {
      const { ring, rung, outcome } = await typedIn(() => agent.keys("-l", " and more"));
      expect(outcome).toMatchObject({ kind: "waiting", reason: "half_typed" });
      expect(await rung.ring(ring)).toMatchObject({ kind: "waiting", reason: "half_typed" });
      expect(agent.submitted()).toEqual([]);
    });

    test("its agent ends, and a shell with the same prompt is there: nothing is entered", async () => {
      const ring = ringOf("api");
      const shell = terminal.window(["sh", "-c", `${process.execPath} ${builtWorker("agent")} ${agent.folder}; PS1='> ' exec sh -i`]);
      tmux("set-option", "-p", "-t", shell, "@relay_part", "api");
      tmux("set-option", "-p", "-t", shell, "@relay_home", agent.folder);
      await until("the agent", () => terminal.shows(shell).includes("A stub agent."));
      const rung = tmuxRung({ ...agent.target, part: "api" });
      const ringing = rung.ring(ring);
      await until("the text", () => terminal.shows(shell).replace(/\s/g, "").includes(ring.wakeId));
      terminal.tmux("send-keys", "-t", shell, "C-c");
      expect((await ringing).kind).not.toBe("noticed");
      expect(await rung.ring(ring)).toMatchObject({ kind: "unreachable", reason: "no_agent" });
      expect(agent.submitted()).toEqual([]);
    });

    test("it is killed, and so is the server", async () => {
      terminal.window(["sleep", "1000"]);
      const { outcome } = await typedIn(() => tmux("kill-pane", "-t", agent.pane));
      expect(outcome).toMatchObject({ kind: "unreachable", reason: "no_pane" });
      agent = await StubAgent.start(terminal);
      expect((await typedIn(() => terminal.kill())).outcome).toMatchObject({ kind: "unreachable", reason: "no_pane" });
    });
  });
});
