/**
 * The stage for what agents of other tools do: one home and one real server for all cases of a file, and for each case a
 * session of its own with one and the same team. What agents say is told from what they may expect.
 */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { operations, perform } from "../../protocol/index.ts";
import type { Answer } from "../rig/clones.ts";
import { chatty, worldAt } from "../rig/home.ts";
import { type Agent, connect } from "../rig/processes.ts";

/** The agents of every session, as its team file names them. */
const CREW = ["orchestrator", "lead", "web", "api", "tests", "design"];
const agentLine = (id: string, more = ""): string =>
  `  ${id}: { name: ${id}, emoji: "*", tools: [], systemPrompt: "You are {agent_id}."${more} }\n`;
/** A team file of the crew. @param hooks what a line of an agent has besides, by its id */
export const crew = (hooks: Record<string, string> = {}): string =>
  `agents:\n${CREW.map((id) => agentLine(id, hooks[id] === undefined ? "" : `, hooks: ${hooks[id]}`)).join("")}`;

/** One case's part of the stage. */
export class Scene {
  readonly session: string;
  /** The home's folder. */
  readonly home: string;
  readonly #stage: Stage;

  constructor(stage: Stage, session: string) {
    this.#stage = stage;
    this.session = session;
    this.home = path.join(stage.folder, ".relay");
  }

  /** Begins the case's session, with its team and no pool. */
  begin = async (): Promise<void> => {
    this.write("team", crew());
    fs.rmSync(path.join(this.home, "agents.pool.yml"), { force: true });
    await this.ok("orchestrator", "start_session", { session_id: this.session });
  };

  /** The tools as a client lists them. */
  tools = async (): Promise<Answer[]> => (await this.#stage.server.client.listTools()).tools;

  /** Calls any operation as a program of this machine does, in a part's name. */
  does = (part: string, name: keyof typeof operations, input: Record<string, unknown> = {}): Promise<Answer> =>
    perform(worldAt(this.#stage.folder, { part, env: this.#stage.env }), operations[name], input);

  /** Calls a tool in the words of an agent; null says no `agent_id`. Gives the answer, whatever it is. */
  says = (agent: string | null, tool: string, args: Record<string, unknown> = {}): Promise<Answer> =>
    this.#stage.server.call(tool, { ...(agent === null ? {} : { agent_id: agent }), ...args });

  /** As `says`, and it succeeds. */
  ok = async (agent: string | null, tool: string, args: Record<string, unknown> = {}): Promise<Answer> => {
    const answer = await this.says(agent, tool, args);
    expect(answer, `${agent}: ${tool} ${JSON.stringify(args).slice(0, 300)}`).toMatchObject({ success: true });
    return answer;
  };

  /** As `says`, and it is refused with a code, and with words. */
  no = async (agent: string | null, tool: string, args: Record<string, unknown>, code: string, words = ""): Promise<Answer> => {
    const answer = await this.says(agent, tool, args);
    expect(answer, `${agent}: ${tool} ${JSON.stringify(args).slice(0, 300)}`).toMatchObject({
      success: false,
      code,
      error: expect.stringContaining(words),
    });
    return answer;
  };

  /** A task with a title that is worth little: its id. */
  task = async (args: Record<string, unknown> = {}, by = "lead"): Promise<string> =>
    (await this.ok(by, "create_task", { title: "Draw the map", priority: "low", ...args })).task_id;

  /** The tasks that an agent is shown. */
  tasks = async (args: Record<string, unknown> = {}): Promise<Answer[]> => (await this.ok("tests", "get_all_tasks", args)).tasks;

  /** What came for an agent, as texts. */
  mail = async (agent: string, args: Record<string, unknown> = {}): Promise<string[]> =>
    (await this.ok(agent, "get_messages", args)).messages.map(({ content }: { content: string }) => content);

  /** An artifact: its id. */
  artifact = async (args: Record<string, unknown> = {}, by = "web"): Promise<string> =>
    (await this.ok(by, "post_artifact", { name: "map", type: "design", content: "a coast", ...args })).artifact_id;

  /** Writes the team file of the case's session, or of another; or the pool. */
  write = (file: "team" | "pool" | { session: string }, text: string): void => {
    const session = typeof file === "object" ? file.session : this.session;
    fs.writeFileSync(path.join(this.home, file === "pool" ? "agents.pool.yml" : `session-agents-${session}.yml`), text);
  };

  /** Another session, with the same team. Gives its id. */
  other = async (name: string): Promise<string> => {
    const session = `${this.session}-${name}`;
    this.write({ session }, crew());
    await this.ok("orchestrator", "start_session", { session_id: session });
    await this.ok("orchestrator", "start_session", { session_id: this.session });
    return session;
  };

  /** A person allows the hooks that the team files have now. */
  trust = async (): Promise<void> => {
    await this.does("main", "trust", { all: true });
  };

  /** The server is killed, and another takes its place: it knows nothing but the files. */
  restart = async (): Promise<void> => {
    await this.#stage.server.kill();
    this.#stage.server = await this.#stage.connect();
    await this.ok("orchestrator", "start_session", { session_id: this.session });
  };
}

/** What a file's cases play on: the tools that are served, and the parts that there are. */
interface Setting {
  tools: "plugin" | "room";
  parts: string[];
}

/** A home with its server, on which the cases of one file play. */
class Stage {
  readonly #setting: Setting;
  readonly folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "relay-stage-")));
  readonly env = { XDG_STATE_HOME: path.join(this.folder, "state") };
  server!: Agent;

  constructor(setting: Setting) {
    this.#setting = setting;
  }

  connect = (): Promise<Agent> => connect(this.folder, { args: ["--tools", this.#setting.tools], env: this.env, kept: true });

  async open(): Promise<void> {
    await perform(worldAt(this.folder, { env: this.env }), operations.init, { parts: this.#setting.parts });
    // A file's cases say more in a minute than agents do.
    chatty(this.folder);
    this.server = await this.connect();
  }

  async close(): Promise<void> {
    await this.server.close();
    fs.rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** What there is to a case: agents that say something, and what they may expect. */
export type Case = (scene: Scene) => Promise<unknown>;

/** Plays cases one after the other, each under its name: a sentence that says how it is. */
export function play(cases: Record<string, Case>, setting: Setting = { tools: "plugin", parts: [] }): void {
  let stage: Stage;
  let played = 0;
  beforeAll(async () => {
    stage = new Stage(setting);
    await stage.open();
  });
  afterAll(() => stage.close());
  test.each(Object.entries(cases))("%s", async (_how, step) => {
    played += 1;
    const scene = new Scene(stage, `case-${played}`);
    if (setting.tools === "plugin") await scene.begin();
    await step(scene);
  });
}

/** What is other than there on purpose, with its reason, as spec/commands.md lists it. */
export const DIFFERENCES: ReadonlyMap<string, string> = new Map(
  (/\n### Where agents of other tools find something else\n([\s\S]*?)\n#/.exec(fs.readFileSync("spec/commands.md", "utf8"))?.[1] ?? "")
    .split("\n")
    .filter((line) => line.startsWith("| ") && !line.startsWith("| what |"))
    .map((line) => line.split(" | ") as [string, string])
    .map(([what, ...rest]) => [what.slice(2), rest.join(" | ")]),
);

/** A case in which Relay is other on purpose. @param what the difference, by its name in the table of spec/commands.md */
export function differs(what: string, step: Case): Case {
  if (!DIFFERENCES.has(what)) throw new Error(`the table of differences in spec/commands.md has no row ${JSON.stringify(what)}`);
  return step;
}
