/** The real programs of the agents, from npm, each at the version in `versions.json`, in the user's cache. */
import { execFile } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import type { AgentName } from "../models/seen.ts";
import versions from "./versions.json" with { type: "json" };

/** Where an agent's program lies, or why it is not there. */
export type Installed = { program: string } | { missing: string };

/** A download of several hundred megabytes may take this long. */
const INSTALL_MS = 300_000;
const START_MS = 60_000;

/** Where programs are kept: each in a folder `<agent>@<version>`. */
function cacheFolder(): string {
  const { RELAY_AGENTS_CACHE: own, XDG_CACHE_HOME: cache } = process.env;
  return own || path.join(cache || path.join(os.homedir(), ".cache"), "git-relay", "agents");
}

/**
 * Installs an agent's program: at its version in `versions.json`, or with `RELAY_AGENTS_LATEST` the newest that npm has and can install.
 * What cannot be installed is named.
 */
export async function install(agent: AgentName): Promise<Installed> {
  const { package: name, version } = versions[agent];
  if (process.env["RELAY_AGENTS_LATEST"] === undefined) return installed(agent, version);
  const newest = await run("npm", ["view", name, "version"], { timeout: START_MS }).then(
    ({ stdout }) => stdout.trim(),
    () => version,
  );
  const found = await installed(agent, newest);
  if ("program" in found) console.log(`${name}@${newest}${newest === version ? "" : `, pinned is ${version}`}`);
  if ("program" in found || newest === version) return found;
  console.log(`${found.missing}\n${name}@${version} is taken in its place`);
  return installed(agent, version);
}

/**
 * A program at a version, which is installed unless it is there. Safe against several at a time: each installs into a folder of its own, and
 * the first whose program starts gives the folder its name.
 */
async function installed(agent: AgentName, version: string): Promise<Installed> {
  const { package: name, node }: { package: string; node?: string } = versions[agent];
  const cache = cacheFolder();
  const folder = path.join(cache, `${agent}@${version}`);
  const bin = path.join("node_modules", ".bin", agent);
  const program = path.join(folder, node === undefined ? bin : agent);
  if (fs.existsSync(program)) return { program };
  let own: string | undefined;
  try {
    fs.mkdirSync(cache, { recursive: true });
    own = fs.mkdtempSync(path.join(cache, `.${agent}-`));
    const options = { cwd: own, timeout: INSTALL_MS };
    const packages = [`${name}@${version}`, ...(node === undefined ? [] : [`node-${process.platform}-${process.arch}@${node}`])];
    await run("npm", ["install", "--prefix", own, "--no-audit", "--no-fund", "--save-exact", ...packages], options);
    // Its own Node is asked for it alone: what it starts, such as Relay, has that of the PATH.
    if (node !== undefined)
      fs.writeFileSync(path.join(own, agent), `#!/bin/sh\nexec "${folder}/node_modules/.bin/node" "${folder}/${bin}" "$@"\n`, {
        mode: 0o755,
      });
    const words = node === undefined ? [path.join(own, bin)] : [path.join(own, "node_modules/.bin/node"), path.join(own, bin)];
    const told = await run(words[0] as string, [...words.slice(1), "--version"], { cwd: own, timeout: START_MS });
    const says = told.stdout + told.stderr;
    if (!says.includes(version)) throw new Error(`${name} says that it is ${says.trim()}, not ${version}`);
    fs.renameSync(own, folder);
    return { program };
  } catch (error) {
    // Another one was first.
    if (fs.existsSync(program)) return { program };
    const lines = ((error as { stderr?: string }).stderr || (error as Error).message).trim().split("\n");
    return {
      missing: `npm gives no ${name}@${version}: ${lines.findLast((line) => /^npm error (?!A complete log)/.test(line)) ?? lines[0]}`,
    };
  } finally {
    if (own !== undefined) fs.rmSync(own, { recursive: true, force: true });
  }
}

const run = promisify(execFile);
