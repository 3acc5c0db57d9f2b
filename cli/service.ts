/** The pager as a service of the user's: a unit for systemd, shown before it is written. */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { EXIT, ensureFolder, PAGER_SERVICE, refuse, removeBeside, type World, writeBeside } from "../protocol/index.ts";
import type { Say } from "./pager.ts";

/** Where the unit of a home lies; its name has the project's id, so that each project has its own. */
function unitOf(world: World): { name: string; file: string } {
  const { XDG_CONFIG_HOME: given, HOME: home = "" } = world.env;
  const folder = path.join(given !== undefined && path.isAbsolute(given) ? given : path.join(home, ".config"), "systemd", "user");
  const name = `relay-pager-${world
    .home()
    .config()
    .project.id.replace(/[^A-Za-z0-9-]/g, "_")}.service`;
  return { name, file: path.join(folder, name) };
}

/** A unit that does not end is given up after so long. */
const SYSTEMD_MS = 30_000;

/** A word as a unit has it: quoted, with what systemd would expand doubled. */
const quoted = (text: string): string => `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("%", "%%")}"`;
/** The same in a command line, where variables are expanded too. */
const word = (text: string): string => quoted(text).replaceAll("$", "$$$$");
/** What a pager takes from the environment: where programs, what all homes share, and the tmux servers are. */
const ENVIRONMENT = ["HOME", "PATH", "XDG_STATE_HOME", "TMUX_TMPDIR", "RELAY_TMUX_SOCKET"];

/** Writes the unit, after showing it; with `dryRun` only shows it. */
export function install(world: World, dryRun: boolean, say: Say): number {
  const { name, file } = unitOf(world);
  const { store, config } = world.home();
  const title = config().project.name.replace(/[^\p{L}\p{N} ._-]/gu, "_");
  const command = [process.execPath, process.argv[1] as string].map(word).join(" ");
  const values: Record<string, string> = {
    name: title,
    command,
    home: word(store.root),
    environment: ENVIRONMENT.flatMap((name) => (world.env[name] === undefined ? [] : [quoted(`${name}=${world.env[name]}`)])).join(" "),
  };
  if (Object.values(values).some((value) => /[\n\r]/.test(value)))
    throw refuse("usage", { problem: "a path with a line break cannot stand in a unit.", help: "Move the project." });
  const text = PAGER_SERVICE.replace(/\{\{(\w+)\}\}/g, (_all, key: string) => values[key] ?? "");
  const next = `systemctl --user daemon-reload && systemctl --user enable --now ${name}`;
  if (!dryRun) {
    ensureFolder(path.dirname(file));
    writeBeside(file, text);
  }
  say(`${file}:\n\n${text}\n${dryRun ? "Nothing was written." : `Written. To start it now and at each login:\n  ${next}`}`, {
    file,
    text,
    written: !dryRun,
    next,
  });
  return EXIT.ok;
}

/** Removes the unit. */
export function uninstall(world: World, dryRun: boolean, say: Say): number {
  const { name, file } = unitOf(world);
  const there = fs.existsSync(file);
  const disable = ["--user", "disable", "--now", name];
  // While the unit is there: of one that is gone systemd knows neither its links nor what to end.
  const disabled = there && !dryRun && systemctl(disable);
  const removed = !dryRun && removeBeside(file);
  if (removed) systemctl(["--user", "daemon-reload"]);
  const end = disabled ? "What ran is ended." : `systemd was not asked. If it runs, end it: systemctl --user stop ${name}`;
  const would = `Would run: systemctl ${disable.join(" ")}\nWould remove ${file}.`;
  say(!there ? `There is no ${file}.` : dryRun ? would : `Removed ${file}. ${end}`, { file, removed, disabled });
  return EXIT.ok;
}

/** Whether systemd did it; it may not be there. */
const systemctl = (args: readonly string[]): boolean => spawnSync("systemctl", args, { stdio: "ignore", timeout: SYSTEMD_MS }).status === 0;
