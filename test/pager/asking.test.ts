/** Who stands at a question in its terminal is shown as such, whoever told it of its mail, and whether it has any. */
import fs from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { builtWorker } from "../rig/built.ts";
import { drivenClock, untilInTime } from "../rig/clock/driven.ts";
import { homeWith } from "../rig/home.ts";
import { startPager } from "../rig/pagers.ts";
import { relay } from "../rig/processes.ts";
import { scratch, until } from "../rig/scratch.ts";
import { endTerminals, hasTmux, Terminal, watchedTmux } from "../rig/terminal.ts";

/** The stand-in of an agent. */
const agentFile = (): string => builtWorker("agent");
afterEach(endTerminals);

describe.skipIf(!hasTmux)("status", () => {
  test("shows a part whose terminal asks something, told of its mail by a hook, and with no mail; and no longer once it is answered", async () => {
    const folder = await homeWith("web", "api");
    const terminal = new Terminal();
    const stage = scratch();
    const env = { RELAY_TMUX_SOCKET: terminal.socket };
    const up = await relay(folder, ["up", "--json", "--part", "web", "--", process.execPath, agentFile(), stage, "❯ "], { env });
    expect(up.code).toBe(0);
    const shows = () => terminal.shows("relay-project:web");
    const tell = (order: string) => fs.appendFileSync(path.join(stage, "control"), `${order}\n`);
    const status = async () => (await relay(folder, ["status"], { env })).stdout;
    const rowOf = async (part: string) =>
      (await status()).split("\n").find((line) => new RegExp(`^\\s*[●○]\\s+${part}\\b`).test(line)) ?? "";
    await until("the prompt", () => /^❯/m.test(shows()));
    expect(await rowOf("web")).not.toContain("asks");

    tell("dialog");
    await until("the dialog", () => shows().includes("1. Yes"));
    expect(await rowOf("web")).toContain("its terminal shows a question (relay attach web)");

    await relay(folder, ["send", "web", "One", "Text.", "--part", "api"], { env });
    await relay(folder, ["hook", "prompt"], { env: { ...env, RELAY_PART: "web" }, input: JSON.stringify({ session_id: "s" }) });
    expect(await rowOf("web")).toMatch(/knows of its mail.*its terminal shows a question \(relay attach web\)/);
    const { json } = await relay(folder, ["status", "--json"], { env });
    const asking = json.parts.filter(({ terminal: shown }: { terminal?: string }) => shown === "dialog");
    expect(asking).toEqual([expect.objectContaining({ part: "web", asks: expect.stringMatching(/\?$/) })]);

    tell("quiet");
    await until("the prompt", () => !shows().includes("1. Yes"));
    expect(await rowOf("web")).not.toContain("asks");
    terminal.kill();
    expect((await relay(folder, ["status"], { env })).code).toBe(0);
  });

  test("tells a person once of a question that stands in a terminal, what it asks and how to answer it", async () => {
    const folder = await homeWith("web");
    const clock = drivenClock();
    const terminal = new Terminal();
    const stage = scratch();
    const env = { RELAY_TMUX_SOCKET: terminal.socket };
    await relay(folder, ["notify", "add", "ear", "--on", "blocked", "--", "sh", "-c", "cat >> told"], { env });
    await relay(folder, ["up", "--json", "--part", "web", "--", process.execPath, agentFile(), stage, "❯ "], { env });
    const tell = (order: string) => fs.appendFileSync(path.join(stage, "control"), `${order}\n`);
    const told = () =>
      fs.existsSync(path.join(folder, "told")) ? fs.readFileSync(path.join(folder, "told"), "utf8").trim().split("\n") : [];
    tell("dialog");
    await relay(folder, ["send", "web", "One", "Text.", "--part", "human"], { env });
    const pager = await startPager(folder, [], { ...env, ...clock.env });
    for (const count of [1, 2]) {
      tell("dialog");
      await untilInTime("it is told", clock, () => told().length === count);
      expect(JSON.parse(told().at(-1) as string)).toMatchObject({
        event: "blocked",
        part: "web",
        subject: expect.stringMatching(/^relay attach web: .+/),
      });
      clock.advance(60_000);
      tell("quiet");
      await untilInTime("it is over", clock, () => fs.readdirSync(path.join(folder, ".relay/run/blocked/web")).length === 0);
      expect(told()).toHaveLength(count);
    }
    await pager.end();
  });

  test("asks each server for its panes once, however many parts run in it", async () => {
    const parts = ["web", "api", "db"];
    const folder = await homeWith(...parts);
    const terminal = new Terminal();
    const env = { RELAY_TMUX_SOCKET: terminal.socket };
    for (const part of parts) {
      const up = await relay(folder, ["up", "--json", "--part", part, "--", process.execPath, agentFile(), scratch(), "❯ "], { env });
      expect(up.code).toBe(0);
    }
    const { PATH, calls } = watchedTmux();
    expect((await relay(folder, ["status"], { env: { ...env, PATH } })).code).toBe(0);
    const [lists, looks] = ["list-panes", "capture-pane"].map((command) => calls().filter((line) => line.includes(command))) as [
      string[],
      string[],
    ];
    expect(looks).toHaveLength(parts.length);
    expect(lists.length).toBeGreaterThan(0);
    expect(lists).toHaveLength(new Set(lists).size);
  });
});
