/** The stage of the demonstration: a scratch folder, its processes, and words for each event. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { connectStdio, type StdioClient } from "../../mcp/sdk-client.ts";
import { HOSTS } from "../../protocol/agents/hosts/index.ts";
import { refuse } from "../../protocol/core/refusal.ts";
import { git } from "../../protocol/git/git.ts";
import { onScreen, plainStyleFor } from "../print/style.ts";

/** One act: what it shows. Acts follow each other on one stage; what a later one needs it finds in the notes. */
export interface Act {
  title: string;
  play(stage: Stage): void | Promise<void>;
}

/** A command that is typed in a worktree. */
export interface Typed {
  where: string;
  args: readonly string[];
}

/** The command that is running now. */
const RELAY = fs.realpathSync(process.argv[1] ?? "relay");

/** The stage of one demonstration. */
export class Stage {
  /** The command that is running now, for those who start it themselves. */
  readonly command = RELAY;
  readonly #scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "relay-demo-")));
  readonly folder = made(this.#scratch, "stage");
  /** What this machine keeps of the demonstration. Relay takes no state folder that lies in the working directory. */
  readonly #state = made(this.#scratch, "state");
  processes = 0;
  readonly #style = plainStyleFor(process.stdout, process.env, Date.now());
  readonly #started = Date.now();
  readonly #agents = new Map<string, StdioClient>();
  readonly #notes = new Map<string, string>();
  #dashboard: ChildProcess | null = null;

  say(words: string): void {
    process.stdout.write(`${onScreen(words)}\n`);
  }

  title(words: string): void {
    this.say(`\n${this.#style.bold(this.#style.cyan(`— ${words}`))}`);
  }

  /** Keeps something for later acts. */
  note(name: string, value: string): void {
    this.#notes.set(name, value);
  }

  /** What an earlier act kept. */
  noted(name: string): string {
    const value = this.#notes.get(name);
    if (value === undefined) throw refuse("internal", { reason: `no act noted ${name}` });
    return value;
  }

  /** Runs git in a worktree, and shows nothing. */
  async git(...args: string[]): Promise<void> {
    this.processes += 1;
    await git(this.folder, args, { GIT_ALLOW_PROTOCOL: "file" });
  }

  /** Types a command, shows what it prints, and gives it. */
  relay(where: string, ...args: string[]): string {
    return this.#run(where, typedAs(args), process.execPath, [RELAY, ...args]);
  }

  /** Runs a command, shows nothing, and gives what it prints. */
  behind(where: string, ...args: string[]): string {
    return this.#run(where, null, process.execPath, [RELAY, ...args]);
  }

  /** Shows a command as typed, and words that it printed. */
  show(where: string, args: readonly string[], printed: string): void {
    this.#show(where, typedAs(args), printed);
  }

  /** The same for lines of shell. */
  shell(where: string, script: string): string {
    return this.#run(where, script, "sh", ["-c", script]);
  }

  /** Lays a file that an act needs, with its folders. */
  lay(name: string, content: string): void {
    fs.mkdirSync(path.dirname(path.join(this.folder, name)), { recursive: true });
    fs.writeFileSync(path.join(this.folder, name), content);
  }

  /** Starts commands all at once, shows each as it ends, and gives what each printed, in the order of the commands. */
  race(commands: readonly Typed[]): Promise<string[]> {
    return this.raceBehind(commands, ({ where, args }, printed) => this.show(where, args, printed));
  }

  /** The same, and shows nothing by itself. */
  raceBehind(commands: readonly Typed[], ended?: (command: Typed, printed: string) => void): Promise<string[]> {
    return Promise.all(
      commands.map(async ({ where, args }) => {
        this.processes += 1;
        const cwd = path.join(this.folder, where);
        const child = spawn(process.execPath, [RELAY, ...args], { cwd, env: this.#environment(), stdio: ["ignore", "pipe", "inherit"] });
        const printed = await text(child.stdout);
        ended?.({ where, args }, printed);
        return printed;
      }),
    );
  }

  /** Starts a server as an agent's host does; `call` speaks to it from then on. */
  async connect(name: string, part: string): Promise<void> {
    this.processes += 1;
    const connection = await connectStdio(
      name,
      [process.execPath, RELAY, "mcp", "--part", part],
      path.join(this.folder, part),
      this.#environment(),
    );
    this.#agents.set(part, connection);
    this.#show(part, `relay mcp --part ${part}`, this.#style.dim("(started by the agent's host)"));
  }

  /** Calls a tool as an agent, shows the answer, and gives it. */
  async call(part: string, tool: string, args: Record<string, unknown>): Promise<Record<string, unknown>> {
    const answer = await (this.#agents.get(part) as StdioClient).call(tool, args);
    this.#show(`${part} (mcp)`, `${tool} ${JSON.stringify(args)}`, JSON.stringify(answer, null, 1).replace(/\n\s*/g, " "));
    return answer;
  }

  /** Serves the dashboard of a worktree's home from now on, and gives the link that opens it. */
  async serve(where: string): Promise<string> {
    this.processes += 1;
    const cwd = path.join(this.folder, where);
    const env = this.#environment();
    const child = spawn(process.execPath, [RELAY, "dashboard", "--json"], { cwd, env, stdio: ["ignore", "pipe", "inherit"] });
    this.#dashboard = child;
    const failed = once(child, "exit").then(([code]) => {
      throw refuse("internal", { reason: `relay dashboard ended with ${code}` });
    });
    const [line] = (await Promise.race([once(child.stdout, "data"), failed])) as [Buffer];
    failed.catch(() => {});
    const [link] = (JSON.parse(line.toString("utf8")) as { links: string[] }).links as [string];
    this.#show(where, "relay dashboard", link);
    return link;
  }

  /** Waits until somebody ends the demonstration. */
  interrupted(): Promise<void> {
    return new Promise((resolve) => {
      for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => resolve());
    });
  }

  /** @param typed what is shown as typed; null shows nothing */
  #run(where: string, typed: string | null, program: string, args: string[]): string {
    this.processes += 1;
    const options = { cwd: path.join(this.folder, where), encoding: "utf8", env: this.#environment() } as const;
    const { stdout, stderr, status } = spawnSync(program, args, options);
    if (typed !== null) this.#show(where, typed, stdout + stderr);
    if (status !== 0) throw refuse("internal", { reason: `${typed ?? typedAs(args.slice(1))} ended with ${status}: ${stderr}` });
    return stdout;
  }

  /** A command as typed, then what it printed. */
  #show(where: string, typed: string, printed: string): void {
    this.say(`${this.#style.dim(`${where}$`)} ${this.#style.bold(typed)}`);
    const words = printed.trimEnd();
    if (words !== "") this.say(words.replace(/^(?=.)/gm, "  "));
  }

  async disconnect(): Promise<void> {
    const all = [...this.#agents.values()];
    this.#agents.clear();
    await Promise.all(all.map((connection) => connection.close()));
    const dashboard = this.#dashboard;
    if (dashboard === null || dashboard.exitCode !== null || dashboard.signalCode !== null) return;
    dashboard.kill("SIGTERM");
    await once(dashboard, "exit");
  }

  seconds(): string {
    return ((Date.now() - this.#started) / 1000).toFixed(1);
  }

  /** Whether a program is there. */
  has(program: string): boolean {
    return spawnSync(program, ["-V"], { stdio: "ignore" }).error === undefined;
  }

  /** Who demonstrates may have a home, a part, a session, a budget of wakes, a tmux and agents of their own. */
  #environment(): Record<string, string> {
    const given = Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const none = {
      RELAY_HOME: "",
      RELAY_PART: "",
      RELAY_SESSION_ID: "",
      TMUX: "",
      ...Object.fromEntries(HOSTS.flatMap(({ folderVariable }) => (folderVariable === undefined ? [] : [[folderVariable.name, ""]]))),
      // It leaves no process behind.
      RELAY_NO_RECORDER: "1",
    };
    const own = { TMUX_TMPDIR: this.folder, XDG_STATE_HOME: this.#state, HOME: this.#state };
    return { ...Object.fromEntries(given), ...none, ...own, COLUMNS: "100" };
  }

  /** Records what was done, and says where it lies. */
  lookAround(): void {
    spawnSync(process.execPath, [RELAY, "record"], { cwd: path.join(this.folder, "shop"), env: this.#environment(), stdio: "ignore" });
    this.say(`Look around:  cd ${this.folder}/shop/.relay && ls -R threads inbox`);
    this.say("              git log --stat");
    this.say(`Clean up:     rm -rf ${this.#scratch}`);
  }

  remove(): void {
    fs.rmSync(this.#scratch, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** A new folder in another. */
function made(folder: string, name: string): string {
  const at = path.join(folder, name);
  fs.mkdirSync(at);
  return at;
}

const typedAs = (args: readonly string[]): string =>
  `relay ${args.map((word) => (/^[\w./-]+$/.test(word) ? word : `'${word}'`)).join(" ")}`;
