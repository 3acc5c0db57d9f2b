/** The hosts that Relay knows, in the order in which they are named to people. */
import { claude } from "./claude.ts";
import { codex } from "./codex.ts";
import { copilot } from "./copilot.ts";
import { amp, cline, cursor, kiro, vscode, windsurf, zed } from "./editors.ts";
import { gemini } from "./gemini.ts";
import type { Host } from "./host.ts";
import { kilo, opencode } from "./opencode.ts";
import { pi } from "./pi.ts";
import { qwen } from "./qwen.ts";

const LIST = [claude, codex, gemini, copilot, opencode, kilo, qwen, pi, cursor, vscode, windsurf, kiro, zed, amp, cline] as const;

/** The name of a host. */
export type HostName = (typeof LIST)[number]["name"];

/** The hosts, in the order in which they are named to people. */
export const HOSTS: readonly (Host & { name: HostName })[] = LIST;

/** Their names. */
export const HOST_NAMES = LIST.map(({ name }) => name);

/** The names of those that call hooks. */
export const HOOK_HOSTS: readonly HostName[] = HOSTS.flatMap(({ name, hooks }) => (hooks === undefined ? [] : [name]));

const BY_NAME = new Map<string, Host & { name: HostName }>(LIST.map((host) => [host.name, host]));

/** The host of a name. */
export const hostOf = (name: HostName): Host & { name: HostName } => BY_NAME.get(name) as Host & { name: HostName };

/** The variables by which a command knows that an agent calls it; the last two are set by several programs. */
export const AGENT_MARKS: readonly string[] = [...LIST.flatMap(({ marks = [] }: Host) => marks), "AI_AGENT", "AGENT", "GOOSE_TERMINAL"];

/** The host whose MCP client has a name; undefined for a client that is not known. */
export const hostOfClient = (client: string): Host | undefined => LIST.find((host: Host) => host.client?.test(client));

/** Whether a version is newer than another, both as numbers with dots; false for what is none. */
export function isNewer(version: string, than: string): boolean {
  const [a, b] = [version, than].map((text) => (/^\d+(?:\.\d+)*/.exec(text)?.[0] ?? "").split(".").map(Number));
  const at = (a as number[]).findIndex((number, index) => number !== (b as number[])[index]);
  return at !== -1 && ((a as number[])[at] as number) > ((b as number[])[at] ?? -1);
}

/** Whether a word is the name of a host. */
export const isHost = (name: string): name is HostName => BY_NAME.has(name);
