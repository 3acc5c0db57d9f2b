/** Reads what the agents store about their user's trust; never writes it. spec/agents.md, "Setting up agents". */
import fs from "node:fs";
import path from "node:path";
import { orElse } from "../../objects/format/file-error.ts";
import { type Host, type Read as Json, under } from "../../objects/host/host.ts";
import { hostOf } from "../../objects/host/index.ts";
import { parseToml } from "../../objects/setup/toml-text.ts";
import { readUserFile } from "../../store/beside/user-file.ts";
import { trackedBelow } from "../../store/git/git-tracked.ts";
import type { World } from "../../world.ts";
import { codeRepository } from "../find-home.ts";
import { hostFolder, userFolder } from "../host-folder.ts";
import { baseOf, worktreeOf } from "./set-up-agent.ts";

/** What a file says; nothing where it is not there or cannot be read. */
function read(file: string, parse: (text: string) => unknown): Json {
  return orElse({}, () => {
    const value = parse(readUserFile(file) ?? "");
    return typeof value === "object" && value !== null ? (value as Json) : {};
  });
}

/** The folders whose trust counts here: the worktree, what is above it, and the main worktree of its repository. */
function folders(world: World): string[] {
  const top = worktreeOf(world);
  const common = codeRepository(world.cwd)?.commonDir;
  const found: string[] = [];
  for (let at = top; ; at = path.dirname(at)) {
    found.push(at);
    if (path.dirname(at) === at) break;
  }
  return common === undefined ? found : [...found, path.dirname(common)];
}

const claudeState = (world: World): Json => read(path.join(besideOf(world, hostOf("claude")), ".claude.json"), JSON.parse);
/** The settings of Claude Code that its user wrote: what git tracks came with the code, and speaks for nobody here. */
const claudeSettings = (world: World): Json[] => [
  read(path.join(hostFolder(hostOf("claude"), world.env), "settings.json"), JSON.parse),
  ...(isShared(world, LOCAL_SETTINGS) ? [] : [read(path.join(worktreeOf(world), LOCAL_SETTINGS), JSON.parse)]),
];
/** The settings that came with the code: they may refuse something, and allow nothing. */
const sharedSettings = (world: World): Json[] =>
  [".claude/settings.json", LOCAL_SETTINGS].map((name) => read(path.join(worktreeOf(world), name), JSON.parse));

/** The settings of Claude Code for one user of a project, from the top of the worktree. */
export const LOCAL_SETTINGS = ".claude/settings.local.json";

/** Whether a file of the worktree may have come with the code: all but Claude Code's local settings where git does not track them. */
export function isShared(world: World, name: string): boolean {
  if (name !== LOCAL_SETTINGS) return true;
  const top = codeRepository(world.cwd)?.top ?? null;
  if (top === null) return false;
  // What lies behind a link that git tracks has no name of its own there.
  return trackedBelow(top, [name])?.length !== 0 || isLinked(top, name);
}

/** Whether a path of a worktree, or a folder on its way, is a link. */
function isLinked(top: string, name: string): boolean {
  return name
    .split("/")
    .some((_, at, all) => fs.lstatSync(path.join(top, ...all.slice(0, at + 1)), { throwIfNoEntry: false })?.isSymbolicLink() === true);
}

/** Whether the host's user trusted the folder; null where the host has not said anything of it. */
export function folderTrust(world: World, host: Host): boolean | null {
  const { trust } = host;
  if (trust === null) return null;
  const files = Object.fromEntries(
    Object.entries(trust.files).map(([name, { path: file, format, beside = false }]) => {
      const folder = beside ? besideOf(world, host) : baseOf(world, host, "agent");
      return [name, read(path.join(folder, file), format === "toml" ? parseToml : JSON.parse)];
    }),
  );
  return folders(world).flatMap((folder) => trust.folder(files, folder) ?? [])[0] ?? null;
}

/** Where the file lies that a host keeps beside its folder, or in it where a variable moved that. */
const besideOf = (world: World, { folderVariable }: Host): string => world.env[folderVariable?.name ?? ""] || userFolder(world.env);

/** Whether Codex's own record of trust names a file of hooks. */
export function hooksTrusted(world: World, file: string): boolean {
  const config = read(path.join(baseOf(world, hostOf("codex"), "agent"), "config.toml"), parseToml);
  const state = under(under(config, "hooks"), "state");
  return Object.entries(state).some(([key, value]) => key.startsWith(file) && under({ value }, "value")["trusted_hash"] !== undefined);
}

/** Whether Claude Code's user approved the server of `.mcp.json`; null where nothing says so. */
export function serverApproved(world: World): boolean | null {
  const projects = under(claudeState(world), "projects");
  const places = [...folders(world).map((folder) => under(projects, folder)), ...claudeSettings(world)];
  const names = (place: Json, key: string): boolean => Array.isArray(place[key]) && (place[key] as unknown[]).includes("relay");
  if ([...places, ...sharedSettings(world)].some((place) => names(place, "disabledMcpjsonServers"))) return false;
  return places.some((place) => place["enableAllProjectMcpServers"] === true || names(place, "enabledMcpjsonServers")) ? true : null;
}

/** Whether Claude Code's user turned Relay's plugin on. */
export function pluginEnabled(world: World): boolean {
  return claudeSettings(world).some((settings) =>
    Object.entries(under(settings, "enabledPlugins")).some(([name, isOn]) => /^relay@/.test(name) && isOn === true),
  );
}
