/** What a runner has to know of a program that does the work of an agent. spec/office.md, "Programs". */
import type { Json, Reading } from "./reading.ts";

/** What a turn's program is started with. */
export interface TurnStart {
  /** The launch's folder, as an absolute path. */
  folder: string;
  /** A folder that this dispatch keeps over its turns, as an absolute path. */
  kept: string;
  /** What the program is called by on this machine: a path or name, and arguments that stand before all others. */
  program: readonly string[];
  /** The working directory. */
  cwd: string;
  /** All that the program reads of its turn. */
  envelope: string;
  /** The agent's own prompt. */
  prompt: string;
  model?: string | undefined;
  /** The tools of the program that the agent may use, by the program's own names, each of which it can be given; its default where absent. */
  tools?: readonly string[] | undefined;
  maxTurns?: number | undefined;
  /** The session to go on with; null in the first turn. */
  resumes: string | null;
  /** An id for a session that begins, where the program takes one: a UUID. */
  newSession: string;
  /** Relay's server of tools: its command, the environment it needs, and the names of what it offers. */
  server: { argv: readonly string[]; env: Readonly<Record<string, string>>; tools: readonly string[] };
  /** The environment that every program gets, and what begins with one of the names of its own. */
  env: Readonly<Record<string, string>>;
  /** Folders besides the working directory that a commit of its writes, as absolute paths. */
  commitsIn: readonly string[];
  position: string;
  context: string;
}

/** How a program is started for a turn. */
export interface Prepared {
  argv: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Files of the launch's folder, and their texts; `stdin` is among them. */
  files: Readonly<Record<string, string>>;
  /** Files of the folder that is kept, and their texts. */
  keptFiles?: Readonly<Record<string, string>>;
  /** The session that comes back, where it is known before. */
  session?: string | undefined;
}

/** A program. */
export interface Program {
  /** The name that is looked for on the PATH where this machine's list says nothing. */
  command: string | null;
  prepare(start: TurnStart): Prepared;
  /** Takes the next line that it printed. */
  read(reading: Reading, line: string): Reading;
  /** What an event that it printed says to people who look on: texts of its model, and calls of tools. */
  said?(event: Json): readonly string[];
  /** Whether a whole output is its final text, because it prints no events. */
  isPlain?: boolean;
  /** Variables that say where it keeps its sessions, of one that keeps them with its dispatch. @param kept the folder of the dispatch */
  keepsIn?(kept: string): Readonly<Record<string, string>>;
  /** Whether the usage that it says at the end of a turn is that of the whole session. */
  countsSession?: boolean;
  /** Whether the turns of its model are counted here, because it cannot limit them itself. */
  countsSteps?: boolean;
  /**
   * Files of a project, and of the folders above it, that it reads whatever it is told, and that decide what runs or where the user's key
   * goes: with what their text has then, or null for anything. Where one is there, the program is not started.
   */
  readsAnyway?: Readonly<Record<string, RegExp | null>>;
}

/** The name of Relay's server in every program's settings. */
export const SERVER = "office";
/** A file of servers with Relay's alone. @param more what else the program is told of it */
export const serversWith = ({ argv: [command, ...args], env }: TurnStart["server"], more: Json) => ({
  mcpServers: { [SERVER]: { command, args, env, ...more } },
});
/** How long a call of a tool may take: a Send waits as long as the turn that it asks for. A day, in seconds. */
export const CALL_SECONDS = 86_400;
