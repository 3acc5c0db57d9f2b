/** Asking a tmux server. Each call is one short-lived process, and says what went wrong instead of throwing. */
import { execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { realFolder } from "../../protocol/core/home/find-home.ts";
import { ownProgram, withAbsolutePath } from "../../protocol/store/program.ts";

/** Which server: a socket's path (`-S`), a name (`-L`), or the user's own. */
export interface Server {
  path?: string | undefined;
  name?: string | undefined;
}

/** What tmux printed, or why it did not answer. */
export type Answer = { ok: true; text: string } | { ok: false; reason: "no_tmux" | "no_server" | "silent" | "refused"; detail: string };

/** A server that does not answer for so long counts as hung. */
const SILENT_MS = 5_000;
const MAX_BYTES = 16 * 1024 * 1024;

/** The first version that knows all that is asked of it here. */
export const TMUX_VERSION = [3, 2] as const;

/** The arguments that name a server. */
export const serverArgs = ({ path, name }: Server): string[] =>
  path !== undefined ? ["-S", path] : name !== undefined ? ["-L", name] : [];

/** The server that a user means: the one named by `RELAY_TMUX_SOCKET`, else the one this process runs in, else the default one. */
export function usersServer(env: Readonly<Record<string, string | undefined>>): Server {
  const name = env["RELAY_TMUX_SOCKET"] || undefined;
  if (name !== undefined) return { name };
  const path = (env["TMUX"] ?? "").split(",")[0] || undefined;
  return { path };
}

/**
 * Tells whether a socket lies where tmux makes those of this user's servers, or beside that of the server the user means, in a folder of the
 * user's alone.
 */
export function isUsersSocket(env: Readonly<Record<string, string | undefined>>, socket: string): boolean {
  const uid = process.getuid?.();
  const usual = path.join(env["TMUX_TMPDIR"] || "/tmp", `tmux-${uid}`);
  const folder = path.dirname(socket);
  if (![usual, path.dirname(usersServer(env).path ?? usual)].some((each) => realFolder(each) === folder)) return false;
  const [found, server] = [folder, socket].map((each) => fs.lstatSync(each, { throwIfNoEntry: false }));
  return found !== undefined && found.uid === uid && (found.mode & 0o077) === 0 && server?.isSocket() === true;
}

/** A word of somebody's for tmux to take as it is: at its end a `;` would end the command. */
export const word = (text: string): string => text.replace(/;$/, "\\;");

/**
 * Runs one tmux command, or several that are given with `;` between them. Never rejects.
 * @param cwd the folder to run it in, which is that of a window it makes; it must be there
 */
export function tmux(server: Server, args: readonly string[], cwd?: string): Promise<Answer> {
  // Inside of tmux its own variables would choose another server, and another pane as the default. And a server that begins with
  // this call gives its environment to every window: none of them is this part by that.
  const { TMUX: _server, TMUX_PANE: _pane, RELAY_PART: _part, RELAY_HOME: _home, ...env } = process.env;
  return new Promise((resolve) => {
    execFile(
      ownProgram("tmux", env),
      ["-u", ...serverArgs(server), ...args],
      { cwd, env: withAbsolutePath(env), timeout: SILENT_MS, maxBuffer: MAX_BYTES, killSignal: "SIGKILL" },
      (error, stdout, stderr) => {
        if (error === null) resolve({ ok: true, text: stdout });
        else if ((error as NodeJS.ErrnoException).code === "ENOENT")
          resolve({ ok: false, reason: "no_tmux", detail: "tmux is not installed" });
        else if (error.killed === true)
          resolve({ ok: false, reason: "silent", detail: `tmux did not answer within ${SILENT_MS / 1000} s` });
        else resolve({ ok: false, reason: NO_SERVER.test(stderr) ? "no_server" : "refused", detail: stderr.trim() || error.message });
      },
    );
  });
}

const NO_SERVER = /no server running|error connecting to|server exited|lost server/;

/** The version in `tmux 3.3a` or `tmux next-3.4`, as major and minor; null when it has no number, as in a build from its sources. */
export function versionIn(text: string): [number, number] | null {
  const match = /(\d+)\.(\d+)/.exec(text);
  return match === null ? null : [Number(match[1]), Number(match[2])];
}
