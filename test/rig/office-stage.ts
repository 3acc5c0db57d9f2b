/** An office at work: a home with the office that most tests have, whose agents are all the scripted one, and the real runner. */
import type { ChildProcess } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { parseMessageId, parseThreadId, type ThreadLocation } from "../../protocol/core/format/id.ts";
import { operations, perform, type World } from "../../protocol/index.ts";
import { post } from "../../protocol/mail/files/post.ts";
import { readMessage } from "../../protocol/mail/files/read-message.ts";
import { messageKeys } from "../../protocol/mail/files/threads.ts";
import { type Message, messagePath, parseMessage } from "../../protocol/mail/nouns/message.ts";
import { childrenOf } from "../../protocol/office/files/children.ts";
import { createDispatch, type GivenIn } from "../../protocol/office/files/create-dispatch.ts";
import { ringDispatch } from "../../protocol/office/files/dispatch-acts.ts";
import { localDispatches } from "../../protocol/office/files/next-turn.ts";
import { type DispatchState, readDispatch } from "../../protocol/office/files/read-dispatch.ts";
import { sha256 } from "../../protocol/store/digest.ts";
import { runOffice } from "../../runner/run/run-office.ts";
import { builtWorker } from "./built.ts";
import { homeWith, officeFolder, worldAt } from "./home.ts";
import { OFFICE_FILES } from "./office.ts";
import { relayFile, startRelay } from "./processes.ts";
import { put, until } from "./scratch.ts";

/** A line of what the scripted agents wrote down. */
export interface Noted {
  event: string;
  position: string;
  context: string;
  session: string;
  pid: number;
  // biome-ignore lint/suspicious/noExplicitAny: each event says what it likes.
  [more: string]: any;
}

/** An office at work. */
export class OfficeStage {
  /** The folder that holds the home, in which the agents work. */
  readonly folder: string;
  readonly world: World;
  /** Where the agents write down what they do, and find what they are held by. */
  readonly notes: string;

  private constructor(folder: string) {
    this.folder = folder;
    this.world = worldAt(folder);
    this.notes = path.join(path.dirname(folder), "notes");
    fs.mkdirSync(this.notes);
  }

  /** Makes one. @param changes files of the office that are others, by path; null for one that is not there @param folder that holds a home; a new one where it is not given */
  static async open(changes: Readonly<Record<string, string | null>> = {}, folder?: string): Promise<OfficeStage> {
    const stage = new OfficeStage(folder ?? (await homeWith("web")));
    for (const [name, text] of Object.entries({ ...OFFICE_FILES, ...changes })) {
      if (text === null) continue;
      const isAgent = /\/agents\/[^/]+\.md$/.test(name) && !text.includes("runner:");
      stage.write(name, isAgent ? text.replace("---\n", "---\nrunner: command\n") : text);
    }
    await perform(stage.world, operations.trust_office, {});
    const argv = [process.execPath, builtWorker("office-agent"), stage.notes, relayFile()];
    await perform(stage.world, operations.office_runner, { program: "command", argv });
    stage.limits({});
    return stage;
  }

  /** Writes a file of the home. */
  write(name: string, text: string): void {
    put(path.join(this.folder, ".relay", name), text);
  }

  /** Sets limits of this machine. */
  limits(limits: Record<string, number>): void {
    const folder = officeFolder(this.folder);
    put(path.join(folder, "limits.json"), JSON.stringify({ idle_s: 0.5, ...limits }));
  }

  /** Has a program of agents be a shell script on this machine. */
  async program(name: "claude" | "codex" | "gemini" | "opencode" | "command", script: string): Promise<void> {
    const file = path.join(this.notes, `${name}.sh`);
    fs.writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    await perform(this.world, operations.office_runner, { program: name, argv: [file] });
  }

  /** Says what the agents of positions do, turn by turn of each session. */
  plan(plan: Record<string, object[][]>): void {
    fs.writeFileSync(path.join(this.notes, "plan.json"), JSON.stringify(plan));
  }

  /** Gives work to a position. @returns the id of the dispatch */
  give(recipient: string, text: string, initiator = "human", parent: GivenIn | null = null): string {
    return createDispatch(this.world, { initiator, recipient, text, parent }).dispatch.id;
  }

  /** Sends more to a dispatch, as whoever gave its work. */
  more(id: string, text: string): void {
    const { dispatch, key } = this.state(id);
    post(this.world, key, { from: dispatch.initiator, to: [dispatch.recipient], subject: "More", body: text });
    ringDispatch(this.world, id);
  }

  /** The process group of a process. */
  groupOf(pid: number): number {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, "latin1");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[2]);
  }

  /**
   * Has every agent be a shell script that answers `done by <position>`, and keeps what it was told: a hundredth of the cost of the
   * scripted agent, where a test starts hundreds.
   */
  async quick(): Promise<void> {
    const name = `name=$(printf %s "$RELAY_PART" | tr / _)`;
    const alone = `mkdir "${this.notes}/alive.$name" || echo "$name" >>"${this.notes}/overlap"`;
    const script = `${name}\n${alone}\ncat >"${this.notes}/told.$name.$$"\nprintf 'done by %s' "$RELAY_PART"\nrmdir "${this.notes}/alive.$name"`;
    await this.program("command", script);
    this.limits({ idle_s: 0.01 });
  }

  /** Has those who lead be the scripted agent, and those who only work a shell script, which costs a hundredth of it. */
  async workers(script: string): Promise<void> {
    const lead = `exec "${process.execPath}" "${builtWorker("office-agent")}" "${this.notes}" "${relayFile()}"`;
    await this.program("command", `case "$RELAY_PART" in om|*/lead) ${lead};; esac\n${script}`);
  }

  /** What the agent of a position was told, turn by turn in no order; of agents as `quick` has them. */
  told(position: string): string[] {
    const names = fs.readdirSync(this.notes).filter((name) => name.startsWith(`told.${position.replaceAll("/", "_")}.`));
    return names.map((name) => fs.readFileSync(path.join(this.notes, name), "utf8"));
  }

  /** Is the runner in this process, as long as something may be due. */
  async runHere(): Promise<void> {
    const world = worldAt(this.folder, { env: { PATH: process.env["PATH"] } });
    while (localDispatches(world).length > 0) await runOffice(world, new AbortController().signal);
  }

  /** Starts a runner. */
  run(env: Record<string, string> = {}): ChildProcess {
    return startRelay(this.folder, ["office", "run", "--home", this.folder], env);
  }

  /** Runs the office until nothing is due, and its runner has ended. */
  async rest(): Promise<void> {
    while (localDispatches(this.world).length > 0) {
      const runner = this.run();
      await until("the runner ended", () => runner.exitCode !== null);
    }
  }

  /** A dispatch as it is now. */
  state(id: string): DispatchState {
    const state = readDispatch(worldAt(this.folder), id);
    if (state === null) throw new Error(`no dispatch ${id}`);
    return state;
  }

  /** The dispatches that a dispatch led to, in order. */
  childrenOf(id: string): DispatchState[] {
    return childrenOf(worldAt(this.folder).home().store, id).map((child) => this.state(child.id));
  }

  /** Waits until a dispatch has so many ends of turns. */
  async ends(id: string, count = 1): Promise<DispatchState["ends"]> {
    await until(`${id} has ${count} ends`, () => this.state(id).ends.length >= count);
    return this.state(id).ends;
  }

  /** Waits until the last turn of a dispatch is a reply, and gives its text. */
  async reply(id: string): Promise<string> {
    const end = await until(`${id} replied`, () => this.state(id).ends.find(({ reply }) => reply !== undefined));
    return this.text(end.reply as string);
  }

  /** The messages of a thread, in order. */
  messages(id: string): Message[] {
    const { store } = worldAt(this.folder).home();
    return messageKeys(store, parseThreadId(id) as ThreadLocation).flatMap((at) => readMessage(store, at, messagePath(at), []) ?? []);
  }

  /** The text of a message. */
  text(id: string): string {
    const location = parseMessageId(id);
    if (location === null) throw new Error(id);
    const source = fs.readFileSync(path.join(this.folder, ".relay", messagePath(location)), "utf8");
    return parseMessage(source, location, sha256).body;
  }

  /** What the agents wrote down; only of one event, if it is named. */
  noted(event?: string): Noted[] {
    const file = path.join(this.notes, "log.jsonl");
    const lines = fs.existsSync(file) ? fs.readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
    return lines.map((line) => JSON.parse(line) as Noted).filter((each) => event === undefined || each.event === event);
  }

  /** Lets agents go on that are held by a name. */
  release(name: string): void {
    fs.writeFileSync(path.join(this.notes, name), "");
  }
}
