/** How the program of a turn is started on this machine: which file it is, its settings, its environment, and Relay's server of tools. */
import fs from "node:fs";
import path from "node:path";
import { hostOf, isHost } from "../../protocol/agents/hosts/index.ts";
import type { Prepared, Program } from "../../protocol/agents/hosts/program.ts";
import { orElse } from "../../protocol/core/format/file-error.ts";
import { realFolder } from "../../protocol/core/home/find-home.ts";
import { TOKEN_VARIABLE } from "../../protocol/core/names.ts";
import { commitFolders, commitIdentity } from "../../protocol/git/home/commit-identity.ts";
import type { World } from "../../protocol/index.ts";
import { launchEnvironment } from "../../protocol/office/files/launch-environment.ts";
import type { Frozen } from "../../protocol/office/files/launch-settings.ts";
import { localFolder } from "../../protocol/office/files/local-files.ts";
import { officeToWrite } from "../../protocol/office/files/office-folder.ts";
import { officePrograms } from "../../protocol/office/files/office-programs.ts";
import { usableTools } from "../../protocol/office/nouns/usable-tools.ts";
import { sha256 } from "../../protocol/store/digest.ts";
import { absoluteOnly, findProgram } from "../../protocol/store/program.ts";
import { readPlain } from "../../protocol/store/read/plain-file.ts";
import { absolute } from "../../protocol/store/root.ts";
import { programOf } from "../programs/programs.ts";

/** What a turn of a dispatch is started with. */
export interface TurnOf {
  dispatch: string;
  context: string;
  turn: number;
  attempt: number;
  launch: Frozen;
  envelope: string;
  /** The session to go on with; null where there is none yet. */
  resumes: string | null;
  /** The token of this turn. */
  token: string;
  /** The launch's folder, as an absolute path. */
  folder: string;
}

/** Relay's tools of each position: a leaf gives work to nobody. */
const LEAF_TOOLS = ["AskQuestion", "ReadReply"];
const LEAD_TOOLS = ["Send", "ListTeamMembers", "CloseConversation", ...LEAF_TOOLS];
/** Of the environment, what Relay's server needs to be the same as for everybody here. */
const OF_SERVER = /^(?:HOME|PATH|LANG|LC_\w+|TMPDIR|XDG_\w+)$/;

/** An id for a session, as a UUID: the same for the same start of a program. */
function sessionFor(start: string): string {
  const hex = sha256(start);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** A file around a folder that a program would read, as `readsAnyway` has it; undefined where there is none. Those in the user's own home folder are theirs. */
function readAnyway(folder: string, files: NonNullable<Program["readsAnyway"]>, home: string | undefined): string | undefined {
  const counts = (at: string, text: RegExp | null): boolean =>
    fs.existsSync(at) && (text === null || orElse(true, () => text.test(readPlain(at).toString())));
  const found = folder === home ? undefined : Object.entries(files).find(([name, text]) => counts(path.join(folder, name), text));
  const above = path.dirname(folder);
  return found !== undefined ? path.join(folder, found[0]) : above === folder ? undefined : readAnyway(above, files, home);
}

/** Says how a turn is started; a text says why it cannot be. */
export async function prepareTurn(world: World, given: TurnOf): Promise<Prepared | string> {
  const { launch, context, dispatch, turn, attempt, token, folder } = given;
  const { store } = world.home();
  const program = programOf(launch.program);
  const env = launchEnvironment(world, launch.program);
  const argv = officePrograms(world)[launch.program] ?? (program.command === null ? [] : [program.command]);
  const [name, ...args] = argv;
  const say = `\`relay office runner ${launch.program} -- PATH\``;
  if (name === undefined) return `no command was named on this machine for the agents that are run by one. Name it: ${say}`;
  const file = findProgram(name, launch.cwd, env["PATH"]);
  if (file === null) return `the program ${name} was not found on this machine. Install it, or say where it is: ${say}`;
  const read = readAnyway(realFolder(launch.cwd), program.readsAnyway ?? {}, env["HOME"] && realFolder(env["HOME"]));
  if (read !== undefined)
    return `${launch.program} would do what ${read} says, which may have come with the project or be an agent's. Remove it, or give the position another \`runner\``;
  const server = {
    argv: [process.execPath, process.argv[1] as string, "mcp", "--tools", "team", "--home", store.root],
    env: {
      ...Object.fromEntries(Object.entries(env).filter(([each]) => OF_SERVER.test(each))),
      [TOKEN_VARIABLE]: token,
      RELAY_HOME: store.root,
    },
    tools: launch.isLeaf ? LEAF_TOOLS : LEAD_TOOLS,
  };
  const isBlind = isHost(launch.program) && hostOf(launch.program).hidesGitIdentity === true;
  const identity = isBlind ? await commitIdentity(launch.cwd) : {};
  return program.prepare({
    folder,
    kept: absolute(officeToWrite(store), localFolder(dispatch)),
    program: [file, ...args],
    cwd: launch.cwd,
    envelope: given.envelope,
    prompt: launch.systemPrompt,
    model: launch.model,
    tools: launch.tools && usableTools(launch.program, launch.tools),
    maxTurns: launch.maxTurns,
    resumes: given.resumes,
    newSession: sessionFor(`${dispatch} ${turn} ${attempt}`),
    server,
    // A program finds this very Node, whatever else is on the path.
    env: { ...env, ...identity, PATH: [absoluteOnly(env["PATH"]), path.dirname(process.execPath)].filter(Boolean).join(path.delimiter) },
    commitsIn: launch.isolation === "worktree" ? commitFolders(launch.cwd) : [],
    position: launch.position,
    context,
  });
}
