/**
 * A program in which an agent runs, as one value in one file: setup, its check, hooks, terminals, the office and the environment are loops
 * over the list of `index.ts`. Data only, and pure functions where data does not do. spec/agents.md, "Setting up agents".
 */

import type { RecordReader } from "./agent-record.ts";
import type { Program } from "./program.ts";

/** Where a file lies: at the top of the worktree, or in the host's own folder of the user. */
export type Base = "worktree" | "agent";

/** One file of a host's, and how its text is written. */
export interface HostFile {
  base: Base;
  path: string;
  /** `jsonc` is JSON in which comments and trailing commas may be. */
  format: "json" | "jsonc" | "toml";
}

/** The place of Relay's MCP server. */
export interface HostServer extends HostFile {
  /** The names on the way to the entries: `["mcpServers"]`. */
  under: readonly string[];
  /** Whether the entry's `command` is the list of all its words, and not a program beside `args`. */
  isList?: boolean;
  /** What the entry says besides: that its tools are offered at once, for one. */
  also: Readonly<Record<string, unknown>>;
}

/** How a host is allowed to use Relay's tools without asking each time. */
export type HostAllowance =
  /** By fields of the server's own entry. */
  | { by: "entry"; fields: Readonly<Record<string, unknown>> }
  /** By a rule in a list of a file of settings. */
  | { by: "rule"; file: HostFile; under: readonly string[]; rule: string }
  /** By words that it is started with; no file of its keeps it. */
  | { by: "words"; words: string }
  /** By its user alone, when it asks. */
  | { by: "person" }
  /** It asks for no tool of a server. */
  | { by: "default" };

/** When a host calls a hook: at the beginning of a session or turn, after a tool, at the end of a turn, or while it idles. */
export const MOMENTS = ["session-start", "prompt", "tool", "stop", "idle"] as const;
export type Moment = (typeof MOMENTS)[number];

/** The hooks of a host that runs commands. */
export interface HostHooks extends HostFile {
  /** `groups`: lists of hooks under an event, as Claude Code has them; `entries`: one list of hooks under it. */
  shape: "groups" | "entries";
  /** What the whole file says besides the hooks. */
  head?: Readonly<Record<string, unknown>>;
  /** The name of each event, and the moments that are told of by it. */
  events: readonly (readonly [event: string, moments: readonly Moment[]])[];
  /** One hook of its file. @param line a command line @param seconds how long it may take */
  entry(moment: Moment, line: string, seconds: number): Readonly<Record<string, unknown>>;
  /** What a hook answers: context for the model, and that a turn goes on. */
  says(event: string, text: string): unknown;
  goesOn(reason: string): unknown;
}

/** A module of code that a host loads, in which Relay's hooks are: a file that is Relay's alone. */
export interface HostModule {
  base: Base;
  path: string;
  shape: "module";
  /** The names of its own events, and the moments that are told of by them. */
  events: readonly (readonly [event: string, moments: readonly Moment[]])[];
  /** The whole module, from what stands in it of Relay. @param words how Relay is started, and with which part */
  text(words: readonly string[]): string;
  says(event: string, text: string): unknown;
  goesOn(reason: string): unknown;
}

/** A part of the plain text of a row, and how an empty input is told. Rules for rows see the row without blanks at its end. */
export interface HostScreen {
  /** The prompt of the input line, from the row's first column to where the text begins. */
  prompt: RegExp;
  /** What may close the input line at its right, such as the frame of a box. */
  closing: RegExp;
  /** The row above the text and the one below it, where each row of the text has the prompt, or none has one. */
  box?: RegExp;
  /** The colours of a hint of the host's own that vanishes when somebody types; faint text is one everywhere. */
  hint?: RegExp;
  /** The words of such a hint, whole, where the host draws it in no colour of its own without colours (`NO_COLOR`). */
  hintWords?: RegExp;
  /** Rows that say that it works. */
  busy: readonly RegExp[];
  /** Rows that say that it asks something which Enter would answer. */
  dialog: readonly RegExp[];
  /** Whether such a question takes the place of the input line. */
  dialogHidesInput: boolean;
  /** Whether it shows above its input what it was told. */
  showsTold: boolean;
  /** Names of the processes that are the host, without a script's ending. */
  processes: RegExp;
}

/** A value of JSON or TOML that is read without trust. */
export type Read = Readonly<Record<string, unknown>>;

/** The settings of a host: those that its user wrote, and those that may have come with the code, which refuse things and allow none. */
export interface HostSettings {
  own: readonly Read[];
  shared: readonly Read[];
}

/** What a host keeps of its user's trust. */
export interface HostTrust {
  /** Files of its own folder, and how each is named here. `beside`: next to that folder, in the user's home. */
  files: Readonly<Record<string, { path: string; format: "json" | "toml"; beside?: boolean }>>;
  /** Whether the user trusted a folder, by those files; null where nothing says so. */
  folder(files: Readonly<Record<string, Read>>, folder: string): boolean | null;
  /** Of a host that runs hooks only after its user trusted them: whether a file of hooks is trusted, and where that is done. */
  hooks?: { isTrusted(files: Readonly<Record<string, Read>>, file: string): boolean; step: string };
  /** Of a host that asks for each server of a project: whether its user approved Relay's; null where nothing says so. */
  server?: {
    isApproved(files: Readonly<Record<string, Read>>, folders: readonly string[], settings: HostSettings): boolean | null;
    step: string;
  };
}

/** The records of a host's sessions that say what its models used, a file for each, and how their lines are read. */
export interface HostRecords {
  /** Below its own folder. */
  folder: string;
  /** The paths below that: `*` stands for any text within a name, `ID` for the id of the session. None where it has no such files. */
  paths: readonly string[];
  /** So many characters of the id are in a path, where not all are. */
  idLength?: number;
  /**
   * How the project of a record is known before it is read: `folder`, where the first name of its path is that of the working directory
   * with dashes; `file`, where `.project_root` in that folder says it, or its name is the digest. The record itself says it too, but for `file`.
   */
  project?: "folder" | "file";
  /** The name of the folder of its subagents' records, in one beside a record that has the name of its session. */
  subagents?: string;
  // biome-ignore lint/suspicious/noExplicitAny: what a reader keeps between two readings is its own.
  reader: RecordReader<any>;
}

/** The tools of a program that an agent's file can give it. */
export interface OfficeTools {
  isUsable(tool: string): boolean;
  /** What may be named, in words. */
  expected: string;
}

/** How a host answers one question and ends. */
export interface HostOnce {
  /** As people type it. */
  words: string;
  /** Whether a word that it was started with says so. */
  isOne(word: string): boolean;
  /** What it does with Relay's tools where they are not allowed, in words. */
  asks: string;
  /**
   * Whether it says so in another way; null where that does not say it.
   * @param begin gives the first line of the session's record; null where it cannot be read
   */
  isAlone?(env: Readonly<Record<string, string | undefined>>, begin: () => string | null): boolean | null;
}

/** A host. Of one that is an editor, or that Relay knows by its documentation alone, most is not given. */
export interface Host {
  /** Its name in commands and files, which is that of its program, where that is started in a terminal. */
  name: string;
  /** As its makers write it. */
  title: string;
  /** The newest version that was tried with Relay by its tests; null where it was only measured, or read of. */
  tested: string | null;
  /** The variable that moves its own folder, and whether the folder lies inside of what that names. */
  folderVariable?: { name: string; isAround?: boolean };
  /** Its own folder, from the user's home. */
  folder: string;
  server: HostServer;
  /** The file of a project whose servers go before those of the user's file, from the top of the worktree; setup writes none into it. */
  inProject?: string;
  /** Where earlier versions of Relay wrote what is elsewhere now. */
  former?: HostFile;
  allowance: HostAllowance;
  /** Its files of instructions in the order in which Relay's lines go into the first that is there, and which is made where none is. */
  instructions: { reads: readonly string[]; makes: string };
  /** The folder of the project in which it looks for skills; `.agents/skills`, which most read, where it is not given. */
  skills?: string;
  hooks?: HostHooks | HostModule;
  /** A further file of the project that may hold hooks, and that setup does not write. */
  alsoHooks?: HostFile;
  /** Its files of settings that say what is allowed. */
  settings?: readonly HostFile[];
  /** Settings in those files, or beside the server, by which its user turns Relay off: a value, or one in a list. */
  off?: readonly (readonly [keys: readonly string[], value: unknown])[];
  trust?: HostTrust;
  /** What it asks a person when it begins, in its order, and what is to be said. */
  dialogs?: string;
  /** Where its user trusts a folder. */
  trustStep?: string;
  /** Its terminal, of one that Relay can type into. */
  screen?: HostScreen;
  /** How it is started to answer one question, without a person before it. */
  once?: HostOnce;
  /** The name in `clientInfo` of its MCP client. */
  client?: RegExp;
  /** Seconds that a call of a tool may take while it reports progress, as measured; a minute where it is not known. */
  callSeconds?: number;
  /** Which part of an answer its model is shown, where an answer is text and structured content both; both where it is not known. */
  shows?: "structured" | "text" | "both";
  /** Variables that it sets for whatever it starts: they say that an agent calls. */
  marks?: readonly string[];
  /** Relay as a plug-in of it: the variable of what that starts, whether it is on by its user's settings, and what turns it off. */
  plugin?: { variable: string; isOn(own: readonly Read[]): boolean; off: string };
  /** What starts it so that it hears a push into its session. */
  channel?: string;
  /**
   * Of one whose commands run in a sandbox, in which no linked worktree's git directory is written: what to put where, so that they may
   * write folders.
   */
  sandbox?(folders: readonly string[]): string;
  /** The variable in which its servers find the id of their session. */
  sessionVariable?: string;
  /** The variable in which its hooks find the folder of the project. */
  projectVariable?: string;
  /** What its models used, by its own records. */
  records?: HostRecords;
  /** How it runs one turn of an office without a terminal, and ends. */
  program?: Program;
  /** Which of its tools the file of an agent of an office can name: all others are a further channel to agents, or ask a person. */
  officeTools?: OfficeTools;
  /** Its own variables, its keys and settings: of one that runs turns of an office. */
  variables?: RegExp;
  /** Variables of a session of it, which are never passed on to another. */
  ofSession?: RegExp;
  /** Whether its shell sees no global settings of git, so that a commit's author must be said by variables. */
  hidesGitIdentity?: boolean;
  /**
   * The word by which the one process is started in which all of its sessions may run: it outlives their terminals, and has the
   * environment of the first.
   */
  sharedProcess?: string;
}

/** Makes a host known by its name. */
export const defineHost = <const N extends string>(host: Host & { name: N }): Host & { name: N } => host;

/** Own variables of a host that knows the models of many providers: what begins with a name of its own or of theirs. */
export const withProviders = (...own: readonly string[]): RegExp =>
  new RegExp(`^(?:${[...own, ..."ANTHROPIC OPENAI OPENROUTER GEMINI GOOGLE MISTRAL GROQ XAI DEEPSEEK".split(" ")].join("|")})_`);

/** Whether a host wakes its own idle sessions, by a hook that waits. */
export const wakesItself = ({ hooks }: Host): boolean => hooks?.events.some(([, moments]) => moments.includes("idle")) === true;

/** What a user of both a host's plugin and its set-up is told. */
export const pluginTwice = ({ name, plugin }: Host): string =>
  `Relay's plugin and \`relay setup ${name}\` are both active, so each tool exists twice: keep one (\`relay setup ${name} --remove\`, or \`${plugin?.off}\`).`;

/** The folder of the project for a host's skills. */
export const skillsOf = ({ skills = ".agents/skills" }: Host): string => skills;

/** The choices of a question, the first or another of them chosen. */
export const CHOICES = /^[\s│]*[❯›●>→]\s*\d+\.\s/;

/** The first line of a module of Relay's. */
export const moduleHead = (name: string): string => `// Written by \`relay setup ${name}\`; \`relay setup ${name} --remove\` takes it out.`;

const NEEDS = 'import { spawn } from "node:child_process";';

/** What the modules of hosts have in common: how they ask Relay, with JSON on its input. @param words how Relay is started */
export const moduleBody = (name: string, words: readonly string[]): string => `${moduleHead(name)}
${NEEDS}

const RELAY = ${JSON.stringify(words)};

/** What \`relay hook MOMENT\` says: nothing where Relay is not here, or has nothing to say. */
const ask = (moment, session, cwd, more) =>
  new Promise((resolve) => {
    const [program, ...args] = RELAY;
    const child = spawn(program, [...args, "hook", moment, "--agent", "${name}"], { cwd, stdio: ["pipe", "pipe", "pipe"] });
    let out = "";
    let line = "";
    child.stdout.on("data", (text) => (out += text));
    child.stderr.on("data", (text) => (line += text));
    child.on("error", () => resolve({}));
    child.on("close", (code) => {
      try {
        resolve(code === 2 ? { wake: line.trim() } : JSON.parse(out || "{}"));
      } catch {
        resolve({});
      }
    });
    child.stdin.on("error", () => {});
    child.stdin.end(JSON.stringify({ session_id: session, cwd, ...more }));
  });
`;

/** What a module reads of an answer. */
export const moduleAnswers: Pick<HostModule, "says" | "goesOn"> = { says: (_, text) => ({ text }), goesOn: (reason) => ({ reason }) };

/** An object at a key; an empty one where there is none. */
export const under = (value: unknown, key: string): Read => {
  const found = typeof value === "object" && value !== null ? (value as Read)[key] : undefined;
  return typeof found === "object" && found !== null ? (found as Read) : {};
};

/** What hooks of Claude Code's kind answer; several others took it over. */
export const claudeAnswers: Pick<HostHooks, "says" | "goesOn"> = {
  says: (event, text) => ({ hookSpecificOutput: { hookEventName: event, additionalContext: text } }),
  goesOn: (reason) => ({ decision: "block", reason }),
};

/** Hooks of Claude Code's kind, with the moments that hosts which took them over have as well. */
export const claudeHooks: Pick<HostHooks, "says" | "goesOn" | "shape" | "events"> = {
  ...claudeAnswers,
  shape: "groups",
  events: [
    ["SessionStart", ["session-start"]],
    ["UserPromptSubmit", ["prompt"]],
    ["PostToolUse", ["tool"]],
    ["Stop", ["stop"]],
  ],
};

/**
 * Tells a session whose terminal is gone, of a host that runs all sessions in one process that outlives them. spec/messages.md, "Presence".
 * @param starter the words of the process that started this one
 * @param working those of each process that works in the session's folder; null where the system does not say it
 * @returns false for a session in a process of its own, which ends with it
 */
export function isTerminalGone(host: Host, starter: readonly string[], working: readonly (readonly string[])[] | null): boolean {
  const { sharedProcess, screen } = host;
  if (sharedProcess === undefined || screen === undefined || !starter.includes(sharedProcess) || working === null) return false;
  const isTerminal = (words: readonly string[]): boolean =>
    !words.includes(sharedProcess) && words.slice(0, 2).some((word) => screen.processes.test(word.slice(word.lastIndexOf("/") + 1)));
  return !working.some(isTerminal);
}
