/**
 * The entries that Relay writes into the files of each host: its MCP server, its hooks, and a few lines of instructions; and which of
 * them is Relay's when it is taken out again. spec/agents.md, "Setting up agents".
 */

import { type Base, type Host, type HostFile, skillsOf } from "../../agents/hosts/host.ts";
import { errorAtWords, FileError } from "../../core/format/file-error.ts";
import type { Starter } from "../../core/names.ts";
import { dialectOf, permissionEdit, startsRelay } from "./agent-entries.ts";
import { hooksEdit, moduleEdit } from "./agent-hooks.ts";
import { withCodexServer, withoutCodexServer } from "./codex-server.ts";
import { entriesAt, putIn, setIn, takeOut } from "./json-text.ts";
import { withBlock, withoutBlock } from "./marked-block.ts";

/** What an agent's entries are made from. */
export interface SetupOptions {
  starter: Starter;
  /** Binds the server and the hooks in a project's own files, where no worktree says who this is. */
  part: string | null;
  /** Whether the server pushes the doorbell into the session: Claude Code only. */
  channel: boolean;
  /** The groups of tools that the server serves; what it serves by itself where they are not named. */
  tools?: string | undefined;
  /** Whether the agent may use Relay's tools without asking each time. */
  allow: boolean;
  /** The lines for the agent. */
  block: string;
  /** The whole skill. */
  skill: string;
  /** The file at the top of the worktree that gets them; null for none. The one that the host makes, where it is not given. */
  blockFile?: string | null | undefined;
}

/** One file of the user's that is changed as text. */
export interface FileEdit {
  /** Where it lies: at the top of the worktree, or in the agent's own folder. */
  base: Base;
  path: string;
  /** @returns null where there is to be no file @throws FileError where it is malformed, or something else has the place */
  add(text: string | null): string | null;
  /** @throws FileError where it is malformed */
  remove(text: string): string | null;
}

/** What has to be changed to set a host up: one edit for each file. */
export function editsFor(host: Host, given: SetupOptions): FileEdit[] {
  const { server, hooks, allowance, former, instructions } = host;
  // What serves every folder of the user's cannot say who somebody is.
  const everywhere = { ...given, part: null };
  const optionsOf = (base: Base): SetupOptions => (base === "worktree" ? given : everywhere);
  const edits = [serverEdit(host, server, optionsOf(server.base))];
  if (hooks !== undefined)
    edits.push(hooks.shape === "module" ? moduleEdit(host, hooks, given) : hooksEdit(host, hooks, optionsOf(hooks.base)));
  if (allowance.by === "rule") edits.push(permissionEdit(allowance, given.allow));
  // Where earlier versions wrote both: a file of the project is for others too, who may have no Relay.
  if (former !== undefined) {
    edits.push(onlyRemoved(serverEdit(host, { ...server, ...former }, everywhere), refuseForeign(former)));
    if (hooks !== undefined && hooks.shape !== "module") edits.push(onlyRemoved(hooksEdit(host, { ...hooks, ...former }, everywhere)));
  }
  const { makes, reads } = instructions;
  const { blockFile = makes } = given;
  for (const path of new Set([...reads, makes])) {
    const edit = blockEdit(path, given.block);
    if (path === blockFile) edits.push(edit);
    // One that earlier versions chose; the file that is made may have the lines for another host.
    else if (path !== makes || reads.includes(makes)) edits.push(onlyRemoved(edit));
  }
  edits.push(skillEdit(host, given.skill));
  const files = new Map<string, FileEdit>();
  for (const edit of edits) {
    const key = `${edit.base} ${edit.path}`;
    const first = files.get(key);
    files.set(key, first === undefined ? edit : joined(first, edit));
  }
  return [...files.values()];
}

/** Two changes of one file. */
function joined(first: FileEdit, second: FileEdit): FileEdit {
  return {
    ...first,
    add: (text) => second.add(first.add(text)),
    remove(text) {
      const left = second.remove(text);
      return left === null ? null : first.remove(left);
    },
  };
}

/** What was written there once is taken out, whatever is asked. */
const onlyRemoved = (edit: FileEdit, refuse: (text: string) => void = () => {}): FileEdit => ({
  ...edit,
  add(text) {
    if (text === null) return null;
    refuse(text);
    return edit.remove(text);
  },
});

/** Another server of Relay's name would be started in the place of Relay's. */
const refuseForeign =
  (file: HostFile) =>
  (text: string): void => {
    const entries = entriesAt(text, ["mcpServers"], dialectOf(file));
    if (entries.some(({ key, value }) => key === "relay" && !startsRelay(value, "mcp"))) throw foreignServer(text);
  };

const serverArgs = ({ starter, part, channel, tools }: SetupOptions): string[] => [
  ...starter.args,
  "mcp",
  ...(part === null ? [] : ["--part", part]),
  ...(tools === undefined ? [] : ["--tools", tools]),
  ...(channel ? ["--channel"] : []),
];

/**
 * The server as an entry of its file. Of one that is there in the user's own file only what starts it is set, the rest of it is
 * the user's. One in a file of the project came with the code, and its variables start what they like: it is replaced whole.
 */
function serverEdit({ allowance }: Host, place: Host["server"], options: SetupOptions): FileEdit {
  const { base, path, under, isList = false, also } = place;
  const { program } = options.starter;
  const args = serverArgs(options);
  const fields = options.allow && allowance.by === "entry" ? allowance.fields : {};
  if (place.format === "toml") {
    const server = { command: program, args, fields, also };
    return { base, path, add: (text) => withCodexServer(text, server), remove: withoutCodexServer };
  }
  const dialect = dialectOf(place);
  const value = { ...(isList ? { command: [program, ...args] } : { command: program, args }), ...also, ...fields };
  return {
    base,
    path,
    add(text) {
      const there = entriesAt(text, under, dialect).filter(({ key }) => key === "relay");
      if (text === null || there.length === 0) return putIn(text, under, { key: "relay", value }, dialect);
      if (there.some((entry) => !startsRelay(entry.value, "mcp"))) throw foreignServer(text);
      if (base === "worktree") return setIn(text, under, { key: "relay", value }, dialect);
      return Object.entries(value).reduce((now, [key, each]) => setIn(now, [...under, "relay"], { key, value: each }, dialect), text);
    },
    remove: (text) => takeOut(text, under, ({ key, value: entry }) => key === "relay" && startsRelay(entry, "mcp"), dialect),
  };
}

const foreignServer = (text: string): Error =>
  errorAtWords(
    text,
    '"relay"',
    'mcpServers has an entry "relay" that does not start Relay: check it, and remove it or give it another name',
  );

/** The comment by which a skill is known as Relay's, of whichever version. */
const OWN_SKILL = "<!-- Kept by `relay setup`";

/** The skill: a file that is Relay's alone. */
const skillEdit = (host: Host, skill: string): FileEdit => ({
  base: "worktree",
  path: `${skillsOf(host)}/relay/SKILL.md`,
  add(before) {
    if (before !== null && !before.includes(OWN_SKILL)) throw new FileError("it is not Relay's: move it away", 1);
    return skill;
  },
  remove: (before) => (before.includes(OWN_SKILL) ? null : before),
});

function blockEdit(path: string, block: string): FileEdit {
  const body = block.trimEnd();
  return { base: "worktree", path, add: (text) => withBlock(text, body), remove: (text) => withoutBlock(text, body) };
}
