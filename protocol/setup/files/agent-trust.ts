/** Reads what the agents store about their user's trust; never writes it. spec/agents.md, "Setting up agents". */
import fs from "node:fs";
import path from "node:path";
import { userFolder } from "../../agents/files/host-folder.ts";
import type { Host, HostSettings, Read as Json } from "../../agents/hosts/host.ts";
import { orElse } from "../../core/format/file-error.ts";
import { codeRepository } from "../../core/home/find-home.ts";
import type { World } from "../../core/world.ts";
import { trackedBelow } from "../../git/git-tracked.ts";
import { readUserFile } from "../../store/beside/user-file.ts";
import { parseToml } from "../nouns/toml-text.ts";
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

/** The settings of a host: what git tracks came with the code, and speaks for nobody here. */
function settingsOf(world: World, host: Host): HostSettings {
  const all = (host.settings ?? []).map(({ base, path: name }) => ({
    isTheirs: base === "worktree",
    isOwn: base === "agent" || !isShared(world, name),
    read: read(path.join(baseOf(world, host, base), name), JSON.parse),
  }));
  return { own: all.flatMap((each) => (each.isOwn ? [each.read] : [])), shared: all.flatMap((each) => (each.isTheirs ? [each.read] : [])) };
}

/** Tells a file of the worktree that may have come with the code: all but the local settings of a host where git does not track them. */
export function isShared(world: World, name: string): boolean {
  if (!name.includes(".local.")) return true;
  const top = codeRepository(world.cwd)?.top ?? null;
  if (top === null) return false;
  // What lies behind a link that git tracks has no name of its own there.
  return trackedBelow(top, [name])?.length !== 0 || orElse(true, () => isLinked(top, name));
}

/** Whether a path of a worktree, or a folder on its way, is a link. */
function isLinked(top: string, name: string): boolean {
  return name
    .split("/")
    .some((_, at, all) => fs.lstatSync(path.join(top, ...all.slice(0, at + 1)), { throwIfNoEntry: false })?.isSymbolicLink() === true);
}

/** The values of a host's files that say its user's trust. */
const trustFiles = (world: World, host: Host): Record<string, Json> =>
  Object.fromEntries(
    Object.entries(host.trust?.files ?? {}).map(([name, { path: file, format, beside = false }]) => {
      const folder = beside ? besideOf(world, host) : baseOf(world, host, "agent");
      return [name, read(path.join(folder, file), format === "toml" ? parseToml : JSON.parse)];
    }),
  );

/** Where the file lies that a host keeps beside its folder, or in it where a variable moved that. */
const besideOf = (world: World, { folderVariable }: Host): string => world.env[folderVariable?.name ?? ""] || userFolder(world.env);

/** Finds out whether the host's user trusted the folder; null where the host has not said anything of it. */
export function folderTrust(world: World, host: Host): boolean | null {
  const files = trustFiles(world, host);
  return folders(world).flatMap((folder) => host.trust?.folder(files, folder) ?? [])[0] ?? null;
}

/** Whether the host runs the hooks of a file. */
export const hooksTrusted = (world: World, host: Host, file: string): boolean =>
  host.trust?.hooks?.isTrusted(trustFiles(world, host), file) ?? true;

/** Whether the host's user approved the server of a project; null where nothing says so. */
export const serverApproved = (world: World, host: Host): boolean | null =>
  host.trust?.server?.isApproved(trustFiles(world, host), folders(world), settingsOf(world, host)) ?? null;

/** Whether the host's user turned Relay's plugin on. */
export const pluginEnabled = (world: World, host: Host): boolean => host.plugin?.isOn(settingsOf(world, host).own) === true;
