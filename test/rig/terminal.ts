/** A tmux server of a test's own, a stub agent in it, and a person at a keyboard. */
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import type { Ring } from "../../pager/rung.ts";
import { findPane, type PaneTarget } from "../../pager/tmux/pane.ts";
import { doorbellLine } from "../../protocol/wake/nouns/wake.ts";
import { builtWorker } from "./built.ts";
import { cleanEnv, jsonLines, scratch, until } from "./scratch.ts";

/** Whether tmux is there at all. */
export const hasTmux = spawnSync("tmux", ["-V"]).status === 0;

/** The stand-in of an agent. */
const agentFile = (): string => builtWorker("agent");
const servers: Terminal[] = [];
let count = 0;

/** A tmux server with a socket of its own, and no configuration. */
export class Terminal {
  readonly socket: string;

  constructor() {
    count += 1;
    this.socket = `relay-test-${process.pid}-${count}`;
    servers.push(this);
  }

  /** Runs a tmux command; gives what it printed. */
  tmux(...args: string[]): string {
    return execFileSync("tmux", ["-u", "-L", this.socket, "-f", "/dev/null", ...args], {
      encoding: "utf8",
      env: cleanEnv(),
      stdio: ["ignore", "pipe", "pipe"],
    }).trimEnd();
  }

  /** What a pane shows. */
  shows(pane: string): string {
    return this.tmux("capture-pane", "-p", "-t", pane);
  }

  /** Starts a command in a new window; gives its pane's id. */
  window(command: readonly string[], options: string[] = []): string {
    const running = spawnSync("tmux", ["-L", this.socket, "has-session"], { env: cleanEnv() }).status === 0;
    const first = running ? ["new-window", "-d"] : ["new-session", "-d", "-x", "100", "-y", "30"];
    return this.tmux(...first, "-P", "-F", "#{pane_id}", ...options, "--", ...command);
  }

  kill(): void {
    spawnSync("tmux", ["-L", this.socket, "kill-server"], { env: cleanEnv() });
  }
}

/** Ends every server of the tests. */
export function endTerminals(): void {
  for (const server of servers.splice(0)) server.kill();
}

/** A PATH on which the real tmux comes last, after a command that writes down each call: its words between tabs. */
export function watchedTmux(): { PATH: string; calls(): string[] } {
  const bin = scratch();
  const file = path.join(bin, "calls");
  const real = execFileSync("sh", ["-c", "command -v tmux"], { encoding: "utf8" }).trim();
  fs.writeFileSync(file, "");
  fs.writeFileSync(path.join(bin, "tmux"), `#!/bin/sh\nprintf '%s\\t' "$@" >> '${file}'\necho >> '${file}'\nexec '${real}' "$@"\n`, {
    mode: 0o755,
  });
  return { PATH: `${bin}:${process.env["PATH"]}`, calls: () => fs.readFileSync(file, "utf8").split("\n").slice(0, -1) };
}

/** A stub agent in a pane that is marked as a part's. */
export class StubAgent {
  readonly terminal: Terminal;
  readonly folder = scratch();
  readonly pane: string;
  readonly target: PaneTarget;

  constructor(terminal: Terminal, part = "web", as = "") {
    this.terminal = terminal;
    const known = path.join(this.folder, `${as}.mjs`);
    if (as !== "") fs.copyFileSync(agentFile(), known);
    this.pane = terminal.window([process.execPath, as === "" ? agentFile() : known, this.folder, ...(as === "" ? [] : ["› "])]);
    this.target = { part, home: this.folder, servers: [{ name: terminal.socket }] };
    terminal.tmux("set-option", "-p", "-t", this.pane, "@relay_part", part);
    terminal.tmux("set-option", "-p", "-t", this.pane, "@relay_home", this.folder);
  }

  /** Starts one and waits until it draws its prompt. @param as the name of a known agent that it goes by, `codex`; of none else */
  static async start(terminal: Terminal, part = "web", as = ""): Promise<StubAgent> {
    const agent = new StubAgent(terminal, part, as);
    await until("the prompt", () => /^[>›]$/m.test(terminal.shows(agent.pane)));
    return agent;
  }

  /** What was logged so far. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever was logged.
  log(): any[] {
    const file = path.join(this.folder, "submitted");
    if (!fs.existsSync(file)) return [];
    return jsonLines(file);
  }

  /** The lines that were submitted. */
  submitted(): string[] {
    return this.log().flatMap(({ line }) => (line === undefined ? [] : [line]));
  }

  /** Tells it what to do, and waits until it does. */
  async tell(order: "stream" | "dialog" | "quiet" | "deaf" | "forget" | "once"): Promise<void> {
    const before = this.log().filter(({ mode }) => mode !== undefined).length;
    fs.appendFileSync(path.join(this.folder, "control"), `${order}\n`);
    await until(order, () => this.log().filter(({ mode }) => mode !== undefined).length > before);
    await until(`the screen of ${order}`, () => this.terminal.shows(this.pane).includes("1. Yes") === (order === "dialog"));
  }

  /** Ends it, and waits until its process is gone. */
  async exit(): Promise<void> {
    fs.appendFileSync(path.join(this.folder, "control"), "exit\n");
    await until("its end", async () => "reason" in (await findPane(this.target)));
  }

  /** Presses keys as a program would; a person's come through `Person`. */
  keys(...keys: string[]): void {
    this.terminal.tmux("send-keys", "-t", this.pane, ...keys);
  }
}

/** Somebody at a keyboard: a terminal of its own, attached to a server, and keys that arrive as a client's. */
export class Person {
  readonly outer = new Terminal();
  readonly pane: string;

  constructor(terminal: Terminal) {
    this.pane = this.outer.window(["env", "-u", "TMUX", "tmux", "-u", "-L", terminal.socket, "attach"]);
    this.#terminal = terminal;
  }

  readonly #terminal: Terminal;

  /** Waits until it is attached. */
  async attached(): Promise<this> {
    await until("attached", () => this.#terminal.tmux("list-clients") !== "");
    return this;
  }

  type(text: string): void {
    this.outer.tmux("send-keys", "-t", this.pane, "-l", "--", text);
  }

  press(...keys: string[]): void {
    this.outer.tmux("send-keys", "-t", this.pane, ...keys);
  }
}

let wakes = 0;

/** A ring as the pager makes it, with a right to be delivered that can be taken once. */
export function ringOf(part = "web", given: Partial<Ring> = {}): Ring & { commits: number } {
  wakes += 1;
  const wakeId = given.wakeId ?? `w-${String(wakes).padStart(8, "0")}`;
  const ring: Ring & { commits: number } = {
    part,
    wakeId,
    unread: 3,
    urgent: false,
    sinceMs: Date.now(),
    resumed: false,
    line: doorbellLine(part, 3, wakeId),
    commits: 0,
    commit() {
      ring.commits += 1;
      return ring.commits === 1;
    },
    signal: new AbortController().signal,
    ...given,
  };
  return ring;
}
