/**
 * A stage for real agents: a user's home of its own in which every agent knows only the scripted models on loopback, `relay` on
 * the PATH, and a tmux server of its own.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { describe, inject } from "vitest";
import { Models } from "../models/models.ts";
import type { AgentName } from "../models/seen.ts";
import { relayFile } from "../rig/processes.ts";
import { cleanEnv, git, scratch, until } from "../rig/scratch.ts";
import { endProcesses } from "./ending.ts";
import { loopbackOnly } from "./loopback-only.ts";
import { Person } from "./person.ts";

const stages: Stage[] = [];

/** A `describe` that is skipped where one of the agents is not to be had. */
export function describeWith(...agents: AgentName[]): typeof describe | typeof describe.skip {
  const installed = inject("agents");
  return agents.every((agent) => "program" in installed[agent]) ? describe : describe.skip;
}

/** How a program ended that ran without a terminal. */
export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

export class Stage {
  /** The user's home. */
  readonly home = path.join(scratch(), "user");
  readonly models: Models;
  readonly env: Record<string, string>;
  readonly #people: Person[] = [];
  readonly #children = new Set<ChildProcess>();

  private constructor(models: Models) {
    this.models = models;
    const bin = path.join(this.home, "bin");
    for (const folder of [bin, this.tmuxFolder]) fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    fs.symlinkSync(relayFile(), path.join(bin, "relay"));
    for (const [agent, installed] of Object.entries(inject("agents")))
      if ("program" in installed) fs.symlinkSync(installed.program, path.join(bin, agent));
    this.env = cleanEnv({
      HOME: this.home,
      PATH: `${bin}:${process.env["PATH"]}`,
      TMUX_TMPDIR: this.tmuxFolder,
      TERM: "xterm-256color",
      XDG_STATE_HOME: path.join(this.home, ".local/state"),
      ...loopbackOnly(this.home, models.url),
    });
    stages.push(this);
  }

  /** A new stage; it is closed after the test. */
  static async open(): Promise<Stage> {
    return new Stage(await Models.start());
  }

  get tmuxFolder(): string {
    return path.join(this.home, "tmux");
  }

  /** A further worktree of a code repository, beside it. */
  worktree(code: string, name: string): string {
    const folder = path.join(path.dirname(code), name);
    git(code, "worktree", "add", "--quiet", folder);
    return folder;
  }

  /** Trusts a folder for Gemini CLI, as a person does once in its dialog. */
  trustFolder(folder: string): void {
    fs.writeFileSync(path.join(this.home, ".gemini/trustedFolders.json"), JSON.stringify({ [folder]: "TRUST_FOLDER" }));
  }

  /** Runs a program to its end, without a terminal and with nothing on its input. */
  async run(cwd: string, program: string, ...args: string[]): Promise<Ended> {
    const child = spawn(program, args, { cwd, env: this.env, stdio: ["ignore", "pipe", "pipe"] });
    this.#children.add(child);
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text) => (stderr += text));
    const [code] = (await once(child, "close")) as [number | null];
    this.#children.delete(child);
    return { code, stdout, stderr };
  }

  /** Runs Relay; gives its answer as JSON. @throws Error where it refused */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever was answered.
  async relay(cwd: string, ...args: string[]): Promise<any> {
    const command = args.includes("--") ? args.indexOf("--") : args.length;
    const ended = await this.run(cwd, "relay", ...args.slice(0, command), "--json", ...args.slice(command));
    if (ended.code !== 0) throw new Error(`relay ${args.join(" ")}: ${ended.stdout}${ended.stderr}`);
    return JSON.parse(ended.stdout);
  }

  /** Says to an office where the scripted models are, of programs that read none of the user's settings. */
  async loopback(code: string): Promise<void> {
    const provider = `model_providers.loopback={name="loopback",base_url="${this.models.url}/v1",wire_api="responses"}`;
    const extension = path.join(this.home, "loopback.js");
    fs.writeFileSync(extension, `export default (pi) => pi.registerProvider("anthropic", { baseUrl: "${this.models.url}" });\n`);
    await this.relay(
      code,
      "office",
      "runner",
      "codex",
      "--",
      "codex",
      "-c",
      provider,
      "-c",
      "model_provider=loopback",
      "-c",
      "model=scripted",
    );
    await this.relay(code, "office", "runner", "pi", "--", "pi", "-e", extension, "--provider", "anthropic", "--model", "claude-opus-4-8");
  }

  /** Starts a program in a terminal of its own, with a person at it. */
  start(cwd: string, ...argv: string[]): Person {
    const there = fs.existsSync(path.join(this.tmuxFolder, `tmux-${process.getuid?.()}`, "default"));
    const made = there ? ["new-window", "-d"] : ["new-session", "-d", "-x", "120", "-y", "40"];
    const pane = this.tmux(...made, "-c", cwd, "-P", "-F", "#{pane_id}", "--", ...argv);
    return this.sitAt(pane);
  }

  /** Has Relay start a part in tmux, and a person sit down at it. */
  async up(cwd: string, part: string, argv: string[], ...flags: string[]): Promise<Person> {
    return this.sitAt((await this.relay(cwd, "up", "--part", part, ...flags, "--", ...argv)).parts[0].pane);
  }

  /** Waits until a part's agent has had its server for a moment: one that is asked before has Relay's tools by a search alone. */
  async equipped(cwd: string, part: string): Promise<void> {
    await until(`${part} has its server`, async () => {
      const { parts } = await this.relay(cwd, "roster");
      const { agent } = parts.find((each: { part: string }) => each.part === part);
      return agent !== null && Date.now() - Date.parse(agent.connectedAt) > 3_000;
    });
  }

  /** A person sits down at a terminal that is there. */
  sitAt(pane: string): Person {
    const person = new Person({
      shows: () => this.tmux("capture-pane", "-p", "-t", pane),
      keys: (...names) => void this.tmux("send-keys", "-t", pane, ...names),
      type: (text) => void this.tmux("send-keys", "-t", pane, "-l", "--", text),
    });
    this.#people.push(person);
    return person;
  }

  /** Runs tmux on the stage's own server, which is also the one that Relay takes for the user's. */
  tmux(...args: string[]): string {
    return execFileSync("tmux", ["-u", "-f", "/dev/null", ...args], { env: this.env, encoding: "utf8" }).trimEnd();
  }

  /** Ends everything that runs in the user's home, daemons too. */
  async close(): Promise<void> {
    await Promise.all(this.#people.map((person) => person.leave()));
    for (const child of this.#children) child.kill("SIGKILL");
    await endProcesses(this.home);
    await this.models.close();
    // Who was ended has perhaps one write more to do.
    await until("the home is gone", () => {
      fs.rmSync(this.home, { recursive: true, force: true, maxRetries: 5 });
      return !fs.existsSync(this.home);
    });
    if (this.models.faults.length > 0) throw new Error(this.models.faults.join("\n"));
  }
}

/** Closes what the test opened. */
export async function closeStages(): Promise<void> {
  for (const stage of stages.splice(0)) await stage.close();
}
