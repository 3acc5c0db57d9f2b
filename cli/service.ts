/** The pager as a service of the user's: a unit for systemd, shown before it is written. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { refuse } from "../protocol/core/refusal.ts";
import { PAGER_SERVICE } from "../protocol/core/templates.ts";
import { EXIT, type World } from "../protocol/index.ts";
import { removeBeside, writeBeside } from "../protocol/store/beside/beside.ts";
import { ensureFolder } from "../protocol/store/beside/own-folder.ts";
import { withOwnPath } from "../protocol/store/program.ts";
import type { Say } from "./pager-process.ts";

/** A unit of the user's: its name, and where it lies. */
interface Unit {
  name: string;
  file: string;
}

/** Where the user's units lie. */
function unitFolder({ env }: World): string {
  const { XDG_CONFIG_HOME: given, HOME: home = "" } = env;
  return path.join(given !== undefined && path.isAbsolute(given) ? given : path.join(home, ".config"), "systemd", "user");
}

/** The unit of a home that is installed; null where none is. */
export function installedUnit(world: World): string | null {
  const { file } = unitOf(world);
  return fs.existsSync(file) ? file : null;
}

/** The unit of a home. Its name is made of where the home lies: what arrives by a sync must not choose which unit is written or removed. */
function unitOf(world: World): Unit {
  const name = `relay-pager-${createHash("sha256").update(world.home().store.root).digest("hex").slice(0, 16)}.service`;
  return { name, file: path.join(unitFolder(world), name) };
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
    throw refuse("usage", { problem: "A path with a line break cannot stand in a unit.", help: "Move the project." });
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
  const nothing = { file, removed: false, disabled: false };
  if (!fs.existsSync(file)) say(`There is no ${file}.`, nothing);
  else if (dryRun) say(`Would run: systemctl ${disabling(name).join(" ")}\nWould remove ${file}.`, nothing);
  else {
    const done = remove({ name, file });
    const told = done.disabled
      ? "The running pager was stopped."
      : `systemd was not asked. If the pager runs, stop it: systemctl --user stop ${name}`;
    say(`Removed ${file}. ${told}`, { file, ...done });
  }
  return EXIT.ok;
}

const disabling = (name: string): string[] => ["--user", "disable", "--now", name];

/** Has systemd end a unit, and removes it. While the unit is there: of one that is gone systemd knows neither its links nor what to end. */
function remove({ name, file }: Unit): { removed: boolean; disabled: boolean } {
  const disabled = systemctl(disabling(name));
  const removed = removeBeside(file);
  if (removed) systemctl(["--user", "daemon-reload"]);
  return { removed, disabled };
}

/** Whether systemd did it; it may not be there. */
const systemctl = (args: readonly string[]): boolean =>
  spawnSync("systemctl", args, { stdio: "ignore", timeout: SYSTEMD_MS, env: withOwnPath(process.env) }).status === 0;
